"""wrap_langchain with LangChain's tools and models, in graphs of LangGraph: recorded and replayed frozen."""

from __future__ import annotations

import asyncio
import json
import operator
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.language_models.fake_chat_models import FakeMessagesListChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.tools import BaseTool, InjectedToolCallId, StructuredTool, Tool, ToolException, tool
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.prebuilt import InjectedState, ToolNode
from langgraph.types import Command
from typing_extensions import TypedDict

import stepfork
from stepfork.errors import UsageError
from stepfork.instrument import context
from stepfork.instrument.adapters.chat_forms import chunk_of, result_of, told_chunk, told_result
from stepfork.instrument.forking import inherited
from stepfork.instrument.recorder import Recorder
from tests.integration.recorded_blocks import record_block, replay_block
from tests.integration.scripted_models import models

RAN: list[str] = []


@tool
def add(a: int, b: int) -> int:
    """Adds."""
    RAN.append("add")
    return a + b


@tool
def refuse(why: str, state: Annotated[dict[str, Any], InjectedState], call: Annotated[str, InjectedToolCallId]) -> str:
    """Refuses."""
    RAN.append("refuse")
    assert state["messages"]
    raise ToolException(f"no {why}")


@tool(response_format="content_and_artifact")
def draw(what: str) -> tuple[str, Any]:
    """Draws."""
    RAN.append("draw")
    return f"a {what}", {1: b"\xff\xfe"}


@tool
def decide(what: str, call: Annotated[str, InjectedToolCallId]) -> Command[Any]:
    """Decides."""
    RAN.append("decide")
    return Command(update={"messages": [ToolMessage(f"decided: {what}", tool_call_id=call)]})


@tool
async def later(what: str) -> dict[str, str]:
    """Does it later."""
    RAN.append("later")
    return {"what": what}


class Own(BaseTool):
    name: str = "own"
    description: str = "Own."

    def _run(self, what: str) -> str:
        RAN.append("own")
        return f"ran {what}"

    async def _arun(self, what: str) -> str:
        return self._run(what)


refuse.handle_tool_error = True
TOOLS: list[Any] = stepfork.wrap_langchain([add, refuse, draw, decide, later, Own()])


class Model(FakeMessagesListChatModel):
    def bind_tools(self, tools: Any, **kwargs: Any) -> Any:
        return self.bind(tools=[{"type": "function", "function": {"name": each.name}} for each in tools], **kwargs)


def asking(*calls: tuple[str, dict[str, Any]]) -> AIMessage:
    made = [
        {"name": name, "args": args, "id": f"call_{chr(65 + index)}bcdefghijKlmnopQrst1234"}
        for index, (name, args) in enumerate(calls)
    ]
    usage = {"input_tokens": 5, "output_tokens": 3, "total_tokens": 8}
    return AIMessage("", tool_calls=made, usage_metadata=usage, response_metadata={"model_name": "scripted-1"})


ALL = [("add", {"a": 1, "b": 2}), ("add", {"a": 3, "b": 4}), ("refuse", {"why": "money"}), ("draw", {"what": "cat"})]
ALL += [("decide", {"what": "yes"}), ("own", {"what": "it"})]


def graph(*calls: tuple[str, dict[str, Any]]) -> Any:
    """An agent that calls tools once, all of a message at a time. The model is wrapped, then has its tools bound."""
    model = stepfork.wrap_langchain(Model(responses=[asking(*calls), AIMessage("Done.")])).bind_tools(TOOLS)
    made = StateGraph(MessagesState)
    made.add_node("model", lambda state: {"messages": [model.invoke(state["messages"])]})
    made.add_node("tools", ToolNode(TOOLS))
    made.add_edge(START, "model")
    made.add_conditional_edges("model", lambda state: "tools" if state["messages"][-1].tool_calls else END)
    made.add_edge("tools", "model")
    return made.compile()


def told(messages: list[BaseMessage]) -> Any:
    """Messages without ids: LangChain makes up its own at each run, and a replay those of a model's calls."""
    return [[type(each).__name__, _without_ids(each.model_dump())] for each in messages]


def _without_ids(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_ids(item) for key, item in value.items() if key not in {"id", "tool_call_id"}}
    return [_without_ids(item) for item in value] if isinstance(value, list) else value


def in_threads(_: Any) -> Any:
    return told(graph(*ALL).invoke({"messages": [("user", "Hello.")]})["messages"])


def in_tasks(_: Any) -> Any:
    calls = [*ALL, ("later", {"what": "x"})]
    return told(asyncio.run(graph(*calls).ainvoke({"messages": [("user", "Hello.")]}))["messages"])


@pytest.mark.parametrize("block", [in_threads, in_tasks])
def test_an_agent_with_parallel_tools_is_replayed_without_its_tools_and_model(
    block: Any, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    RAN.clear()
    recorded = record_block(block, "x", models, project, monkeypatch)
    count = len(ALL) + (block is in_tasks)
    assert len(RAN) == count
    assert recorded.asked == []
    steps = recorded.run.trace.steps
    assert [step.name for step in steps if step.type == "llm_call"] == ["chat", "chat"]
    tools = steps[1:-1]
    assert {step.group for step in tools} == {1}
    assert sorted(step.name for step in tools) == sorted(
        [*(name for name, _ in ALL), *(["later"] * (count - len(ALL)))]
    )
    refused = next(step for step in tools if step.name == "refuse")
    assert refused.arguments == {"why": "money"}  # neither the state nor the id, which LangGraph injects
    assert refused.error is not None
    assert refused.error.type == "ToolException"
    usage = steps[0].usage
    assert usage is not None
    assert (steps[0].model, usage.input_tokens, usage.output_tokens) == ("scripted-1", 5, 3)
    result = replay_block(block, recorded)
    assert result.causes == ()
    assert result.error is None
    assert result.value == recorded.value
    assert len(RAN) == count
    assert result.substituted["add"] == 2


def test_bytes_of_parallel_tools_do_not_depend_on_their_timing(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = set()
    for number in range(6):
        folder = project / str(number)
        folder.mkdir()
        recorded = record_block(in_threads, "x", models, folder, monkeypatch)
        made.add((recorded.path / "manifest.json").read_bytes())
    assert len(made) == 1


def test_another_argument_is_a_mismatch_and_no_tool_runs(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def block(_: Any) -> Any:
        return add.invoke({"a": NUMBERS[0], "b": 2})

    NUMBERS[:] = [1]
    recorded = record_block(block, "x", models, project, monkeypatch)
    RAN.clear()
    NUMBERS[:] = [5]
    result = replay_block(block, recorded)
    assert not result.passed
    assert "add" in result.causes[0]
    assert RAN == []


NUMBERS: list[int] = []


class Pieces(FakeMessagesListChatModel):
    """Streams blocks and tool calls in pieces, as a real one does."""

    def _stream(self, messages: Any, stop: Any = None, run_manager: Any = None, **kwargs: Any) -> Iterator[Any]:
        for text in ("Hel", "lo"):
            blocks: Any = [{"type": "text", "text": text, "index": 0}]
            yield ChatGenerationChunk(message=AIMessageChunk(content=blocks))
        for args in ('{"a"', ": 1}"):
            piece = {"name": "add" if args[0] == "{" else None, "args": args, "id": None, "index": 1}
            yield ChatGenerationChunk(message=AIMessageChunk(content="", tool_call_chunks=[piece]))
        usage: Any = {"input_tokens": 4, "output_tokens": 2, "total_tokens": 6}
        yield ChatGenerationChunk(
            message=AIMessageChunk(content="", usage_metadata=usage), generation_info={"finish_reason": "stop"}
        )


def streaming(_: Any) -> Any:
    model = stepfork.wrap_langchain(Pieces(responses=[AIMessage("unused")]))
    whole = list(model.stream("Hello."))
    summed = whole[0]
    for each in whole[1:]:
        summed += each
    first = next(iter(model.stream("Hello.")))

    async def awaited() -> Any:
        return [each async for each in model.astream("Hello.")]

    return told([*whole, summed, first, *asyncio.run(awaited())])


def test_streamed_messages_come_back_piece_by_piece(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    recorded = record_block(streaming, "x", models, project, monkeypatch)
    result = replay_block(streaming, recorded)
    assert result.causes == ()
    assert result.value == recorded.value
    usages = [step.usage for step in recorded.run.trace.steps if step.type == "llm_call"]
    assert [usage.output_tokens if usage else None for usage in usages] == [2, None, 2]


def test_no_text_of_a_streamed_piece_stands_twice() -> None:
    blocks: Any = [{"type": "text", "text": "needle", "index": 0}]
    piece: Any = {"name": "add", "args": "haystack", "id": "c", "index": 3}
    chunk = ChatGenerationChunk(message=AIMessageChunk(content=blocks, tool_call_chunks=[piece]))
    event = told_chunk(chunk)
    assert (str(event).count("needle"), str(event).count("haystack")) == (1, 1)
    assert chunk_of(event) == chunk


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 2**60) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=4), inner, max_size=2),
    max_leaves=5,
)
TEXT_BLOCK = st.fixed_dictionaries(
    {"type": st.just("text"), "text": st.text(max_size=5)}, optional={"index": st.just(0)}
)
BLOCKS = st.lists(TEXT_BLOCK | st.fixed_dictionaries({"type": st.just("thinking"), "thinking": st.text()}), max_size=3)
CALLS = st.lists(
    st.builds(
        lambda name, args, key: {"name": name, "args": args, "id": key, "type": "tool_call"},
        st.text(max_size=4),
        st.dictionaries(st.text(max_size=4), JSON, max_size=2),
        st.none() | st.text(max_size=4),
    ),
    max_size=2,
)


@given(st.text() | BLOCKS, CALLS, st.dictionaries(st.text(), JSON, max_size=2), st.none() | st.text())
def test_any_answer_comes_back_as_it_was(content: Any, calls: Any, held: dict[str, Any], identity: str | None) -> None:
    message = AIMessage(content, tool_calls=calls, response_metadata=held, additional_kwargs=held, id=identity)
    result = ChatResult(generations=[ChatGeneration(message=message, generation_info=held or None)], llm_output=held)
    told_form = json.loads(json.dumps(told_result(result)))
    assert result_of(told_form) == result
    assert told_form["choices"][0]["message"]["role"] == "assistant"


PIECES = st.lists(
    st.builds(
        lambda name, args, key, index: {
            "name": name,
            "args": args,
            "id": key,
            "index": index,
            "type": "tool_call_chunk",
        },
        st.none() | st.text(max_size=4),
        st.none() | st.text(max_size=4),
        st.none() | st.text(max_size=4),
        st.none() | st.integers(0, 3),
    ),
    max_size=2,
)


@given(st.text() | BLOCKS, PIECES, st.sampled_from([None, "last"]))
def test_any_piece_comes_back_as_it_was(content: Any, pieces: Any, position: Any) -> None:
    message = AIMessageChunk(content=content, tool_call_chunks=pieces, chunk_position=position)
    chunk = ChatGenerationChunk(message=message)
    assert chunk_of(json.loads(json.dumps(told_chunk(chunk)))) == chunk


class State(TypedDict):
    found: Annotated[list[str], operator.add]


def parallel_nodes(late: str = "") -> Any:
    """Two nodes at once, each with a tool, then one more; the tool of the node `late` ends after that of the other."""
    is_done = threading.Event()

    @tool
    def look(where: str) -> str:
        """Looks."""
        if where == late:
            assert is_done.wait(60)
        is_done.set()
        return f"seen {where}"

    stepfork.wrap_langchain(look)
    made = StateGraph(State)
    for name in ("left", "right", "after"):
        made.add_node(name, lambda _, name=name: {"found": [look.invoke({"where": name})]})
    made.add_edge(START, "left")
    made.add_edge(START, "right")
    made.add_edge("left", "after")
    made.add_edge("right", "after")
    return made.compile()


@pytest.mark.parametrize("is_async", [False, True])
def test_tools_of_parallel_nodes_share_a_group_and_their_bytes_do_not_depend_on_timing(
    is_async: bool, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def block(late: str) -> Any:
        compiled = parallel_nodes(late)
        given: Any = {"found": []}
        return (asyncio.run(compiled.ainvoke(given)) if is_async else compiled.invoke(given))["found"]

    made = set()
    for number in range(6):
        folder = project / str(number)
        folder.mkdir()
        late = ("left", "right")[number % 2]
        recorded = record_block(lambda _, late=late: block(late), "x", models, folder, monkeypatch)
        told = [(step.arguments, step.group) for step in recorded.run.trace.steps]
        assert told == [({"where": "left"}, 1), ({"where": "right"}, 1), ({"where": "after"}, None)]
        made.add((recorded.path / "manifest.json").read_bytes())
    assert len(made) == 1


def test_nodes_that_run_at_once_are_one_group_and_nodes_in_turn_are_not() -> None:
    compiled = parallel_nodes()
    for run in (lambda: compiled.invoke({"found": []}), lambda: asyncio.run(compiled.ainvoke({"found": []}))):
        recorder = Recorder()
        with context.listening(recorder), inherited():
            run()
        calls = {call.asked.arguments["where"]: call for call in recorder.calls()}  # type: ignore[call-overload,index]
        assert all(call.parent is None for call in calls.values())
        assert calls["after"].begun > max(calls["left"].ended or 0, calls["right"].ended or 0)


def test_a_tool_made_of_its_synchronous_form_is_one_call_with_what_it_calls_below() -> None:
    @tool
    def inner(what: str) -> str:
        """Is called by another."""
        return what

    @tool
    async def outer(what: str) -> str:
        """Calls another."""
        return str(await inner.ainvoke({"what": what}))

    stepfork.wrap_langchain((inner, outer))
    own = stepfork.wrap_langchain(Own())
    recorder = Recorder()
    with context.listening(recorder), inherited():
        assert asyncio.run(outer.ainvoke({"what": "x"})) == "x"
        assert asyncio.run(own.ainvoke({"what": "y"})) == "ran y"
    first, second, third = recorder.calls()
    assert [first.asked.name, second.asked.name, third.asked.name] == ["outer", "inner", "own"]
    assert [first.parent, second.parent, third.parent] == [None, first.number, None]


def test_positional_and_keyword_arguments_have_the_names_that_the_model_is_offered() -> None:
    simple = Tool(name="simple", description="Simple.", func=lambda text: text.upper())
    structured = StructuredTool.from_function(lambda a, b=2: a + b, name="structured", description="S.")
    stepfork.wrap_langchain([simple, structured])
    recorder = Recorder()
    with context.listening(recorder):
        assert simple.invoke("abc") == "ABC"
        assert structured.invoke({"a": 1}) == 3
    assert [call.asked.arguments for call in recorder.calls()] == [{"tool_input": "abc"}, {"a": 1}]


def test_structured_output_is_parsed_again(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Structured(Model):
        def bind_tools(self, tools: Any, **kwargs: Any) -> Any:
            return self.bind(tools=[{"type": "function", "function": {"name": "City"}}])

    schema = {"title": "City", "description": "A city.", "type": "object", "properties": {"city": {"type": "string"}}}

    def block(_: Any) -> Any:
        model = stepfork.wrap_langchain(Structured(responses=[asking(("City", {"city": "Lisbon"}))]))
        return model.with_structured_output(schema).invoke("Where?")

    recorded = record_block(block, "x", models, project, monkeypatch)
    assert recorded.value == {"city": "Lisbon"}
    result = replay_block(block, recorded)
    assert (result.causes, result.value) == ((), recorded.value)


def test_outside_of_a_session_nothing_is_changed() -> None:
    @tool
    def plain(a: int) -> int:
        """Plain."""
        return a + 1

    before = (plain.args, plain.tool_call_schema.model_json_schema(), plain.invoke({"a": 1}))
    wrapped = stepfork.wrap_langchain(plain)
    assert wrapped is plain
    assert stepfork.wrap_langchain(wrapped) is plain
    assert isinstance(plain, StructuredTool)
    assert type(plain).__name__ == "StructuredTool"
    assert (plain.args, plain.tool_call_schema.model_json_schema(), plain.invoke({"a": 1})) == before
    message = plain.invoke({"type": "tool_call", "name": "plain", "args": {"a": 4}, "id": "call_1"})
    assert isinstance(message, ToolMessage)
    assert (message.content, message.tool_call_id) == ("5", "call_1")
    assert plain.model_copy().invoke({"a": 2}) == 3
    with pytest.raises(Exception, match="validation error"):
        plain.invoke({"a": "x"})


def test_what_is_neither_tool_nor_model_is_refused_in_one_line() -> None:
    for value in (None, len, [add, "x"]):
        with pytest.raises(UsageError, match=r"^wrap_langchain takes tools and chat models, not a \w+$"):
            stepfork.wrap_langchain(value)
    with pytest.raises(UsageError, match="not a CompiledStateGraph; wrap the tools and the model that it is made of"):
        stepfork.wrap_langchain(graph(("add", {"a": 1, "b": 2})))


def wanted(**kinds: Any) -> Any:
    """A tool of this moment's code: what it takes besides ``what`` has changed since it was recorded."""

    def before(what: str) -> str:
        """Wants."""
        RAN.append("wanted")
        return what

    def now(what: str, limit: int = 3, tags: list[str] = ["a"]) -> str:  # noqa: B006
        """Wants."""
        RAN.append("wanted")
        return f"{what}{limit}{tags}"

    return stepfork.wrap_langchain(StructuredTool.from_function(now if kinds["now"] else before, name="wanted"))


@pytest.mark.parametrize("given", [{"what": "x"}, {"what": "x", "limit": 3}])
def test_a_default_that_nobody_gave_is_no_argument(
    given: dict[str, Any], project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def block(given: Any, *, now: bool) -> Any:
        return [wanted(now=now).invoke(given), asyncio.run(wanted(now=now).ainvoke(given))]

    recorded = record_block(lambda given: block(given, now="limit" in given), given, models, project, monkeypatch)
    assert [step.arguments for step in recorded.run.trace.steps] == [given, given]
    RAN.clear()
    result = replay_block(lambda given: block(given, now=True), recorded)
    assert (result.causes, result.value, RAN) == ((), recorded.value, [])


def twice_named(is_async: bool) -> Any:
    @stepfork.trace_tool(encode=lambda made: made["what"], decode=lambda what: {"what": what})
    def inner(what: str) -> dict[str, str]:
        """Does."""
        RAN.append("inner")
        return {"what": what} if what == "again" else {"what": inner("again")["what"] + what}

    @stepfork.trace_tool
    async def ainner(what: str) -> dict[str, str]:
        """Does."""
        RAN.append("inner")
        return {"what": what} if what == "again" else {"what": (await ainner("again"))["what"] + what}

    return stepfork.wrap_langchain(tool("other")(ainner if is_async else inner))


@pytest.mark.parametrize("is_async", [False, True])
def test_a_tool_that_is_instrumented_below_makes_one_call(
    is_async: bool, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def block(what: str) -> Any:
        made = twice_named(is_async)
        return asyncio.run(made.ainvoke({"what": what})) if is_async else made.invoke({"what": what})

    recorded = record_block(block, "x", models, project, monkeypatch)
    steps = recorded.run.trace.steps
    assert [(step.name, step.parent) for step in steps] == [("other", None), ("ainner" if is_async else "inner", 0)]
    assert RAN[-2:] == ["inner", "inner"]  # a call of itself is a call in it
    RAN.clear()
    result = replay_block(block, recorded)
    assert (result.causes, result.value, RAN) == ((), recorded.value, [])

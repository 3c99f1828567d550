"""stepfork: one real agent run as a fixture in git.

    with stepfork.record("refund") as capture: ...   what the block does becomes the fixture
    with stepfork.playback("refund"): ...            the block's model calls are answered from it

    @stepfork.trace_tool                             a tool whose calls are recorded, and answered in a replay
    stepfork.llm_request(client.ask, model="m", …)   the same of a model call; `await stepfork.allm_request(…)`
    stepfork.wrap_openai(client)                     the same of each call of a client; also wrap_anthropic(client),
                                                     and wrap_langchain(tools), wrap_langchain(chat_model)

Importing this loads nothing else; each name is loaded when it is first asked for.
"""

__all__ = [
    "allm_request",
    "llm_request",
    "playback",
    "record",
    "trace_tool",
    "wrap_anthropic",
    "wrap_langchain",
    "wrap_openai",
]

_HOMES = {
    "allm_request": "stepfork.instrument.llm_request",
    "llm_request": "stepfork.instrument.llm_request",
    "playback": "stepfork.workflows.playback",
    "record": "stepfork.workflows.record",
    "trace_tool": "stepfork.instrument.trace_tool",
    "wrap_anthropic": "stepfork.instrument.adapters.anthropic",
    "wrap_langchain": "stepfork.instrument.adapters.langchain",
    "wrap_openai": "stepfork.instrument.adapters.openai",
}

TYPE_CHECKING = False
if TYPE_CHECKING:
    from stepfork.instrument.adapters.anthropic import wrap_anthropic as wrap_anthropic
    from stepfork.instrument.adapters.langchain import wrap_langchain as wrap_langchain
    from stepfork.instrument.adapters.openai import wrap_openai as wrap_openai
    from stepfork.instrument.llm_request import allm_request as allm_request
    from stepfork.instrument.llm_request import llm_request as llm_request
    from stepfork.instrument.trace_tool import trace_tool as trace_tool
    from stepfork.workflows.playback import playback as playback
    from stepfork.workflows.record import record as record
else:  # hidden from type checkers, to which any name would be one

    def __getattr__(name: str) -> object:
        home = _HOMES.get(name)
        if home is None:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from importlib import import_module

        found = globals()[name] = getattr(import_module(home), name)
        return found

    def __dir__() -> list[str]:
        return sorted({*globals(), *_HOMES})

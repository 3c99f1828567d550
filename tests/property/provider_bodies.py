"""Bodies as providers' clients and servers write them, and bodies that are wrong in any place."""

from __future__ import annotations

import copy
from typing import Any

from hypothesis import strategies as st

APIS = ("chat_completions", "responses", "messages")

_NAMES = (  # noqa: SIM905 (a list with a line for each word hides what is in it)
    "messages input system instructions tools model role content type text name id call_id tool_calls function "
    "arguments function_call tool_call_id tool_use_id output input_schema parameters cache_control is_error "
    "custom choices delta message index finish_reason refusal reasoning reasoning_content audio transcript usage "
    "error status item output_index content_block partial_json thinking stop_reason response incomplete_details "
    "summary action code stream candidates parts citation cited_text missing rest lines part value raw tool"
).split()
_WORDS = (  # noqa: SIM905 (a list with a line for each word hides what is in it)
    "system developer user assistant tool function custom message text input_text output_text tool_use "
    "tool_result function_call function_call_output custom_tool_call custom_tool_call_output reasoning image stop "
    "length error response.completed response.failed response.output_text.delta response.output_item.added "
    "message_start c1 t {} message_delta message_stop content_block_start content_block_delta text_delta "
    "input_json_delta failed [1]"
).split()

scalars = st.one_of(
    st.none(), st.booleans(), st.integers(-3, 3), st.sampled_from([0.0, 1.0, 1.5]),
    st.sampled_from(_WORDS), st.sampled_from(["", "a", "a\n\nb", "\n", "\n\n", "é"]),
)  # fmt: skip
values = st.recursive(
    scalars,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.sampled_from(_NAMES), inner, max_size=4)),
    max_leaves=12,
)
objects = st.dictionaries(st.sampled_from(_NAMES), values, max_size=6)

REQUESTS: dict[str, list[dict[str, Any]]] = {
    "chat_completions": [
        {
            "model": "m",
            "messages": [
                {"role": "system", "content": "s"},
                {"role": "developer", "content": [{"type": "text", "text": "d"}]},
                {"role": "user", "content": [{"type": "text", "text": "a"}, {"type": "image_url", "image_url": 1}]},
                {"role": "assistant", "content": None, "tool_calls": [
                    {"id": "c1", "type": "function", "function": {"name": "t", "arguments": "{}"}},
                    {"id": "c2", "type": "custom", "custom": {"name": "u", "input": "x"}}]},
                {"role": "tool", "tool_call_id": "c1", "content": "r"},
                {"role": "tool", "tool_call_id": "c2", "content": [{"type": "text", "text": "q"}]},
                {"role": "assistant", "content": "", "function_call": {"name": "t", "arguments": ""}},
                {"role": "function", "name": "t", "content": "r"},
            ],
            "tools": [{"type": "function", "function": {"name": "t", "parameters": {}}}, {"type": "x"}],
            "stream": True,
        },
    ],
    "responses": [
        {
            "model": "m",
            "instructions": "s",
            "input": [
                {"role": "user", "content": "a"},
                {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "b"}]},
                {"type": "reasoning", "id": "rs", "summary": []},
                {"type": "function_call", "call_id": "c1", "name": "t", "arguments": "{}", "id": "fc"},
                {"type": "function_call_output", "call_id": "c1", "output": "r"},
                {"type": "custom_tool_call", "call_id": "c2", "name": "u", "input": "x"},
                {"type": "custom_tool_call_output", "call_id": "c2", "output": [{"type": "input_text", "text": "q"}]},
                {"type": "item_reference", "id": "x"},
            ],
            "tools": [{"type": "function", "name": "t", "parameters": {}}, {"type": "web_search"}],
        },
        {"input": "a"},
    ],
    "messages": [
        {
            "model": "m",
            "system": [{"type": "text", "text": "s"}, {"type": "text", "text": "t", "cache_control": {}}],
            "messages": [
                {"role": "user", "content": "a"},
                {"role": "assistant", "content": [
                    {"type": "thinking", "thinking": "h"}, {"type": "text", "text": "b"},
                    {"type": "tool_use", "id": "c1", "name": "t", "input": {"x": 1}},
                    {"type": "tool_use", "id": "c2", "name": "t", "input": {}}]},
                {"role": "user", "content": [
                    {"type": "tool_result", "tool_use_id": "c1", "content": "r"},
                    {"type": "tool_result", "tool_use_id": "c2", "content": [{"type": "text", "text": "q"}]},
                    {"type": "text", "text": "c"}]},
                {"role": "user", "content": [{"type": "text", "text": "z"}]},
            ],
            "tools": [{"name": "t", "input_schema": {}}, {"type": "bash_1", "name": "bash"}],
        },
        {"system": "s", "messages": []},
    ],
}  # fmt: skip


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The paths of a value and of everything in it."""
    steps = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(found for step, child in steps for found in places(child, (*path, step)))]


def replaced(value: Any, path: tuple[Any, ...], new: Any) -> Any:
    """A copy of `value` with `new` at `path`."""
    if not path:
        return new
    made = copy.copy(value)
    made[path[0]] = replaced(value[path[0]], path[1:], new)
    return made


def without(value: Any, path: tuple[Any, ...]) -> Any:
    """A copy of `value` without what stands at `path` (not the whole)."""
    made = copy.deepcopy(value)
    node = made
    for step in path[:-1]:
        node = node[step]
    del node[path[-1]]
    return made


@st.composite
def mutated(draw: st.DrawFn, value: Any, whole: bool = True) -> Any:
    """A copy of a value that is wrong in one place: something else stands there, or nothing, or more.

    Without `whole` it stays an object if it is one.
    """
    path = draw(st.sampled_from(places(value)))
    kind = draw(st.sampled_from(["replace", "remove", "add"] if path or whole else ["add"]))
    if kind == "remove" and path:
        return without(value, path)
    node = value
    for step in path:
        node = node[step]
    if kind == "add" and isinstance(node, dict):
        return replaced(value, path, {**node, draw(st.sampled_from(_NAMES)): draw(values)})
    if kind == "add" and isinstance(node, list):
        return replaced(value, path, [*node, draw(values)])
    return replaced(value, path, draw(values))


@st.composite
def requests(draw: st.DrawFn, api: str) -> dict[str, Any]:
    """A request of an API, right or wrong in up to two places."""
    body: Any = draw(st.sampled_from(REQUESTS[api]) | objects)
    for _ in range(draw(st.integers(0, 2))):
        body = draw(mutated(body))
    return body if isinstance(body, dict) else {"input": body}

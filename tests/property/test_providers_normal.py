"""Two requests have one normal form exactly where they differ in no more than the equalities that are documented.

The equalities are written here a second time, as a rewriting of the body that knows nothing of the normal form.
"""

from __future__ import annotations

from typing import Any

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from stepfork.canonical.encode import dumps
from stepfork.providers.normal import normal_request
from stepfork.trace.body import JsonBody
from stepfork.trace.exchange import Exchange, Request, Response
from tests.property.provider_bodies import APIS, mutated, places, replaced, requests

TEXTS = ("text", "input_text", "output_text")


def form(api: str, body: dict[str, Any]) -> bytes:
    exchange = Exchange("p", api, Request("POST", "/x", body=JsonBody(body)), Response(200))
    return dumps(msgspec.to_builtins(normal_request(exchange)))


def plain(value: Any) -> Any:
    return {k: v for k, v in value.items() if k != "cache_control"} if isinstance(value, dict) else value


def content(value: Any, api: str) -> Any:
    """A content as a string where it is a lone text block, its blocks without cache_control else."""
    if not isinstance(value, list):
        return value
    blocks = [plain(block) for block in value]
    if len(blocks) == 1 and isinstance(blocks[0], dict) and blocks[0].keys() == {"type", "text"}:
        kind, text = blocks[0]["type"], blocks[0]["text"]
        if isinstance(kind, str) and kind in TEXTS and isinstance(text, str):
            return text
    if api == "messages":
        blocks = [result(block, "content") if _is_result(block) else block for block in blocks]
    return blocks


def _is_result(block: Any) -> bool:
    return isinstance(block, dict) and block.get("type") == "tool_result"


def result(item: dict[str, Any], name: str) -> dict[str, Any]:
    kept = {k: v for k, v in item.items() if k != name or v is not None}
    return kept | ({name: content(kept[name], "other")} if name in kept else {})


def message(item: dict[str, Any], api: str) -> dict[str, Any]:
    made = plain(item)
    if api == "responses":
        kind = made.get("type")
        if kind in ("function_call_output", "custom_tool_call_output") and isinstance(kind, str):
            return result(made, "output")
        if made.get("type", "message") != "message" or "role" not in made:
            return made
        made.pop("type", None)
    made = {k: v for k, v in made.items() if k != "content" or v is not None}
    return made | ({"content": content(made["content"], api)} if "content" in made else {})


def canonical(api: str, body: dict[str, Any]) -> bytes:
    """The body with every documented equality undone."""
    made = plain(body)
    name = "input" if api == "responses" else "messages"
    if api == "responses" and isinstance(made.get(name), str):
        made[name] = [{"role": "user", "content": made[name]}]
    if isinstance(made.get(name), list) and all(isinstance(item, dict) for item in made[name]):
        made[name] = [message(item, api) for item in made[name]]
    if api == "messages" and isinstance(made.get("system"), list):
        made["system"] = content(made["system"], "other")
    if isinstance(made.get("tools"), list):
        made["tools"] = [plain(tool) for tool in made["tools"]]
    return dumps(made)


@given(st.data(), st.sampled_from(APIS))
def test_a_difference_in_the_body_is_one_in_the_form(data: st.DataObject, api: str) -> None:
    old = data.draw(requests(api))
    new = data.draw(mutated(old, whole=False))
    assert (form(api, old) == form(api, new)) == (canonical(api, old) == canonical(api, new))


@given(st.data(), st.sampled_from(APIS))
def test_bodies_that_have_nothing_to_do_with_one_another(data: st.DataObject, api: str) -> None:
    one, two = data.draw(requests(api)), data.draw(requests(api))
    assert (form(api, one) == form(api, two)) == (canonical(api, one) == canonical(api, two))


@given(st.data(), st.sampled_from(APIS))
def test_the_documented_equalities_hold_wherever_they_apply(data: st.DataObject, api: str) -> None:
    body: Any = data.draw(requests(api))
    changed = body
    for path in places(body):
        node = body
        for step in path:
            node = node[step]
        if path[-1:] == ("content",) and isinstance(node, str) and data.draw(st.booleans()):
            changed = replaced(changed, path, [{"text": node, "type": "text", "cache_control": 1}])
    assert (form(api, body) == form(api, changed)) == (canonical(api, body) == canonical(api, changed))


@given(st.data(), st.sampled_from(APIS))
def test_the_order_of_members_never_matters(data: st.DataObject, api: str) -> None:
    body = data.draw(requests(api))
    assert form(api, _reversed(body)) == form(api, body)


def _reversed(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _reversed(value[name]) for name in reversed(value)}
    return [_reversed(item) for item in value] if isinstance(value, list) else value

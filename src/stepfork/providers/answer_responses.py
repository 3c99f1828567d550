"""Answers of the OpenAI Responses API."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from stepfork.providers.calls import Answer, Outcome, ToolCall
from stepfork.providers.cost import billed
from stepfork.providers.failures import failure_in
from stepfork.providers.shapes import (
    dict_of,
    dicts_in,
    int_or_none,
    json_text,
    list_of,
    str_of,
    text_or_none,
    texts_in,
)
from stepfork.trace.step import StepError, Usage

_LAST = frozenset({"response.completed", "response.incomplete", "response.failed"})
# Calls that the agent runs itself although they are no functions, and where their arguments stand.
_HOSTED = {
    "computer_call": "action",
    "local_shell_call": "action",
    "shell_call": "action",
    "apply_patch_call": "operation",
}
# Where the text of a delta event belongs in its item.
_DELTAS = {
    "response.output_text.delta": "text",
    "response.refusal.delta": "text",
    "response.reasoning_text.delta": "reasoning",
    "response.reasoning_summary_text.delta": "reasoning",
    "response.function_call_arguments.delta": "arguments",
    "response.custom_tool_call_input.delta": "input",
}


def read_responses(body: dict[str, Any]) -> Answer | None:
    """The answer in a ``response`` object; None where it is not one."""
    if not isinstance(body.get("output"), list) and "status" not in body and "error" not in body:
        return None
    status = str_of(body.get("status"))
    why = text_or_none(dict_of(body.get("incomplete_details")).get("reason"))
    outcome: Outcome = "incomplete" if status == "incomplete" else "ok"
    error: StepError | None = None
    if status in ("failed", "cancelled") or (body.get("error") and status not in ("completed", "incomplete")):
        outcome, error = "error", failure_in(body, status or "error")
    items = dicts_in(body.get("output"))
    reasons = (why or status,) if why or status in ("completed", "incomplete", "failed", "cancelled") else ()
    return Answer(
        text="".join(_said(item) for item in items),
        tool_calls=tuple(call for item in items if (call := tool_call_of(item)) is not None),
        model=text_or_none(body.get("model")),
        usage=_usage(body),
        finish_reasons=reasons,
        outcome=outcome,
        error=error,
        reasoning="\n\n".join(text for item in items if (text := _thought(item))),
        cost_usd=billed(body),
    )


def join_responses(events: Iterable[Any]) -> tuple[dict[str, Any], bool]:
    """One ``response`` object from the decoded events of a stream, and whether its last event was there.

    The last event carries the whole response; until then, and where its ``output`` is empty, the items are put
    together from what came before.
    """
    body: dict[str, Any] = {"output": []}
    items = _Items()
    finished = False
    for event in events:
        said = dict_of(event)
        kind = str_of(said.get("type"))
        if kind == "error" or (not kind and said.get("error")):
            body |= {"status": "failed", "error": dict_of(said.get("error")) or {**said, "type": None}}
            finished = True
        elif isinstance(said.get("response"), dict):
            body = {**body, **said["response"]}
            finished = finished or kind in _LAST
            if kind in _LAST:
                body["status"] = kind.removeprefix("response.")
        else:
            items.add(kind, said)
    if not list_of(body.get("output")):
        body["output"] = items.whole()
    return body, finished


def tool_call_of(item: dict[str, Any]) -> ToolCall | None:
    """The call that an output item asks the agent to make, if it does (tools that the provider runs do not count)."""
    kind, call_id = str_of(item.get("type")), str_of(item.get("call_id"))
    if kind == "function_call":
        return ToolCall(call_id, str_of(item.get("name")), str_of(item.get("arguments")))
    if kind == "custom_tool_call":
        return ToolCall(call_id, str_of(item.get("name")), str_of(item.get("input")))
    if kind == "tool_search_call" and item.get("execution") == "client":
        return ToolCall(call_id, "tool_search", json_text(item.get("arguments")))
    if kind in _HOSTED:
        return ToolCall(call_id, kind.removesuffix("_call"), json_text(item.get(_HOSTED[kind])))
    return None


class _Items:
    """Output items by index, as their events come in."""

    def __init__(self) -> None:
        self.done: dict[int, dict[str, Any]] = {}
        self.texts: dict[int, dict[str, list[str]]] = {}

    def add(self, kind: str, event: dict[str, Any]) -> None:
        index = int_or_none(event.get("output_index")) or 0
        if kind in ("response.output_item.added", "response.output_item.done"):
            self.done[index] = dict_of(event.get("item"))
            if kind.endswith("done"):
                self.texts.pop(index, None)
        elif kind in _DELTAS and isinstance(event.get("delta"), str):
            self.texts.setdefault(index, {}).setdefault(_DELTAS[kind], []).append(event["delta"])

    def whole(self) -> list[dict[str, Any]]:
        made = []
        for index in sorted(self.done.keys() | self.texts.keys()):
            item = dict(self.done.get(index, {}))
            said = {name: "".join(texts) for name, texts in self.texts.get(index, {}).items()}
            if "text" in said:
                item |= {"type": "message", "content": [{"type": "output_text", "text": said["text"]}]}
            if "reasoning" in said:
                item |= {"type": "reasoning", "summary": [{"type": "summary_text", "text": said["reasoning"]}]}
            item |= {name: said[name] for name in ("arguments", "input") if name in said}
            made.append(item)
        return made


def _said(item: dict[str, Any]) -> str:
    return texts_in(item.get("content"), "text", "refusal") if item.get("type") == "message" else ""


def _thought(item: dict[str, Any]) -> str:
    if item.get("type") != "reasoning":
        return ""
    return texts_in(item.get("summary"), "text") or texts_in(item.get("content"), "text")


def _usage(body: dict[str, Any]) -> Usage | None:
    usage = dict_of(body.get("usage"))
    if not usage:
        return None
    return Usage(
        input_tokens=int_or_none(usage.get("input_tokens")),
        output_tokens=int_or_none(usage.get("output_tokens")),
        cached_tokens=int_or_none(dict_of(usage.get("input_tokens_details")).get("cached_tokens")),
    )

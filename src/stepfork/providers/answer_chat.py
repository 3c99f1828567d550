"""Answers of OpenAI Chat Completions and of the many that speak it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from stepfork.providers.calls import Answer, Outcome, ToolCall
from stepfork.providers.cost import billed
from stepfork.providers.failures import failure_in
from stepfork.providers.shapes import dict_of, dicts_in, index_of, int_or_none, str_of, text_or_none, texts_in
from stepfork.trace.step import StepError, Usage

_CUT = frozenset({"length", "content_filter"})


def read_chat(body: dict[str, Any]) -> Answer | None:
    """The answer in a ``chat.completion`` object; None where it is not one."""
    choices = sorted(enumerate(dicts_in(body.get("choices"))), key=lambda item: index_of(item[1], item[0]))
    if not isinstance(body.get("choices"), list) and not body.get("error"):
        return None
    reasons = tuple(reason for _, choice in choices if (reason := text_or_none(choice.get("finish_reason"))))
    message = dict_of(choices[0][1].get("message")) if choices else {}
    outcome, error = _outcome(body, reasons)
    return Answer(
        text=texts_in(message.get("content"), "text") or str_of(message.get("refusal")) or _transcript(message),
        tool_calls=tuple(_calls(message)),
        model=text_or_none(body.get("model")),
        usage=_usage(body),
        finish_reasons=reasons,
        outcome=outcome,
        error=error,
        reasoning=_reasoning(message),
        cost_usd=billed(body),
    )


def join_chat(events: Iterable[Any]) -> tuple[dict[str, Any], bool]:
    """One ``chat.completion`` object from the decoded chunks of a stream, and whether a choice was finished.

    Chunks with an empty ``choices`` (prompt filter results first, usage last) are read like all others.
    """
    head: dict[str, Any] = {"choices": []}
    choices: dict[int, _Choice] = {}
    for event in events:
        chunk = dict_of(event)
        for name in ("model", "usage", "x_groq", "error"):
            if chunk.get(name):
                head[name] = chunk[name]
        for at, part in enumerate(dicts_in(chunk.get("choices"))):
            choices.setdefault(index_of(part, at), _Choice()).add(part)
    head["choices"] = [choices[index].whole(index) for index in sorted(choices)]
    return head, any(choice.finish_reason for choice in choices.values())


class _Choice:
    """One choice as its deltas come in; texts are kept as lists so that the cost is linear."""

    def __init__(self) -> None:
        self.texts: dict[str, list[str]] = {}
        self.calls: dict[int, dict[str, Any]] = {}
        self.function: dict[str, list[str]] = {}
        self.finish_reason: str | None = None
        self.error: Any = None

    def add(self, part: dict[str, Any]) -> None:
        delta = dict_of(part.get("delta")) or dict_of(part.get("message"))
        for name, text in (
            ("content", texts_in(delta.get("content"), "text")),
            ("refusal", str_of(delta.get("refusal"))),
            ("reasoning", _reasoning(delta)),
            ("transcript", _transcript(delta)),
        ):
            if text:
                self.texts.setdefault(name, []).append(text)
        for nth, call in enumerate(dicts_in(delta.get("tool_calls"))):
            self._add_call(index_of(call, nth), call)
        for name in ("name", "arguments"):
            if text := str_of(dict_of(delta.get("function_call")).get(name)):
                self.function.setdefault(name, []).append(text)
        self.finish_reason = text_or_none(part.get("finish_reason")) or self.finish_reason
        self.error = part.get("error") or self.error

    def _add_call(self, index: int, call: dict[str, Any]) -> None:
        kept = self.calls.setdefault(index, {"id": "", "name": [], "arguments": []})
        kept["id"] = kept["id"] or str_of(call.get("id"))
        name, arguments = _function(call)
        kept["name"].append(name)
        kept["arguments"].append(arguments)

    def whole(self, index: int) -> dict[str, Any]:
        message: dict[str, Any] = {name: "".join(texts) for name, texts in self.texts.items()}
        message["audio"] = {"transcript": message.pop("transcript", "")}
        message["tool_calls"] = [
            {"id": call["id"], "function": {name: "".join(call[name]) for name in ("name", "arguments")}}
            for _, call in sorted(self.calls.items())
        ]
        if self.function:
            message["function_call"] = {name: "".join(texts) for name, texts in self.function.items()}
        return {"index": index, "message": message, "finish_reason": self.finish_reason, "error": self.error}


def _outcome(body: dict[str, Any], reasons: tuple[str, ...]) -> tuple[Outcome, StepError | None]:
    """OpenRouter tells of an error beside the choices, or inside the choice that it ended."""
    if body.get("error"):
        return "error", failure_in(body, "error")
    if "error" in reasons:
        broken = [choice for choice in dicts_in(body.get("choices")) if choice.get("error")]
        return "error", failure_in(broken[0] if broken else {}, "error")
    return ("incomplete" if _CUT & set(reasons) else "ok"), None


def _calls(message: dict[str, Any]) -> Iterable[ToolCall]:
    for call in dicts_in(message.get("tool_calls")):
        yield ToolCall(str_of(call.get("id")), *_function(call))
    legacy = dict_of(message.get("function_call"))
    if legacy:
        yield ToolCall("", str_of(legacy.get("name")), str_of(legacy.get("arguments")))


def _function(call: dict[str, Any]) -> tuple[str, str]:
    custom = dict_of(call.get("custom"))
    if custom:
        return str_of(custom.get("name")), str_of(custom.get("input"))
    function = dict_of(call.get("function"))
    return str_of(function.get("name")), str_of(function.get("arguments"))


def _reasoning(message: dict[str, Any]) -> str:
    """DeepSeek and others: ``reasoning_content``; Groq and OpenRouter: ``reasoning``; Mistral: parts of the content."""
    plain = str_of(message.get("reasoning_content")) or str_of(message.get("reasoning"))
    return plain or "".join(texts_in(part.get("thinking"), "text") for part in dicts_in(message.get("content")))


def _transcript(message: dict[str, Any]) -> str:
    return str_of(dict_of(message.get("audio")).get("transcript"))


def _usage(body: dict[str, Any]) -> Usage | None:
    usage = dict_of(body.get("usage")) or dict_of(dict_of(body.get("x_groq")).get("usage"))
    if not usage:
        return None
    return Usage(
        input_tokens=int_or_none(usage.get("prompt_tokens")),
        output_tokens=int_or_none(usage.get("completion_tokens")),
        cached_tokens=int_or_none(dict_of(usage.get("prompt_tokens_details")).get("cached_tokens")),
    )

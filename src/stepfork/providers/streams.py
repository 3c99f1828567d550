"""Event streams: which strings of an event are pieces of a longer text, and which event is the last.

Only the standard library is imported here, since the scan for secrets starts with it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from stepfork.providers.shapes import dict_of, list_of, str_of
from stepfork.providers.sse import SseEvent, json_data

DeltaPlace = tuple[tuple[Any, ...], tuple[str | int, ...]]
"""The key of the stream that a string belongs to, and the string's JSON path inside the event."""

_CHAT_TEXTS = ("content", "refusal", "reasoning_content", "reasoning")
_RESPONSES_LAST = frozenset({"response.completed", "response.incomplete", "response.failed", "error"})


def delta_places(api: str, event: Any) -> list[DeltaPlace]:
    """Which strings of one decoded event are pieces of a text that goes on in later events.

    Equal keys are one text: its pieces in order of events, and of this list within an event. An `api` whose own shape
    is not found (or ``""``, or ``other``) gets every shape tried, since gateways answer in dialects of their own.
    Never raises, whatever `event` is.
    """
    if not isinstance(event, dict):
        return []
    own = _SHAPES.get(api)
    places = list(own(event)) if own else []
    return places or [place for shape in _ALL_SHAPES if shape is not own for place in shape(event)]


def is_terminal(api: str, event: SseEvent) -> bool:
    """Whether a client that has read this event has its whole answer, or the provider's word that there is none.

    Chat Completions: ``[DONE]`` or a chunk with a finish reason; Responses: completed, incomplete or failed; Messages:
    ``message_stop``; an error event in all of them. An unknown `api` ends as any of the three.
    """
    if event.data is not None and event.data.strip() == "[DONE]":
        return api not in ("responses", "messages")
    value = json_data(event)
    if not isinstance(value, dict):
        return event.name == "error"
    kind = str_of(value.get("type"))
    if event.name == "error" or kind == "error" or is_error_object(value):
        return True
    if api not in ("responses", "messages") and any(
        isinstance(dict_of(choice).get("finish_reason"), str) for choice in list_of(value.get("choices"))
    ):
        return True
    if api not in ("chat_completions", "messages") and kind in _RESPONSES_LAST:
        return True
    return api not in ("chat_completions", "responses") and kind == "message_stop"


def is_error_object(value: dict[str, Any]) -> bool:
    """Whether an event is an error that stands alone, as OpenAI and gateways send it: ``{"error": {...}}``."""
    error = value.get("error")
    return bool(error) and isinstance(error, dict | str) and not value.get("choices") and "response" not in value


def _chat(event: dict[str, Any]) -> Iterator[DeltaPlace]:
    """``choices[i].delta`` of Chat Completions chunks, and ``choices[i].text`` of the older Completions."""
    for at, choice in enumerate(list_of(event.get("choices"))):
        index = _index(choice, at)
        if isinstance(dict_of(choice).get("text"), str):
            yield ("chat", index, "text"), ("choices", at, "text")
        delta = dict_of(dict_of(choice).get("delta"))
        base = ("choices", at, "delta")
        for name in _CHAT_TEXTS:
            if isinstance(delta.get(name), str):
                yield ("chat", index, name), (*base, name)
        yield from _chat_parts(delta, ("chat", index), base)
        for name, inner in (("audio", "transcript"), ("function_call", "arguments")):
            if isinstance(dict_of(delta.get(name)).get(inner), str):
                yield ("chat", index, name, inner), (*base, name, inner)
        for nth, call in enumerate(list_of(delta.get("tool_calls"))):
            for name, inner in (("function", "arguments"), ("custom", "input")):
                if isinstance(dict_of(dict_of(call).get(name)).get(inner), str):
                    key = ("chat", index, "tool_calls", _index(call, nth), inner)
                    yield key, (*base, "tool_calls", nth, name, inner)


def _chat_parts(delta: dict[str, Any], key: tuple[Any, ...], base: tuple[str | int, ...]) -> Iterator[DeltaPlace]:
    """Mistral sends ``content`` as a list of parts, OpenRouter ``reasoning_details``."""
    for nth, part in enumerate(list_of(delta.get("content"))):
        if isinstance(dict_of(part).get("text"), str):
            yield (*key, "content"), (*base, "content", nth, "text")
        for inner, piece in enumerate(list_of(dict_of(part).get("thinking"))):
            if isinstance(dict_of(piece).get("text"), str):
                yield (*key, "thinking"), (*base, "content", nth, "thinking", inner, "text")
    for nth, part in enumerate(list_of(delta.get("reasoning_details"))):
        for name in ("text", "summary"):
            if isinstance(dict_of(part).get(name), str):
                yield (*key, "reasoning_details", _index(part, nth), name), (*base, "reasoning_details", nth, name)


def _responses(event: dict[str, Any]) -> Iterator[DeltaPlace]:
    """Every ``*.delta`` event of the Responses API."""
    kind = str_of(event.get("type"))
    if kind.endswith(".delta") and isinstance(event.get("delta"), str):
        ids = ("item_id", "output_index", "content_index", "summary_index")
        yield ("responses", kind, *(_plain(event.get(name)) for name in ids)), ("delta",)


def _messages(event: dict[str, Any]) -> Iterator[DeltaPlace]:
    """Deltas of a content block of the Messages API; the text that a block starts with is the first piece."""
    kind, index = str_of(event.get("type")), _plain(event.get("index"))
    if kind == "content_block_start":
        block = dict_of(event.get("content_block"))
        for name in ("text", "thinking"):
            if isinstance(block.get(name), str):
                yield ("messages", index, name), ("content_block", name)
    elif kind == "content_block_delta":
        delta = dict_of(event.get("delta"))
        for name in sorted(delta):
            # A signature is one opaque value, and a type is a word of the protocol.
            if isinstance(delta[name], str) and name not in ("type", "signature"):
                yield ("messages", index, name), ("delta", name)
        if isinstance(dict_of(delta.get("citation")).get("cited_text"), str):
            yield ("messages", index, "cited_text"), ("delta", "citation", "cited_text")
    elif kind == "completion" and isinstance(event.get("completion"), str):
        yield ("completion",), ("completion",)


def _gemini(event: dict[str, Any]) -> Iterator[DeltaPlace]:
    """``candidates[i].content.parts[j].text`` of Gemini; thoughts are a text of their own."""
    for at, candidate in enumerate(list_of(event.get("candidates"))):
        parts = list_of(dict_of(dict_of(candidate).get("content")).get("parts"))
        for nth, part in enumerate(parts):
            if isinstance(dict_of(part).get("text"), str):
                key = ("gemini", _index(candidate, at), part.get("thought") is True)
                yield key, ("candidates", at, "content", "parts", nth, "text")


def _cohere(event: dict[str, Any]) -> Iterator[DeltaPlace]:
    """``delta.message`` of Cohere: content, plan and arguments."""
    message = dict_of(dict_of(event.get("delta")).get("message"))
    for path in (("content", "text"), ("content", "thinking"), ("tool_plan",), ("tool_calls", "function", "arguments")):
        node: Any = message
        for name in path:
            node = dict_of(node).get(name)
        if isinstance(node, str):
            yield ("cohere", _plain(event.get("index")), *path), ("delta", "message", *path)


def _ollama(event: dict[str, Any]) -> Iterator[DeltaPlace]:
    """``message`` of Ollama's chat, ``response`` of its older form."""
    if not isinstance(event.get("done"), bool):
        return
    for path in (("response",), ("thinking",), ("message", "content"), ("message", "thinking")):
        node: Any = event
        for name in path:
            node = dict_of(node).get(name)
        if isinstance(node, str):
            yield ("ollama", *path), path


def _converse(event: dict[str, Any]) -> Iterator[DeltaPlace]:
    """``contentBlockDelta`` of Bedrock's Converse, as gateways send it on."""
    told = dict_of(event.get("contentBlockDelta"))
    for path in (("text",), ("toolUse", "input"), ("reasoningContent", "text")):
        node: Any = dict_of(told.get("delta"))
        for name in path:
            node = dict_of(node).get(name)
        if isinstance(node, str):
            key = ("converse", _plain(told.get("contentBlockIndex")), *path)
            yield key, ("contentBlockDelta", "delta", *path)


def _inference(event: dict[str, Any]) -> Iterator[DeltaPlace]:
    """``token.text`` of Text Generation Inference."""
    if isinstance(dict_of(event.get("token")).get("text"), str):
        yield ("inference",), ("token", "text")


def _index(value: Any, position: int) -> Any:
    index = dict_of(value).get("index")
    return index if isinstance(index, int) else position


def _plain(value: Any) -> Any:
    return value if isinstance(value, str | int) else None


_Shape = Callable[[dict[str, Any]], Iterator[DeltaPlace]]
_SHAPES: dict[str, _Shape] = {"chat_completions": _chat, "responses": _responses, "messages": _messages}
_ALL_SHAPES: tuple[_Shape, ...] = (*_SHAPES.values(), _gemini, _cohere, _ollama, _converse, _inference)

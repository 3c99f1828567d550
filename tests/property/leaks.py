"""Where a secret may stand in a run, and how it may be spelled there."""

from __future__ import annotations

import base64
import html
import json
import quopri
import shlex
import urllib.parse
from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from stepfork.canonical.order import order_of
from stepfork.trace.body import Body, BytesBody, EventsBody, JsonBody, TextBody
from stepfork.trace.exchange import Exchange, Request, Response
from stepfork.trace.fixture import Run, Source
from stepfork.trace.step import Step, StepError, Trace


def _wrapped(text: str, width: int, end: str = "\n") -> str:
    return end.join(text[index : index + width] for index in range(0, len(text), width))


def _base64(value: str, before: bytes = b"", after: bytes = b"") -> str:
    return base64.b64encode(before + value.encode() + after).decode()


_FILLER = b"The quick brown fox jumps over the lazy dog. " * 3

SPELLINGS: dict[str, Callable[[str], str]] = {
    "as it is": str,
    "json": lambda value: json.dumps(value)[1:-1],
    "json, utf-8": lambda value: json.dumps(value, ensure_ascii=False)[1:-1],
    "json, twice": lambda value: json.dumps(json.dumps(value))[3:-3],
    "json, by number": lambda value: "".join(f"\\u{ord(char):04x}" for char in value),
    "javascript, by number": lambda value: "".join(f"\\u{{{ord(char):x}}}" for char in value),
    "python, by number": lambda value: "".join(f"\\U{ord(char):08x}" for char in value),
    "octal": lambda value: "".join(f"\\{byte:03o}" for byte in value.encode()),
    "repr": lambda value: repr(value)[1:-1],
    "ascii": lambda value: ascii(value)[1:-1],
    "repr of bytes": lambda value: repr(value.encode())[2:-1],
    "repr of repr": lambda value: repr(repr(value)[1:-1])[1:-1],
    "single quotes of a shell": lambda value: shlex.quote(value)[1:-1] if "'" in value else value,
    "double quotes of a shell": lambda value: "".join(f"\\{char}" if char in '\\$`"' else char for char in value),
    "backslashes of a shell": lambda value: "".join(
        f"\\{char}" if char.isascii() and not char.isalnum() and char not in "\n_-./,:@%+=" else char for char in value
    ),
    "percent": lambda value: urllib.parse.quote(value, safe=""),
    "percent, path": urllib.parse.quote,
    "percent, throughout": lambda value: "".join(f"%{byte:02x}" for byte in value.encode()),
    "percent, thrice": lambda value: urllib.parse.quote(urllib.parse.quote(urllib.parse.quote(value, ""), ""), ""),
    "form": urllib.parse.quote_plus,
    "html": html.escape,
    "html, twice": lambda value: html.escape(html.escape(value)),
    "html, decimal": lambda value: "".join(f"&#{ord(char)};" for char in value),
    "html, hexadecimal": lambda value: "".join(f"&#x{ord(char):X};" for char in value),
    "html in json": lambda value: json.dumps(html.escape(value))[1:-1],
    "percent in html": lambda value: html.escape(f"?a=1&b={urllib.parse.quote(value)}"),
    "hex": lambda value: value.encode().hex(),
    "hex, upper": lambda value: value.encode().hex().upper(),
    "base64": _base64,
    "base64, no padding": lambda value: _base64(value).rstrip("="),
    "base64, url": lambda value: base64.urlsafe_b64encode(b"x" + value.encode()).decode(),
    "base64, second byte": lambda value: _base64(value, b"u", b":y"),
    "base64, third byte": lambda value: _base64(value, b"us", b"z"),
    "base64 in lines of 64": lambda value: _wrapped(_base64(value, _FILLER, _FILLER), 64),
    "base64 in lines of 76": lambda value: _wrapped(_base64(value, b"x" + _FILLER, _FILLER), 76, "\r\n"),
    "base64 in indented lines": lambda value: _wrapped(_base64(value, b"xy" + _FILLER, _FILLER), 64, "\n    "),
    "base64 of json": lambda value: _base64(json.dumps({"k": value})),
    "base64 in json": lambda value: json.dumps(_base64(value)).replace("/", "\\/")[1:-1],
    "base64 in percent": lambda value: urllib.parse.quote(_base64(value, b"?"), safe=""),
    "base64 of utf-16": lambda value: base64.b64encode(value.encode("utf-16-le")).decode(),
    "basic": lambda value: "Basic " + _base64(value, b"ann:"),
    "quoted-printable": lambda value: quopri.encodestring(value.encode()).decode(),
    "quoted-printable, broken": lambda value: quopri.encodestring(b"x" * 66 + b" " + value.encode()).decode()[67:],
    "lines of windows": lambda value: value.replace("\n", "\r\n"),
    "lines escaped": lambda value: value.replace("\n", "\\n"),
    "password of a url": lambda value: f"https://ann:{urllib.parse.quote(value, safe='')}@host.example/",
}
"""Ways of spelling a value that is known to be secret."""


def run_of(
    request: Body = None,
    response: Body = None,
    *,
    trace: Trace | None = None,
    source: Source | None = None,
    api: str = "chat_completions",
    **more: Any,
) -> Run:
    """A run of one exchange; `more` are other fields of its request, and headers."""
    headers = more.pop("headers", {})
    exchange = Exchange(
        "openai",
        api,
        Request(more.pop("method", "POST"), more.pop("path", "/v1"), body=request, **more),
        Response(200, "", headers, response),
    )
    return Run(source or Source("command", True, ("agent",)), trace or Trace("exchanges", ()), (exchange,))


def _json(value: Any) -> JsonBody:
    return JsonBody(value, order_of(value))


def _tool(**fields: Any) -> Run:
    return run_of(trace=Trace("spans", (Step("tool_call", fields.pop("name", "t"), 1, 2, **fields),)))


def _data(*documents: Any, end: str = "\n") -> EventsBody:
    return EventsBody((*(f"data: {json.dumps(one)}" for one in documents), "data: [DONE]", ""), end * 2)


def _nested(text: str, depth: int) -> str:
    for level in range(depth):
        text = json.dumps({"k": [text], "n": level}, ensure_ascii=bool(level % 2))
    return text


PLACES: dict[str, Callable[[str], Run]] = {
    "value": lambda text: run_of(_json({"a": [[{"b": text, "c": 1}]], "d": "x"})),
    "name": lambda text: run_of(_json({"a": {text: {"x": 1}, "y": 2}})),
    "json text": lambda text: run_of(_json({"a": _nested(text, 1)})),
    "json text, deep": lambda text: run_of(response=_json({"a": _nested(text, 3)})),
    "name in json text": lambda text: run_of(_json({"a": json.dumps({"b": json.dumps({text: 1, "z": 2})})})),
    "text": lambda text: run_of(TextBody(f"start\n{text}\nend")),
    "json kept as text": lambda text: run_of(response=TextBody(f'{{"a": {json.dumps(text)}, "a": 1{"0" * 40}}}', "x")),
    "json cut off": lambda text: run_of(response=TextBody(f'{{"a": {json.dumps(text)}, "b', "x")),
    "form": lambda text: run_of(TextBody(f"a=1&b={urllib.parse.quote(text, safe='[]')}&c=2")),
    "lines of json": lambda text: run_of(TextBody(f'{{"a": 1}}\n{{"b": {json.dumps(text)}}}\n')),
    "bytes": lambda text: run_of(BytesBody(b"\xff\x00\r\n" + text.encode() + b"\xfe")),
    "header": lambda text: run_of(headers={"x-request": text, "retry-after": "2"}),
    "path": lambda text: run_of(path=f"/v1/{text}/x"),
    "query": lambda text: run_of(query=f"a={urllib.parse.quote(text, safe='[]')}&b=1"),
    "content type": lambda text: run_of(content_type=f'multipart/form-data; boundary="{text}"'),
    "method": lambda text: run_of(method=text),
    "command": lambda text: run_of(source=Source("command", True, ("agent", f"say {text}", "-v"))),
    "folder": lambda text: run_of(source=Source("command", True, ("agent",), cwd=f"a/{text}")),
    "event": lambda text: run_of(response=_data({"type": "x", "a": {"b": text}}, {"c": 1})),
    "name in an event": lambda text: run_of(response=_data({"type": "x", "a": {text: 1, "y": 2}})),
    "json text in an event": lambda text: run_of(response=_data({"arguments": _nested(text, 2)}, end="\r\n")),
    "whole text after deltas": lambda text: run_of(
        response=_data({"type": "response.output_text.done", "text": text}), api="responses"
    ),
    "stream in a text": lambda text: run_of(_json({"tool": f'data: {{"a": {json.dumps(text)}}}\n\ndata: [DONE]\n\n'})),
    "arguments": lambda text: _tool(arguments={"a": _nested(text, 2)}),
    "result": lambda text: _tool(result=["x", {"type": "text", "text": text}]),
    "step": lambda text: _tool(name=text, call_id=text, model=text, finish_reasons=("stop", text)),
    "error": lambda text: _tool(error=StepError(text, f"it said {text}")),
    "input": lambda text: run_of(trace=Trace("spans", (), input={"q": text}, output=text, notes=("n", text))),
    "agent": lambda text: run_of(trace=Trace("spans", (), agent=text, conversation=text, error=StepError("E", text))),
}
"""A run for each place at which a text may stand."""


def _chunk(piece: str) -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": {"content": piece}}]}


def _call(piece: str, index: int = 0) -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": {"tool_calls": [{"index": index, "function": {"arguments": piece}}]}}]}


def _row(piece: str) -> dict[str, Any]:
    return {"choices": [{"index": 0, "logprobs": {"content": [{"token": piece, "logprob": -1, "bytes": None}]}}]}


def _block(name: str, kind: str) -> Callable[[str], dict[str, Any]]:
    return lambda piece: {"type": "content_block_delta", "index": 1, "delta": {"type": kind, name: piece}}


_DELTAS: dict[str, tuple[str, Callable[[str], Any]]] = {
    "chat": ("chat_completions", _chunk),
    "chat arguments": ("chat_completions", _call),
    "chat, new field": ("chat_completions", lambda piece: {"choices": [{"delta": {"content": "", "inner": piece}}]}),
    "completions": ("other", lambda piece: {"choices": [{"index": 0, "text": piece}]}),
    "log probabilities": ("chat_completions", _row),
    "responses": ("responses", lambda piece: {"type": "response.refusal.delta", "item_id": "i", "delta": piece}),
    "messages": ("messages", _block("text", "text_delta")),
    "messages thinking": ("messages", _block("thinking", "thinking_delta")),
    "messages arguments": ("messages", _block("partial_json", "input_json_delta")),
    "gemini": ("other", lambda piece: {"candidates": [{"content": {"parts": [{"text": piece}]}}]}),
    "ollama": ("other", lambda piece: {"message": {"content": piece}, "done": False}),
    "of no known form": ("other", lambda piece: {"v": 1, "out": [{"say": piece}]}),
}


def _sse(make: Callable[[str], Any], api: str, end: str = "\n") -> Callable[[Sequence[str]], Run]:
    return lambda pieces: run_of(response=_data(*map(make, pieces), end=end), api=api)


def _texts(make: Callable[[str], Any]) -> Callable[[Sequence[str]], str]:
    return lambda pieces: "\n".join(json.dumps(make(piece)) for piece in pieces)


SPREADS: dict[str, Callable[[Sequence[str]], Run]] = {
    **{f"stream, {name}": _sse(make, api) for name, (api, make) in _DELTAS.items()},
    **{f"lines, {name}": lambda pieces, make=make, api=api: run_of(response=TextBody(_texts(make)(pieces)), api=api)
       for name, (api, make) in _DELTAS.items()},
    **{f"array, {name}": lambda pieces, make=make, api=api: run_of(response=_json(list(map(make, pieces))), api=api)
       for name, (api, make) in _DELTAS.items()},
    "stream, windows": _sse(_chunk, "chat_completions", end="\r\n"),
    "stream, cr": _sse(_chunk, "chat_completions", end="\r"),
    "stream, interleaved": lambda pieces: run_of(
        response=_data(*(one for piece in pieces for one in (_call(piece), _call("{}", 1))))),
    "stream in a text": lambda pieces: run_of(
        _json({"out": "".join(f"data: {json.dumps(_chunk(piece))}\n\n" for piece in pieces)})),
    "lines in a text": lambda pieces: run_of(_json({"out": _texts(lambda piece: {"say": piece})(pieces)})),
    "blocks": lambda pieces: run_of(
        _json({"messages": [{"content": [{"type": "text", "text": piece} for piece in pieces]}]}), api="messages"),
    "list": lambda pieces: run_of(_json({"a": list(pieces)})),
    "list in json text": lambda pieces: run_of(_json({"a": json.dumps({"b": list(pieces)})})),
    "result": lambda pieces: _tool(result=[{"type": "text", "text": piece} for piece in pieces]),
    "log probabilities": lambda pieces: run_of(
        response=_json({"choices": [{"logprobs": {"content": [
            {"token": piece, "logprob": -1, "bytes": list(piece.encode())} for piece in pieces]}}]})),
}  # fmt: skip
"""A run for each way in which a text may be spread over pieces."""


def everything(run: Run) -> str:
    """All that a run holds, one string after another, as it would be read from JSON."""
    found: list[str] = []
    waiting: list[Any] = [msgspec.to_builtins(run, builtin_types=(bytes,))]
    while waiting:
        item = waiting.pop()
        if isinstance(item, dict):
            waiting += [*item, *item.values()]
        elif isinstance(item, list | tuple):
            waiting += item
        elif isinstance(item, bytes):
            found.append(item.decode("utf-8", "surrogateescape"))
        elif not isinstance(item, bool | None):
            found.append(str(item))
    return "\n\n".join(found)

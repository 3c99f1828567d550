"""Chat models of LangChain: what a model's class does in ``_generate`` and ``_stream`` is an instrumented call.

Everything above those is LangChain's and runs in a replay too: bound tools, structured output, callbacks, the merging
of streamed messages.
"""

from __future__ import annotations

import functools
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

from stepfork.instrument.adapters.chat_forms import chunk_of, result_of, sent_message, told_chunk, told_result
from stepfork.instrument.engine import TAGGED, Keep, acall, call
from stepfork.instrument.plain import plain
from stepfork.instrument.tagged import decode, encode, encode_arguments
from stepfork.providers.shapes import text_or_none
from stepfork.trace.body import JsonValue
from stepfork.trace.call import Asked

_NO_REQUEST = frozenset({"run_manager", "callbacks", "stream"})
_PARAMS = {"ls_temperature": "temperature", "ls_max_tokens": "max_tokens"}


def model_methods(kind: Any, base: Any) -> Mapping[str, Any]:
    """The methods of a chat model's class that are its own, `base` being LangChain's: those reach the model."""
    wrappers: dict[str, Callable[[Any], Any]] = {
        "_generate": _generate,
        "_agenerate": _agenerate,
        "_stream": _stream,
        "_astream": _stream,
        "_stream_chat_model_events": _events,
        "_astream_chat_model_events": _events,
    }
    made: dict[str, Any] = {}
    for name, wrapper in wrappers.items():
        own = getattr(kind, name, None)
        if own is not None and own is not getattr(base, name, None):
            made[name] = functools.wraps(own)(wrapper(own))
    return made


def _generate(own: Any) -> Any:
    def generate(self: Any, messages: Any, stop: Any = None, *rest: Any, **kwargs: Any) -> Any:
        return call(
            lambda: _asked(self, messages, stop, kwargs), lambda: own(self, messages, stop, *rest, **kwargs), _KEEP
        )

    return generate


def _agenerate(own: Any) -> Any:
    async def generate(self: Any, messages: Any, stop: Any = None, *rest: Any, **kwargs: Any) -> Any:
        return await acall(
            lambda: _asked(self, messages, stop, kwargs), lambda: own(self, messages, stop, *rest, **kwargs), _KEEP
        )

    return generate


def _stream(own: Any, keep: Keep | None = None) -> Any:
    def stream(self: Any, messages: Any, stop: Any = None, *rest: Any, **kwargs: Any) -> Any:
        return call(
            lambda: _asked(self, messages, stop, kwargs, stream=True),
            lambda: _spooled(own(self, messages, stop, *rest, **kwargs)),  # not a coroutine, if asynchronous
            keep or _KEEP_CHUNKS,
        )

    return stream


def _spooled(items: Any) -> Any:
    """A generator as any other iterator: what comes in pieces from a model is told as the stream that it is."""
    if hasattr(items, "__anext__"):
        return _AsyncPieces(items)
    return _Pieces(items) if hasattr(items, "__next__") else items


class _Pieces:
    def __init__(self, items: Iterator[Any]) -> None:
        self._items = items

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        return next(self._items)


class _AsyncPieces:
    def __init__(self, items: AsyncIterator[Any]) -> None:
        self._items = items

    def __aiter__(self) -> AsyncIterator[Any]:
        return self

    async def __anext__(self) -> Any:
        return await anext(self._items)


def _events(own: Any) -> Any:
    return _stream(own, TAGGED)


def _asked(model: Any, messages: Sequence[Any], stop: Any, kwargs: Mapping[str, Any], *, stream: bool = False) -> Asked:
    """The request in the form of a chat completion, whoever is asked."""
    told = _params(model, stop, kwargs)
    name = text_or_none(told.get("ls_model_name"))
    body: dict[str, JsonValue] = {} if name is None else {"model": name}
    body["messages"] = [sent_message(message) for message in messages]
    body |= {ours: plain(told[theirs]) for theirs, ours in _PARAMS.items() if told.get(theirs) is not None}
    body |= {key: _param(value) for key, value in kwargs.items() if key not in _NO_REQUEST and value is not None}
    if stop:
        body["stop"] = plain(stop)
    if stream:
        body["stream"] = True
    provider = text_or_none(told.get("ls_provider")) or "langchain"
    return Asked("llm_call", "chat", encode_arguments(body), model=name, provider=provider, api="chat_completions")


def _params(model: Any, stop: Any, kwargs: Mapping[str, Any]) -> Mapping[str, Any]:
    try:
        return model._get_ls_params(stop=stop, **kwargs)  # type: ignore[no-any-return]
    except Exception:  # a method of the user's own class
        return {}


def _param(value: Any) -> JsonValue:
    schema = getattr(value, "model_json_schema", None)
    if isinstance(value, type) and schema is not None:
        with suppress(Exception):  # a class of the user's that has no schema
            return plain(schema())
    return plain(value)


def _tell(tell: Callable[[Any], JsonValue]) -> Callable[[Any], JsonValue]:
    def told(value: Any) -> JsonValue:
        try:
            return tell(value)
        except Exception:  # an answer of a class that this form does not fit
            return encode(value)

    return told


def _read(read: Callable[[Any], Any]) -> Callable[[JsonValue], Any]:
    def made(value: Any) -> Any:
        return read(value) if isinstance(value, dict) and "langchain" in value else decode(value)

    return made


_KEEP = Keep(_tell(told_result), _read(result_of))
_KEEP_CHUNKS = Keep(_tell(told_chunk), _read(chunk_of))

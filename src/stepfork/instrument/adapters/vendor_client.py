"""The clients of OpenAI and Anthropic, whose every call goes through one method: ``request``.

A call is recorded as the JSON that went out and the JSON, or the events, that came back. A replay makes an HTTP
response of those and hands it to the client's own code, which turns it into what the caller asked for: the vendor's
objects, what was parsed of them, streams and their helpers, raw responses.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any, NamedTuple

from stepfork.errors import UsageError
from stepfork.instrument import context
from stepfork.instrument.adapters.opened import OpenCall
from stepfork.instrument.adapters.reclassing import is_wrapped, loaded, reclass
from stepfork.instrument.adapters.vendor_call import Asking, Watched, asks_a_model, note_response


class Vendor(NamedTuple):
    """``package`` is the module that is imported, ``clients`` the classes in it, ``provider`` the route's name."""

    package: str
    provider: str
    clients: tuple[str, ...]


def wrap_client(client: Any, vendor: Vendor, name: str) -> Any:
    """Make every model call of `client` an instrumented one, and give the same object back.

    Raises UsageError for what is no client of `vendor`, and for a version of its package that is built otherwise.
    """
    package = loaded(vendor.package)
    kinds = tuple(kind for each in vendor.clients if isinstance(kind := getattr(package, each, None), type))
    if not kinds or not isinstance(client, kinds):
        clients = " or ".join(f"{vendor.package}.{each}" for each in vendor.clients[:2])
        raise UsageError(f"{name} takes an {clients}, not a {type(client).__name__}")
    if not is_wrapped(client) and not _is_known(type(client)):
        version = getattr(package, "__version__", "unknown")
        raise UsageError(f"{name} does not know this version of {vendor.package} ({version})")
    reclass(client, name, lambda kind: _methods(kind, vendor))
    return client


def _is_known(kind: type) -> bool:
    try:
        request = inspect.signature(kind.request).parameters  # type: ignore[attr-defined]
        process = inspect.signature(kind._process_response).parameters  # type: ignore[attr-defined]
    except (AttributeError, TypeError, ValueError):
        return False
    return {"cast_to", "options", "stream", "stream_cls"} <= {*request} and {"response", "stream_cls"} <= {*process}


def _methods(kind: Any, vendor: Vendor) -> Mapping[str, Any]:
    def process_response(self: Any, **given: Any) -> Any:
        note_response(self, given.get("response"))
        return kind._process_response(self, **given)  # a coroutine, of an asynchronous client

    make = _arequest if inspect.iscoroutinefunction(kind.request) else _request
    return {"request": make(kind, vendor.provider), "_process_response": process_response}


def _request(kind: Any, provider: str) -> Any:
    def request(self: Any, cast_to: Any, options: Any, *, stream: bool = False, stream_cls: Any = None) -> Any:
        place = context.here() if asks_a_model(options) else None
        if place is None or place.in_model:  # the model call that is being made already
            return kind.request(self, cast_to, options, stream=stream, stream_cls=stream_cls)
        if (prepare := getattr(self, "_copy_and_prepare", None)) is not None:
            options = prepare(options)  # it reads iterators, which can be read once
        asking = Asking(self, cast_to, options, stream, stream_cls)
        call = OpenCall(place, asking.asked(provider))
        if call.is_answered:
            return kind._process_response(self, **asking.answered(call))
        watched = Watched(call, asking)
        with watched.sending():
            made = kind.request(self, cast_to, options, stream=stream, stream_cls=watched.stream_class)
            if (response := watched.unread()) is not None:
                response.read()
        watched.came()
        return made

    return request


def _arequest(kind: Any, provider: str) -> Any:
    async def request(self: Any, cast_to: Any, options: Any, *, stream: bool = False, stream_cls: Any = None) -> Any:
        place = context.here() if asks_a_model(options) else None
        if place is None or place.in_model:  # the model call that is being made already
            return await kind.request(self, cast_to, options, stream=stream, stream_cls=stream_cls)
        if (prepare := getattr(self, "_copy_and_prepare", None)) is not None:
            options = await prepare(options)
        asking = Asking(self, cast_to, options, stream, stream_cls)
        call = OpenCall(place, asking.asked(provider))
        if call.is_answered:
            await call.wait_if_cancelled()
            return await kind._process_response(self, **asking.answered(call))
        watched = Watched(call, asking)
        with watched.sending():
            made = await kind.request(self, cast_to, options, stream=stream, stream_cls=watched.stream_class)
            if (response := watched.unread()) is not None:
                await response.aread()
        watched.came()
        return made

    return request

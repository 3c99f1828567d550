"""Errors of a vendor's client: kept without requests and responses, which hold addresses, and made whole again."""

from __future__ import annotations

from typing import Any

from stepfork.instrument.adapters.http_forms import json_response, request_of

_HELD = ("request", "response", "request_id")
"""Attributes that tell of the connection rather than of the call."""


def bare_error(error: BaseException) -> BaseException:
    """A copy of `error` without what it holds of its connection; any other exception as it is."""
    if not any(name in vars(error) for name in _HELD):
        return error
    kind = type(error)
    copy = kind.__new__(kind, *error.args)
    copy.args = error.args
    vars(copy).update({name: value for name, value in vars(error).items() if name not in _HELD})
    return copy


def whole_error(error: BaseException, client: Any, options: Any) -> BaseException:
    """A recorded error with a request, and a response where it has a status: the vendor's own code reads them."""
    annotations = {name for base in type(error).__mro__ for name in vars(base).get("__annotations__", ())}
    if "request" not in annotations:
        return error
    held = vars(error)
    status = held.get("status_code", getattr(error, "status_code", None))
    body = held.get("body")
    if isinstance(body, dict) and type(error).__module__.startswith("openai"):
        body = {"error": body}  # which that client takes out of it
    held["request"] = request_of(client, options)
    if isinstance(status, int):
        held["response"] = json_response(client, options, body if body is not None else "", status)
        held.setdefault("request_id", None)
    return error

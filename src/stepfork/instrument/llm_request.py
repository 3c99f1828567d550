"""llm_request, allm_request: a model call that a recording keeps and a replay answers, whatever client makes it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from stepfork.instrument.arguments import Parameters
from stepfork.instrument.engine import acall, call
from stepfork.trace.call import Asked

_T = TypeVar("_T")


def llm_request(function: Callable[..., _T], /, *args: Any, **kwargs: Any) -> _T:
    """Make the model call ``function(*args, **kwargs)``, so that it is recorded, or answered in a replay.

    The model is the keyword argument ``model``. Raises what the function raises.
    """
    return call(lambda: _asked(function, args, kwargs), lambda: function(*args, **kwargs))


async def allm_request(function: Callable[..., Awaitable[_T]], /, *args: Any, **kwargs: Any) -> _T:
    """Make the model call ``await function(*args, **kwargs)``, as `llm_request` does."""
    return await acall(lambda: _asked(function, args, kwargs), lambda: function(*args, **kwargs))


def _asked(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Asked:
    model = kwargs.get("model")
    named = model if isinstance(model, str) else None
    arguments = Parameters(function).told(args, kwargs)
    return Asked("llm_call", named or "llm", arguments, model=named, api="other")

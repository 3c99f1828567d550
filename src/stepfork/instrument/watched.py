"""An SDK's stream while it is recorded: an object that hands everything on to the original and writes down the items.

It says that it is of the original's class, so `isinstance` is true of it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from stepfork.instrument import context
from stepfork.instrument.context import Here
from stepfork.instrument.tape import Tape


def watched(original: Any, tape: Tape, inside: Here) -> Any:
    """`original` to all appearances; the items that it gives are written to `tape`."""
    kind = type(original)
    made = _watched_class(tuple(name for name in _SPECIAL if hasattr(kind, name)))
    return made(original, tape, inside)


class _Watched:
    """The protocols come from `_SPECIAL`: those that the original has."""

    def __init__(self, original: Any, tape: Tape, inside: Here) -> None:
        own = {"_original": original, "_tape": tape, "_inside": inside, "_iterator": None}
        object.__getattribute__(self, "__dict__").update(own)

    @property  # type: ignore[misc]
    def __class__(self) -> Any:
        return type(_own(self, "_original"))

    def __getattribute__(self, name: str) -> Any:
        if name in {"__class__", "__next__", "__anext__", "__iter__", "__aiter__"}:
            return object.__getattribute__(self, name)
        found = getattr(_own(self, "_original"), name)
        return _ending(found, _own(self, "_tape")) if name in {"close", "aclose"} and callable(found) else found

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(_own(self, "_original"), name, value)

    def __delattr__(self, name: str) -> None:
        delattr(_own(self, "_original"), name)

    def __repr__(self) -> str:
        return repr(_own(self, "_original"))


def _own(self: Any, name: str) -> Any:
    return object.__getattribute__(self, "__dict__")[name]


def _ending(close: Callable[..., Any], tape: Tape) -> Callable[..., Any]:
    def closing(*args: Any, **kwargs: Any) -> Any:
        done = close(*args, **kwargs)
        if not hasattr(done, "__await__"):
            tape.closed()
            return done

        async def awaited() -> Any:
            result = await done
            tape.closed()
            return result

        return awaited()

    return closing


def _next(self: Any) -> Any:
    tape = _own(self, "_tape")
    try:
        with context.at(_own(self, "_inside")):
            item = next(_iterator(self, iter))
    except StopIteration as stop:
        tape.ended(stop.value)
        raise
    except BaseException as error:
        tape.failed(error)
        raise
    tape.item(item)
    return item


async def _anext(self: Any) -> Any:
    tape = _own(self, "_tape")
    try:
        with context.at(_own(self, "_inside")):
            item = await anext(_iterator(self, aiter))
    except StopAsyncIteration:
        tape.ended()
        raise
    except BaseException as error:
        tape.failed(error)
        raise
    tape.item(item)
    return item


def _iterator(self: Any, begin: Callable[[Any], Any]) -> Any:
    """What the original gives to a loop, which need not be itself."""
    own = object.__getattribute__(self, "__dict__")
    if own["_iterator"] is None:
        own["_iterator"] = begin(own["_original"])
    return own["_iterator"]


def _itself(self: Any) -> Any:
    return self


def _enter(self: Any) -> Any:
    entered = _own(self, "_original").__enter__()
    return self if entered is _own(self, "_original") else entered


def _exit(self: Any, *failure: Any) -> Any:
    done = _own(self, "_original").__exit__(*failure)
    _own(self, "_tape").closed()
    return done


async def _aenter(self: Any) -> Any:
    entered = await _own(self, "_original").__aenter__()
    return self if entered is _own(self, "_original") else entered


async def _aexit(self: Any, *failure: Any) -> Any:
    done = await _own(self, "_original").__aexit__(*failure)
    _own(self, "_tape").closed()
    return done


_SPECIAL: dict[str, Callable[..., Any]] = {
    "__iter__": _itself,
    "__next__": _next,
    "__aiter__": _itself,
    "__anext__": _anext,
    "__enter__": _enter,
    "__exit__": _exit,
    "__aenter__": _aenter,
    "__aexit__": _aexit,
}


@cache
def _watched_class(names: tuple[str, ...]) -> Any:
    return type("Stream", (_Watched,), {name: _SPECIAL[name] for name in names})

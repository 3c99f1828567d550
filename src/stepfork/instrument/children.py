"""Processes that a watched program starts learn from their environment where they were started."""

from __future__ import annotations

import functools
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any

from stepfork.config.environment import environ
from stepfork.instrument import context
from stepfork.instrument.remote import written_place
from stepfork.listener.environment import CALLS_VARIABLE, PLACE_VARIABLE

_ENV = 10
"""Where `env` stands among the arguments of `subprocess.Popen`."""


@contextmanager
def telling_children() -> Iterator[None]:
    """Have `subprocess.Popen`, which asyncio and `subprocess.run` use too, say where it was called."""
    original = subprocess.Popen.__init__

    @functools.wraps(original)
    def started(self: Any, *args: Any, **kwargs: Any) -> None:
        with suppress(Exception):  # whatever is wrong with the arguments is Popen's to say
            args, kwargs = _placed(args, kwargs)
        original(self, *args, **kwargs)

    subprocess.Popen.__init__ = started  # type: ignore[method-assign]
    try:
        yield
    finally:
        if subprocess.Popen.__init__ is started:  # else somebody has put another one over it, which still calls this
            subprocess.Popen.__init__ = original  # type: ignore[method-assign]


def _placed(args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    place = context.forked(process=True)
    if place is None:
        return args, kwargs
    given = args[_ENV] if len(args) > _ENV else kwargs.get("env")
    env: Mapping[Any, Any] = environ() if given is None else given
    if CALLS_VARIABLE not in env:  # nor does it tell of its calls
        return args, kwargs
    made = {**env, PLACE_VARIABLE: written_place(place.parent, place.forks)}
    if len(args) > _ENV:
        return (*args[:_ENV], made, *args[_ENV + 1 :]), kwargs
    return args, {**kwargs, "env": made}

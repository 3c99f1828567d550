"""This very process: its environment, turned elsewhere for as long as a block of code runs, and where it stands."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from stepfork.config.environment import in_ci, is_on


def may_record() -> bool:
    """Whether anything may be recorded, or go live, unasked: not in CI, unless `STEPFORK_ALLOW_CAPTURE` says so."""
    return not in_ci() or is_on("STEPFORK_ALLOW_CAPTURE")


def from_here(path: str | os.PathLike[str]) -> str:
    """`path` as messages call it: from the working directory, with forward slashes; absolute where there is no way."""
    try:
        return os.path.relpath(path).replace(os.sep, "/")
    except (ValueError, OSError):  # on another drive; a working directory that is gone
        return os.fspath(path).replace(os.sep, "/")


@contextmanager
def environment_turned(to: Mapping[str, str]) -> Iterator[None]:
    """This process's environment is `to`; afterwards each variable in which that differed is what it was, or absent.

    Other variables that are set meanwhile stay. Only one may be open at a time.
    """
    before = dict(os.environ)
    turned = {name: before.get(name) for name in {*before, *to} if before.get(name) != to.get(name)}
    try:
        for name in turned:
            _set(name, to.get(name))
        yield
    finally:
        for name, value in turned.items():
            _set(name, value)


def _set(name: str, value: str | None) -> None:
    if value is None:
        os.environ.pop(name, None)
    else:
        os.environ[name] = value

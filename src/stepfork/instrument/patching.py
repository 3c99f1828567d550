"""Functions of Python's own that are replaced for as long as somebody listens, and put back."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

_ABSENT = object()


class Patches:
    """What was replaced, until `undo`."""

    def __init__(self) -> None:
        self._undo: list[Callable[[], None]] = []

    def put(self, owner: Any, name: str, made: Callable[[Any], Any]) -> None:
        """Replace what is called `name` of a class or a module by what `made` makes of it. What a class has inherited
        is replaced in this one; what is not there, or cannot be replaced, stays as it is."""
        before = vars(owner).get(name, _ABSENT)
        original = getattr(owner, name, None) if before is _ABSENT else before
        if original is None:
            return
        is_bound = isinstance(original, classmethod | staticmethod)
        function = original.__func__ if is_bound else original
        replacement = wraps(function)(made(function))
        if is_bound:
            replacement = type(original)(replacement)
        try:
            setattr(owner, name, replacement)
        except TypeError:  # a class that is not made in Python
            return

        def undo() -> None:
            if vars(owner).get(name) is not replacement:
                return  # somebody has put another one over it, which still calls this one
            if before is _ABSENT:
                delattr(owner, name)
            else:
                setattr(owner, name, before)

        self._undo.append(undo)

    def undo(self) -> None:
        """Put all of them back, the last one first."""
        while self._undo:
            self._undo.pop()()

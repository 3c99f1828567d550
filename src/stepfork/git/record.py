"""Records that cost nothing to define: frozen, compared and hashed by value, typed as dataclasses are.

`dataclasses` and `typing.NamedTuple` take as long to load as two runs of git; a command that a hook pays for each time
does without them.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import dataclass_transform

    @dataclass_transform(frozen_default=True)
    class Record:
        """See the module."""

else:

    class Record:
        """A subclass names its members by annotations; a class attribute of that name is the member's default."""

        _members: tuple[str, ...] = ()

        def __init_subclass__(cls) -> None:
            cls._members = tuple(cls.__annotations__)

        def __init__(self, *values, **named) -> None:
            members = type(self)._members
            given = dict(zip(members, values, strict=False), **named)
            absent = [name for name in members if name not in given and not hasattr(type(self), name)]
            if len(values) > len(members) or absent or given.keys() - set(members):
                raise TypeError(f"{type(self).__name__} has the members {', '.join(members)}")
            self.__dict__.update(given)

        def __setattr__(self, name, value) -> None:
            raise AttributeError(f"{type(self).__name__} is frozen")

        def _values(self) -> tuple:
            return tuple(getattr(self, name) for name in self._members)

        def __eq__(self, other) -> bool:
            return type(other) is type(self) and other._values() == self._values()

        def __hash__(self) -> int:
            return hash(self._values())

        def __repr__(self) -> str:
            shown = ", ".join(f"{name}={value!r}" for name, value in zip(self._members, self._values(), strict=True))
            return f"{type(self).__name__}({shown})"

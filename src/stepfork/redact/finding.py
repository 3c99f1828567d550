"""What was found, said without showing it: the rule and the place."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from stepfork.rewrite.place import Place


class Finding:
    """A secret of the kind `rule` stands at `path` (a JSON pointer, or a line) of `where` (a file; empty for a run).

    `digest` names the value where somebody asked for that (see `digest_of`): it tells two values at one place apart.
    """

    __slots__ = ("digest", "path", "rule", "where")

    def __init__(self, rule: str, path: str, where: str = "", digest: str = "") -> None:
        self.rule = rule
        self.path = path
        self.where = where
        self.digest = digest

    def moved(self, path: str, where: str | None = None) -> Finding:
        """The same value, whose place is told otherwise."""
        return Finding(self.rule, path, self.where if where is None else where, self.digest)

    def anonymous(self) -> Finding:
        """The same place, whatever the value."""
        return Finding(self.rule, self.path, self.where)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Finding) and self._fields() == other._fields()

    def __hash__(self) -> int:
        return hash(self._fields())

    def __repr__(self) -> str:
        return f"Finding({self.rule!r}, {self.path!r}, {self.where!r})"

    def _fields(self) -> tuple[str, str, str, str]:
        return (self.where, self.path, self.rule, self.digest)


def digest_of(value: str) -> str:
    """BLAKE3 of a value as it reads with all escapes undone and lines ended by LF, in hex: the same whatever kind of
    file spells it, and however often it is escaped there."""
    from stepfork.canonical.names import name_of
    from stepfork.redact.views import undone

    return name_of(undone(value).replace("\r\n", "\n").encode("utf-8", "surrogatepass"))


_SERIES = {"events": "event", "documents": "document"}
"""Steps to what is told by number alone, with the word for one."""


class Paths:
    """Writes places as paths. A member's name that holds a secret is shown as ``<redacted key #N>``, N by first
    appearance; what stands in an event of a stream as the path of the body and ``(event N)``, what stands in one of
    several JSON documents of a text as its path and ``(document N)``."""

    __slots__ = ("_holds_secret", "_numbers")

    def __init__(self, holds_secret: Callable[[str], bool]) -> None:
        self._holds_secret = holds_secret
        self._numbers: dict[str, int] = {}

    def path(self, place: Place) -> str:
        """The path of a value."""
        path, number = self._told(place)
        return path + number

    def key_path(self, place: Place, name: str) -> str:
        """The path of a member called `name` of the object at `place`, where the name holds the secret."""
        path, number = self._told(place)
        return path + self._hidden(name) + number

    def _told(self, place: Place) -> tuple[str, str]:
        """The path of a place, and the number that stands after it."""
        steps = _part_steps(place.part) + place.path
        for index, step in enumerate(steps[:-1]):
            number = steps[index + 1]
            if step in _SERIES and isinstance(number, int):
                above = steps[:index] or steps[:1]
                if len(above) > 1 and above[-1] == step:
                    above = above[:-1]
                return "".join(map(self._step, above)), f" ({_SERIES[str(step)]} {number})"
        return "".join(map(self._step, steps)), ""

    def _step(self, step: str | int) -> str:
        if isinstance(step, str) and (step in self._numbers or self._holds_secret(step)):
            return self._hidden(step)
        from stepfork.canonical.pointer import pointer

        return pointer("", step)

    def _hidden(self, name: str) -> str:
        number = self._numbers.setdefault(name, len(self._numbers) + 1)
        return f"/<redacted key #{number}>"


def _part_steps(part: tuple[str | int, ...]) -> tuple[str | int, ...]:
    return ("exchanges", *part[1:]) if part[:1] == ("exchange",) else tuple(step for step in part if step != "")

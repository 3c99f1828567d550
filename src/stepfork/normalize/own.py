"""What a project adds to the rules of normalisation: names of its own fields, patterns of its own ids, and what is
data.

Standard library only: `config.toml` is read where a command must start quickly.
"""

from __future__ import annotations

import re


class OwnRules:
    """The `[normalize]` table of a project; a value.

    `id_fields`, `time_fields` and `duration_fields` are names of members whose whole value is one, wherever they stand;
    `id_patterns` are regular expressions of text that is a generated id. `literal_fields` and `literal_patterns` are
    never templated, whatever another rule says.
    """

    __slots__ = ("duration_fields", "id_fields", "id_patterns", "literal_fields", "literal_patterns", "time_fields")

    def __init__(
        self,
        *,
        id_fields: tuple[str, ...] = (),
        time_fields: tuple[str, ...] = (),
        duration_fields: tuple[str, ...] = (),
        id_patterns: tuple[str, ...] = (),
        literal_fields: tuple[str, ...] = (),
        literal_patterns: tuple[str, ...] = (),
    ) -> None:
        self.id_fields = frozenset(id_fields)
        self.time_fields = frozenset(time_fields)
        self.duration_fields = frozenset(duration_fields)
        self.id_patterns = tuple(map(re.compile, id_patterns))
        self.literal_fields = frozenset(literal_fields)
        self.literal_patterns = tuple(map(re.compile, literal_patterns))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, OwnRules) and self._told() == other._told()

    def __hash__(self) -> int:
        return hash(self._told())

    def __bool__(self) -> bool:
        return any(self._told())

    def _told(self) -> tuple[object, ...]:
        return tuple(getattr(self, name) for name in self.__slots__)


NO_OWN = OwnRules()
"""Those of a project that adds none."""

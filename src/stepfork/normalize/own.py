"""What a project adds to the rules of normalisation: names of its own fields, patterns of its own ids, and what is
data.

Standard library only: `config.toml` is read where a command must start quickly.
"""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

FIELDS = ("id_fields", "time_fields", "duration_fields", "literal_fields")
PATTERNS = ("id_patterns", "literal_patterns")
"""The lists of a project's rules, by their names in config.toml."""

_HEAD = re.compile(r"(?:\\b|\^|\\A|\(\?<?[!=][^()]*\))*((?:[A-Za-z0-9_:/#=-]|\\[^A-Za-z0-9])+)(?![?*{])")


class OwnRules:
    """The `[normalize]` table of a project; a value.

    `id_fields`, `time_fields` and `duration_fields` are names of members whose whole value is one, wherever they stand;
    `id_patterns` are regular expressions of text that is a generated id. `literal_fields` and `literal_patterns` are
    never templated, whatever another rule says. `prefixes` are the letters that every match of a pattern begins with:
    they stay in front of the placeholder, as those of the providers' ids do. `names` are those of all fields.
    """

    __slots__ = (
        "_any", "duration_fields", "id_fields", "id_patterns", "literal_fields", "literal_patterns", "names",
        "prefixes", "time_fields",
    )  # fmt: skip

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
        self.names = self.id_fields | self.time_fields | self.duration_fields | self.literal_fields
        self._any = bool(self.names or id_patterns or literal_patterns)
        self.prefixes = {head: pattern for pattern in self.id_patterns if (head := literal_head(pattern.pattern))}

    def adding(self, entries: Mapping[str, tuple[str, ...]]) -> OwnRules:
        """These rules and others, by the names of their lists."""
        mine: dict[str, tuple[str, ...]] = {name: tuple(getattr(self, name)) for name in FIELDS}
        for name in PATTERNS:
            mine[name] = tuple(pattern.pattern for pattern in getattr(self, name))
        return OwnRules(**{name: tuple(dict.fromkeys((*mine[name], *entries.get(name, ())))) for name in mine})

    def holds_literal(self, text: str) -> bool:
        """Whether any of a text is never templated."""
        return any(pattern.search(text) for pattern in self.literal_patterns)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, OwnRules) and self._told() == other._told()

    def __hash__(self) -> int:
        return hash(self._told())

    def __bool__(self) -> bool:
        return self._any

    def _told(self) -> tuple[object, ...]:
        return tuple(getattr(self, name) for name in self.__slots__ if name not in ("prefixes", "names", "_any"))


def literal_head(pattern: str) -> str:
    """The text that each match of a pattern begins with, as far as that is plain to see; empty where it is not, and
    where nothing or a single letter would stand there."""
    found = None if "|" in pattern else _HEAD.match(pattern)
    head = re.sub(r"\\(.)", r"\1", found[1]) if found else ""
    return head if found and len(head) > 1 and found.end() < len(pattern) else ""


NO_OWN = OwnRules()
"""Those of a project that adds none."""

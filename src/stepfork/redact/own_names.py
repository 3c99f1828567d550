"""Names that a project calls secret: whatever stands under one is, unless it only marks the place of a value."""

from __future__ import annotations

from stepfork.redact.marker import is_template
from stepfork.redact.names import OWN, words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_LONGEST = 100
_DESCRIBED_BELOW = frozenset(("properties", "patternProperties", "$defs", "definitions", "dependentSchemas"))
"""Members of a JSON Schema whose own members are names of fields, with a description of each and no value."""


class OwnNames:
    """The `keys` and `variables` of a project.

    A key is any name with the same letters and digits, however it is written (``x-acme-session``, ``X_ACME_SESSION``,
    ``xAcmeSession``), a variable one of that very spelling. `anchors` are literals of which one stands in each.
    """

    __slots__ = ("_keys", "_seen", "_variables", "anchors", "words")

    def __init__(self, keys: Sequence[str] = (), variables: Sequence[str] = ()) -> None:
        self._keys = {_folded(key): _words(key) for key in keys}
        self._variables = frozenset(variables)
        self._seen: dict[str, bool] = {}
        longest = [max(parts, key=len) for parts in self._keys.values()]
        self.words = tuple(dict.fromkeys((*longest, *map(str.lower, variables))))
        """Words of which one stands in each name, in lower case."""
        spelled = [spelling for word in longest for spelling in (word, word.capitalize(), word.upper())]
        self.anchors = tuple(dict.fromkeys((*spelled, *variables)))

    def holds(self, name: str) -> bool:
        """Whether what stands under `name` is secret, or under the last part of it: ``request.headers.NAME``."""
        if not self.anchors or len(name) > _LONGEST:
            return False
        if name not in self._seen:
            if len(self._seen) > 10_000:
                self._seen.clear()
            self._seen[name] = self._is_one(name) or self._is_one(name.rpartition(".")[2])
        return self._seen[name]

    def _is_one(self, name: str) -> bool:
        if name in self._variables:
            return True
        parts = self._keys.get(_folded(name))
        return parts is not None and all(part in name.lower() for part in parts)

    def kind(self, name: str) -> str | None:
        """`OWN` for such a name, None for any other."""
        return OWN if self.holds(name) else None

    def covers(self, path: Sequence[str | int], value: str) -> bool:
        """Whether `value`, which stands at `path` of a document, is secret by the name of a member above it."""
        if not self.anchors or not value.strip() or is_template(value):
            return False
        return any(
            isinstance(step, str) and self.holds(step) and (index == 0 or path[index - 1] not in _DESCRIBED_BELOW)
            for index, step in enumerate(path)
        )

    def may_be_spelled_otherwise(self, data: bytes) -> bool:
        """Whether a name may stand in a text that has letters which encoders escape, or which have other capitals."""
        return not all(map(str.isascii, self.words)) and self.may_stand_in(data.decode("utf-8", "replace"))

    def may_stand_in(self, text: str) -> bool:
        """False where no such name stands in a text with whatever escapes (letters of ASCII are not escaped)."""
        if not self.anchors:
            return False
        lower = text.lower()
        return any(name in text for name in self._variables) or any(
            all(part in lower or (not part.isascii() and "\\u" in text) for part in parts)
            for parts in self._keys.values()
        )


def _folded(name: str) -> str:
    return "".join(filter(str.isalnum, name.lower()))


def _words(name: str) -> list[str]:
    return words(name) if name.isascii() else [_folded(name)]


NO_NAMES = OwnNames()
"""Those of a project that adds none."""

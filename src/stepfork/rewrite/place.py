"""Where a piece of a run stands, and the interface of what rewrites it. Standard library only: hooks start here."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any


class Place:
    """`part` is the stored part, such as ``("exchange", 3, "request")`` or ``("trace",)``; `path` the way to the
    value inside it, which goes on inside strings that are JSON text."""

    __slots__ = ("part", "path")

    def __init__(self, part: tuple[str | int, ...], path: tuple[str | int, ...] = ()) -> None:
        self.part = part
        self.path = path

    def child(self, *steps: str | int) -> Place:
        """The place `steps` further down."""
        return Place(self.part, self.path + steps)

    @property
    def key(self) -> str | None:
        """The nearest member name above this place; None at the top."""
        for step in reversed(self.path):
            if isinstance(step, str):
                return step
        return None

    def __repr__(self) -> str:
        return f"Place({self.part!r}, {self.path!r})"


class Edit:
    """Replace the characters `start` to `end` of a text by `text`."""

    __slots__ = ("end", "start", "text")

    def __init__(self, start: int, end: int, text: str) -> None:
        self.start = start
        self.end = end
        self.text = text

    def __repr__(self) -> str:
        return f"Edit({self.start}, {self.end}, …)"  # the text may stand beside a secret


class Rewriter:
    """What to change. Each method sees one decoded piece and says what replaces it; the default keeps everything."""

    reads_across = False
    """Whether `across` is to be asked, and what tokens spell out is to be read as one text."""

    def document(self, value: Any, place: Place) -> None:
        """Told of a value, or of what JSON text holds, before its pieces are seen: what stands beside what."""

    def keeps(self, value: dict[str, Any]) -> bool:  # noqa: ARG002
        """Whether nothing of a value would change, as far as that can be told without reading it piece by piece."""
        return False

    def takes_whole(self, text: str) -> bool:  # noqa: ARG002
        """Whether a text is to be asked about as it is, although it is JSON text."""
        return False

    def text(self, text: str, place: Place) -> Sequence[Edit]:  # noqa: ARG002
        """Edits of a text that is not JSON text itself."""
        return ()

    def key(self, text: str, place: Place) -> Sequence[Edit]:  # noqa: ARG002
        """Edits of a member's name; `place` is the object's."""
        return ()

    def number(self, value: int | float, place: Place) -> Any:  # noqa: ARG002
        """What stands instead of a number."""
        return value

    def unquoted(self, text: str, place: Place) -> int | None:  # noqa: ARG002
        """The number that stands instead of a text in JSON, None where a text stays one."""
        return None

    def across(
        self,
        texts: Sequence[str],  # noqa: ARG002
        place_of: Callable[[int], Place],  # noqa: ARG002
    ) -> Sequence[Sequence[Edit]]:
        """Edits, for each of `texts`, of what only shows where they are read as one: strings that stand in a row, or at
        one place of documents that come one after another. Each is also read alone, by `text`."""
        return ()

    def stream_begins(self) -> None:
        """Told before the joined text of a stream is read, whose places are those of its first event."""

    def stream_ends(self, places: Sequence[Place]) -> None:
        """Told after it: the place of the piece in which each edit begins, in order of the edits' position."""

    def query(self, query: str, place: Place) -> str:
        """What stands instead of a raw query string."""
        return apply_edits(query, self.text(query, place))

    def command(self, arguments: tuple[str, ...]) -> tuple[str, ...]:
        """What stands instead of a command line."""
        part = ("source",)
        return tuple(
            apply_edits(argument, self.text(argument, Place(part, ("command", index))))
            for index, argument in enumerate(arguments)
        )


def apply_edits(text: str, edits: Sequence[Edit]) -> str:
    """`text` with `edits` made. Where two overlap, all that either covers goes and the earlier one's text stays."""
    if not edits:
        return text
    made: list[str] = []
    cursor = 0
    for edit in sorted(edits, key=lambda item: (item.start, -item.end)):
        if edit.start >= cursor:
            made += (text[cursor : edit.start], edit.text)
        cursor = max(cursor, edit.end)
    made.append(text[cursor:])
    return "".join(made)

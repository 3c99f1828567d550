"""What is asked about each piece of a file that is scanned."""

from __future__ import annotations

from typing import NamedTuple

from stepfork.redact.pairs import bare
from stepfork.redact.redactor import Redactor
from stepfork.rewrite.events import rewrite_events
from stepfork.rewrite.place import Place

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from stepfork.redact.finding import Finding
    from stepfork.redact.secrets import Secrets
    from stepfork.rewrite.place import Edit

    Path = tuple[str | int, ...]


class Told(NamedTuple):
    """What was found in a part of a file, and what of it could not be read."""

    found: tuple[Finding, ...]
    unread: tuple[tuple[str, str], ...]


class FileRedactor(Redactor):
    """A redactor that is asked for findings alone; lists of events are read as streams.

    Of what is spelled in pieces it reads what the prefilter looks out for: deltas of known forms.
    """

    reads_across = False

    def __init__(self, secrets: Secrets) -> None:
        super().__init__(secrets)
        self._streams: dict[Path, list[str]] = {}

    def document(self, value: Any, place: Place) -> None:
        """Remembers the streams of a document too."""
        super().document(value, place)
        self._streams |= streams_in(value, place.path)

    def text(self, text: str, place: Place) -> Sequence[Edit]:
        """Where the first event of a stream is met, the whole stream is read, with its deltas joined."""
        above = place.path[:-1]
        if above in self._streams and isinstance(place.path[-1], int) and self._in_stream is None:
            events = self._streams[above]
            self._streams[above] = []
            rewrite_events(events, Place(place.part, above), self)
            return ()
        return super().text(text, place)

    def apart(self, read: Callable[[], object]) -> Told:
        """What is found, and could not be read, while `read` is called; it is kept as ever."""
        found, self._found = self._found, {}
        unread, self.inside.unread = self.inside.unread, {}
        read()
        told = Told(tuple(self._found), tuple(self.inside.unread))
        self._found, self.inside.unread = found, unread
        self.again(told, 0)
        return told

    def again(self, told: Told, cut: int, put: str = "") -> None:
        """The same is found once more, at paths that begin with `put` in the place of their first `cut` characters."""
        for item in told.found:
            self._found.setdefault(item.moved(put + item.path[cut:]))
        for path, reason in told.unread:
            self.inside.unread.setdefault((put + path[cut:], reason))

    def tells(self, text: str, step: str | int) -> bool:
        """Whether a text, under that name or number, may say what another text beside it is."""
        return self._introduces(bare(text)) or (text == "base64" and step in ("encoding", "type"))

    def read_streams(self) -> None:
        """Look through each stream with its deltas joined."""
        for path, events in list(self._streams.items()):
            rewrite_events(events, Place((), path), self)


def streams_in(document: Any, above: Path = ()) -> dict[Path, list[str]]:
    """The lists of server-sent events in a document that stands at `above`, by the way to each."""
    found: dict[Path, list[str]] = {}
    waiting: list[tuple[Path, Any]] = [(above, document)]
    while waiting:
        path, value = waiting.pop()
        if isinstance(value, dict):
            waiting += [((*path, key), item) for key, item in reversed(value.items())]
        elif isinstance(value, list) and value:
            if is_name_of_events(path) and all(isinstance(item, str) for item in value):
                found[path] = value
            else:
                waiting += [((*path, index), item) for index, item in reversed(list(enumerate(value)))]
    return found


def is_name_of_events(path: Path) -> bool:
    """Whether a list at that place holds the events of a stream, if they are texts."""
    return bool(path) and isinstance(path[-1], str) and path[-1].endswith("events")

"""JSON documents that come one after another, and what they spell out together: events of a stream, lines of a log.

Pieces of one text are joined, edited, and given back to their documents: what an edit puts in stands in the first piece
that it touches and the others lose their part, so that every document stays readable on its own. A document in which
nothing changed keeps its bytes. Standard library only.
"""

from __future__ import annotations

from stepfork.providers.logprobs import TokenPlace, may_have_tokens, token_rows
from stepfork.providers.streams import delta_places
from stepfork.rewrite.joined import Joined
from stepfork.rewrite.json_text import Token, carry_back, decode, string_of
from stepfork.rewrite.loose import Loose, across_edits, joined_streams, marks_of
from stepfork.rewrite.place import Edit
from stepfork.rewrite.text import find_edits, json_edits
from stepfork.rewrite.tokens import change_edits, token_changes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Any

    from stepfork.rewrite.place import Place, Rewriter
    from stepfork.rewrite.tokens import Change

    Path = tuple[str | int, ...]


class _Document:
    """A JSON text that stands at `start` of the text numbered `owner`; or one of another kind."""

    __slots__ = ("owner", "place", "start", "text")

    def __init__(self, owner: int, start: int, text: str, place: Place) -> None:
        self.owner = owner
        self.start = start
        self.text = text
        self.place = place


class _Piece:
    """A string of a document that may be part of a longer text; `end` is what stands after it there, unspelled."""

    __slots__ = ("_path", "decoded", "document", "inner", "start")

    def __init__(self, document: _Document, start: int, inner: str, path: Path | None, end: str = "") -> None:
        self.document = document
        self.start = start
        self.inner = inner
        self._path = path
        self.decoded = decode(inner) if path is not None else inner + end

    @property
    def place(self) -> Place:
        """Where it stands."""
        return self.document.place.child(*(self._path or ()))

    def edits(self, found: Sequence[Edit]) -> list[Edit]:
        """Edits of what it says, in characters of the text that owns its document."""
        begin = self.document.start + self.start
        if self._path is not None:
            return carry_back(self.inner, found, begin)
        most = len(self.inner)
        return [Edit(begin + min(edit.start, most), begin + min(edit.end, most), edit.text) for edit in found]


class _Said:
    """A string that is only looked at."""

    __slots__ = ("decoded",)
    place: Place

    def __init__(self, decoded: str) -> None:
        self.decoded = decoded


def spelled_in_pieces(values: Iterable[Any], api: str = "") -> Iterator[str]:
    """The texts that documents which come one after another may spell together, as a `Series` reads them; rows of
    tokens aside."""
    streams: dict[Any, list[str]] = {}
    loose = Loose()
    for value in values:
        deltas = {tuple(path): stream for stream, path in delta_places(api, value)}
        for path, text in _strings(value):
            if path in deltas:
                streams.setdefault(deltas[path], []).append(text)
            elif Loose.wants(path):
                loose.add(_Said(text), path, value)
    yield from map("".join, streams.values())
    for pieces in loose.texts():
        yield "".join(piece.decoded for piece in pieces)


def _strings(value: Any) -> Iterator[tuple[Path, str]]:
    waiting: list[tuple[Path, Any]] = [((), value)]
    while waiting:
        path, node = waiting.pop()
        if isinstance(node, str):
            yield path, node
        elif isinstance(node, dict):
            waiting += [((*path, name), item) for name, item in reversed(node.items())]
        elif isinstance(node, list):
            waiting += [((*path, index), node[index]) for index in range(len(node) - 1, -1, -1)]


class Series:
    """What `rewriter` wants to be edited in a row of documents, by the number of the text that owns each."""

    def __init__(self, rewriter: Rewriter, api: str = "") -> None:
        self._rewriter = rewriter
        self._api = api
        self._edits: dict[int, list[Edit]] = {}
        self._streams: dict[Any, list[_Piece]] = {}
        self._rows: dict[Any, list[tuple[_Document, Path, TokenPlace]]] = {}
        self._loose = Loose()

    def document(  # noqa: PLR0917 (where it stands, what it is)
        self, owner: int, start: int, text: str, value: Any, place: Place, event: str = ""
    ) -> None:
        """A JSON text that holds `value` and stands at `start` of the text `owner`, in an event of that name."""
        document = _Document(owner, start, text, place)
        deltas = {tuple(path): stream for stream, path in delta_places(self._api, value)}
        across = self._rewriter.reads_across
        rows = self._tokens(document, value) if across and may_have_tokens(text) else {}

        def aside(token: Token) -> bool:
            stream = deltas.get(token.path)
            if stream is not None:
                self._streams.setdefault(stream, []).append(_piece(document, token))
                return True
            if rows and rows.get(token.path) == string_of(text, token):
                return True
            if across and Loose.wants(token.path):
                self._loose.add(_piece(document, token), token.path, value, event)
            return False

        self._add(document, json_edits(text, value, place, self._rewriter, aside=aside))

    def text(self, owner: int, start: int, text: str, place: Place, *, event: str | None = None, end: str = "") -> None:
        """A text of another kind; one that came as data of an event is a piece of what such events say, and `end`
        stands between it and the next."""
        document = _Document(owner, start, text, place)
        self._add(document, self._find(text, place))
        if event is not None and self._rewriter.reads_across:
            self._loose.add(_Piece(document, 0, text, None, end), (), None, event)

    def edits(self) -> dict[int, list[Edit]]:
        """All edits, once everything was added."""
        for pieces in self._streams.values():
            self._join(pieces)
        if self._rewriter.reads_across:
            for row in self._rows.values():
                self._change(row)
            for streams in self._neighbours():
                for piece, shares in joined_streams(streams, self._rewriter):
                    self._give(piece, shares)
            for pieces in self._loose.texts():
                for piece, edits in across_edits(pieces, self._rewriter):
                    self._give(piece, edits)
        return self._edits

    def _tokens(self, document: _Document, value: Any) -> dict[Path, str]:
        found: dict[Path, str] = {}
        for path, row in token_rows(value):
            marks, ids = marks_of(value, path)
            names = tuple(step for step in path if isinstance(step, str))
            kept = self._rows.setdefault((names, *marks, *ids), [])
            kept += [(document, path, token) for token in row]
            found |= {token.path: token.text for token in row}
        return found

    def _find(self, text: str, place: Place) -> Sequence[Edit]:
        return find_edits(text, place, self._rewriter)

    def _join(self, pieces: list[_Piece]) -> None:
        joined = Joined([piece.decoded for piece in pieces])
        self._rewriter.stream_begins()
        found = sorted(self._find(joined.text, pieces[0].place), key=lambda edit: edit.start)
        self._rewriter.stream_ends([pieces[joined.at(edit.start)].place for edit in found])
        for edit in found:
            for number, share in joined.shares(edit):
                self._give(pieces[number], [share])

    def _change(self, row: list[tuple[_Document, Path, TokenPlace]]) -> None:
        first, path, _ = row[0]
        self._rewriter.stream_begins()
        tokens = [token for _, _, token in row]
        begins, changes = token_changes(tokens, first.place.child(*path), self._find)
        self._rewriter.stream_ends([row[number][0].place.child(*row[number][2].path) for number in begins])
        touched: dict[int, tuple[_Document, list[Change]]] = {}
        for number, found in changes.items():
            document = row[number][0]
            touched.setdefault(id(document), (document, []))[1].extend(found)
        for document, leaves in touched.values():
            self._add(document, change_edits(document.text, leaves))

    def _neighbours(self) -> list[list[list[_Piece]]]:
        """Streams that may be parts of one text: of one kind, told apart by an index alone."""
        kinds: dict[Any, list[list[_Piece]]] = {}
        for key, pieces in self._streams.items():
            kinds.setdefault(tuple(step for step in key if not isinstance(step, int)), []).append(pieces)
        return [streams for streams in kinds.values() if len(streams) > 1]

    def _give(self, piece: _Piece, found: Sequence[Edit]) -> None:
        self._edits.setdefault(piece.document.owner, []).extend(piece.edits(found))

    def _add(self, document: _Document, found: Sequence[Edit]) -> None:
        if found:
            moved = [Edit(document.start + edit.start, document.start + edit.end, edit.text) for edit in found]
            self._edits.setdefault(document.owner, []).extend(moved)


def _piece(document: _Document, token: Token) -> _Piece:
    return _Piece(document, token.start + 1, document.text[token.start + 1 : token.end - 1], token.path)

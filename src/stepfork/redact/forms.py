"""Events that are read without being parsed: by patterns that are made of events that were.

Events of one form have the same members, and differ in what their strings say and in their numbers. A pattern takes a
whole event of a form, or what stands under ``choices`` where all pieces stand there.
"""

from __future__ import annotations

import json
import re

from stepfork.providers.piece_members import ROOTS, TOLD_BY
from stepfork.rewrite.json_text import json_tokens

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from stepfork.rewrite.json_text import Token

    Path = tuple[str | int, ...]

OPENING = b"data:"
_LOCAL = "choices"
_MET = 3
"""So often events with the same members are met before a pattern is made: that takes as long as parsing several."""
_MOST = 4096
"""So many streams are known again."""
_NUMBER = rb"[-+0-9.eE]+"
_SHORT = 512
_BACKSLASH = ord("\\")
_raw_decode = json.JSONDecoder().raw_decode


class Depth:
    """How what counts in an event is spelled where its stream is a text inside JSON text, `depth` levels down."""

    def __init__(self, depth: int) -> None:
        self.depth = depth
        self.quote = b"\\" * (2**depth - 1) + b'"'
        self.line_end = b"\\" * 2 ** (depth - 1) + b"n" if depth else b"\n"
        slashes = rf"\\{{{2**depth}}}"
        escapes = rf'{slashes}(?:{slashes}|\\{{{2**depth - 1}}}"|[a-z/])|\\+(?:/|u(?!0022|005[cC])[0-9a-fA-F]{{4}})'
        self.piece = rf'[^"\\]*+(?:(?:{escapes})[^"\\]*+)*+'.encode()
        """A pattern of what a string says."""
        self.string = rf'[^"]*+"(?<!\\{{{2 ** (depth + 1) - 1}}}")'.encode()
        """One that is quick to make, of a string without quotes in it, and the quote after it."""

    def end_of_text(self, data: bytes, start: int, end: int) -> int:
        """Where between `start` and `end` a quote of a level above stands, which ends the text; -1 where none does."""
        if self.depth == 0:
            return -1
        while start < end:
            at = data.find(b'"', start, end)
            if at < 0 or not self._is_inside(data, at):
                return at
            start = data.rfind(b'"', at, min(at + _SHORT, end)) + 1
            if not self._are_inside(data[at + 1 : start]):
                while self._is_inside(data, at):
                    at = data.find(b'"', at + 1, end)
                return at
        return -1

    def _are_inside(self, between: bytes) -> bool:
        """The same of each quote in `between`."""
        opening, steps = b'"', len(self.quote)
        count = between.count(opening)
        while count:
            if between.count(b"\\" * (steps - 1) + opening) != count:
                return False
            opening = b"\\" * steps + b'"'
            count = between.count(opening)
            steps += len(self.quote)
        return True

    def _is_inside(self, data: bytes, at: int) -> bool:
        """Whether the quote at `at` is one of this level or of a deeper one, as the backslashes before it tell."""
        first = at
        while first and data[first - 1] == _BACKSLASH:
            first -= 1
        return (at - first) % len(self.quote) == len(self.quote) - 1

    def decoded(self, raw: bytes) -> str | None:
        """What `raw` says; None where that cannot be told."""
        text = raw.decode("utf-8", "replace")
        try:
            for _ in range(self.depth):
                text = json.loads(f'"{text}"')
        except ValueError:
            return None
        return text

    def said(self, pieces: bytes) -> bytes:
        """What pieces say together. They stay as they are spelled where all of them may be spelled in one way."""
        if pieces.isascii() and b"\\u" not in pieces:
            return pieces
        text = self.decoded(pieces)
        try:
            return json.loads(f'"{text}"').encode("utf-8", "surrogatepass") if text is not None else pieces
        except ValueError:
            return pieces

    def encoded(self, piece: str) -> bytes:
        """A string of an event as it may be spelled in the file."""
        for _ in range(self.depth + 1):
            piece = json.dumps(piece, ensure_ascii=False)[1:-1]
        return piece.encode("utf-8", "surrogatepass")


DEPTHS = {2**depth - 1: Depth(depth) for depth in range(3)}
"""By the number of backslashes before a quote."""


class Form:
    """A form of events. The groups `told` of its pattern say to which streams the groups `pieces` belong; `streams` has
    those streams by what they said. `is_local`: it takes no more than what stands under ``choices``."""

    __slots__ = ("depth", "is_local", "match", "pieces", "streams", "told")

    def __init__(self, source: bytes, told: list[int], pieces: list[int], depth: Depth, *, is_local: bool) -> None:
        self.match: Callable[[bytes, int], re.Match[bytes] | None] = re.compile(source).match
        self.told = told
        self.pieces = pieces
        self.depth = depth
        self.is_local = is_local
        self.streams: dict[Any, list[Any]] = {}

    def tell(self, told: Any, streams: Mapping[Path, Any]) -> None:
        """What the pieces of an event belong to that says `told`."""
        if len(self.streams) > _MOST:
            self.streams.clear()
        if len(streams) == len(self.pieces):
            self.streams[told] = list(streams.values())


class Forms:
    """The forms that were met. `usual` are those by the number of the literal that leads to their events, the form that
    was met last first."""

    def __init__(self) -> None:
        self._met: dict[Any, int] = {}
        self._all: dict[bytes, Form] = {}
        self.usual: dict[int, list[Form]] = {}

    def learn(
        self, number: int, text: str, value: dict[str, Any], streams: Mapping[Path, Any], depth: Depth
    ) -> Form | None:
        """The form of an event that says `text` and holds `value`, once it has been met often enough."""
        members = (number, depth.depth, len(streams), *value)
        met = self._met[members] = self._met.get(members, 0) + 1
        if met < _MET:
            return None
        source = _Source(text, value, streams, depth)
        if not source.is_plain:
            return None
        form = self._all.get(source.made)
        if form is None:
            form = Form(source.made, source.told, source.pieces, depth, is_local=source.is_local)
            self._all[source.made] = form
            self.usual.setdefault(number, []).insert(0, form)
        return form


class _Source:
    """The regular expression of the events that are like one."""

    def __init__(self, text: str, value: dict[str, Any], streams: Mapping[Path, Any], depth: Depth) -> None:
        self._depth = depth
        self._streams = streams
        self._quote: bytes = re.escape(depth.quote)
        self.is_plain = True
        self.is_local = set(ROOTS).intersection(value) == {_LOCAL}
        self.told: list[int] = [1]
        self.pieces: list[int] = []
        parts = [b"()"]  # a group that is always there
        tokens = list(json_tokens(text))
        begin, end = 0, len(text)
        if self.is_local:
            name = next((one for one in tokens if not one.path and text[one.start : one.end] == f'"{_LOCAL}"'), None)
            if name is None:  # it has escapes in it
                self.is_plain = False
                return
            begin = name.start
            end = _raw_decode(text, _after_colon(text, name.end))[1]
        else:
            parts.append(OPENING)
        cursor = begin
        for token in tokens:
            if begin <= token.start < end:
                parts += (_between(text[cursor : token.start]), self._token(text, token))
                cursor = token.end
        parts.append(_between(text[cursor:end]))
        if self.is_local:
            parts[2] = parts[2].removeprefix(self._quote)
            parts[2] = b'"' + parts[2]  # the literal that leads to it begins with the quote itself
            parts.append(self._tail())
        self.made = b"".join(parts)

    def _token(self, text: str, token: Token) -> bytes:
        tells = bool(token.path) and token.path[-1] in TOLD_BY
        if token.kind == "key":
            name = text[token.start + 1 : token.end - 1]
            self.is_plain = self.is_plain and name.isascii() and "\\" not in name
            return self._quote + re.escape(name.encode("utf-8", "replace")) + self._quote
        if token.kind == "number":
            return b"(" + self._group(self.told) + _NUMBER + b")" if tells else _NUMBER
        if token.path in self._streams:
            return self._quote + b"(" + self._group(self.pieces) + self._depth.piece + b")" + self._quote
        if tells:
            return self._quote + b"(" + self._group(self.told) + rb'[^"\\]*+)' + self._quote
        return self._quote + self._depth.string

    def _group(self, groups: list[int]) -> bytes:
        groups.append(len(self.told) + len(self.pieces) + 1)
        return b""

    def _tail(self) -> bytes:
        """What may follow in the event: members that lead to no piece."""
        roots = "|".join(ROOTS).encode()
        return rb'(?:[^"\\{}\[\]]|' + self._quote + rb"(?!(?:" + roots + rb')["\\]))*+\}?+'


def _after_colon(text: str, index: int) -> int:
    index = text.index(":", index) + 1
    while text[index] in " \t":
        index += 1
    return index


def _between(text: str) -> bytes:
    """What stands between two strings or numbers, with more or fewer blanks where there are some."""
    return re.sub(rb"(?:\\ )+", b" *", re.escape(text.encode("utf-8", "replace")))

"""The kinds of documents that are scanned, each read down to its decoded values."""

from __future__ import annotations

from stepfork.redact.file_redactor import FileRedactor
from stepfork.redact.kinds import JSON, JSON_LINES, VARIABLES, YAML, kind_of
from stepfork.redact.plain import plain_text
from stepfork.rewrite.json_text import is_json_text
from stepfork.rewrite.place import Place
from stepfork.rewrite.text import find_edits

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from stepfork.redact.decoding import Decoded
    from stepfork.redact.finding import Finding
    from stepfork.redact.prefilter import Spot
    from stepfork.redact.secrets import Secrets

_LARGE = 1 << 16
"""Bytes from which on a document is read at its spots."""
_LINE = 4 << 20
"""Bytes of a first line that is read to tell JSON lines from one document."""
_ROOM = 8 << 20
"""Characters of lines that are known again."""
_BLANK = b"\xef\xbb\xbf \t\r\n"


def scan(
    decoded: Decoded, secrets: Secrets, spots: Sequence[Spot] | None, unread: list[tuple[str, str]]
) -> list[Finding]:
    """The secrets of a document, whose kind its text and its file's name tell; to `unread` goes what in it could not be
    read. A large one is read at its `spots`, where it has some and not all of it must be read."""
    if spots is not None and len(decoded.data) > _LARGE and not decoded.binary:
        found = _at_spots(decoded.data, secrets, spots, unread)
        if found is not None:
            return found
    text = decoded.text
    kind = kind_of(text, decoded.name)
    if kind == JSON:
        return _json(text, secrets, unread)
    if kind == JSON_LINES:
        return _json_lines(((number, line, None) for number, line in enumerate(text.split("\n"), 1)), secrets, unread)
    if kind == YAML:
        from stepfork.redact.yaml_documents import scan_yaml

        return scan_yaml(text, secrets, unread)
    found = plain_text(text, secrets, unread)
    return found + _variables(text, secrets) if kind == VARIABLES else found


def _at_spots(
    data: bytes, secrets: Secrets, spots: Sequence[Spot], unread: list[tuple[str, str]]
) -> list[Finding] | None:
    """The secrets of a large document of JSON or JSON lines; None for a document of another kind."""
    start = len(data) - len(data.lstrip(_BLANK))
    if data[start : start + 1] not in (b"{", b"["):
        return None
    first, _, rest = data[start : start + _LINE].partition(b"\n")
    if rest.strip() and is_json_text(first.decode("utf-8", "replace")):
        return _json_lines(_lines_at(data, spots), secrets, unread)
    return _narrow(data, spots, secrets, unread)


def _narrow(
    data: bytes, spots: Sequence[Spot], secrets: Secrets, unread: list[tuple[str, str]]
) -> list[Finding] | None:
    from stepfork.redact.narrow import Narrow

    redactor = FileRedactor(secrets)
    if not Narrow(data, spots, redactor, secrets.prefilter).read(Place(())):
        return None
    unread += redactor.unread
    return list(redactor.findings)


def _lines_at(data: bytes, spots: Sequence[Spot]) -> Iterator[tuple[int, str, Sequence[Spot]]]:
    """Number and text of each line that has spots, which are counted from its beginning."""
    number, at, index = 1, 0, 0
    while index < len(spots):
        start = data.rfind(b"\n", at, spots[index].start) + 1 or at
        number += data.count(b"\n", at, start)
        end = data.find(b"\n", spots[index].start)
        end = len(data) if end < 0 else end
        on_line = []
        while index < len(spots) and spots[index].start < end + 1:
            spot = spots[index]
            on_line.append(type(spot)(spot.start - start, spot.end - start, spot.levels))
            index += 1
        yield number, data[start:end].decode("utf-8", "surrogatepass"), on_line
        number, at = number + 1, end + 1


def _json(text: str, secrets: Secrets, unread: list[tuple[str, str]]) -> list[Finding]:
    redactor = FileRedactor(secrets)
    find_edits(text, Place(()), redactor)
    unread += redactor.unread
    return list(redactor.findings)


def _json_lines(
    lines: Iterator[tuple[int, str, Sequence[Spot] | None]], secrets: Secrets, unread: list[tuple[str, str]]
) -> list[Finding]:
    """The secrets of lines, which are given by number, text, and the spots that are to be read if those are known."""
    found: list[Finding] = []
    told: dict[str, tuple[list[Finding], list[tuple[str, str]]]] = {}
    room = _ROOM
    for number, line, spots in lines:
        if not line.strip() or (spots is None and not secrets.may_stand_in(line)):
            continue
        if not is_json_text(line):
            found += (item.moved(_on_line(number, item.path)) for item in plain_text(line, secrets, unread, number))
            continue
        if line not in told:  # some files hold their documents several times
            missed: list[tuple[str, str]] = []
            inner = None
            if spots is not None:
                inner = _narrow(line.encode("utf-8", "surrogatepass"), spots, secrets, missed)
            room -= len(line)
            if room < 0:
                told.clear()
                room = _ROOM
            told[line] = _json(line, secrets, missed) if inner is None else inner, missed
        unread += ((f"line {number} {path}", reason) for path, reason in told[line][1])
        found += (item.moved(_on_line(number, item.path)) for item in told[line][0])
    return found


def _on_line(number: int, path: str) -> str:
    return path if path.startswith("line ") else f"line {number} {path}".rstrip()


def _variables(text: str, secrets: Secrets) -> list[Finding]:
    from stepfork.redact.variables import variable_secrets

    return [
        secrets.finding(span.rule, f"line {text.count(chr(10), 0, span.start) + 1}", text[span.start : span.end])
        for span in variable_secrets(text, secrets)
    ]

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
    for number, line, spots in lines:
        if not line.strip() or (spots is None and not secrets.may_stand_in(line)):
            continue
        missed: list[tuple[str, str]] = []
        is_json = is_json_text(line)
        inner: list[Finding] | None = None
        if spots is not None and is_json:
            inner = _narrow(line.encode("utf-8", "surrogatepass"), spots, secrets, missed)
        if inner is None:
            inner = _json(line, secrets, missed) if is_json else plain_text(line, secrets, missed, number)
        unread += ((f"line {number} {path}" if is_json else path, reason) for path, reason in missed)
        for item in inner:
            path = item.path if item.path.startswith("line ") else f"line {number} {item.path}".rstrip()
            found.append(item.moved(path))
    return found


def _variables(text: str, secrets: Secrets) -> list[Finding]:
    from stepfork.redact.variables import variable_secrets

    return [
        secrets.finding(span.rule, f"line {text.count(chr(10), 0, span.start) + 1}", text[span.start : span.end])
        for span in variable_secrets(text, secrets)
    ]

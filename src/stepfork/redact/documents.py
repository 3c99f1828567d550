"""The kinds of documents that are scanned, each read down to its decoded values."""

from __future__ import annotations

import json

from stepfork.redact.pattern import pattern
from stepfork.redact.plain import plain_text
from stepfork.redact.redactor import Redactor
from stepfork.rewrite.events import rewrite_events
from stepfork.rewrite.json_text import is_json_text
from stepfork.rewrite.place import Place
from stepfork.rewrite.text import find_edits

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from stepfork.redact.finding import Finding
    from stepfork.redact.secrets import Secrets
    from stepfork.rewrite.place import Edit

_LINE = pattern(r"[^\n]*\n?")
_VARIABLE = pattern(r"""[ \t]*(?:export[ \t]+)?([A-Za-z_][A-Za-z0-9_]*)[ \t]*=[ \t]*("([^"]*)"|'([^']*)'|[^\r\n]*)""")


def scan(text: str, secrets: Secrets, name: str, unread: list[tuple[str, str]]) -> list[Finding]:
    """The secrets of a document, whose kind its text and its file's name tell; to `unread` goes what in it could not be
    read."""
    head = text[:4096].lstrip("\ufeff \t\r\n")
    if head.startswith(("{", "[", '"')):
        if is_json_text(text):
            return _json(text, secrets, unread)
        lines = [line for line in text.splitlines() if line.strip()]
        if lines and is_json_text(lines[0]):
            return _json_lines(text, secrets, unread)
    lower = name.lower()
    if lower.endswith((".yaml", ".yml")):
        from stepfork.redact.yaml_documents import scan_yaml

        return scan_yaml(text, secrets, unread)
    found = plain_text(text, secrets, unread)
    base = lower.rpartition("/")[2]
    if base.startswith(".env") or base.endswith((".env", ".envrc")):
        found += _variables(text, secrets)
    return found


class FileRedactor(Redactor):
    """A redactor that is asked for findings alone; `streams` are lists of events, which are read as streams.

    Of what is spelled in pieces it reads what the prefilter looks out for: deltas of known forms.
    """

    reads_across = False

    def __init__(self, secrets: Secrets) -> None:
        super().__init__(secrets)
        self.streams: dict[tuple[str | int, ...], list[str]] = {}

    def text(self, text: str, place: Place) -> Sequence[Edit]:
        """Nothing for the events of a stream, which `read_streams` reads together."""
        if place.path and isinstance(place.path[-1], int) and place.path[:-1] in self.streams:
            return ()
        return super().text(text, place)

    def read_streams(self, place: Place) -> None:
        """Look through each stream with its deltas joined."""
        for path, events in self.streams.items():
            rewrite_events(events, place.child(*path), self)


def _json(text: str, secrets: Secrets, unread: list[tuple[str, str]]) -> list[Finding]:
    place = Place(())
    redactor = FileRedactor(secrets)
    if '"events"' in text or '_events"' in text:
        redactor.streams = dict(_streams(json.loads(text)))
    find_edits(text, place, redactor)
    redactor.read_streams(place)
    unread += redactor.unread
    return list(redactor.findings)


def _streams(document: Any) -> Iterator[tuple[tuple[str | int, ...], list[str]]]:
    """The lists of server-sent events in a stored exchange, with the way to each."""
    waiting: list[tuple[tuple[str | int, ...], Any]] = [((), document)]
    while waiting:
        path, value = waiting.pop()
        if isinstance(value, dict):
            waiting += [((*path, key), item) for key, item in value.items()]
        elif isinstance(value, list) and value:
            if path and str(path[-1]).endswith("events") and all(isinstance(item, str) for item in value):
                yield path, value
            else:
                waiting += [((*path, index), item) for index, item in enumerate(value)]


def _json_lines(text: str, secrets: Secrets, unread: list[tuple[str, str]]) -> list[Finding]:
    found: list[Finding] = []
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip() and secrets.prefilter.may_hold_secret(line):
            missed: list[tuple[str, str]] = []
            is_json = is_json_text(line)
            inner = _json(line, secrets, missed) if is_json else plain_text(line, secrets, missed, number)
            unread += ((f"line {number} {path}" if is_json else path, reason) for path, reason in missed)
            for item in inner:
                path = item.path if item.path.startswith("line ") else f"line {number} {item.path}".rstrip()
                found.append(item.moved(path))
    return found


def _variables(text: str, secrets: Secrets) -> list[Finding]:
    """Assignments of a `.env` file to names that hold secrets, whatever the value looks like."""
    from stepfork.redact.known import MIN_LENGTH
    from stepfork.redact.marker import is_stand_in
    from stepfork.redact.named import is_variable_secret

    found: list[Finding] = []
    for match in _VARIABLE.finditer(text):
        starts_line = match.start() == 0 or text[match.start() - 1] == "\n"
        if not starts_line:
            continue
        quoted = match.group(3) if match.group(3) is not None else match.group(4)
        value = quoted if quoted is not None else match.group(2).partition(" #")[0].strip()
        own = secrets.matcher.names.covers((match.group(1),), value)
        if not is_variable_secret(match.group(1), value) and not own:
            continue
        shown = secrets.matcher.find(match.group())
        convinces = len(value) >= MIN_LENGTH and not is_stand_in(value) and any(map(str.isdigit, value))
        if (own or convinces) and not shown:
            line = text.count("\n", 0, match.start()) + 1
            found.append(secrets.finding("secret variable", f"line {line}", value))
    return found

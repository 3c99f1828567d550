"""The kinds of documents that are scanned, each read down to its decoded values."""

from __future__ import annotations

import json

from stepfork.redact.kinds import JSON, JSON_LINES, VARIABLES, YAML, kind_of
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


def scan(text: str, secrets: Secrets, name: str, unread: list[tuple[str, str]]) -> list[Finding]:
    """The secrets of a document, whose kind its text and its file's name tell; to `unread` goes what in it could not be
    read."""
    kind = kind_of(text, name)
    if kind == JSON:
        return _json(text, secrets, unread)
    if kind == JSON_LINES:
        return _json_lines(text, secrets, unread)
    if kind == YAML:
        from stepfork.redact.yaml_documents import scan_yaml

        return scan_yaml(text, secrets, unread)
    found = plain_text(text, secrets, unread)
    return found + _variables(text, secrets) if kind == VARIABLES else found


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
        redactor.streams = dict(streams_in(json.loads(text)))
    find_edits(text, place, redactor)
    redactor.read_streams(place)
    unread += redactor.unread
    return list(redactor.findings)


def streams_in(document: Any) -> Iterator[tuple[tuple[str | int, ...], list[str]]]:
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
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip() and secrets.may_stand_in(line):
            missed: list[tuple[str, str]] = []
            is_json = is_json_text(line)
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

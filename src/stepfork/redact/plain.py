"""A text of no particular form, read by its lines; an event stream with its deltas joined."""

from __future__ import annotations

from stepfork.redact.encoded import LIMIT, find_encoded
from stepfork.redact.redactor import Redactor, is_event_stream
from stepfork.rewrite.place import Place

TYPE_CHECKING = False
if TYPE_CHECKING:
    from stepfork.redact.finding import Finding
    from stepfork.redact.secrets import Secrets


def plain_text(text: str, secrets: Secrets, unread: list[tuple[str, str]], first: int = 1) -> list[Finding]:
    """The secrets of a text by line, those of what is encoded in it too; `first` is the number of its first line."""
    if is_event_stream(text):
        redactor = Redactor(secrets)
        redactor.text(text, Place(()))
        unread += redactor.unread
        return [item.moved(item.path.removeprefix("/events ")) for item in redactor.findings]
    found: list[Finding] = []
    at, line = 0, first
    for span in secrets.matcher.find(text):
        line += text.count("\n", at, span.start)
        at = span.start
        found.append(secrets.finding(span.rule, f"line {line}", text[span.start : span.end]))
    return found + _encoded(text, secrets, unread, first)


def _encoded(text: str, secrets: Secrets, unread: list[tuple[str, str]], first: int) -> list[Finding]:
    found: list[Finding] = []
    for start, end, _ in find_encoded(text, LIMIT):
        redactor = Redactor(secrets)
        redactor.text(text[start:end], Place(()))
        line = f"line {first + text.count(chr(10), 0, start)}"
        found += (item.moved(f"{line} {item.path}".rstrip()) for item in redactor.findings)
        unread += ((f"{line} {path}".rstrip(), reason) for path, reason in redactor.unread)
    return found

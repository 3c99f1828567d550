"""What of a file is a secret: its decoded values are read, whatever spells them, and no value is ever shown."""

from __future__ import annotations

from stepfork.errors import ScanError
from stepfork.redact.decoding import decode, of_text
from stepfork.redact.kinds import is_variables

TYPE_CHECKING = False
if TYPE_CHECKING:
    from stepfork.redact.decoding import Decoded
    from stepfork.redact.finding import Finding
    from stepfork.redact.secrets import Secrets


def scan_bytes(
    data: bytes, secrets: Secrets, name: str = "", unread: list[tuple[str, str]] | None = None
) -> list[Finding]:
    """The secrets in the bytes of a file called `name`: rule and place of each, in the order in which they stand.

    JSON and YAML give the pointer of a value (and the event of a stream), JSON lines the line and the pointer in it,
    any other text the line. To `unread` goes what in them could not be read, place and reason. Raises ScanError for
    bytes that cannot be read as text, and for parts that cannot where nobody asks for `unread`.
    """
    decoded = decode(data, name)
    parts: list[tuple[str, str]] = [] if unread is None else unread
    found = _scan(decoded, secrets, parts)
    if b"\0" in decoded.data:  # UTF-16 without a mark, or text fields of a binary format
        found += scan_text(decoded.text.replace("\0", ""), secrets, decoded.name, parts)
    if decoded.complaint:
        parts.append(("", decoded.complaint))
    if parts and unread is None:
        raise ScanError(" ".join(parts[0]).strip())
    if decoded.name.replace("\\", "/").rpartition("/")[2] == "config.toml" and b"[redact]" in decoded.data:
        found = [item for item in found if not item.rule.startswith("name ")]  # the list of names itself
    return list(dict.fromkeys(item.moved(item.path, name) for item in found))


FILE_NAME = "the file's name"
"""Where a secret stands that is part of what a file is called."""


def scan_name(name: str, secrets: Secrets) -> list[Finding]:
    """The secrets in a file's name, with the folders that it was told with."""
    if not secrets.may_stand_in(name):
        return []
    spans = secrets.matcher.find(name)
    return [secrets.finding(span.rule, FILE_NAME, name[span.start : span.end]).moved(FILE_NAME, name) for span in spans]


def scan_text(
    text: str, secrets: Secrets, name: str = "", unread: list[tuple[str, str]] | None = None
) -> list[Finding]:
    """The secrets in a text, as `scan_bytes` gives them."""
    parts: list[tuple[str, str]] = [] if unread is None else unread
    found = _scan(of_text(text, name), secrets, parts)
    if parts and unread is None:
        raise ScanError(" ".join(parts[0]).strip())
    return found


def _scan(decoded: Decoded, secrets: Secrets, unread: list[tuple[str, str]]) -> list[Finding]:
    spots = secrets.spots(decoded, _load)
    if spots is not None and not spots and not is_variables(decoded.name):
        return []
    from stepfork.redact import documents

    return documents.scan(decoded, secrets, spots, unread)


def _load() -> None:
    """Loads what reads the places of a large document; most have some."""
    import stepfork.redact.documents
    import stepfork.redact.narrow  # noqa: F401

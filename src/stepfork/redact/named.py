"""Secrets that only their name gives away: ``api-key: 0f3a…``, ``DB_PASSWORD=…``, ``{"client_secret": "…"}``."""

from __future__ import annotations

from stepfork.redact.beside import may_be_beside, value_beside
from stepfork.redact.gaps import gap_value, may_have_gap
from stepfork.redact.judging import is_plausible, shows_password
from stepfork.redact.labels import label_strength, label_value, may_be_label
from stepfork.redact.names import (
    OWN,
    PASSWORD,
    STRONG,
    WEAK,
    introduces,
    is_secret_parameter,
    is_secret_variable,
    qualified,
    strength,
)
from stepfork.redact.pattern import pattern
from stepfork.redact.values import RULE, checked, is_quoted, line_value, until, value_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from stepfork.redact.span import Span

__all__ = ["ANCHORS", "RULE", "is_named_secret", "is_variable_secret", "may_be_named", "named_at"]

ANCHORS = (
    *("key", "Key", "KEY", "token", "Token", "TOKEN", "secret", "Secret", "SECRET"),
    *("pass", "Pass", "PASS", "pwd", "Pwd", "PWD", "_pw", "_PW", "uth", "UTH"),
    *("credential", "Credential", "CREDENTIAL", "dsn", "DSN", "sig=", "ignature=", "_pat", "_PAT", "jwt", "JWT"),
    *("psk", "PSK", "verifier", "Verifier", "api_hash", "apiHash", "API_HASH", "app_certificate", "appCertificate"),
    *("APP_CERTIFICATE", "client_assertion", "clientAssertion", "device_code", "deviceCode", "nemonic", "NEMONIC"),
    *("asswort", "ennwort", "ASSWORT", "ecovery_code", "ecoveryCode", "eed_phrase", "eedPhrase", "EED_PHRASE"),
)
"""Literals of which one stands in every name that introduces a secret; ``uth`` is that of auth and authorization."""

_NAME_LEFT = pattern(r"[A-Za-z0-9_.-]{0,80}\Z")
_NAME_RIGHT = pattern(r"[A-Za-z0-9_-]{0,40}")
_NAME = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-"
_AFTER = pattern(r"""(?P<quote>\\*["'`])?\]?[ \t]*(?P<sign>=>|:=|==?|:)(?P<space>\s{0,40}(?:\\\s+)?)""")
_FORM_FIELD = pattern(r""""(?:;[^\r\n]*)?\r?\n(?:[A-Za-z-]+:[^\r\n]*\r?\n)*\r?\n(?P<value>[^\r\n]*)""")
"""What follows the name of a field in a form of several parts."""
_OPENS_PAIR = pattern(r"""(?:\(|[\[(,]\s{0,3}\[)[bu]?["']\Z""")
_SECOND = pattern(r"""["']\s{0,3},\s{0,20}[bu]?(?P<quote>["'])(?P<value>[^"'\n]*)(?P=quote)\s{0,3}[)\]]""")
"""What stands around a name and its value in a list of pairs, as a program prints headers."""
_SHORT_SCHEMES = ("basic", "token", "key", "ssws", "app", "bot", "jwt", "oauth", "mac", "hmac")
"""Schemes that are shorter than a value: what they introduce stands after them."""


def named_at(text: str, start: int, end: int, kind_of: Callable[[str], str | None] = strength) -> Span | None:
    """The secret that a name introduces of which an anchor stands at `start` to `end` of `text`, if there is one;
    `kind_of` tells the strength of a name."""
    left = _NAME_LEFT.search(text, max(0, start - 80), start)
    begin = left.start() if left else start
    stop = end if text[end - 1] == "=" else _NAME_RIGHT.match(text, end).end()  # type: ignore[union-attr]
    name = text[begin:stop].rstrip("=").strip(".-")
    kind = None if text.startswith("::", begin - 2) and begin > 1 else kind_of(name)
    if kind is None:
        kind = label_strength(text, begin, name) if kind_of is strength else None
        return _labelled(text, stop, kind) if kind else _parameter_at(text, begin, stop, name)
    beside = value_beside(text, begin, stop) if may_be_beside(text, begin, stop) else None
    if beside is not None:
        return checked(text, *beside, kind, name)
    found = _FORM_FIELD.match(text, stop) if text.endswith('name="', 0, begin) else None
    if kind == OWN and found is None and _OPENS_PAIR.search(text, max(0, begin - 12), begin):
        found = _SECOND.match(text, stop)
    if found is not None:
        return checked(text, *found.span("value"), kind, name)
    opened = text[begin - 1] if begin else ""
    if opened == "<" and text[stop : stop + 1] == ">":
        return checked(text, stop + 1, until(text, stop + 1, "<"), kind, name)
    after = _AFTER.match(text, stop)
    if after is None:
        gap = gap_value(text, begin, stop)
        return _labelled(text, stop, kind) if gap is None else value_at(text, gap, kind, name)
    if kind == OWN and after["sign"] == ":" and not after["quote"]:
        return line_value(text, begin, after.end()) or value_at(text, after.end(), kind, name)
    if after["sign"] == ":" and kind != OWN and not (after["space"] or after["quote"] or is_quoted(text, after.end())):
        is_bold = text[after.end() : after.end() + 1] in ("*", "_")
        return _labelled(text, stop, kind) if is_bold else _parameter_at(text, begin, stop, name)
    return value_at(text, after.end(), kind, name, in_query=opened in "?&" and bool(opened))


def _labelled(text: str, stop: int, kind: str) -> Span | None:
    """The secret that a name introduces which ends at `stop` and stands there as a label, or in a sentence."""
    found = label_value(text, stop, kind)
    if found is None or kind == OWN:
        return None
    start, kind, is_said = found
    span = value_at(text, start, kind)
    if span is not None and is_said and kind == PASSWORD and not shows_password(text[span.start : span.end]):
        return None
    return span


def may_be_named(text: str, start: int, end: int) -> bool:
    """Whether a name of which an anchor stands at `start` to `end` may introduce a secret, in a text with escapes.

    Asked of every `total_tokens` of a file, so it reads character by character and loads nothing.
    """
    anchor = text[start:end].partition("=")[0].partition("%")[0]
    signed = len(anchor) < end - start
    before = text[max(0, start - 80) : start]
    head = before[len(before.rstrip(_NAME)) :]
    tail = "" if signed else text[end : end + 40]
    name = head + anchor + tail[: len(tail) - len(tail.lstrip(_NAME))]
    begin = start - len(head)
    escaped = begin > 0 and text[begin - 1] in "\\%"
    spellings = (name, name[1:], name[2:], name[5:]) if escaped else (name,)
    stop = end if signed else begin + len(name)
    if not any(introduces(one.strip(".-")) for one in spellings):
        return may_be_label(text, begin, stop, name)
    led = before[: len(before) - len(head)]
    if _value_follows(text, stop, signed=signed) or any(
        may_have_gap(led, one, text[stop : stop + 1]) for one in spellings
    ):
        return True
    if may_be_beside(text, begin, stop) or may_be_label(text, begin, stop):
        return True
    return escaped and may_be_label(text, begin, stop, name)


def _value_follows(text: str, index: int, *, signed: bool) -> bool:
    """Whether after a name comes a sign and a value of six characters or more, however quoted and escaped."""
    limit = index + 12
    while index < min(len(text), limit) and (text[index] in "\\\"'`]" or text[index].isspace()):
        index += 1
    if not signed:
        if text[index : index + 3] in ("%3A", "%3a", "%3D", "%3d") or text.startswith("&", index):
            return True
        if text[index : index + 1] not in (":", "=", ">"):
            return False
    limit, closing = index + 60, ""
    while index < min(len(text), limit) and (text[index] in ":=>[\"'`\\" or text[index].isspace()):
        if text[index] in "\"'`":
            closing = text[index]
        index += 2 if text[index] == "\\" and text[index + 1 : index + 2] in ("n", "r", "t") else 1
    length = _length(text, index, closing or "\"'`")
    return length >= 6 or text[index : index + length].lower() in _SHORT_SCHEMES


def _length(text: str, index: int, closing: str) -> int:
    """How many characters of a value stand at `index`, counted as far as it matters; an escape is one."""
    count = 0
    while count < 6 and index < len(text) and not text[index].isspace() and text[index] not in closing:
        index += 2 if text[index] == "\\" else 1
        count += 1
    return count


def is_named_secret(name: str, value: str) -> bool:
    """Whether `value`, which stands alone under `name`, is a secret as a whole."""
    kind = strength(name)
    return kind is not None and is_plausible(value, kind, name)


def is_variable_secret(name: str, value: str) -> bool:
    """Whether an environment variable holds a secret: whatever the value where the end of its name says so, and where
    the name goes on (see `qualified`) if the value looks like one."""
    if is_secret_variable(name):
        return True
    kind = qualified(name)
    return kind is not None and is_plausible(value, STRONG if kind == PASSWORD else kind, name)


def _parameter_at(text: str, begin: int, stop: int, name: str) -> Span | None:
    """``?key=VALUE`` and ``&sig=VALUE`` in a URL that stands in a text."""
    if not begin or text[begin - 1] not in "?&;" or text[stop - 1 : stop + 1].find("=") < 0:
        return None
    if not is_secret_parameter(name):
        return None
    start = text.index("=", stop - 1) + 1
    return value_at(text, start, WEAK, in_query=True)

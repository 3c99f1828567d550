"""Email addresses in text, and what only looks like one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple
from urllib.parse import quote, unquote

PERCENT = {"url": "", "uri": "!'()*+~"}
"""How an address was percent-encoded: which of the marks that may stand in a URL were left as they were."""

# Letters (and their marks) of scripts that put spaces between words, and of all others: those of a sentence that is
# written without spaces may stand right before or behind an address.
_SPACED = "\u00c0-\u024f\u0370-\u060b\u060d-\u061a\u0620-\u0963\u0966-\u0dff"
_OTHER = (
    rf"{_SPACED}\u0e00-\u1fff\u2c00-\u2def\u3005-\u3007\u3040-\ud7ff\uf900-\ufdff\uff66-\uffdc\U00010000-\U0003ffff"
)
_LABEL = rf"[A-Za-z0-9{_OTHER}](?:[A-Za-z0-9{_OTHER}-]{{0,61}}[A-Za-z0-9{_OTHER}])?"
_HIGH = "(?:%[89A-Fa-f][0-9A-Fa-f])"
_FILE_ENDINGS = frozenset(("png", "jpg", "jpeg", "gif", "webp", "svg", "js", "css", "json", "html", "txt"))
_LONGEST_LOCAL = 64
_LONGEST_URL = 256


class _Forms:
    """The patterns, each compiled when it is first needed: large classes of characters take long, and most runs have no
    address in them."""

    @cached_property
    def local(self) -> re.Pattern[str]:
        return re.compile(rf"[A-Za-z0-9{_SPACED}](?:[A-Za-z0-9{_SPACED}_.+-]|(?<=[A-Za-z])'(?=[A-Za-z]))*\Z")

    @cached_property
    def quoted(self) -> re.Pattern[str]:
        return re.compile(r'(?<![\w"\\])"(?:[^"\\\r\n]|\\.){1,62}"\Z')

    @cached_property
    def domain(self) -> re.Pattern[str]:
        return re.compile(
            rf"(?:{_LABEL}\.)+"
            rf"(?:(?:[A-Za-z]{{2,24}}|xn--[A-Za-z0-9-]{{1,58}}[A-Za-z0-9])(?![A-Za-z0-9_@-]|\.[A-Za-z0-9])"
            rf"|[{_OTHER}]{{2,24}})"
        )

    @cached_property
    def encoded_local(self) -> re.Pattern[str]:
        return re.compile(rf"(?<!%)(?<!%[0-9A-Fa-f])(?:[A-Za-z0-9]|{_HIGH})(?:[A-Za-z0-9_.+'~-]|%2[Bb7]|{_HIGH})*\Z")

    @cached_property
    def encoded_domain(self) -> re.Pattern[str]:
        return re.compile(
            rf"(?:(?:[A-Za-z0-9-]|{_HIGH})+\.)+(?:[A-Za-z]{{2,24}}(?![A-Za-z0-9_@-]|\.[A-Za-z0-9])|{_HIGH}{{4,}})"
        )

    @cached_property
    def userinfo(self) -> re.Pattern[str]:
        return re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*://[^/\s\"'<>]*\Z")


_FORMS = _Forms()


class Address(NamedTuple):
    """`value` from `start` to `end` of a text; `spelling` is a key of PERCENT where it stands there encoded."""

    start: int
    end: int
    value: str
    spelling: str | None = None


def find_emails(text: str) -> Iterator[Address]:
    """Each address of a text.

    None of these is one: the user part of a URL (``https://ada:<pw>@host.com``), ``git@github.com:org/repo``, an image
    at double size (``icon@2x.png``), a package with its version, a call (``a@b.mean()``).
    """
    at = text.find("@")
    while at >= 0:
        start = _local(text, at)
        domain = _FORMS.domain.match(text, at + 1) if start is not None else None
        if start is not None and domain:
            if text[domain.end() : domain.end() + 1] == "'":  # what stands in quotes begins behind them
                start = max(start, text.rfind("'", start, at) + 1)
            if not _is_other(text, start, at, domain.end()):
                yield Address(start, domain.end(), text[start : domain.end()])
        at = text.find("@", at + 1)
    at = text.find("%40")
    while at >= 0:
        found = _encoded(text, at)
        if found is not None:
            yield found
        at = text.find("%40", at + 1)


def spelled(value: str, spelling: str) -> str:
    """An address in a spelling of PERCENT."""
    return quote(value, safe=PERCENT[spelling])


def _local(text: str, at: int) -> int | None:
    """Where the local part in front of the sign begins, None where there is none."""
    form = _FORMS.quoted if text[at - 1 : at] == '"' else _FORMS.local
    found = form.search(text, max(0, at - _LONGEST_LOCAL), at) if at else None
    return found.start() if found else None


def _encoded(text: str, at: int) -> Address | None:
    local = _FORMS.encoded_local.search(text, max(0, at - 3 * _LONGEST_LOCAL), at)
    domain = _FORMS.encoded_domain.match(text, at + 3)
    if not local or not domain:
        return None
    raw = text[local.start() : domain.end()]
    value = unquote(raw)
    whole = next(find_emails(value), None)
    spelling = next((name for name in PERCENT if spelled(value, name).upper() == raw.upper()), None)
    if whole is None or whole.value != value or spelling is None:
        return None
    return Address(local.start(), domain.end(), value, spelling)


def _is_other(text: str, start: int, at: int, end: int) -> bool:
    following = text[end : end + 2]
    if following.startswith("(") or text[end - 4 : end].rpartition(".")[2].lower() in _FILE_ENDINGS:
        return True
    if text[start:at] == "git" and following.startswith((":", "/")):
        return True
    before = max(0, start - _LONGEST_URL)
    return text.rfind("://", before, start) >= 0 and bool(_FORMS.userinfo.search(text, before, start))

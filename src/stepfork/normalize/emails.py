"""Email addresses in text, and what only looks like one."""

from __future__ import annotations

import re
from collections.abc import Iterator

# Latin letters with accents belong to a name; letters of other scripts are the sentence around it.
_LOCAL = re.compile(r"[A-Za-z0-9\u00c0-\u024f][A-Za-z0-9\u00c0-\u024f_.+-]*\Z")
_DOMAIN = re.compile(
    r"(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)+[A-Za-z]{2,24}(?![A-Za-z0-9_@-]|\.[A-Za-z0-9])"
)
_USERINFO = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*://[^/\s\"'<>]*\Z")
_FILE_ENDINGS = frozenset(("png", "jpg", "jpeg", "gif", "webp", "svg", "js", "css", "json", "html", "txt"))
_LONGEST_LOCAL = 64
_LONGEST_URL = 256


def find_emails(text: str) -> Iterator[tuple[int, int]]:
    """Start and end of each address.

    None of these is one: the user part of a URL (``https://ada:<pw>@host.com``), ``git@github.com:org/repo``, an image
    at double size (``icon@2x.png``), a package with its version, a call (``a@b.mean()``).
    """
    at = text.find("@")
    while at >= 0:
        local = _LOCAL.search(text, max(0, at - _LONGEST_LOCAL), at) if at else None
        domain = _DOMAIN.match(text, at + 1)
        if local and domain and not _is_other(text, local.start(), at, domain.end()):
            yield local.start(), domain.end()
        at = text.find("@", at + 1)


def _is_other(text: str, start: int, at: int, end: int) -> bool:
    following = text[end : end + 2]
    if following.startswith("(") or text[end - 4 : end].rpartition(".")[2].lower() in _FILE_ENDINGS:
        return True
    if text[start:at] == "git" and following.startswith((":", "/")):
        return True
    before = max(0, start - _LONGEST_URL)
    return text.rfind("://", before, start) >= 0 and bool(_USERINFO.search(text, before, start))

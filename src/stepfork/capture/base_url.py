"""Where a provider's calls go: the base URL that the parent's variable holds, and how a call's path is joined to it."""

from __future__ import annotations

import base64
import re
from urllib.parse import unquote, urlsplit

import msgspec

from stepfork.errors import UsageError

VENDORS = {"openai": "https://api.openai.com/v1", "anthropic": "https://api.anthropic.com"}
"""By built-in route: the vendor's own base URL, for where the route's variable is unset or empty."""

_VERSION = re.compile(r"/v[0-9][0-9a-z]*(?=/|\Z)")
_ANTHROPIC_API = re.compile(r"/(messages|complete|models|files)(?=/|\Z)")
_PLAIN = re.compile(r"[!-~]+\Z")


class Base(msgspec.Struct, frozen=True):
    """An upstream's base URL: ``origin`` (scheme, host, port), ``path`` without a slash at its end, raw ``query``.

    ``authorization`` is the header that user and password in the URL stand for, None for none; it is never shown.
    """

    origin: str
    path: str = ""
    query: str = ""
    authorization: str | None = None

    @property
    def scheme(self) -> str:
        """``http`` or ``https``."""
        return self.origin.partition("://")[0]

    @property
    def host(self) -> str:
        """Host and port, for people."""
        return self.origin.partition("://")[2]


def read_base(value: str, name: str) -> Base:
    """A base URL as the variable `name` holds it. Raises UsageError, which never quotes the value."""
    try:
        url = urlsplit(value.strip())
        host = url.hostname or ""
        if not host.isascii():
            host = host.encode("idna").decode()
        port = url.port
    except (ValueError, UnicodeError):
        raise _unusable(name) from None
    scheme, path, query = url.scheme.lower(), url.path, url.query
    if (
        scheme not in ("http", "https")
        or not host
        or not all(_PLAIN.match(part) for part in (host, path, query) if part)
    ):
        raise _unusable(name)
    origin = f"{scheme}://" + (f"[{host}]" if ":" in host else host) + (f":{port}" if port is not None else "")
    return Base(origin, path.rstrip("/"), query, _login(url.username, url.password))


def join(route: str, base: Base, path: str, query: str) -> str:
    """The URL of a call: exactly one slash at the seam; path prefix and query kept.

    A built-in route's has exactly one version element. OpenAI's paths have no ``/v1`` of their own: a base without a
    version gets it, except Azure's, which names its version in the query. Anthropic's begin with it: a base that ends
    with it lends it, and where neither side has it (some clients expect it in their base URL) it is put in.

    Any other route's is the base and the path, as the program itself would have joined them.
    """
    head = base.path
    has_v1 = path == "/v1" or path.startswith("/v1/")
    if route not in VENDORS:
        pass
    elif has_v1 and head.endswith("/v1"):
        path = path.removeprefix("/v1")
    elif not has_v1 and not _has_version(base) and (route == "openai" or _ANTHROPIC_API.match(path)):
        head += "/v1"
    joined = "&".join(part for part in (base.query, query) if part)
    return f"{base.origin}{head}{path}" + (f"?{joined}" if joined else "")


def shown(url: str) -> str:
    """A URL for people: the values of its query, which may be keys, are left out."""
    address, mark, query = url.partition("?")
    names = [part.partition("=") for part in query.split("&")] if mark else []
    return address + mark + "&".join(f"{name}=…" if sign else name for name, sign, _ in names)


def _has_version(base: Base) -> bool:
    return bool(_VERSION.search(base.path)) or "/deployments/" in base.path or "api-version=" in base.query


def _login(user: str | None, password: str | None) -> str | None:
    if user is None and password is None:
        return None
    login = f"{unquote(user or '')}:{unquote(password or '')}"
    return "Basic " + base64.b64encode(login.encode()).decode()


def _unusable(name: str) -> UsageError:
    return UsageError("is not an http or https URL", where=name, fix="correct it or unset it")

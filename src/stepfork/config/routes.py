"""`[routes.NAME]` of config.toml: services beside the two built-in ones that are recorded and replayed too."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from stepfork.errors import ConfigError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from stepfork.listener.routes import Route

DIALECTS = ("openai", "anthropic", "opaque")
RESERVED = ("openai", "anthropic", "traces")
"""Names that a route cannot have: the listener's own."""

_MEMBERS = ("variable", "upstream", "dialect", "tools")
_NAME = re.compile(r"[a-z][a-z0-9_-]{0,39}\Z")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,99}\Z")
_TAKEN = ("OPENAI_BASE_URL", "ANTHROPIC_BASE_URL", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
# What else the watched program's environment has of the listener, and what would break the program rather than turn
# its calls: no base URL is ever read from these.
_NO_BASE_URL = re.compile(
    r"(OTEL_.*|GIT_.*|(NO|HTTP|HTTPS|ALL)_PROXY|PATH|HOME|SHELL|USER|TMPDIR|PWD|LD_.*|DYLD_.*|PYTHON.*|NODE_OPTIONS)\Z",
    re.IGNORECASE,
)


class RouteSetting(NamedTuple):
    """One `[routes.NAME]`.

    The watched program finds the route's address in the environment variable `variable`. Calls go to what that
    variable holds in the environment of stepfork itself, else to `upstream` ("" for none). `dialect` is one of
    DIALECTS. `tools` are the tools whose calls the route answers on replay, so that they need not be allowed to run.
    """

    name: str
    variable: str
    upstream: str = ""
    dialect: str = "opaque"
    tools: tuple[str, ...] = ()


def listener_routes(settings: Iterable[RouteSetting]) -> tuple[Route, ...]:
    """What a listener serves under these settings: the built-in routes, then theirs."""
    from stepfork.listener.routes import Route, with_built_in

    return with_built_in(Route.custom(item.name, item.variable, item.dialect) for item in settings)  # type: ignore[arg-type]


def read_routes(table: Any, path: str) -> tuple[RouteSetting, ...]:
    """The routes of a `[routes]` table, checked, in order of their names. Raises ConfigError, naming the key."""
    if not isinstance(table, dict):
        raise ConfigError("routes is not a table", where=path, fix="write [routes.NAME]")
    found = tuple(_read(name, table[name], path) for name in sorted(table))
    holders: dict[str, str] = {}
    for route in found:
        other = holders.setdefault(route.variable.upper(), route.name)
        if other != route.name:
            raise ConfigError(
                f"routes.{other} and routes.{route.name} have one variable, {route.variable}",
                where=path,
                fix="a variable leads to one route",
            )
    return found


def _read(name: str, members: Any, path: str) -> RouteSetting:
    key = f"routes.{name[:40]!r}" if not _NAME.match(name) else f"routes.{name}"
    if not _NAME.match(name):
        raise ConfigError(f"{key} is no name of a route", where=path, fix="use a-z, 0-9, - and _, a letter first")
    if name in RESERVED:
        raise ConfigError(f"{key} is a name of the listener's own", where=path, fix="choose another name")
    if not isinstance(members, dict):
        raise ConfigError(f"{key} is not a table", where=path, fix=f"write [{key}]")
    for member, value in members.items():
        if member not in _MEMBERS:
            raise ConfigError(f"unknown key {key}.{member[:40]!r}", where=path, fix=_WANTED["members"])
        if member != "tools" and not isinstance(value, str):
            raise ConfigError(f"{key}.{member} is not a string", where=path)
    for member in ("variable", "dialect"):
        if member not in members:
            raise ConfigError(f"{key} has no {member}", where=path, fix=_WANTED[member])
    if members["dialect"] not in DIALECTS:
        raise ConfigError(f"{key}.dialect is none that is known", where=path, fix=_WANTED["dialect"])
    _check_variable(members["variable"], key, path)
    _check_upstream(members.get("upstream", ""), key, path)
    tools = members.get("tools", [])
    if not isinstance(tools, list) or not all(isinstance(tool, str) and tool for tool in tools):
        raise ConfigError(f"{key}.tools is not a list of names", where=path, fix='write tools = ["lookup_order"]')
    return RouteSetting(name, members["variable"], members.get("upstream", ""), members["dialect"], tuple(tools))


_WANTED = {
    "members": f"a route has {', '.join(_MEMBERS)}",
    "variable": "name the environment variable that the program reads the address from",
    "dialect": f"choose one of {', '.join(DIALECTS)}",
}


def _check_variable(variable: str, key: str, path: str) -> None:
    if not _VARIABLE.match(variable):
        raise ConfigError(
            f"{key}.variable is no name of an environment variable", where=path, fix="use letters, digits and _"
        )
    if variable.upper() in _TAKEN:
        raise ConfigError(f"{key}.variable is a built-in route's", where=path, fix="leave it to that route")
    if _NO_BASE_URL.match(variable):
        raise ConfigError(
            f"{key}.variable is {variable}, which holds no service's address", where=path, fix=_WANTED["variable"]
        )


def _check_upstream(upstream: str, key: str, path: str) -> None:
    from urllib.parse import urlsplit

    if not upstream:
        return
    unusable = ConfigError(f"{key}.upstream is not an http or https URL", where=path, fix="write https://HOST/PATH")
    try:
        url = urlsplit(upstream)
        host, _ = url.hostname, url.port
    except ValueError:
        raise unusable from None
    if url.scheme not in ("http", "https") or not host or re.search(r"[\x00-\x20\x7f]", upstream) or "#" in upstream:
        raise unusable
    if "@" in url.netloc or _holds_key(url.query):
        raise ConfigError(
            f"{key}.upstream holds a credential",
            where=path,
            fix="config.toml is committed; put the whole URL in the environment variable",
        )


def _holds_key(query: str) -> bool:
    if not query:
        return False
    from stepfork.redact.query import query_secrets

    return next(query_secrets(query), None) is not None

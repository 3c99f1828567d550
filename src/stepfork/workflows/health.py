"""What an environment says to a recording: addresses, keys, proxies, exporters. No check opens a connection."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from stepfork.capture.base_url import VENDORS, Base, read_base
from stepfork.capture.proxies import Proxies
from stepfork.config.environment import in_ci, read_dotenv
from stepfork.config.process import may_record
from stepfork.config.project import Settings
from stepfork.config.routes import RouteSetting, listener_routes
from stepfork.errors import ConfigError, UsageError
from stepfork.listener.door import is_loopback_host
from stepfork.listener.routes import Route
from stepfork.redact.known import MIN_LENGTH
from stepfork.redact.named import is_variable_secret
from stepfork.redact.own_names import OwnNames
from stepfork.redact.rules import Rules
from stepfork.replay.keys import PROVIDER_KEYS, placeholder_keys

State = Literal["ok", "note", "problem"]
"""``note``: nothing is wrong, but it is worth knowing."""


@dataclass(frozen=True)
class Check:
    """One thing that was looked at: a name, what there is, and for a problem what to do. No value of a key is in it."""

    name: str
    state: State
    text: str
    fix: str = ""


_OTLP = "OTEL_EXPORTER_OTLP"
# A listener's address begins with 128 random bits; it serves nobody once its command is over.
_OLD_LISTENER = re.compile(r"/[0-9a-f]{32}/(openai|anthropic|routes)(/|\Z)")
_OTHER_WAY = "unset its variable, or name the host in NO_PROXY"
_OLDEST = 1735689600  # 2025, when none of this was written
_NEWEST = 4102444800  # 2100


def check_environment(environ: Mapping[str, str], folder: str, settings: Settings) -> Iterator[Check]:
    """All checks of the environment `environ` of a program that runs in `folder`."""
    dotenv, of_dotenv = _dotenv(folder, settings.redact)
    services = _Services(environ, dotenv, settings.routes)
    yield from services.checks()
    proxy = services.proxy()
    if proxy is not None:
        yield proxy
    yield _spans(environ)
    yield of_dotenv
    yield _clock(time.time())
    yield _ci()


class _Services:
    """The routes that a recording would serve, and where each of them leads."""

    def __init__(self, environ: Mapping[str, str], dotenv: Mapping[str, str], routes: Sequence[RouteSetting]) -> None:
        self._environ = environ
        self._dotenv = dotenv
        self._routes = listener_routes(routes)
        self._defaults = {**VENDORS, **{setting.name: setting.upstream for setting in routes}}

    def checks(self) -> Iterator[Check]:
        """For each route its address and its key, where something is wrong with the key apart."""
        for route in self._routes:
            where, key = self._address(route), self._key(route)
            if "problem" in (where.state, key.state) or not key.text:
                yield where
            else:
                yield replace(where, text=f"{where.text}, {key.text}")
            if key.state == "problem":
                yield key

    def proxy(self) -> Check | None:
        """The proxies on the way out."""
        proxies = Proxies.from_environment(self._environ)
        hosts = set()
        for route in self._routes:
            if not self._value(route.variable) and not self._defaults[route.name]:
                continue  # it leads nowhere
            try:
                proxy = proxies.proxy_for(self._base(route))
                hosts |= set() if proxy is None else {read_base(proxy, "proxy").host}
            except UsageError:
                if proxies.by_scheme:
                    return Check("proxy", "problem", f"the one on the way to {route.name} is no HTTP proxy", _OTHER_WAY)
        return Check("proxy", "ok", f"calls go out by {', '.join(sorted(hosts))}") if hosts else None

    def _value(self, variable: str) -> str:
        return self._environ.get(variable, "").strip()

    def _base(self, route: Route) -> Base:
        return read_base(self._value(route.variable) or self._defaults[route.name], route.variable)

    def _address(self, route: Route) -> Check:
        name, variable, value = route.name, route.variable, self._value(route.variable)
        if not value and not self._defaults[name]:
            fix = f"for recordings that call it set it, or upstream in [routes.{name}] of config.toml"
            return Check(name, "note", f"{variable} not set → nowhere", fix)
        try:
            base = self._base(route)
        except UsageError as error:
            return Check(name, "problem", f"{variable} {error.what}", error.fix or "")
        if _OLD_LISTENER.match(base.path) and is_loopback_host(base.host):
            return Check(name, "problem", f"{variable} is the address of a recording that is over", "unset it")
        if not value and self._dotenv.get(variable, "").strip():
            text = f"{variable} is in .env alone: recorded calls would go to {base.host}"
            return Check(name, "problem", text, f"export {variable} before you record")
        is_here = is_loopback_host(base.host)
        is_open = base.scheme == "http" and not is_here
        kind = " (this machine)" if is_here else " (not encrypted)" if is_open else ""
        source = variable if value else f"{variable} not set"
        return Check(name, "note" if is_open else "ok", f"{source} → {base.host}{kind}")

    def _key(self, route: Route) -> Check:
        """Which keys of a route there are; nothing is said of a service that may need none."""
        likely = sorted(placeholder_keys({*self._environ, *self._dotenv}, [route.variable]))
        present = [name for name in likely if self._environ.get(name) or self._dotenv.get(name)]
        if not present:
            listed = [name for names in PROVIDER_KEYS.values() for name in names if name in likely]
            named = next(iter(listed or likely), "")
            return Check(route.name, "note", f"{named} not set" if named and route.dialect != "opaque" else "")
        for name in present:
            value = self._environ.get(name) or self._dotenv.get(name, "")
            if value != value.strip() or value[0] in "'\"" or not value.isprintable():
                text = f"{name} has white space, quotes or control characters around its value"
                return Check(route.name, "problem", text, "set it anew")
        told = (f"{name} set" + ("" if self._environ.get(name) else " in .env") for name in present)
        return Check(route.name, "ok", ", ".join(told))


def _spans(environ: Mapping[str, str]) -> Check:
    """Variables that decide whether a program's spans can reach the listener."""
    name = "spans"
    if environ.get("OTEL_SDK_DISABLED", "").strip().lower() == "true":
        return Check(name, "problem", "OTEL_SDK_DISABLED is true: no span is made", "unset it")
    exporter = environ.get("OTEL_TRACES_EXPORTER", "").strip().lower()
    if exporter and "otlp" not in exporter.split(","):
        return Check(name, "problem", "OTEL_TRACES_EXPORTER does not name otlp", "set it to otlp, or unset it")
    if environ.get("OTEL_TRACES_SAMPLER", "").strip() in ("always_off", "parentbased_always_off"):
        return Check(name, "problem", "OTEL_TRACES_SAMPLER drops every span", "unset it")
    if "traceidratio" in environ.get("OTEL_TRACES_SAMPLER", ""):
        return Check(name, "note", "OTEL_TRACES_SAMPLER drops some runs' spans")
    protocol = environ.get(f"{_OTLP}_TRACES_PROTOCOL") or environ.get(f"{_OTLP}_PROTOCOL") or ""
    if protocol == "grpc":
        return Check(name, "note", f"{_OTLP}_PROTOCOL is grpc: a recording sets http/protobuf, use the HTTP exporter")
    endpoint = environ.get(f"{_OTLP}_TRACES_ENDPOINT") or environ.get(f"{_OTLP}_ENDPOINT") or ""
    try:
        host = read_base(endpoint, "").host if endpoint else ""
    except UsageError:
        host = "an address that is no URL"
    if host:
        return Check(name, "ok", f"a recording takes them, and {host} gets none")
    return Check(name, "ok", "a recording takes them; without any, the trace is made of the calls")


def _dotenv(folder: str, rules: Rules) -> tuple[dict[str, str], Check]:
    try:
        values = read_dotenv(folder)
    except ConfigError as error:
        return {}, Check(".env", "problem", error.what, error.fix or "")
    if not values:
        return values, Check(".env", "ok", "none here, or empty")
    own = OwnNames(rules.keys, rules.variables)
    secret = [name for name, value in values.items() if is_variable_secret(name, value) or own.holds(name)]
    short = [name for name in secret if 0 < len(values[name].strip()) < MIN_LENGTH]
    text = f"{len(values)} values, {len(secret)} with the name of a secret"
    if short:
        few = f"{text}; {short[0][:40]} has under {MIN_LENGTH} characters and is not looked for"
        return values, Check(".env", "note", few)
    return values, Check(".env", "ok", text)


def _clock(now: float) -> Check:
    told = time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime(now))
    if not _OLDEST < now < _NEWEST:
        return Check("clock", "problem", f"says {told}", "set it: times of a run are told by it")
    return Check("clock", "ok", told)


def _ci() -> Check:
    if not may_record():
        return Check("ci", "note", "CI is set: nothing is recorded or goes live without --allow-capture")
    return Check("ci", "ok", "STEPFORK_ALLOW_CAPTURE is set" if in_ci() else "no (CI is not set)")

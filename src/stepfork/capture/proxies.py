"""The proxies that an environment names for the way out."""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping

import msgspec

from stepfork.capture.base_url import Base


class Proxies(msgspec.Struct, frozen=True):
    """By scheme of the upstream: the URL of its proxy. ``direct`` are the hosts to reach without one."""

    by_scheme: dict[str, str] = {}
    direct: tuple[str, ...] = ()

    @classmethod
    def from_environment(cls, environ: Mapping[str, str]) -> Proxies:
        """``http_proxy``, ``https_proxy``, ``no_proxy``; lower case wins, ``all_proxy`` stands in (as in curl)."""

        def value(name: str) -> str:
            return (environ.get(name) or environ.get(name.upper()) or "").strip()

        found = {scheme: value(f"{scheme}_proxy") or value("all_proxy") for scheme in ("http", "https")}
        by_scheme = {scheme: _with_scheme(proxy) for scheme, proxy in found.items() if proxy}
        direct = (entry.strip().lower() for entry in value("no_proxy").split(","))
        return cls(by_scheme, tuple(entry for entry in direct if entry))

    def proxy_for(self, base: Base) -> str | None:
        """The URL of the proxy to `base`, None for a direct connection."""
        return None if any(_covers(entry, base) for entry in self.direct) else self.by_scheme.get(base.scheme)


def _with_scheme(proxy: str) -> str:
    return proxy if "://" in proxy else f"http://{proxy}"


def _covers(entry: str, base: Base) -> bool:
    """Whether an entry of no_proxy means `base`: a star, a network, or a domain (with its subdomains), with a port."""
    host, _, port = base.host.lower().rpartition(":") if _has_port(base.host) else (base.host.lower(), "", "")
    host = host.strip("[]")
    if entry == "*":
        return True
    try:
        return ipaddress.ip_address(host) in ipaddress.ip_network(entry.strip("[]"), strict=False)
    except ValueError:
        pass
    if _has_port(entry):
        entry, _, wanted = entry.rpartition(":")
        if wanted != (port or {"http": "80", "https": "443"}[base.scheme]):
            return False
    name = entry.strip("[]").removeprefix("*").removeprefix(".")
    return bool(name) and (host == name or host.endswith("." + name))


def _has_port(host: str) -> bool:
    return host.rpartition(":")[2].isdigit() and (host.count(":") == 1 or "]:" in host)

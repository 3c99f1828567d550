"""The addresses of models, which a replay keeps its program from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from urllib.parse import urlsplit

from stepfork.capture.base_url import VENDORS
from stepfork.config.project import Settings
from stepfork.instrument.shut import Address
from stepfork.listener.routes import Route


def upstreams(environ: Mapping[str, str], settings: Settings, routes: Sequence[Route]) -> set[Address]:
    """Where the routes lead outside of a playback: what their variables hold, config.toml, and the vendors. Not where
    spans are exported to as well: that is another capture's listener, around this process."""
    urls = [setting.upstream for setting in settings.routes]
    for route in routes:
        urls += [environ.get(route.variable, ""), VENDORS.get(route.name, "")]
    return {*_addresses(urls)} - {*_addresses([environ.get("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "")])}


def _addresses(urls: Sequence[str]) -> Iterator[Address]:
    for url in urls:
        with suppress(ValueError):  # nothing can be asked at an address that is none
            parts = urlsplit(url.strip())
            if parts.hostname:
                yield parts.hostname, parts.port or {"http": 80}.get(parts.scheme, 443)

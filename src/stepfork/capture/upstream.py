"""The way out: where a model call goes when the watched program has made it, and how it gets there."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager

import aiohttp
import msgspec
from multidict import CIMultiDict
from yarl import URL

from stepfork.capture.base_url import VENDORS, Base, join, read_base, shown
from stepfork.capture.proxies import Proxies
from stepfork.config.routes import RouteSetting
from stepfork.listener.forwarding import BrokenOffError, Call, UnreachableError
from stepfork.listener.routes import BUILT_IN

_CONNECT_SECONDS = 30.0


class Upstreams(msgspec.Struct, frozen=True):
    """Where the calls of each route go, by its name. ``unset`` are the variables of routes that lead nowhere."""

    bases: dict[str, Base]
    proxies: Proxies = Proxies()
    unset: dict[str, str] = {}

    @classmethod
    def from_environment(cls, environ: Mapping[str, str], routes: Sequence[RouteSetting] = ()) -> Upstreams:
        """What the variables of the parent name, else the vendors' own and the upstreams that `routes` set.

        An empty variable counts as unset. A route that has neither leads nowhere: not every program of a project uses
        every service, and one that does finds the listener there as in any recording, but no answer. Raises UsageError
        for what is no http or https URL.
        """
        unset = {}
        bases = {
            route.name: read_base(environ.get(route.variable, "").strip() or VENDORS[route.name], route.variable)
            for route in BUILT_IN
        }
        for setting in routes:
            own = environ.get(setting.variable, "").strip()
            if not own and not setting.upstream:
                unset[setting.name] = setting.variable
                continue
            name = setting.variable if own else f"routes.{setting.name}.upstream of config.toml"
            bases[setting.name] = read_base(own or setting.upstream, name)
        return cls(bases, Proxies.from_environment(environ), unset)

    @property
    def routes(self) -> str:
        """For people: ``openai → api.openai.com   anthropic → api.anthropic.com``."""
        hosts = {provider: base.host for provider, base in self.bases.items()} | dict.fromkeys(self.unset, "nowhere")
        return "   ".join(f"{provider} → {host}" for provider, host in hosts.items())

    @property
    def notices(self) -> tuple[str, ...]:
        """A line for each route that leads nowhere."""
        return tuple(
            f"route {name} leads nowhere: {variable} is not set, and [routes.{name}] has no upstream"
            for name, variable in self.unset.items()
        )


class UpstreamForwarder:
    """Sends calls over the network. Redirects, cookies and compressed bodies are passed on untouched."""

    def __init__(self, upstreams: Upstreams) -> None:
        self._upstreams = upstreams
        self._proxies = {provider: upstreams.proxies.proxy_for(base) for provider, base in upstreams.bases.items()}
        self._session: aiohttp.ClientSession | None = None

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[None]:
        """Keeps connections for reuse while the context lasts."""
        # No time limit on silence: a model may think for minutes before its first token, and the agent has its own.
        timeout = aiohttp.ClientTimeout(total=None, sock_connect=_CONNECT_SECONDS)
        connector = aiohttp.TCPConnector(limit=0)
        async with aiohttp.ClientSession(
            connector=connector,
            cookie_jar=aiohttp.DummyCookieJar(),
            timeout=timeout,
            auto_decompress=False,
            skip_auto_headers=("Accept", "Accept-Encoding", "Content-Type", "User-Agent"),
            max_line_size=1 << 16,
            max_field_size=1 << 16,
        ) as self._session:
            yield

    @asynccontextmanager
    async def send(self, call: Call) -> AsyncIterator[UpstreamAnswer]:
        """The answer, once its head is there. Raises UnreachableError where none comes."""
        assert self._session is not None
        if call.provider in self._upstreams.unset:
            fix = f"set {self._upstreams.unset[call.provider]}, or upstream in [routes.{call.provider}] of config.toml"
            raise UnreachableError(f"it leads nowhere; {fix}", f"route {call.provider}")
        base = self._upstreams.bases[call.provider]
        url = join(call.provider, base, call.path, call.query)
        proxy = self._proxies[call.provider]
        if proxy is not None and not proxy.lower().startswith(("http://", "https://")):
            raise UnreachableError("its proxy is not an HTTP proxy, which is all that is supported", shown(url))
        try:
            response = await self._session.request(
                call.method,
                URL(url, encoded=True),
                headers=_headers(call, base),
                data=call.body or None,
                allow_redirects=False,
                proxy=proxy,
            )
        except (aiohttp.ClientError, OSError, ValueError) as error:
            raise UnreachableError(_reason(error, by_proxy=proxy is not None), shown(url)) from None
        answer = UpstreamAnswer(response, shown(url))
        try:
            yield answer
        finally:
            if answer.at_end():
                await response.release()
            else:
                response.close()  # the agent wants no more of it: neither do we


class UpstreamAnswer:
    """A response of the network; see `stepfork.listener.forwarding.Answer`."""

    def __init__(self, response: aiohttp.ClientResponse, url: str) -> None:
        self.status = response.status
        self.reason = response.reason or ""
        self.headers: Sequence[tuple[str, str]] = tuple(response.headers.items())
        self.url = url
        self.framed = "Content-Length" in response.headers or "Transfer-Encoding" in response.headers
        self._content = response.content
        connection = response.connection
        self._protocol = connection.protocol if connection is not None else None

    def at_hand(self) -> bytes:
        """What has arrived already."""
        with _broken_off():
            return self._content.read_nowait()

    async def read(self) -> bytes:
        """The next piece as soon as there is one."""
        with _broken_off():
            piece = await self._content.readany()
        if not piece and self._was_reset():
            raise BrokenOffError
        return piece

    def at_end(self) -> bool:
        """Whether all was read."""
        return self._content.at_eof() and self._content.exception() is None and not self._was_reset()

    def _was_reset(self) -> bool:
        """aiohttp takes any loss of the connection for the end of a body without framing."""
        return not self.framed and self._protocol is not None and isinstance(self._protocol.exception(), OSError)


@contextmanager
def _broken_off() -> Iterator[None]:
    try:
        yield
    except (aiohttp.ClientError, OSError, asyncio.IncompleteReadError):
        raise BrokenOffError from None


def _headers(call: Call, base: Base) -> CIMultiDict[str]:
    headers = CIMultiDict(call.headers)
    if call.length is not None and not isinstance(call.body, bytes):
        headers["Content-Length"] = str(call.length)
    if base.authorization is not None:
        headers.setdefault("Authorization", base.authorization)
    return headers


def _reason(error: Exception, *, by_proxy: bool) -> str:
    """Why there is no answer, in a few words that quote nothing of the request."""
    match error:
        case aiohttp.ClientHttpProxyError():
            return f"the proxy answered {error.status}"
        case aiohttp.ClientConnectorDNSError():
            return "the host name cannot be resolved"
        case aiohttp.ClientSSLError() | aiohttp.ClientConnectorCertificateError():
            return "no TLS connection that can be trusted"
        case aiohttp.ServerDisconnectedError():
            return "the connection was closed without an answer"
        case TimeoutError():
            return "no connection in time"
        case aiohttp.ClientResponseError():
            return "the answer is not HTTP"
        case OSError() if error.strerror:
            words = re.sub(r"^Connect call failed.*", "no connection", error.strerror)
            return f"{words} (by the proxy of the environment)" if by_proxy else words
    return "the request cannot be sent as it is" if isinstance(error, ValueError) else type(error).__name__

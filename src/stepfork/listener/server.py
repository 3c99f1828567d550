"""The loopback server of a capture, in a thread of its own, behind a plain context manager."""

from __future__ import annotations

import asyncio
import logging
import secrets
import socket
import threading
from collections.abc import AsyncIterator, Callable, Sequence
from concurrent.futures import Future
from contextlib import asynccontextmanager, suppress
from types import TracebackType
from typing import Any, Self
from weakref import WeakKeyDictionary

from aiohttp import StreamReader, web
from aiohttp.abc import AbstractStreamWriter
from aiohttp.http import RawRequestMessage

from stepfork.listener.body import HungUpError
from stepfork.listener.call_log import Answers, CallLog
from stepfork.listener.call_receiver import CallReceiver
from stepfork.listener.door import CallMessage, Refusal, TraceExport, admit, find_route
from stepfork.listener.forwarding import Forwarder
from stepfork.listener.incoming import Incoming
from stepfork.listener.limits import Limits
from stepfork.listener.proxy import Proxy
from stepfork.listener.receiver import Receiver
from stepfork.listener.routes import BUILT_IN, Route
from stepfork.listener.tape import Heard, Progress, Tape
from stepfork.listener.witness import Witness

HOST = "127.0.0.1"
_HEAD_BYTES = 1 << 16  # tokens and beta lists make long headers; aiohttp's own limit is 8 kB
_TURNS = 20
_LINGER_SECONDS = 2.0  # how long the rest of a refused body is read and dropped, so that the refusal is seen

# aiohttp logs malformed requests with a traceback, and without any handler Python prints those to stderr.
_QUIET = logging.getLogger("stepfork.listener")
_QUIET.addHandler(logging.NullHandler())
_QUIET.propagate = False


class Listener:
    """Listens on 127.0.0.1, on a port of the system's choice, from entering to leaving the context.

    It serves `routes`, trace exports and messages of instrumented calls, on which `answers` decides in a replay.
    ``token`` is 128 random bits in hex, the first element of every path that is served; ``address`` is
    ``127.0.0.1:PORT``. `heard` gives what came in, once the context is left. Entering raises OSError where no port can
    be had, and what the forwarder raises when it is opened. `on_progress` is called from the listener's thread.
    """

    def __init__(
        self,
        forwarder: Forwarder,
        *,
        routes: Sequence[Route] = BUILT_IN,
        limits: Limits | None = None,
        on_progress: Callable[[Progress], None] | None = None,
        answers: Answers | None = None,
    ) -> None:
        self.token = secrets.token_hex(16)
        self.address = ""
        self._forwarder = forwarder
        self._routes = routes
        self._tape = Tape(limits or Limits(), on_progress, CallLog(answers))
        self._thread = threading.Thread(target=self._run, name="stepfork-listener", daemon=True)
        self._started: Future[_Running] = Future()

    @property
    def base_url(self) -> str:
        """``http://127.0.0.1:PORT/TOKEN``, what `child_environment` takes."""
        return f"http://{self.address}/{self.token}"

    def __enter__(self) -> Self:
        self._thread.start()
        self.address = self._started.result().address
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        running = self._started.result()
        with suppress(RuntimeError):  # the loop is closed already
            running.loop.call_soon_threadsafe(running.stop.set)
        self._thread.join()

    @property
    def log(self) -> CallLog:
        """The instrumented calls, for a session of this process that makes such calls too."""
        return self._tape.log

    def tell(self, witness: Witness | None) -> None:
        """Who is told of calls and exchanges before the program knows of them. To be said before entering."""
        self._tape.witness = witness

    def door(self) -> socket.socket:
        """The listening socket once more, to be closed by whoever asks: what connects to it after the listener has left
        waits to be accepted. To be asked before leaving the context."""
        return self._started.result().door()

    def settle(self, seconds: float, give_up: Callable[[], bool] = lambda: False) -> None:
        """Waits until no call and no export is under way any more, for `seconds` or until `give_up` says so."""
        running = self._started.result()
        asyncio.run_coroutine_threadsafe(running.settle(seconds, give_up), running.loop).result()

    def heard(self) -> Heard:
        """What came in. To be asked once, after leaving the context."""
        assert not self._thread.is_alive(), "the listener still listens"
        return self._tape.heard()

    def _run(self) -> None:
        try:
            asyncio.run(self._serve())
        except BaseException as error:  # entering reports it, in the thread that asked
            if self._started.done():
                raise
            self._started.set_exception(error)

    async def _serve(self) -> None:
        async with self._forwarder.opened():
            running = _Running(self._forwarder, self._routes, self._tape, self.token)
            async with running.listening():
                self._started.set_result(running)
                await running.stop.wait()


class _Running:
    """The listener's side that lives in its event loop."""

    def __init__(self, forwarder: Forwarder, routes: Sequence[Route], tape: Tape, token: str) -> None:
        self.loop = asyncio.get_running_loop()
        self.stop = asyncio.Event()
        self.address = ""
        self._routes = routes
        self._tape = tape
        self._token = token
        self._proxy = Proxy(forwarder, tape)
        self._receiver = Receiver(tape)
        self._calls = CallReceiver(tape, tape.log)
        self._active: set[asyncio.Task[Any]] = set()
        self._connections: WeakKeyDictionary[asyncio.Transport, int] = WeakKeyDictionary()
        self._connection_count = 0
        self._tcp: asyncio.Server | None = None

    def door(self) -> socket.socket:
        assert self._tcp is not None
        # By its number: what other event loops than asyncio's show of a socket cannot be duplicated.
        return socket.fromfd(self._tcp.sockets[0].fileno(), socket.AF_INET, socket.SOCK_STREAM)

    @asynccontextmanager
    async def listening(self) -> AsyncIterator[None]:
        """Serves while the context lasts; what is still under way at its end is cancelled."""
        server = web.Server(
            self._handle,
            request_factory=self._incoming,
            access_log=None,
            logger=_QUIET,
            auto_decompress=False,
            max_line_size=_HEAD_BYTES,
            max_field_size=_HEAD_BYTES,
            lingering_time=_LINGER_SECONDS,
        )
        tcp = self._tcp = await self.loop.create_server(server, HOST, 0, backlog=256)
        self.address = f"{HOST}:{tcp.sockets[0].getsockname()[1]}"
        try:
            yield
        finally:
            tcp.close()
            for task in self._active:
                task.cancel()
            if self._active:
                await asyncio.wait(self._active, timeout=1)
            await server.shutdown(0.1)
            self._receiver.close()

    async def settle(self, seconds: float, give_up: Callable[[], bool]) -> None:
        deadline = self.loop.time() + seconds
        while True:
            # Connections that wait to be accepted, and bytes that wait to be read, get their turns first.
            for _ in range(_TURNS):
                await asyncio.sleep(0)
            is_busy = bool(self._active) or self._receiver.is_busy
            if not is_busy or self.loop.time() >= deadline or give_up():
                return
            await asyncio.sleep(0.01)

    def _incoming(
        self,
        message: RawRequestMessage,
        payload: StreamReader,
        protocol: web.RequestHandler,
        writer: AbstractStreamWriter,
        task: asyncio.Task[None],
    ) -> Incoming:
        return Incoming(message, payload, protocol, writer, task, self.loop)

    async def _handle(self, request: web.BaseRequest) -> web.StreamResponse:
        hosts = request.headers.getall("Host", [])
        refusal = admit(request.remote or "", hosts, has_origin="Origin" in request.headers)
        if refusal is not None:
            return _refused(request, refusal)
        routed = find_route(request.raw_path, self._token, self._routes)
        if routed is None:
            return _refused(request, Refusal(404, "not found"))
        task = asyncio.current_task()
        assert task is not None
        self._active.add(task)
        try:
            if isinstance(routed, TraceExport):
                return await self._receiver.handle(request)
            if isinstance(routed, CallMessage):
                return await self._calls.handle(request)
            assert isinstance(request, Incoming)
            request.on_lost = task.cancel
            return await self._proxy.handle(request, routed, self._connection(request))
        except HungUpError:
            raise ConnectionResetError from None
        except (ConnectionError, asyncio.CancelledError):
            raise
        except Exception as error:
            self._tape.problem("internal", f"a request made the listener raise {type(error).__name__}")
            raise
        finally:
            self._active.discard(task)

    def _connection(self, request: web.BaseRequest) -> int:
        transport = request.transport
        if transport is None:  # the agent has closed already: it gets a number that no other call has
            self._connection_count += 1
            return self._connection_count - 1
        number = self._connections.get(transport)
        if number is None:
            number = self._connections[transport] = self._connection_count
            self._connection_count += 1
        return number


def _refused(request: web.BaseRequest, refusal: Refusal) -> web.Response:
    response = web.Response(status=refusal.status, text=f"stepfork: {refusal.reason}\n")
    if request.body_exists:
        response.force_close()
    return response

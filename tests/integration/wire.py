"""Both ends of the wire, by hand: a model server whose every byte a test decides, and the listener in front of it."""

from __future__ import annotations

import contextlib
import http.client
import socket
import socketserver
import struct
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, BinaryIO

from stepfork.capture.upstream import UpstreamForwarder, Upstreams
from stepfork.listener.limits import Limits
from stepfork.listener.server import Listener

PATIENCE = 20  # seconds after which a test that waits for something has failed

CHAT_EVENTS = (
    b'data: {"id":"chatcmpl-test0001","choices":[{"index":0,"delta":{"role":"assistant","content":""}}]}\n\n',
    b'data: {"id":"chatcmpl-test0001","choices":[{"index":0,"delta":{"content":"The refund"}}]}\n\n',
    b'data: {"id":"chatcmpl-test0001","choices":[{"index":0,"delta":{"content":" is done"}}]}\n\n',
    b'data: {"id":"chatcmpl-test0001","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n',
    b"data: [DONE]\n\n",
)
ANSWER = b'{"id":"chatcmpl-test0001","choices":[{"index":0,"message":{"content":"hi"},"finish_reason":"stop"}]}'


@dataclass
class Asked:
    """A request as it arrived at the model server; names of headers in lower case."""

    method: str
    target: str
    headers: dict[str, str]
    body: bytes


class Line:
    """The model server's side of a connection."""

    def __init__(self, connection: socket.socket, file: BinaryIO) -> None:
        self._connection = connection
        self._file = file

    def receive(self, size: int) -> bytes:
        """Bytes of a request body that was left to the script (``lazy``)."""
        return self._file.read(size)

    def send(self, *pieces: bytes) -> None:
        for piece in pieces:
            self._connection.sendall(piece)

    def head(self, *headers: str, status: str = "200 OK") -> None:
        self.send("\r\n".join([f"HTTP/1.1 {status}", *headers, "", ""]).encode())

    def whole(self, body: bytes, *headers: str, status: str = "200 OK") -> None:
        self.head(f"Content-Length: {len(body)}", *headers, status=status)
        self.send(body)

    def chunk(self, *pieces: bytes) -> None:
        for piece in pieces:
            self.send(b"%x\r\n%s\r\n" % (len(piece), piece))

    def stream(self, *events: bytes, headers: tuple[str, ...] = ("Content-Type: text/event-stream",)) -> None:
        """A whole chunked event stream."""
        self.head("Transfer-Encoding: chunked", *headers)
        self.chunk(*events)
        self.send(b"0\r\n\r\n")

    def reset(self) -> None:
        self._connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.close()

    def close(self) -> None:
        self._file.close()  # it holds the socket open as well
        self._connection.close()

    def wait_for_hang_up(self) -> None:
        """Returns when the other side has closed."""
        self._connection.settimeout(PATIENCE)
        with contextlib.suppress(ConnectionError):
            while self._connection.recv(65536):
                pass


Script = Callable[[Asked, Line], None]


def answer_hi(asked: Asked, line: Line) -> None:
    line.whole(ANSWER, "Content-Type: application/json")


@dataclass
class ModelServer:
    url: str = ""
    script: Script = answer_hi
    lazy: bool = False  # the script reads the request's body itself
    asked: list[Asked] = field(default_factory=list)
    faults: list[BaseException] = field(default_factory=list)


def _read_request(file: BinaryIO, *, lazy: bool) -> Asked | None:
    line = file.readline()
    if not line.strip():
        return None
    method, target, _ = line.decode().split(" ", 2)
    headers = {name.lower(): value for name, value in http.client.parse_headers(file).items()}
    body = b""
    if lazy:
        return Asked(method, target, headers, body)
    if "content-length" in headers:
        body = file.read(int(headers["content-length"]))
    elif headers.get("transfer-encoding") == "chunked":
        while size := int(file.readline(), 16):
            body += file.read(size)
            file.readline()
        file.readline()
    return Asked(method, target, headers, body)


@contextlib.contextmanager
def model_server(script: Script = answer_hi, *, lazy: bool = False) -> Iterator[ModelServer]:
    """A server that answers each request as `script` says. What a script raises fails the test."""
    served = ModelServer(script=script, lazy=lazy)

    class Handler(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            with contextlib.suppress(ConnectionError):
                while (asked := _read_request(self.rfile, lazy=served.lazy)) is not None:
                    served.asked.append(asked)
                    try:
                        served.script(asked, Line(self.connection, self.rfile))
                    except ConnectionError:
                        raise
                    except BaseException as fault:
                        served.faults.append(fault)
                        raise
                    if self.connection.fileno() < 0:
                        return

        def finish(self) -> None:
            with contextlib.suppress(OSError):
                super().finish()

    class Server(socketserver.ThreadingTCPServer):
        daemon_threads = True
        allow_reuse_address = True
        request_queue_size = 128

        def handle_error(self, request: Any, client_address: Any) -> None:
            pass

        def shutdown_request(self, request: Any) -> None:
            with contextlib.suppress(OSError):
                super().shutdown_request(request)

    with Server(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        served.url = f"http://127.0.0.1:{server.server_address[1]}"
        try:
            yield served
        finally:
            server.shutdown()
            thread.join()
    assert served.faults == []


def listening(upstream: str, *, limits: Limits | None = None, **environ: str) -> Listener:
    """A listener whose calls to both providers go to `upstream`."""
    environ = {"OPENAI_BASE_URL": f"{upstream}/v1", "ANTHROPIC_BASE_URL": upstream, **environ}
    return Listener(UpstreamForwarder(Upstreams.from_environment(environ)), limits=limits)


@contextlib.contextmanager
def connected(listener: Listener) -> Iterator[http.client.HTTPConnection]:
    """A connection to the listener, as an agent's HTTP client has one."""
    host, _, port = listener.address.partition(":")
    with contextlib.closing(http.client.HTTPConnection(host, int(port), timeout=PATIENCE)) as connection:
        yield connection


def post(
    listener: Listener,
    path: str = "/openai/v1/chat/completions",
    body: bytes = b'{"model":"test-model","messages":[]}',
    **headers: str,
) -> tuple[int, dict[str, str], bytes]:
    """One call on a connection of its own: status, headers (lower case), body."""
    with connected(listener) as connection:
        sent = {"Content-Type": "application/json", **{name.replace("_", "-"): v for name, v in headers.items()}}
        connection.request("POST", f"/{listener.token}{path}", body, sent)
        response = connection.getresponse()
        return response.status, {n.lower(): v for n, v in response.getheaders()}, response.read()


@contextlib.contextmanager
def raw(listener: Listener) -> Iterator[socket.socket]:
    """A bare socket to the listener."""
    host, _, port = listener.address.partition(":")
    with socket.create_connection((host, int(port)), timeout=PATIENCE) as connection:
        yield connection


def head(listener: Listener, path: str, *headers: str) -> bytes:
    """The head of a POST, as bytes."""
    lines = [f"POST /{listener.token}{path} HTTP/1.1", "Host: localhost", *headers, "", ""]
    return "\r\n".join(lines).encode()


def read_all(connection: socket.socket) -> bytes:
    """Everything until the other side closes."""
    found = []
    with contextlib.suppress(ConnectionError):
        while piece := connection.recv(65536):
            found.append(piece)
    return b"".join(found)

"""What every Python program below ``stepfork replay --block-egress`` loads at its start: only loopback is open to it.

Python imports the first ``sitecustomize`` on its path; this one gives way to the user's own, if there is one, once it
stands guard. Standard library, any Python from 3.9 on. An audit hook cannot be taken out again, and it sees every use
of Python's sockets, in threads and below asyncio. Sockets that other libraries open themselves (gRPC, libcurl, libpq)
it does not see.
"""

from __future__ import annotations

import errno
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_CONNECTS = frozenset(("socket.connect", "socket.sendto", "socket.sendmsg"))
_LOOKUPS = frozenset(("socket.getaddrinfo", "socket.gethostbyname"))
_LOCAL_FAMILIES = ("AF_UNIX", "AF_NETLINK", "AF_ALG")
_MAPPED = b"\0" * 10 + b"\xff\xff"  # in front of an IPv4 address that is written as IPv6
_SAID = "stepfork replay --block-egress: only this machine may be reached, and"


def _audit(event: str, args: tuple[Any, ...]) -> None:
    if event in _CONNECTS:
        _judge(args[0].family, args[1])
    elif event in _LOOKUPS:
        _judge_name(args[0])
    elif event == "socket.gethostbyaddr":
        _judge_name(args[0], reverse=True)
    elif event == "socket.getnameinfo":
        _judge_name(args[0][0], reverse=True)
    elif event == "socket.__new__":
        _watch_methods()


def _judge(family: int, address: Any) -> None:
    """Raises PermissionError for an address that is not this machine's."""
    import _socket

    if address is None or family in [getattr(_socket, name, None) for name in _LOCAL_FAMILIES]:
        return
    if family in (_socket.AF_INET, _socket.AF_INET6):
        if _is_local(address[0]):
            return
        where = f"{_text(address[0])} port {address[1]}"
    else:
        where = f"an address of family {family}"
    raise PermissionError(errno.EACCES, f"{_SAID} {where} is not on it")


def _judge_name(host: Any, *, reverse: bool = False) -> None:
    """Raises gaierror for what a resolver would be asked for; an address only where its name is wanted."""
    import _socket

    is_address = bool(_packed(_text(host))) and not reverse
    if not (_is_local(host) or is_address or _text(host) == _socket.gethostname()):
        raise _socket.gaierror(_socket.EAI_FAIL, f"{_SAID} {_text(host)} is not looked up")


def _is_local(host: Any) -> bool:
    name = _text(host)
    packed = _packed(name)
    packed = packed.removeprefix(_MAPPED)
    if not packed:
        return name.lower().rstrip(".") in ("", "localhost")
    if not any(packed):
        return True  # "any address": who connects to it reaches this machine
    return packed[0] == 127 if len(packed) == 4 else packed == b"\0" * 15 + b"\1"


def _packed(name: str) -> bytes:
    import _socket

    try:
        if ":" in name:
            return _socket.inet_pton(_socket.AF_INET6, name.partition("%")[0])
        return _socket.inet_aton(name)
    except (OSError, UnicodeError, ValueError):
        return b""


def _text(host: Any) -> str:
    if host is None:
        return ""
    return host.decode("utf-8", "replace") if isinstance(host, (bytes, bytearray)) else str(host)


def _watch_methods() -> None:
    """``connect(("a name", 80))`` looks the name up before it tells the hook: its arguments are judged first."""
    module = sys.modules.get("socket")
    kind: Any = getattr(module, "socket", None)
    if kind is None or "stepfork" in vars(kind):
        return
    kind.stepfork = True
    for name in ("connect", "connect_ex", "sendto"):
        setattr(kind, name, _judged(getattr(kind, name)))
    if hasattr(kind, "sendmsg"):
        kind.sendmsg = _judged(kind.sendmsg, least=4)


def _judged(method: Any, least: int = 1) -> Any:
    def judged(self: Any, *args: Any) -> Any:
        if len(args) >= least:
            _judge(self.family, args[-1])
        return method(self, *args)

    judged.__name__ = judged.__qualname__ = method.__name__
    judged.__doc__ = method.__doc__
    return judged


def _give_way() -> None:
    """Imports the user's own ``sitecustomize``, as Python would have done."""
    here = os.path.dirname(os.path.abspath(__file__))  # noqa: PTH100, PTH120 - every program would load pathlib
    sys.path[:] = [entry for entry in sys.path if not entry or os.path.abspath(entry) != here]  # noqa: PTH100
    this = sys.modules.pop(__name__)
    try:
        __import__(__name__)  # the next one on the path
    except ModuleNotFoundError as error:
        if error.name != __name__:
            raise
        sys.modules[__name__] = this


sys.addaudithook(_audit)
_give_way()

"""What a watched program and its listener say to each other of instrumented calls: JSON, one message a request.

    joined ──►  where the code of a process begins
    begun  ──►  run the body, what to give back instead, or why neither
    ended  ──►
    over   ──►  a line of control was waited for
    declared ─►  in a replay, before an answer may ask for the tool

Both ends are this module, so nothing here is heavy: a program is watched at the price of `msgspec`.
"""

from __future__ import annotations

from typing import Any, Final, Literal

import msgspec

from stepfork.trace.call import Asked, Fork, Outcome

CALLS: Final = "/stepfork/calls"
"""The path of the listener, behind its token, that takes these messages."""
ANSWERED: Final = "replay"
"""The query of an address whose calls are answered from a recording; without it they are recorded."""
MAX_DEPTH: Final = 230
"""Nested containers in an argument or a result; a fixture's document has some around them."""
MAX_FORKS: Final = 256
"""Lines of control, one started by the other, that a call can be on."""


class Joined(msgspec.Struct, frozen=True, tag="joined", tag_field="says"):
    """A process makes its first call. ``parent`` and ``forks`` are what it was started with, where that is known."""

    parent: int | None = None
    forks: tuple[Fork, ...] = ()


class Begun(msgspec.Struct, frozen=True, tag="begun", tag_field="says"):
    """A call is made: see `stepfork.trace.call.Call`."""

    asked: Asked
    parent: int | None = None
    forks: tuple[Fork, ...] = ()


class Ended(msgspec.Struct, frozen=True, tag="ended", tag_field="says"):
    """The body of call ``number`` has ended."""

    number: int
    outcome: Outcome


class Declared(msgspec.Struct, frozen=True, tag="declared", tag_field="says"):
    """A tool of this name is instrumented in some process of the run: said where calls are answered."""

    name: str


class Over(msgspec.Struct, frozen=True, tag="over", tag_field="says"):
    """A line of control was waited for by the one that started it: what that one does from now on comes after it. It is
    an event where a call was made on it."""

    line: int


Message = Joined | Begun | Ended | Declared | Over


class Refused(msgspec.Struct, frozen=True):
    """Why a call that is replayed may not run: it is not the recorded one, or was made once too often. ``text`` is one
    line, its values redacted."""

    kind: Literal["mismatch", "exhausted"]
    text: str


class Noted(msgspec.Struct, frozen=True, omit_defaults=True):
    """The listener's word. ``count`` is how many events there were, this one among them.

    To `Joined`: ``forks``, where code of the process stands that nobody started. To `Begun`: ``number``, and beside it
    ``answer``, what to give back, or ``refused``; neither where the body is to run.
    """

    count: int
    forks: tuple[Fork, ...] = ()
    number: int = -1
    answer: Outcome | None = None
    refused: Refused | None = None


class MessageError(Exception):
    """Bytes that are no message, or one that cannot be: the reason, which quotes nothing of it."""


_decode = msgspec.json.Decoder(Message).decode


def read_message(data: bytes) -> Message:
    """The message that a body is. Raises MessageError."""
    try:
        message = _decode(data)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        raise MessageError("it is no message of this version of stepfork") from None
    if isinstance(message, Joined | Begun) and len(message.forks) > MAX_FORKS:
        raise MessageError(f"it is on more than {MAX_FORKS} lines of control")
    if isinstance(message, Begun):
        _check(message.asked.arguments)
    elif isinstance(message, Ended):
        _check(message.outcome.result)
        _check(message.outcome.raised)
    return message


def _check(value: Any) -> None:
    """Raises MessageError for a value that canonical JSON cannot carry: JSON has larger numbers, and nests deeper."""
    stack = [(value, 1)]
    while stack:
        node, depth = stack.pop()
        if type(node) is int:
            if not -(2**63) <= node < 2**64:
                raise MessageError("it has an integer of more than 64 bits")
        elif isinstance(node, dict | list):
            if depth > MAX_DEPTH:
                raise MessageError(f"it nests more than {MAX_DEPTH} levels deep")
            stack.extend((item, depth + 1) for item in (node.values() if isinstance(node, dict) else node))

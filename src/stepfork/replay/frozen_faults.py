"""What went otherwise than recorded in a frozen replay, as values, and as the error that the program is given."""

from __future__ import annotations

import json
from typing import Any, Literal

import msgspec

from stepfork.canonical.places import dotted, quoted
from stepfork.diff.twins import told_apart
from stepfork.errors import ReplayClosedError, ReplayError, ReplayExhaustedError, ReplayMismatchError
from stepfork.normalize.rules import GENERATED
from stepfork.replay.frozen_calls import RecordedCall
from stepfork.replay.frozen_values import ABSENT, Unlike

FaultKind = Literal["name", "input", "exhausted", "closed"]
"""``name``: another call was recorded there; ``input``: the same one with another input; ``exhausted``: there was none;
``closed``: a call that the replay cannot be asked about."""

_LONGEST = 80
WANTED = "if the change is wanted: record the changed run, and export from that"
"""What to do about a divergence that is no fault."""

_RERECORD = "where the change is wanted, record the changed run and export from that"


class Fault(msgspec.Struct, frozen=True):
    """A call that was refused. ``call`` counts the live calls from 1; ``expected`` is the name that was recorded there.

    ``path`` is the first place of the input that differs, ``recorded`` and ``live`` what either side has there, short
    and redacted. ``text`` says all of it in one line.
    """

    kind: FaultKind
    text: str
    call: int = 0
    name: str = ""
    expected: str = ""
    path: str = ""
    recorded: str = ""
    live: str = ""

    def error(self) -> ReplayError:
        """What the program is given in place of an answer: a new one each time."""
        match self.kind:
            case "exhausted":
                return ReplayExhaustedError(self.text, fix=_RERECORD)
            case "closed":
                return ReplayClosedError(self.text)
            case _:
                return ReplayMismatchError(self.text, fix=_RERECORD)


def other_name(number: int, total: int, asked: tuple[str, Any], expected: tuple[RecordedCall, ...]) -> Fault:
    """Another call was recorded there than the one `asked`, a name and a redacted input."""
    name, given = asked
    names = list(dict.fromkeys(call.name for call in expected))
    wanted = " or ".join(names[:3]) + (" or …" if len(names) > 3 else "")
    text = f"call {number} of {total} is {_word(name)}, recorded was {_word(wanted)}; its input: {shown(given)}"
    return Fault("name", text, number, name, wanted)


def other_input(number: int, total: int, name: str, unlike: Unlike) -> Fault:
    """The input differs."""
    place = dotted(unlike.path)
    recorded, live = shown_pair(unlike.recorded, unlike.live)
    text = f"call {number} of {total} ({_word(name)}) has another input at {place!r}: recorded {recorded}, got {live}"
    return Fault("input", text + _advice(unlike), number, name, name, place, recorded, live)


def _advice(unlike: Unlike) -> str:
    """The rule that makes an id which each run makes up a placeholder; nothing for what is no such id."""
    member = next((step for step in reversed(unlike.path) if isinstance(step, str) and step != "value"), None)
    both = (unlike.recorded, unlike.live)
    if member is None or not all(isinstance(side, str) and GENERATED.fullmatch(side) for side in both):
        return ""
    rule = f"id_fields = [{quoted(member)}]"
    return f"; if each run makes that id up, put {rule} under [normalize] in config.toml and record again"


def exhausted(number: int, total: int, asked: tuple[str, Any], inside: str = "") -> Fault:
    """There are no more; `asked` is a name and a redacted input."""
    name, given = asked
    recorded = f"{total} {'call was' if total == 1 else 'calls were'} recorded"
    where = f" inside {_word(inside)}" if inside else ""
    text = f"call {number} is {_word(name)}, and {recorded}{where}; its input: {shown(given)}"
    return Fault("exhausted", text, number, name)


def unpermitted(number: int, name: str, why: str) -> Fault:
    """It was made as recorded, and its answer may not be given."""
    return Fault("closed", why, number, name)


def shown_pair(recorded: Any, live: Any) -> tuple[str, str]:
    """Two values that differ, each on one short line; long texts from a little before they do. Never two lines that
    look the same."""
    if isinstance(recorded, str) and isinstance(live, str):
        return told_apart(recorded, live, _LONGEST)
    return shown(recorded), shown(live)


def shown(value: Any) -> str:
    """A value as JSON on one line, cut where it is long."""
    if value is ABSENT:
        return "(absent)"
    if isinstance(value, str):
        return quoted(value[:_LONGEST]) + ("…" if len(value) > _LONGEST else "")
    text = json.dumps(value, ensure_ascii=False, default=repr)
    text = text if text.isprintable() else json.dumps(value, default=repr)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def _word(name: str) -> str:
    """A name in a sentence: on one line, and not for ever."""
    plain = name if name.isprintable() else quoted(name)[1:-1]
    return plain if len(plain) <= _LONGEST else f"{plain[:_LONGEST]}…"

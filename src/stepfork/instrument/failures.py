"""What a call raised: kept in a trace, and raised again in a replay."""

from __future__ import annotations

from stepfork.errors import RecordedDependencyError
from stepfork.instrument.plain import message_of
from stepfork.instrument.tagged import decode, encode
from stepfork.trace.body import JsonValue
from stepfork.trace.step import StepError

_NEVER_AGAIN = (KeyboardInterrupt, GeneratorExit)
"""What ended a recorded call from outside, and would end more than the call if it were raised again."""


def encode_exception(error: BaseException) -> tuple[StepError, JsonValue]:
    """What a trace says of an exception, and its tag. Never raises."""
    name = type.__getattribute__(type(error), "__name__")
    return StepError(name.encode("utf-8", "backslashreplace").decode(), message_of(error)), encode(error)


def restore_exception(error: StepError, raised: JsonValue) -> BaseException:
    """The exception that was recorded: of its original class where that is loaded, else RecordedDependencyError."""
    made = decode(raised)
    if isinstance(made, BaseException) and not isinstance(made, _NEVER_AGAIN):
        return made
    said = " ".join(error.message.split())
    return RecordedDependencyError(f"the recorded call raised {error.type}" + (f": {said}" if said else ""))

"""How a miss is told to the program: by a status that no SDK asks again after, and one line in the API's error form."""

from __future__ import annotations

from stepfork.providers.lines import clean_line
from stepfork.replay.report import Miss
from stepfork.replay.telling import reason_of
from stepfork.trace.body import JsonBody
from stepfork.trace.exchange import Response

STATUS = 422
"""SDKs ask again after 408, 409, 429 and every 5xx, and give up after this one."""
TYPE = "stepfork_replay_miss"
"""The error type in the body: whose word it is."""

_LONGEST = 300


def refusal(miss: Miss, *, anthropic: bool = False) -> Response:
    """The response that a miss is answered with; `anthropic` for the form of that API."""
    error = {"type": TYPE, "message": line(miss)}
    value = {"type": "error", "error": error} if anthropic else {"error": {**error, "param": None, "code": TYPE}}
    return Response(STATUS, "application/json", {"x-should-retry": "false"}, JsonBody(value))


def line(miss: Miss) -> str:
    """One line for people: what is different, without quoting any of it."""
    against = "" if miss.nearest is None else f", against recorded exchange {miss.nearest}"
    what = f"call {miss.call + 1} ({miss.label}) matches no recording"
    return clean_line(f"stepfork replay: {what}: {reason_of(miss)}{against}", _LONGEST)

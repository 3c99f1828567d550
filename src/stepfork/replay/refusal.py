"""How a miss is told to the program: by a status that no client makes more of, and one line in the API's error form."""

from __future__ import annotations

from stepfork.providers.lines import clean_line
from stepfork.replay.report import Miss
from stepfork.replay.telling import reason_of
from stepfork.trace.body import JsonBody
from stepfork.trace.exchange import Response

STATUS = 412
"""Precondition Failed: an error to every client and no more than that.

SDKs ask again after 408, 409, 429 and every 5xx. Claude Code takes 400 and 422 for a fault of its request, which it
sends again without this parameter and that one, and 404 for a stream that it should not have asked for; 401 and 403
say that somebody is not logged in, 402 that there is no money, 413 that the conversation is too long, and after 410
programs throw away what they knew of the place.
"""
TYPE = "stepfork_replay_miss"
"""The error type in the body: whose word it is."""

_LONGEST = 300


def refusal(miss: Miss, *, anthropic: bool = False) -> Response:
    """The response that a miss is answered with; `anthropic` for the form of that API."""
    return refusal_of_line(line(miss), anthropic=anthropic)


def refusal_of_line(text: str, *, anthropic: bool = False) -> Response:
    """The response that says no more than one line."""
    error = {"type": TYPE, "message": clean_line(text, _LONGEST)}
    value = {"type": "error", "error": error} if anthropic else {"error": {**error, "param": None, "code": TYPE}}
    return Response(STATUS, "application/json", {"x-should-retry": "false"}, JsonBody(value))


def line(miss: Miss) -> str:
    """One line for people: what is different, without quoting any of it."""
    against = "" if miss.nearest is None else f", against recorded exchange {miss.nearest}"
    what = f"call {miss.call + 1} ({miss.label}) matches no recording"
    return clean_line(f"stepfork replay: {what}: {reason_of(miss)}{against}", _LONGEST)

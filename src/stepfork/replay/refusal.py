"""How a miss is told to the program: by a status that no SDK asks again after, and one line in the API's error form."""

from __future__ import annotations

from stepfork.providers.lines import clean_line
from stepfork.replay.report import Miss
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
    return clean_line(f"stepfork replay: call {miss.call + 1} ({miss.label}) {_why(miss)}", _LONGEST)


def _why(miss: Miss) -> str:
    if miss.kind == "exhausted":
        return f"was recorded {miss.recorded}× and is asked for the {miss.asked}th time"
    if miss.kind == "unrecorded":
        return "matches no recording: no call of that kind was recorded"
    against = "" if miss.nearest is None else f", against recorded exchange {miss.nearest}"
    if miss.kind == "roles":
        return f"is recorded with its addresses in other roles{against}"
    return f"matches no recording: {_changed(miss)} changed{against}"


def _changed(miss: Miss) -> str:
    """The first component that changed, by name."""
    found = miss.difference
    if miss.component == "tools" and found.tools:
        return f"the tool {found.tools[0].name}"
    if miss.component == "params" and found.params:
        return f"the parameter {found.params[0].path}"
    for section, what in (("messages", "message"), ("tool_results", "the tool result of message")):
        changes = getattr(found, section)
        if miss.component == section and changes:
            return f"{what} {changes[0].index} ({changes[0].label or changes[0].role})"
    return {"model": "the model", "system": "the system prompt"}.get(miss.component, f"the {miss.component}")

"""Does a report say what was edited? Recorded runs, each with one edit of a known kind.

    python scripts/benchmarks/edited_runs.py CORPUS [--show KIND]

CORPUS is a folder of *.jsonl with a recorded exchange a line, by repository and path (see round_trip.py). Each run is
edited once in each way in which it can be (edits.py, seeded), both are normalised and compared, and the report is held
against the edit: one insertion is one addition, another order of members is nothing. Prints right/total for each kind;
exits 1 where a kind falls below what it reached. `--show` prints the reports of a kind that are wrong.
"""

from __future__ import annotations

import base64
import copy
import json
import random
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import edits
from round_trip import corpus

from stepfork.capture.assemble import assemble
from stepfork.cli.render.diff_text import render_report
from stepfork.diff.fixture_diff import DiffOptions, FixtureDiff, diff_fixtures
from stepfork.diff.values import Change
from stepfork.normalize.known import Context
from stepfork.normalize.normalize import normalize_run
from stepfork.normalize.request_key import RunKeys
from stepfork.providers.apis import api_of
from stepfork.trace.exchange import Exchange, Request, Response
from stepfork.trace.fixture import Fixture, Run, Source
from stepfork.trace.recorded import Recorded
from stepfork.trace.wire import read_body

Expected = Callable[[FixtureDiff], bool]
SECOND = 10**9


def told(diff: FixtureDiff) -> list[Change]:
    """The changes, but for what may follow from any of them: what no longer holds of the run as a whole, and the order
    of calls that overlapped."""
    follows = ("trace", "run")
    return [
        one
        for one in diff.changes
        if one.cause == "authored" or not (one.section in follows or (one.section, one.change) == ("exchange", "moved"))
    ]


def only(section: str, change: str, *, cause: str = "authored") -> Expected:
    """One change, of this kind, and nothing else."""

    def holds(diff: FixtureDiff) -> bool:
        return [(one.section, one.change, one.cause) for one in told(diff)] == [(section, change, cause)]

    return holds


def one_of(*expected: Expected) -> Expected:
    return lambda diff: any(holds(diff) for holds in expected)


def nothing(diff: FixtureDiff) -> bool:
    return not diff.changed


def reworded(diff: FixtureDiff) -> bool:
    return not diff.changed and any("answer" in note for note in diff.notes)


def one_exchange(change: str, *, cause: str = "") -> Expected:
    """One exchange came or went, and the others are not said to differ. `cause`: empty for either."""

    def holds(diff: FixtureDiff) -> bool:
        differing = [exchange for exchange in diff.exchanges if exchange.change != "moved"]
        causes = [cause] if cause else ["authored", "consequence"]
        return len(differing) == 1 and any(only("exchange", change, cause=one)(diff) for one in causes)

    return holds


def one_line(section: str) -> Expected:
    """One line became another."""

    def holds(diff: FixtureDiff) -> bool:
        return only(section, "changed")(diff) and [line.op for line in told(diff)[0].lines] == ["-", "+"]

    return holds


def another_order(diff: FixtureDiff) -> bool:
    """Nothing came or went, and what the model said is told once."""
    return diff.changed and len(told(diff)) <= 2 and all(one.change in ("changed", "moved") for one in told(diff))


def same_talk(diff: FixtureDiff) -> bool:
    """Another API, and neither messages nor answers."""
    sections = {one.section for one in told(diff)}
    return "other" in sections and sections <= {"other", "params"}


def in_place(diff: FixtureDiff) -> bool:
    """The stored order is blind to timing; where it is not, what traded places has moved."""
    return all(one.change == "moved" for one in diff.changes)


KINDS: dict[str, tuple[edits.Edit, Expected, float]] = {
    "a message inserted at the front": (edits.insert_front, only("messages", "added"), 0.99),
    "a message inserted later": (edits.insert_middle, only("messages", "added"), 0.99),
    "a message deleted": (edits.delete_message, only("messages", "removed"), 0.96),
    "a message moved": (edits.move_message, only("messages", "moved"), 0.96),
    "a word in a user message": (edits.edit_user, one_line("messages"), 0.99),
    "a word in the system prompt": (edits.edit_system, one_of(one_line("system"), one_line("messages")), 0.98),
    "a tool's schema": (edits.edit_tool, one_of(only("tools", "changed"), only("tools", "added")), 0.98),
    "a parameter": (edits.edit_param, one_of(only("params", "added"), only("params", "changed")), 0.99),
    "the model": (edits.edit_model, only("model", "changed"), 1.0),
    "a tool result's value": (edits.edit_result, only("tool_results", "changed"), 0.98),
    "a tool result twice": (edits.double_result, only("tool_results", "added"), 1.0),
    "a call inserted": (edits.insert_call, one_exchange("added", cause="authored"), 1.0),
    "a call dropped": (edits.drop_call, one_exchange("removed", cause="authored"), 0.99),
    "a run one call shorter": (edits.drop_last, one_exchange("removed"), 0.99),
    "a call tried again": (edits.retried, one_exchange("added", cause="consequence"), 0.99),
    "tools asked once more": (edits.asked_again, one_exchange("added", cause="consequence"), 1.0),
    "two parallel calls swapped": (edits.swap_calls, another_order, 1.0),
    "all ids drawn again": (edits.rename_ids, nothing, 1.0),
    "one id drawn again": (edits.rename_id, nothing, 1.0),
    "the last answer reworded": (edits.answer_text, reworded, 1.0),
    "members in another order": (edits.other_order, nothing, 1.0),
    "concurrent calls in another order": (edits.interleaved, in_place, 1.0),
    "the same talk by another API": (edits.as_messages, same_talk, 1.0),
}
"""The edit, what the report must say, and the part of runs that reached it."""


def main(arguments: list[str]) -> int:
    shown = arguments[arguments.index("--show") + 1] if "--show" in arguments else None
    runs = [run for run in map(plain, corpus(Path(arguments[0]))) if any(map(edits.is_model, run))]
    as_recorded = [fixture(run) for run in runs]
    code = 0
    print(f"{len(runs)} runs, {sum(map(len, runs))} calls")
    for kind, (edit, expected, least) in KINDS.items():
        if shown is not None and shown not in kind:
            continue
        right = total = 0
        for index, run in enumerate(runs):
            edited = edit(copy.deepcopy(run), random.Random(f"{kind} {index}"))
            if edited is None or (edited == run and edit is not edits.other_order):
                continue
            total += 1
            diff = diff_fixtures(as_recorded[index], fixture(edited), DiffOptions())
            right += (good := expected(diff))
            if shown is not None and not good:
                print(f"-- {kind}, run {index}", *render_report([diff]), sep="\n")
        bad = total == 0 or right / total < least
        code = 1 if bad else code
        print(f"{kind:<36} {right:>4}/{total:<4} {'MISSED' if bad else 'ok'}", flush=True)
    return code


def plain(run: list[dict[str, Any]]) -> edits.Run:
    """A recorded run with its JSON bodies as values."""
    return [
        call
        | {
            "api": api_of(call["provider"], call["method"], call["path"]),
            "request": value(call["request"]),
            "response": value(call["response"]),
            "kind": call["response_type"],
        }
        for call in run
    ]


def value(data: str) -> Any:
    text = base64.b64decode(data).decode("utf-8", "surrogateescape")
    try:
        found = json.loads(text)
    except ValueError:
        return text
    return found if isinstance(found, dict) else text


def body(told: Any) -> bytes:
    return told.encode("utf-8", "surrogateescape") if isinstance(told, str) else json.dumps(told).encode()


def fixture(run: edits.Run) -> Fixture:
    """What a capture would have made of a run, its calls one after the other."""
    recorded = []
    for index, call in enumerate(run):
        asked, told = body(call["request"]), body(call["response"])
        kind = "application/json"
        exchange = Exchange(
            call["provider"],
            call["api"],
            Request(call["method"], call["path"], call["query"], kind, read_body(asked, kind)),
            Response(call["status"], call["kind"], {}, read_body(told, call["kind"])),
        )
        recorded.append(
            Recorded(exchange=exchange, arrived_ns=index * SECOND, ended_ns=index * SECOND + 1, connection=1)
        )
    context = Context(started_ns=0, ended_ns=len(run) * SECOND)
    made = assemble(recorded, [], key=RunKeys([call.exchange for call in recorded], context))
    source = Source(kind="command", replay_capable=True, command=("python", "agent.py"), exit_code=0)
    return Fixture("run", normalize_run(Run(source, made.trace, made.exchanges), context))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""How a replay went, as one JSON document; its schema is ``stepfork/schemas/replay.schema.json``."""

from __future__ import annotations

import signal
from typing import TYPE_CHECKING, Any

from stepfork.canonical.encode import dumps
from stepfork.cli.render.diff_clean import Clean
from stepfork.cli.render.diff_json import request_document
from stepfork.cli.render.replay_text import headline, refresh_command
from stepfork.replay.telling import reason_of

if TYPE_CHECKING:
    from stepfork.replay.report import CallMiss, Miss
    from stepfork.trace.fixture import Fixture
    from stepfork.workflows.replay import ReplayResult


def replay_document(result: ReplayResult, fixture: Fixture, clean: Clean, *, stored: bool) -> bytes:
    """Canonical JSON. Strings are redacted again and whole: nothing is cut or escaped for a terminal."""

    def sound(text: str) -> str:
        """Redacted, and without the lone surrogates that an event stream can spell and JSON cannot carry."""
        return clean(text).encode("utf-8", "surrogatepass").decode("utf-8", "replace")

    report = result.report
    document: dict[str, Any] = {
        "name": result.name,
        "mode": "strict",
        "passed": result.passed,
        "outcome": headline(result),
        "causes": [sound(cause) for cause in result.causes],
        "notices": [sound(notice) for notice in result.notices],
        "exchanges": report.exchanges,
        "served": [{"call": served.call, "exchange": served.exchange} for served in report.served],
        "misses": [_miss(miss, sound) for miss in report.misses],
        "unused": [
            {
                "exchange": unused.exchange,
                "label": sound(unused.label),
                "says": sound(unused.says),
                "optional": unused.optional,
            }
            for unused in report.unused
        ],
        "refused_probes": [sound(label) for label in report.optional],
        "executed": {sound(tool): count for tool, count in result.executed.items()},
        "answered": {sound(tool): count for tool, count in report.calls.answered.items()},
        "call_misses": [_call_miss(miss, sound) for miss in report.calls.misses],
        "calls_unused": [{"tool": sound(left.tool), "number": left.number} for left in report.calls.unused],
        "served_tools": {sound(tool): count for tool, count in result.served_tools.items()},
        "exit_code": result.exit_code,
        "recorded_exit_code": result.recorded_exit_code,
        "interrupted": None if result.signal is None else signal.Signals(result.signal).name,
        "refresh": refresh_command(fixture, stored=stored),
    }
    return dumps(document)


def _call_miss(miss: CallMiss, sound: Clean) -> dict[str, Any]:
    return {
        "tool": sound(miss.tool),
        "call": miss.call,
        "kind": miss.kind,
        "reason": sound(miss.reason),
        "path": sound(miss.path),
        "old": sound(miss.old),
        "new": sound(miss.new),
        "recorded": miss.recorded,
        "asked": miss.asked,
    }


def _miss(miss: Miss, sound: Clean) -> dict[str, Any]:
    return {
        "call": miss.call,
        "kind": miss.kind,
        "component": miss.component,
        "reason": sound(reason_of(miss)),
        "label": sound(miss.label),
        "nearest": miss.nearest,
        "difference": request_document(miss.difference, sound),
        "recorded": miss.recorded,
        "asked": miss.asked,
        "times": miss.times,
        "noise": [sound(line) for line in miss.noise],
    }

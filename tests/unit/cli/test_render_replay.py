"""A replay as people read it: each ending, redacted, escaped, and no longer than a screen."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from stepfork.cli.render.diff_clean import as_it_is
from stepfork.cli.render.replay_text import refresh_command, replay_lines
from stepfork.diff.values import FieldChange, Line, RequestDiff
from stepfork.replay.report import Miss, ReplayReport, Served, Unused
from stepfork.trace.body import JsonBody
from stepfork.trace.exchange import Exchange, Request, Response
from stepfork.trace.fixture import Fixture, Run, Source
from stepfork.trace.step import Trace
from stepfork.workflows.replay import ReplayResult

ASKED = Request("POST", "/chat/completions", body=JsonBody({"model": "gpt", "messages": []}))
EXCHANGE = Exchange("openai", "chat_completions", ASKED, Response(200))
RUN = Run(Source("command", replay_capable=True, command=("python", "agent.py")), Trace("spans", ()), (EXCHANGE,) * 3)
FIXTURE = Fixture("inc/1042", RUN)
LABEL = "openai chat_completions gpt"


def result(report: ReplayReport, *causes: str, **fields: Any) -> ReplayResult:
    told: dict[str, Any] = {
        "name": FIXTURE.name,
        "report": report,
        "trace": RUN.trace,
        "exit_code": 0,
        "recorded_exit_code": 0,
        "executed": {},
        "causes": causes,
        "passed": not causes,
        "seconds": 0.44,
    }
    return ReplayResult(**told | fields)


def shown(made: ReplayResult, clean: Callable[[str], str] = as_it_is, *, stored: bool = True) -> list[str]:
    return list(replay_lines(made, FIXTURE, clean, stored=stored))


def miss(**fields: Any) -> Miss:
    return Miss(**{"call": 0, "kind": "changed", "component": "system", "label": LABEL, **fields})


def test_a_replay_that_passed() -> None:
    report = ReplayReport(3, served=(Served(0, 0), Served(1, 2)), unused=(Unused(1, LABEL, "", optional=True),))
    made = result(report, executed={"look_up": 1, "refund": 2}, notices=("a note",))
    assert shown(made) == [
        "inc/1042: replayed                                               0.4 s, exit 0",
        "  served        2 of 3   openai chat_completions gpt",
        "  executed      look_up, refund ×2",
        "  not asked     exchange 1   openai chat_completions gpt (optional)",
        "  note          a note",
    ]


def test_several_misses_and_what_they_left() -> None:
    field = FieldChange("/temperature", "changed", 0, 1)
    first = miss(nearest=1, difference=RequestDiff(system=(Line("-", "a"), Line("+", "b")), params=(field,)))
    first = msgspec.structs.replace(first, noise=("[normalize.tool.x]", 'volatile = ["/y"]', "[routes.z]"))
    unused = tuple(Unused(index, LABEL, "") for index in range(3))
    again = miss(call=4, kind="exhausted", component="count", recorded=1, asked=2, nearest=0)
    causes = ("miss 1", "miss 2", "exit code 1, recorded 0", "exchange 0", "exchange 1", "exchange 2")
    made = result(ReplayReport(3, misses=(first, again), unused=unused), *causes, exit_code=1)
    assert shown(made) == [
        "inc/1042: miss at model call 1 of 3                              0.4 s, exit 1",
        "  first difference   parameters",
        "      ~ /temperature: 0 → 1",
        "  nearest recorded   exchange 1; also differs: system prompt",
        "  also missed        model call 5 (3 recorded): recorded 1×, asked 2×",
        "  also               exit code 1, recorded 0",
        "  served 0, executed no tool; 3 recorded calls unused",
        "if the change is wanted: stepfork capture --refresh inc/1042",
        "if that value is noise, in .stepfork/config.toml:",
        "  [normalize.tool.x]",
        '  volatile = ["/y"]',
        "  [routes.z]",
    ]


def test_a_long_difference_and_many_causes_are_cut() -> None:
    lines = tuple(Line("+", f"line {index}") for index in range(50))
    told = shown(result(ReplayReport(1, misses=(miss(difference=RequestDiff(system=lines)),)), "miss"))
    assert "      … 31 more changed lines (--json has them)" in told
    assert len(told) < 30
    causes = [f"exchange {index} was recorded and not asked for" for index in range(50)]
    unused = tuple(Unused(index + 1, LABEL, "user: hello") for index in range(50))
    told = shown(result(ReplayReport(51, served=(Served(0, 0),), unused=unused), *causes))
    assert sum("not asked for" in line for line in told) == 20
    assert "  cause         … 30 more (--json has them)" in told


def test_calls_that_were_not_made_are_told_by_what_they_said() -> None:
    unused = (Unused(1, LABEL, "user: hello → look_up"), Unused(2, LABEL, ""))
    causes = ("exit code 3, recorded 0", "exchange 1 and a label", "exchange 2 and a label")
    told = shown(result(ReplayReport(3, served=(Served(0, 0),), unused=unused), *causes))
    assert told[1:4] == [
        "  cause         exit code 3, recorded 0",
        "  cause         exchange 1 was recorded and not asked for: user: hello → look_up",
        f"  cause         exchange 2 was recorded and not asked for: {LABEL}",
    ]
    assert told[-1] == "if the change is wanted: stepfork capture --refresh inc/1042"
    told = shown(result(ReplayReport(2, unused=unused), *causes[1:]))
    assert told[1] == "  cause         none of 2 recorded calls was asked for"


def test_an_interrupted_replay_says_nothing_of_the_calls_that_it_left() -> None:
    told = shown(result(ReplayReport(1, unused=(Unused(0, LABEL, "x"),)), "the replay was interrupted", signal=2))
    assert [line for line in told if "cause" in line] == ["  cause         the replay was interrupted"]
    assert not told[-1].startswith("if the change")


def test_what_a_fixture_or_a_run_says_moves_no_cursor_and_shows_no_secret() -> None:
    def clean(text: str) -> str:
        return text.replace("s3cret", "[redacted]")

    evil = "s3cret \x1b[2J\u202e"
    difference = RequestDiff(system=(Line("+", evil),))
    made = result(
        ReplayReport(
            1, misses=(miss(difference=difference, noise=(evil,)), miss(call=1, kind="unrecorded", label=evil))
        ),
        "miss",
        "miss",
        evil,
        executed={evil: 2},
        notices=(evil,),
    )
    for told in (shown(made, clean), shown(result(ReplayReport(1), evil, executed={evil: 1}), clean)):
        text = "\n".join(told)
        assert "s3cret" not in text
        assert not set(text) & {"\x1b", "\u202e"}
        assert text.count("[redacted]") >= 2


def test_what_cannot_be_refreshed_is_captured() -> None:
    assert refresh_command(FIXTURE, stored=True) == "stepfork capture --refresh inc/1042"
    assert refresh_command(FIXTURE, stored=False) == "stepfork capture --name inc/1042 -- COMMAND"
    source = Source("in_process", replay_capable=True)
    block = Fixture("desk", msgspec.structs.replace(RUN, source=source))
    assert refresh_command(block, stored=True) == "stepfork.record('desk') around the same block again"
    source = msgspec.structs.replace(RUN.source, command=("run", "--token", "[redacted]"))
    redacted = Fixture("a b", msgspec.structs.replace(RUN, source=source))
    assert refresh_command(redacted, stored=True) == "stepfork capture --name 'a b' -- COMMAND"

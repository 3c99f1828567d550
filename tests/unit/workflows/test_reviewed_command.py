"""What may run is what was reviewed, provided that the fixture was recorded from just that."""

from __future__ import annotations

import pytest

from stepfork.errors import UsageError
from stepfork.normalize.known import Context
from stepfork.redact.marker import MARKER
from stepfork.trace.fixture import Source
from stepfork.workflows.reviewed_command import reviewed_command

HERE = Context(0, 0, cwd="/srv/shop", home="/home/ada", user="adalove")


def source(*command: str) -> Source:
    return Source("command", True, command)


def test_the_command_that_was_recorded_may_run() -> None:
    assert reviewed_command("x", source("python", "agent.py"), ["python", "agent.py"], HERE) == ("python", "agent.py")


@pytest.mark.parametrize("written", ["{{cwd}}/agent.py", "/srv/shop/agent.py"])
def test_placeholders_have_this_machines_values(written: str) -> None:
    assert reviewed_command("x", source("{{cwd}}/agent.py"), [written], HERE) == ("/srv/shop/agent.py",)


def test_text_that_only_looks_like_a_placeholder_is_text() -> None:
    recorded = source("echo", "{{!cwd}}")
    assert reviewed_command("x", recorded, ["echo", "{{!cwd}}"], HERE) == ("echo", "{{cwd}}")


@pytest.mark.parametrize(
    "recorded",
    [["python", "agent.py", "--fast"], ["python"], ["sh", "-c", "python agent.py"], ["python", "{{home}}/agent.py"]],
)
def test_another_command_is_refused_and_both_are_named(recorded: list[str]) -> None:
    with pytest.raises(UsageError) as refused:
        reviewed_command("inc-1042", source(*recorded), ["python", "agent.py"], HERE)
    said = str(refused.value)
    assert "'inc-1042' was recorded from another command than COMMAND" in said
    assert "COMMAND `python agent.py`" in said
    assert f"recorded `{recorded[0]}" in said
    assert "\n" not in said


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["python", f"--token={MARKER}"], "was redacted"),
        (["python", "--since={{timestamp_1}}"], "has a placeholder without a value here"),
        (["ssh", "{{host}}"], "has a placeholder without a value here"),
    ],
)
def test_a_command_that_cannot_be_given_back_is_refused_wherever_it_stands(words: list[str], why: str) -> None:
    for recorded, reviewed in ((words, words), (words, ["python"]), (["python"], words)):
        with pytest.raises(UsageError, match=why):
            reviewed_command("x", source(*recorded), reviewed, HERE)


@pytest.mark.parametrize("kind", ["in_process", "otlp_file"])
def test_without_a_recorded_command_there_is_none_to_run(kind: str) -> None:
    with pytest.raises(UsageError, match="was not recorded from a command"):
        reviewed_command("x", Source(kind, False), ["python"], HERE)  # type: ignore[arg-type]


def test_what_a_pull_request_wrote_is_shown_harmless() -> None:
    with pytest.raises(UsageError) as refused:
        reviewed_command("x", source("python", "\x1b]52;c;aGk=\x07\nFAIL"), ["python"], HERE)
    assert "\x1b" not in str(refused.value)
    assert "\n" not in str(refused.value)

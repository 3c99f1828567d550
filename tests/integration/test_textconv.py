"""stepfork textconv: a manifest as text, wherever its objects are; any other file as it is."""

from __future__ import annotations

import difflib
import shutil
import tempfile
from pathlib import Path

import msgspec
import pytest

from stepfork.cli.main import main
from stepfork.trace.body import JsonBody
from stepfork.trace.exchange import Exchange
from stepfork.trace.step import Step, Trace
from tests.integration.stand import Stand
from tests.unit.store.sample_runs import chat, conversation, fixture_of, odd_exchanges, user

KEY = "sk-" + "Q7xT2mR9wL4kZ8vB3nJ6hD1f" * 2
CALLS = {
    "role": "assistant",
    "content": None,
    "tool_calls": [
        {"id": "c1", "type": "function", "function": {"name": "refund", "arguments": '{"order_id": "O-1", "n": 1}'}},
        {"id": "c2", "type": "function", "function": {"name": "refund", "arguments": f'{{"note": "{"long " * 30}"}}'}},
    ],
}
RESULT = {"role": "tool", "tool_call_id": "c1", "content": '{"ok": true}'}


def told(stand: Stand, path: Path | str) -> list[str]:
    return stand.stepfork("textconv", str(path)).out.splitlines()


def put(stand: Stand, exchanges: list[Exchange], name: str = "refund") -> Path:
    stand.store.write(fixture_of(exchanges, name))
    return stand.store.manifest_path(name)


def copy(stand: Stand, path: Path) -> Path:
    """As git hands over a version that is not in the work tree: a file elsewhere."""
    place = Path(tempfile.mkdtemp(dir=stand.root.parent)) / path.name
    shutil.copyfile(path, place)
    return place


def test_a_manifest_is_told_as_a_story(stand: Stand) -> None:
    first = chat([user("Please refund O-1.\nThanks.")], "On it.", system="You refund.\nOnce.")
    body = first.response.body
    assert isinstance(body, JsonBody)
    body.value["choices"][0]["message"] = CALLS
    second = chat([user("Please refund O-1.\nThanks."), CALLS, RESULT], "Done.", system="You refund.\nOnce.")
    lines = told(stand, put(stand, [first, second]))
    assert lines[:4] == [
        "refund",
        "source   python agent.py   in .",
        "exit   0",
        "call   openai chat_completions gpt-4.1   200",
    ]
    assert lines[4:9] == ["  system", "      You refund.", "      Once.", "  tool lookup_order", "      {"]
    at = lines.index("  user:")
    assert lines[at : at + 8] == [
        *("  user:", "      Please refund O-1.", "      Thanks."),
        *('  → refund {"n": 1, "order_id": "O-1"}', "  → refund", "      {"),
        *(f'        "note": "{"long " * 30}"', "      }"),
    ]
    assert lines[at + 8 : at + 12] == [
        *("call   openai chat_completions gpt-4.1   200", '  refund: {"ok": true}', "  assistant: Done."),
        "trace   completed, from exchanges, agent refunds",
    ]
    assert lines[-2] == "verification   none"
    assert lines[-1].startswith("file   blake3 ")


def test_what_was_inserted_is_lines_added(stand: Stand) -> None:
    calls = conversation(4)
    alone = chat([user("Is it open?")], "Yes.")
    old = told(stand, put(stand, calls))
    new = told(stand, put(stand, [*calls[:2], alone, *calls[2:]]))
    changed = [line for line in difflib.ndiff(old, new) if line[0] in "+-"]
    assert [line for line in changed if "blake3" not in line and "continues" not in line] == [
        *(
            "+   a new conversation",
            "+   system",
            "+       You refund orders, once, after looking them up.",
            "+   tool lookup_order",
        ),
        *(f"+       {line}" for line in ("{", '  "parameters": {', '    "type": "object"', "  }", "}")),
        *("+   user: Is it open?", "+   assistant: Yes."),
        *("+ call   openai chat_completions gpt-4.1   200", "+   llm_call chat"),
    ]


def test_every_kind_of_exchange_and_step_has_lines(stand: Stand) -> None:
    step = Step("tool_call", "lookup", 0, 1, arguments={"id": "O-1"}, result="found")
    trace = Trace("instrumented", (step,), input="refund", output={"done": True}, status="error")
    stand.store.write(fixture_of([], "plain", trace))
    assert told(stand, stand.store.manifest_path("plain"))[3:8] == [
        "trace   error, from instrumented",
        *('  input "refund"', "  tool_call lookup", '    with {"id": "O-1"}', '    gave "found"'),
    ]
    lines = told(stand, put(stand, odd_exchanges()))
    assert "  GET /models?limit=2 → 404" in lines
    assert "  answer: 68656c6c6f" in lines


def gone(stand: Stand) -> Path:
    """The first version of a fixture, of which the work tree has no objects any more."""
    stand.git("init", "-q")
    old = copy(stand, put(stand, conversation(2)))
    stand.git("add", "-A")
    stand.git("commit", "-qm", "old")
    put(stand, conversation(2, system="Another prompt.", size=60))
    stand.git("add", "-A")
    stand.git("commit", "-qm", "new")
    return old


def test_objects_come_from_history_where_the_work_tree_has_them_no_more(stand: Stand) -> None:
    old = gone(stand)
    assert "      You refund orders, once, after looking them up." in told(stand, old)


def test_objects_come_from_the_index_before_any_commit(stand: Stand) -> None:
    stand.git("init", "-q")
    path = copy(stand, put(stand, conversation(2)))
    stand.git("add", "-A")
    stand.store.delete("refund")
    assert "      You refund orders, once, after looking them up." in told(stand, path)


def test_a_store_below_the_top_is_found_and_one_that_was_moved(stand: Stand) -> None:
    old = gone(stand)
    (stand.root / "services").mkdir()
    stand.git("mv", ".stepfork", "services/.stepfork")
    stand.git("commit", "-qm", "moved")
    now = copy(stand, stand.root / "services" / ".stepfork" / "fixtures" / "refund.json")
    assert "      Another prompt." in told(stand, now)
    assert "      You refund orders, once, after looking them up." in told(stand, old)


def test_the_manifest_speaks_alone_where_objects_are_gone(stand: Stand) -> None:
    path = copy(stand, put(stand, conversation(2)))
    stand.store.delete("refund")
    lines = told(stand, path)
    assert lines[3] == "what the manifest says alone: its objects are not in this repository"
    assert [line for line in lines if "answer" in line] == [
        f"  assistant: answer {turn} ".ljust(40 + len("  assistant: "), "a") for turn in (0, 1)
    ]


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\xff\x00\r\n",
        b"text without an end of line",
        b'{"a": 1}',
        b'{"fixture_version": 2}',
        b"[" * 100_000,
        b'{"fixture_version": 1, "name": "x", "objects": [' + b'"x",' * 100_000 + b'"x"]}',
        b"<<<<<<< HEAD\n{}\n=======\n{}\n>>>>>>> side\n",
    ],
)
def test_what_is_no_manifest_stays_as_it_is(
    project: Path, capfdbinary: pytest.CaptureFixture[bytes], data: bytes
) -> None:
    (project / "-odd name.json").write_bytes(data)
    assert main(["textconv", "--", "-odd name.json"]) == 0
    assert capfdbinary.readouterr() == (data, b"")
    assert main(["textconv", "--or-nothing", "--", "-odd name.json"]) == 1
    assert capfdbinary.readouterr() == (b"", b"")


def test_secrets_and_escape_codes_are_not_shown(stand: Stand) -> None:
    path = put(stand, [chat([user(f"My key is {KEY} \x1b[2J\x1b]52;c;eA\x07 \u202eabc")], "Ok.")])
    for one in (path, copy(stand, path)):
        (line,) = [line for line in told(stand, one) if line.startswith("  user: ")]
        assert line == "  user: My key is [redacted] \\x1b[2J\\x1b]52;c;eA\\x07 \\u202eabc"
    moved = copy(stand, path)
    stand.store.delete("refund")
    assert KEY not in "".join(told(stand, moved))


def test_what_takes_too_long_is_shown_as_it_is(stand: Stand, monkeypatch: pytest.MonkeyPatch) -> None:
    path = put(stand, conversation(3))
    monkeypatch.setenv("STEPFORK_GIT_SECONDS", "0.00001")
    assert "\n".join(told(stand, path)) + "\n" == path.read_text()
    for word in ("0", "never"):
        monkeypatch.setenv("STEPFORK_GIT_SECONDS", word)
        assert told(stand, path)[0] == "refund"


def test_bad_words_are_refused(stand: Stand) -> None:
    assert "takes one FILE" in stand.stepfork("textconv", code=2).err
    assert "No such file" in stand.stepfork("textconv", "nothing.json", code=2).err
    assert stand.stepfork("textconv", "--help").out.startswith("Usage: stepfork textconv ")


def test_a_config_that_cannot_be_read_hides_nothing(stand: Stand) -> None:
    path = put(stand, conversation(1))
    (stand.root / ".env").mkdir()
    (stand.store.root / "config.toml").write_text("[redact\n")
    assert told(stand, path)[0] == "refund"
    assert msgspec.json.decode(path.read_bytes())["name"] == "refund"

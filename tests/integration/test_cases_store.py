"""What is kept of odd bodies, and a store that was damaged, killed, cloned or merged, all through the command line."""

from __future__ import annotations

import datetime as dt
import json
import os
import signal
import stat
import subprocess
import sys
import uuid
from pathlib import Path

import pytest
from blake3 import blake3

from stepfork.errors import DamagedError
from stepfork.store.objects import ObjectFolder
from stepfork.trace.body import EventsBody, TextBody
from stepfork.trace.wire import body_bytes
from tests.integration.stand import Stand
from tests.integration.wire import CHAT_EVENTS, Asked, Line, Script

JSON = "Content-Type: application/json"


def answering(body: bytes) -> Script:
    return lambda asked, line: line.whole(body, JSON)


def said(content: str) -> bytes:
    """A whole answer; `content` is a JSON text, so that it can be spelled in any way."""
    message = f'{{"role":"assistant","content":{content}}}'
    return f'{{"choices":[{{"index":0,"message":{message},"finish_reason":"stop"}}]}}'.encode()


def bodies(stand: Stand, name: str = "case") -> list[tuple[bytes, bytes]]:
    """The bytes that would be sent again: of each request and of each response."""
    run = stand.store.read(name).run
    return [(body_bytes(one.request.body), body_bytes(one.response.body)) for one in run.exchanges]


# What a run makes up


def test_c030_an_upload_with_another_boundary_is_the_same_fixture(stand: Stand) -> None:
    program = """
import secrets
mark = secrets.token_hex(16)
part = 'Content-Disposition: form-data; name="file"; filename="a.txt"'
body = f"--{mark}\\r\\n{part}\\r\\n\\r\\nhello\\r\\n--{mark}--\\r\\n".encode()
call(body, "/files", [("Content-Type", f"multipart/form-data; boundary={mark}")])
"""
    assert " new" not in stand.capture(program, code=1).line("stored")  # no model call is in it
    first = stand.files()
    assert f"{len(first)} files, none new, " in stand.capture(program, code=1).line("stored")
    assert stand.files() == first
    one, two = (asked.body for asked in stand.model.asked)
    assert one != two
    assert b"hello" in b"".join(first.values())


def test_c031_ids_and_clocks_that_come_back_in_the_next_request_are_placeholders(stand: Stand) -> None:
    def fresh(asked: Asked, line: Line) -> None:
        call = {"id": f"call_{uuid.uuid4().hex[:24]}", "type": "function"}
        call["function"] = {"name": "t", "arguments": "{}"}  # type: ignore[assignment]
        message = {
            "role": "assistant",
            "content": f"asked at {dt.datetime.now(dt.UTC).isoformat()}",
            "tool_calls": [call],
        }
        choice = {"index": 0, "message": message, "finish_reason": "tool_calls"}
        line.whole(json.dumps({"id": f"chatcmpl-{uuid.uuid4().hex}", "choices": [choice]}).encode(), JSON)

    program = """
messages = [{"role": "user", "content": "go"}]
message = json.loads(call({"model": "m", "messages": messages}))["choices"][0]["message"]
result = {"role": "tool", "tool_call_id": message["tool_calls"][0]["id"], "content": message["content"]}
call({"model": "m", "messages": [*messages, message, result]})
"""
    stand.capture(program, fresh)
    first = stand.files()
    stand.capture(program, fresh)
    assert stand.files() == first
    document = stand.document()
    request, response = document["exchanges"][1]["request"]["body"]["json"], document["exchanges"][0]["response"]
    given = response["body"]["json"]["choices"][0]["message"]["tool_calls"][0]["id"]
    assert given.startswith("call_{{id_")
    assert request["messages"][2]["tool_call_id"] == given
    assert document["trace"]["steps"][1]["call_id"] == given
    assert request["messages"][2]["content"].startswith("asked at {{timestamp_1")


def test_c032_what_only_looks_like_an_id_or_a_time_is_stored_as_it_is(stand: Stand) -> None:
    kept = [
        "claude-sonnet-4-5-20250929",
        "1.2.20240101",
        "SKU 2024-11-05-88",
        "a94a8fe5ccb19ba61c4c0873d391e987982fbbd3",
        "7d0e8d4c-3c2b-4c5e-9f68-0d7a4f1b2c3d",
    ]
    stand.capture(f"call({{'model': {kept[0]!r}, 'messages': [{{'role': 'user', 'content': {' | '.join(kept)!r}}}]}})")
    body = stand.document()["exchanges"][0]["request"]["body"]["json"]
    assert body == {"model": kept[0], "messages": [{"role": "user", "content": " | ".join(kept)}]}


def test_c033_json_that_is_empty_or_cut_is_kept_as_it_came(stand: Stand) -> None:
    program = 'call(b\'\'); call(b\'{"messages": [{"content": "x\')'
    stand.capture(program, answering(b'{"choices": [{"mess'), code=1)
    assert bodies(stand) == [(b"", b'{"choices": [{"mess'), (b'{"messages": [{"content": "x', b'{"choices": [{"mess')]
    assert "invalid JSON" in stand.document()["exchanges"][1]["request"]["body"]["reason"]


# What JSON cannot carry exactly


def test_c051_integers_past_64_bits_keep_their_digits_and_tell_fixtures_apart(stand: Stand) -> None:
    for number in ("18446744073709551616", "18446744073709551617"):
        asked, answered = f'{{"model":"m","messages":[],"seed":{number}}}'.encode(), said(f'"hi","v":{number}')
        out = stand.capture(f"call({asked!r})", answering(answered), name=f"seed-{number[-1]}")
        assert "check clean" in out.line("trace")  # the agent got its answer
        assert stand.model.asked[-1].body == asked
        assert bodies(stand, f"seed-{number[-1]}") == [(asked, answered)]
    six, seven = (stand.manifest(name)["exchanges"][0]["object"] for name in ("seed-6", "seed-7"))
    assert six != seven
    diff = stand.stepfork("diff", "seed-6", "seed-7", "--exit-code", code=1)
    assert "18446744073709551617" in diff.out


def test_c052_a_number_that_is_no_number_is_no_null(stand: Stand) -> None:
    for name, cost in (("nan", "NaN"), ("inf", "-Infinity"), ("null", "null")):
        answered = said(f'"hi","cost":{cost}')
        stand.capture("ask('hi')", answering(answered), name=name)
        assert bodies(stand, name)[0][1] == answered
        assert stand.manifest(name)["exchanges"][0]["says"][-1] == "assistant: hi"
    objects = [stand.manifest(name)["exchanges"][0]["object"] for name in ("nan", "inf", "null")]
    assert len(set(objects)) == 3
    assert "not finite" in stand.document("nan")["exchanges"][0]["response"]["body"]["reason"]


def test_c053_repeated_members_are_forwarded_as_sent_and_kept_as_they_are(stand: Stand) -> None:
    asked = b'{"model":"test-model","messages":[{"role":"user","role":"system","content":"hi"}]}'
    stand.capture(f"call({asked!r})")
    assert stand.model.asked[0].body == asked
    assert bodies(stand)[0][0] == asked
    reason = stand.document()["exchanges"][0]["request"]["body"]["reason"]
    assert reason == "an object has two members of the same name"


def test_c054_half_a_character_is_recorded_as_sent_and_costs_nothing_else(stand: Stand) -> None:
    answered = said(r'"cut \ud83d"')
    chats = "first = json.loads(ask('hi'))['choices'][0]['message']['content']\nask('hi', first, 'go on')"
    out = stand.capture(chats, answering(answered))
    assert out.line("trace") == "trace         2 steps derived from the exchanges (no spans), check clean"
    assert bodies(stand)[0][1] == answered
    assert bodies(stand)[1][0] == stand.model.asked[1].body
    assert rb"cut \ud83d" in bodies(stand)[1][0]
    assert "assistant: cut �" in stand.stepfork("show", "case").out
    first = stand.files()
    stand.capture(chats, answering(answered))
    assert stand.files() == first
    stand.stepfork("pack", "case", "case.sftrace")
    assert (
        stand.stepfork("diff", "case.sftrace", "case", "--responses").out == "case: no semantic change (2 exchanges)\n"
    )


def test_c054_half_a_character_in_a_stream_and_in_spans(stand: Stand) -> None:
    delta = rb'data: {"choices":[{"index":0,"delta":{"content":"cut \ud83d"}}]}' + b"\n\n"
    tool = "span(2, 'execute_tool t', 'execute_tool', gen_ai__tool__name='t', gen_ai__tool__call__result='cut \\ud83d')"
    out = stand.capture(
        f"ask('hi', stream=True)\nexport(span(1), {tool})",
        lambda asked, line: line.stream(CHAT_EVENTS[0], delta, *CHAT_EVENTS[-2:]),
    )
    assert "tool calls    1   t" in out.err
    body = stand.store.read("case").run.exchanges[0].response.body
    assert isinstance(body, EventsBody)
    assert body.events[1] == delta.decode().strip()
    assert stand.document()["trace"]["steps"][1]["result"] == "cut �"
    stand.stepfork("validate", "case")
    assert stand.stepfork("fsck").err.endswith("all well\n")


@pytest.mark.parametrize("levels", [300, 2000, 100_000])
def test_c056_nesting_past_the_limit_is_kept_as_text_with_the_reason(stand: Stand, levels: int) -> None:
    program = f"""
deep = "[" * {levels} + "]" * {levels}
result = {{"role": "tool", "tool_call_id": "call_1", "content": deep}}
call({{"model": "m", "messages": [{{"role": "user", "content": "go"}}, result]}})
call('{{"model":"m","messages":[{{"role":"user","content":'.encode() + deep.encode() + b"}}]}}")
"""
    deep = b"[" * levels + b"]" * levels
    stand.capture(program, answering(said(f'"hi","x":{deep.decode()}')), code=1)
    (first, answer), (second, _) = bodies(stand)
    assert json.loads(first)["messages"][1]["content"] == deep.decode()
    assert second == stand.model.asked[1].body
    assert deep in answer
    kept = stand.store.read("case").run.exchanges[1].request.body
    assert isinstance(kept, TextBody)
    assert kept.reason == "nested more than 200 levels deep" or "invalid JSON" in str(kept.reason)
    stand.stepfork("validate", "case")
    stand.capture("ask('hi')", name="other")
    assert stand.stepfork("diff", "case", "other", "--responses", "--trace", "--exit-code", code=1).err == ""


# Bytes and their names


def test_c057_line_endings_inside_a_value_are_content(stand: Stand) -> None:
    stand.capture("ask('a\\nb')", name="lf")
    stand.capture("ask('a\\r\\nb')", name="crlf")
    lf, crlf = (stand.manifest(name)["exchanges"][0]["object"] for name in ("lf", "crlf"))
    assert lf != crlf
    for path, data in stand.files().items():
        assert b"\r" not in data
        if path.startswith("objects/"):
            assert path == f"objects/{(name := blake3(data).hexdigest())[:2]}/{name[2:]}.json"
    assert "+ a\\r" in stand.stepfork("diff", "lf", "crlf").out


def test_c057_a_line_end_across_a_border_of_8_mib_is_hashed_as_it_is(tmp_path: Path) -> None:
    folder = ObjectFolder(tmp_path, "objects")
    data = b"x" * ((8 << 20) - 1) + b"\r\n" + b"y" * 10
    name = blake3(data).hexdigest()
    folder.write_all({name: data})
    assert folder.get(name) == data
    folder.path(name).write_bytes(data.replace(b"\r\n", b"\n"))
    with pytest.raises(DamagedError):
        folder.get(name)


def test_c058_a_checkout_with_crlf_loads_verifies_and_captures_without_a_diff(
    stand: Stand, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    program = "ask('first line\\nsecond line', system='a')"
    stand.capture(program)
    before = stand.files()
    stand.git("init", "-q")
    stand.git("add", "-A")
    stand.git("commit", "-q", "-m", "fixture")
    clone = tmp_path / "clone"
    crlf = ("-c", "core.autocrlf=true", "-c", "core.eol=crlf")
    stand.git("clone", "-q", *crlf, str(stand.root), str(clone))
    assert b"\r\n" in (clone / "agent.py").read_bytes()
    monkeypatch.chdir(clone)
    there = Stand(clone, stand.model, stand.capfd)
    assert there.files() == before
    there.stepfork("validate", "case")
    assert there.stepfork("fsck").err.endswith("all well\n")
    there.stepfork("replay", "case", "--", "python", "agent.py")
    there.stepfork("capture", "--name", "case", "--", "python", "agent.py")
    assert there.git("status", "--porcelain", "--ignored", ".stepfork") == ""
    there.capture("ask('another line')")
    assert not [path for path, data in there.files().items() if b"\r" in data]


def test_c059_a_damaged_object_is_never_served(stand: Stand) -> None:
    stand.capture("ask('hi')")
    stand.capture("ask('hi'); ask('there')", name="other")
    path = stand.store.objects.path(stand.manifest()["exchanges"][0]["object"])
    good = path.read_bytes()
    place = path.relative_to(stand.root).as_posix()
    for bad in (good.replace(b"hi", b"ho", 1), b""):
        path.write_bytes(bad)
        shown = (["show", "case"], ["show", "case", "--json"], ["diff", "other", "case"], ["pack", "case"])
        for words in (*shown, ["replay", "case", "--", "python", "agent.py"]):
            refused = stand.stepfork(*words, code=2)
            assert refused.out == ""
            assert refused.err.startswith(f"stepfork {words[0]}: {place}: the object is damaged")
            assert "needed by case, other" in refused.err
            assert refused.err.count("\n") == 1
        assert place in stand.stepfork("validate", "case", code=2).err
        found = stand.stepfork("fsck", code=1)
        assert found.out.startswith(f"{place}: ")
        assert "case, other" in found.out
        stand.capture("ask('hi')")
        assert path.read_bytes() == good
        assert stand.stepfork("fsck").err.endswith("all well\n")


# Writers that die, meet, or are kept out


def test_c060_a_capture_that_is_killed_leaves_the_old_fixture_and_nothing_to_clean(stand: Stand) -> None:
    stand.capture("ask('hi')")
    before = stand.files()
    stand.agent("ask('new'); print('up', flush=True); sys.stdin.read()")
    command = [sys.executable, "-m", "stepfork", "capture", "--name", "case", "--", "python", "agent.py"]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=os.environ
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"up\n"
        process.send_signal(signal.SIGKILL)
        assert process.wait() == -signal.SIGKILL
    assert stand.files() == before
    manifest = stand.store.manifest_path("case")
    (manifest.parent / ".case-1-dead.tmp").write_bytes(manifest.read_bytes()[:100])
    (stand.store.objects.path("ab" * 32).parent).mkdir()
    (stand.store.objects.path("ab" * 32).parent / ".ab-2-dead.tmp").write_bytes(b'{"half')
    assert stand.stepfork("ls").out.startswith("case ")
    assert stand.stepfork("fsck").err.endswith("all well\n")
    stand.capture("ask('new')")
    assert not list(stand.store.root.rglob("*.tmp"))
    assert stand.manifest()["exchanges"][0]["says"][0] == "user: new"


def test_c061_a_name_that_differs_only_in_case_is_refused_before_the_command_runs(stand: Stand) -> None:
    stand.capture("ask('hi')", name="team/refund")
    for name in ("team/Refund", "Team/refund"):
        refused = stand.capture("open('ran', 'w')", name=name, code=2)
        assert "differs from the fixture team/refund only in case" in refused.err
    assert not (stand.root / "ran").exists()
    stand.stepfork("pack", "team/refund", "a.sftrace")
    assert "only in case" in stand.stepfork("unpack", "a.sftrace", "--name", "team/REFUND", code=2).err
    assert stand.store.names() == ["team/refund"]


def test_c062_a_refresh_that_another_writer_overtook_is_told_and_its_run_is_kept(stand: Stand) -> None:
    other = f"{sys.executable!r}, '-m', 'stepfork', 'capture', '--name', 'case', '--', 'python', 'other.py'"
    stand.capture("ask('mine')")
    stand.agent("ask('other')")
    (stand.root / "agent.py").rename(stand.root / "other.py")
    stand.agent(f"import subprocess\nask('mine, refreshed'); subprocess.run([{other}], check=True)")
    lost = stand.stepfork("capture", "--refresh", "case", "--yes", code=1)
    cause = ".stepfork/fixtures/case.json: another writer changed the fixture meanwhile; look at it and try again"
    assert lost.line("cause         .stepfork") == f"cause         {cause}"
    assert stand.manifest()["exchanges"][0]["says"][0] == "user: other"
    assert "user: mine, refreshed" in stand.stepfork("show", ".stepfork/failed/case.sftrace").out
    assert stand.stepfork("fsck").err.endswith("all well\n")


def test_c063_read_only_files_are_captured_over_and_collected(stand: Stand) -> None:
    stand.capture("ask('one')")
    old = set(stand.files())
    for path in stand.store.root.rglob("*.json"):
        path.chmod(stat.S_IREAD)
    stand.capture("ask('two')")
    assert len(set(stand.files()) & old) == 1  # the manifest alone: nothing of the old run stays
    stray = stand.store.objects.path(blake3(b"{}\n").hexdigest())
    stray.parent.mkdir(exist_ok=True)
    stray.write_bytes(b"{}\n")
    for path in stand.store.root.rglob("*.json"):
        path.chmod(stat.S_IREAD)
    assert stand.stepfork("gc", "--dry-run").out == f"{stray.relative_to(stand.root).as_posix()}\n"
    said = stand.stepfork("gc")
    assert (said.out, said.err) == ("", "stepfork gc: removed 1 file, 3 bytes; 2 objects reached\n")
    assert not stray.exists()


def test_c064_a_fixture_in_conflict_is_one_message_and_bad_input(stand: Stand) -> None:
    stand.git("init", "-q")
    for text, then in (("base", ("checkout", "-q", "-b", "theirs")), ("their run", ("checkout", "-q", "main"))):
        stand.capture(f"ask({text!r})")
        stand.git("add", "-A")
        stand.git("commit", "-q", "-m", text)
        stand.git(*then)
    stand.capture("ask('our run')")
    stand.git("add", "-A")
    stand.git("commit", "-q", "-m", "our run")
    done = subprocess.run(["git", "merge", "-q", "theirs"], cwd=stand.root, capture_output=True, check=False)
    assert done.returncode == 1
    stand.store.manifest_path("case").write_bytes(
        b'{\n  "fixture_version": 1,\n<<<<<<< HEAD\n  "name": "ours"\n=======\n  "name": "theirs"\n>>>>>>> theirs\n}\n'
    )
    message = ".stepfork/fixtures/case.json: unmerged conflict; take one run whole: stepfork resolve"
    unmerged = ".stepfork/fixtures/case.json: is unmerged; stepfork resolve case --ours|--theirs, then git add\n"
    assert stand.stepfork("diff", "case", "HEAD:case", code=2) == ("", f"stepfork diff: {unmerged}")
    shown = (["show", "case"], ["validate", "case"], ["pack", "case"])
    for words in (*shown, ["replay", "case", "--", "python", "agent.py"]):
        refused = stand.stepfork(*words, code=2)
        assert refused.out == ""
        assert refused.err.startswith(f"stepfork {words[0]}: {message}")
        assert refused.err.count("\n") == 1
    assert message in stand.stepfork("capture", "--refresh", "case", "--yes", code=2).err
    assert message in stand.stepfork("ls", code=2).out
    assert stand.stepfork("fsck", code=1).out.startswith(message)
    stand.stepfork("resolve", "case", "--theirs")
    stand.git("add", ".stepfork")
    assert stand.manifest()["exchanges"][0]["says"][0] == "user: their run"
    assert stand.stepfork("fsck").err.endswith("all well\n")


def test_c065_words_of_any_script_are_stored_as_words(stand: Stand) -> None:
    words = "naïve Größe 漢字 возврат 🚀 é"
    stand.capture(f"ask({words!r})", answering(said(json.dumps(f"→ {words}"))))
    texts = {path: data.decode() for path, data in stand.files().items()}
    assert f'"user: {words}"' in texts["fixtures/case.json"]
    assert f'"assistant: → {words}"' in texts["fixtures/case.json"]
    (stored,) = (text for text in texts.values() if '"request"' in text)
    assert f'"content": "{words}"' in stored
    assert f'"content": "→ {words}"' in stored
    assert words in stand.stepfork("show", "case").out

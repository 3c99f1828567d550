"""What a replay gives back: this run's addresses, folders and ids, and times that are times."""

from __future__ import annotations

import json
import shutil
import time
import uuid
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.integration.stand import Said, Stand
from tests.integration.wire import Asked, Line

DESK = """
ORDERS = json.load(open("orders.json"))
BOSS, WRONG = ORDERS.pop("boss"), ORDERS.pop("wrong", None)
sent = []

def serve(order):
    messages = [{"role": "user", "content": f"Serve {order}. The boss is {BOSS}."}]
    while True:
        said = json.loads(call({"model": "test-model", "messages": messages}))
        if "error" in said:
            return
        said = said["choices"][0]["message"]
        messages.append(said)
        if not said.get("tool_calls"):
            return
        for asked in said["tool_calls"]:
            given = json.loads(asked["function"]["arguments"])
            if asked["function"]["name"] == "look_up":
                result = json.dumps({"customer": ORDERS[given["order"]]})
            else:
                sent.append(given["email"])
                result = f"sent to {WRONG or given['email']}"
            messages.append({"role": "tool", "tool_call_id": asked["id"], "content": result})

threads = [threading.Thread(target=serve, args=(order,)) for order in (sorted(ORDERS) if sys.argv[1:] else ORDERS)]
for thread in threads:
    thread.start()
    if sys.argv[1:]:
        thread.join()
for thread in threads:
    thread.join()
print(*sorted(sent))
"""


def answer(said: dict[str, Any], line: Line) -> None:
    body = {"id": f"chatcmpl-{uuid.uuid4().hex}", "choices": [{"index": 0, "message": said, "finish_reason": "stop"}]}
    line.whole(json.dumps(body).encode(), "Content-Type: application/json")


def desk_model(asked: Asked, line: Line) -> None:
    """Looks the order up, writes to its customer, says so."""
    messages = json.loads(asked.body)["messages"]
    results = [message["content"] for message in messages if message["role"] == "tool"]
    if len(results) == 2:
        return answer({"role": "assistant", "content": f"Wrote to the customer: {results[1]}."}, line)
    order = messages[0]["content"].split()[1].rstrip(".")
    given = {"email": json.loads(results[0])["customer"]} if results else {"order": order}
    function = {"name": "notify" if results else "look_up", "arguments": json.dumps(given)}
    call = {"id": f"call_{uuid.uuid4().hex}", "type": "function", "function": function}
    return answer({"role": "assistant", "content": None, "tool_calls": [call]}, line)


@pytest.fixture
def desk(stand: Stand) -> Stand:
    """Two customers, each served in a thread of its own."""
    people(stand, boss="boss@example.com", **{"O-1": "ada@example.com", "O-2": "bob@example.org"})
    assert stand.capture(DESK, desk_model, name="desk").out == "ada@example.com bob@example.org\n"
    return stand


def people(stand: Stand, **named: str) -> None:
    (stand.root / "orders.json").write_text(json.dumps(named))


def replay(stand: Stand, *words: str, code: int = 0) -> Said:
    tools = ("--executes", "look_up", "--executes", "notify")
    return stand.stepfork("replay", "desk", *tools, "--", "python", "agent.py", *words, code=code)


def test_tools_receive_this_runs_addresses_in_whatever_order_calls_arrive(desk: Stand) -> None:
    people(desk, **{"O-2": "eve@example.net", "O-1": "ada@example.com"}, boss="boss@example.com")
    assert replay(desk).out == "ada@example.com eve@example.net\n"
    people(desk, **{"O-2": "bob@example.org", "O-1": "dan@example.net"}, boss="chief@example.com")
    assert replay(desk, "one after the other").out == "bob@example.org dan@example.net\n"


def test_addresses_in_other_roles_miss(desk: Stand) -> None:
    """The letter goes to the boss: a run that is the same but for who is who."""
    people(
        desk, boss="boss@example.com", wrong="boss@example.com", **{"O-1": "ada@example.com", "O-2": "bob@example.org"}
    )
    said = replay(desk, code=1)
    assert "first difference   addresses stand in other roles than recorded" in said.err
    assert "boss@example.com" not in said.err


CAREFUL = r"""
import datetime, re, uuid
seen = set()
for turn in range(2):
    answer = json.loads(ask(f"turn {turn}"))
    assert re.fullmatch(r"chatcmpl-[0-9A-Za-z]{20,40}", answer["id"]), answer["id"]
    assert abs(answer["created"] - NOW.timestamp()) < 90000, answer["created"]
    said = json.loads(answer["choices"][0]["message"]["content"])
    assert re.fullmatch(r"[a-z0-9._+-]+@[a-z0-9-]+(\.[a-z0-9-]+)+", said["customer"]), said
    assert uuid.UUID(said["ticket"]).version == 4
    read = datetime.datetime.fromisoformat(said["read_at"].replace("Z", "+00:00"))
    assert abs(read - NOW) < datetime.timedelta(hours=25), read
    datetime.datetime.strptime(said["logged"], "%Y-%m-%d %H:%M:%S")
    assert said["due"] == "2031-05-17", said
    seen |= {answer["id"], said["ticket"]}
    ask(f"turn {turn}: ticket {said['ticket']} of {said['customer']} was read at {said['read_at']}")
assert len(seen) == 4, seen
print("all well")
"""


def careful_model(asked: Asked, line: Line) -> None:
    now = datetime.now(UTC)
    said = {
        "customer": "grace.hopper@example.com",
        "ticket": str(uuid.uuid4()),
        "read_at": f"{now:%Y-%m-%dT%H:%M:%S}Z",
        "logged": f"{now:%Y-%m-%d %H:%M:%S}",
        "due": "2031-05-17",
    }
    body = {
        "id": f"chatcmpl-{uuid.uuid4().hex}",
        "object": "chat.completion",
        "created": int(now.timestamp()),
        "choices": [
            {"index": 0, "message": {"role": "assistant", "content": json.dumps(said)}, "finish_reason": "stop"}
        ],
    }
    line.whole(json.dumps(body).encode(), "Content-Type: application/json")


CLOCK = "import datetime\nNOW = datetime.datetime.now(datetime.UTC) + datetime.timedelta(days=float(sys.argv[1]))\n"


def test_a_program_that_checks_addresses_ids_and_dates_works(stand: Stand) -> None:
    stand.agent(CLOCK + CAREFUL)
    stand.model.script = careful_model
    capture = ("capture", "--name", "careful", "--", "python", "agent.py", "0")
    assert stand.stepfork(*capture).out == "all well\n"
    stored = json.dumps(stand.document("careful"))
    assert "{{email_1}}" in stored
    assert "grace.hopper" not in stored
    said = stand.stepfork("replay", "careful", "--", "python", "agent.py", "0")
    assert said.out == "all well\n"
    assert said.line("served").startswith("served        4 of 4 ")


AT_HOME = """
import pathlib, tempfile
note = f"{NOW:%Y-%m-%d %H:%M:%S}: {os.getcwd()}/notes in {pathlib.Path.home()}, temporary {tempfile.gettempdir()}/x"
print(json.loads(ask(note, f"now {NOW.isoformat()}"))["choices"][0]["message"]["content"].partition(" says ")[0])
"""


def test_another_folder_another_home_a_day_later(stand: Stand, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Captured a day ago; the clock that counts is the one that stepfork tells the run's surroundings by."""
    real = time.time_ns
    with monkeypatch.context() as patched:
        patched.setattr(time, "time_ns", lambda: real() - int(timedelta(days=1).total_seconds() * 1e9))
        stand.agent(CLOCK + AT_HOME)
        stand.model.script = lambda asked, line: answer(
            {"role": "assistant", "content": f"{stand.root}/notes says {datetime.now(UTC) - timedelta(days=1)}"}, line
        )
        capture = ("capture", "--name", "home", "--", "python", "agent.py", "-1")
        assert stand.stepfork(*capture).out == f"{stand.root}/notes\n"
    elsewhere = tmp_path / "another machine" / "work"
    shutil.copytree(stand.root, elsewhere)
    monkeypatch.chdir(elsewhere)
    for name, folder in (("HOME", tmp_path / "another machine" / "grace"), ("TMPDIR", tmp_path / "scratch")):
        folder.mkdir()
        monkeypatch.setenv(name, str(folder))
    stand.root.rename(tmp_path / "gone")
    said = stand.stepfork("replay", "home", "--", "python", "agent.py", "0")
    assert said.out == f"{elsewhere}/notes\n"


def test_the_day_in_a_prompt_is_data_unless_a_project_says_otherwise(stand: Stand) -> None:
    config = stand.store.root / "config.toml"
    before = config.read_text()
    stand.agent(
        "said = json.loads(ask(f'Today is {sys.argv[1]}.')).get('choices') or sys.exit(1)\n"
        "print(said[0]['message']['content'])"
    )
    stand.model.script = lambda asked, line: answer(
        {"role": "assistant", "content": json.loads(asked.body)["messages"][0]["content"]}, line
    )
    today, other = datetime.now().astimezone().date(), "2031-05-17"
    for on in (False, True):
        config.write_text(before + ("[normalize]\ntoday = true\n" if on else ""))
        capture = ("capture", "--name", "day", "--", "python", "agent.py", str(today))
        assert stand.stepfork(*capture).out == f"Today is {today}.\n"
        stored = stand.document("day")
        assert ("Today is {{today}}." in json.dumps(stored["exchanges"])) == on
        assert stored["source"]["command"][-1] == str(today)  # somebody typed it
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(time, "time_ns", lambda real=time.time_ns: real() + 86_400 * 10**9)
            replay = ("replay", "day", "--", "python", "agent.py", str(today + timedelta(days=1)))
            said = stand.stepfork(*replay, code=int(not on))
            assert said.out == (f"Today is {today + timedelta(days=1)}.\n" if on else "")
        assert stand.stepfork("replay", "day", "--", "python", "agent.py", other, code=1).out == ""

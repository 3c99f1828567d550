"""`stepfork replay` from the command line: what is refused before anything runs, what passes, and what a miss says."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

import msgspec
import pytest
from jsonschema import Draft202012Validator

import stepfork
from stepfork.cli.main import main
from stepfork.trace.fixture import Fixture
from tests.integration.stand import Said, Stand
from tests.integration.wire import Asked, Line

SCHEMA = json.loads((Path(stepfork.__file__).parent / "schemas/replay.schema.json").read_text(encoding="utf-8"))
TOOLS = ("--executes", "look_up", "--executes", "refund")

SHOP = """
open("ran", "a").write("x")
ORDERS = json.load(open("orders.json"))
DONE = {"look_up": lambda order: ORDERS[order], "refund": lambda order, **more: {"ok": True, **more}}
messages = [{"role": "system", "content": open("prompt").read()}, {"role": "user", "content": "Refund O-1042."}]
spans = []
while True:
    answer = json.loads(call({"model": "test-model", "messages": messages}))
    if "error" in answer:
        sys.exit("the model said no")
    said = answer["choices"][0]["message"]
    spans.append(span(len(spans) + 1))
    messages.append(said)
    if not said.get("tool_calls"):
        break
    for asked in said["tool_calls"]:
        name, given = asked["function"]["name"], json.loads(asked["function"]["arguments"])
        result = json.dumps(DONE[name](**given))
        messages.append({"role": "tool", "tool_call_id": asked["id"], "content": result})
        spans.append(span(len(spans) + 1, f"execute_tool {name}", "execute_tool", gen_ai__tool__name=name,
                          gen_ai__tool__call__id=asked["id"], gen_ai__tool__call__arguments=json.dumps(given)))
export(*spans)
print(said["content"])
"""


def shop_model(asked: Asked, line: Line) -> None:
    """Looks the order up, refunds it, answers."""
    results = [message for message in json.loads(asked.body)["messages"] if message["role"] == "tool"]
    calls: list[tuple[str, dict[str, Any]]] = [("look_up", {"order": "O-1042"})]
    if results:
        calls.append(("refund", {"order": "O-1042", "amount": json.loads(results[0]["content"])["amount"]}))
    said: dict[str, Any] = {"role": "assistant", "content": "It is done."}
    if len(results) < 2:
        name, given = calls[len(results)]
        function = {"name": name, "arguments": json.dumps(given)}
        call = {"id": f"call_{len(results)}AbCdEf0123456789", "type": "function", "function": function}
        said = {"role": "assistant", "content": None, "tool_calls": [call]}
    answer = {"id": "chatcmpl-test0001", "choices": [{"index": 0, "message": said, "finish_reason": "stop"}]}
    line.whole(json.dumps(answer).encode(), "Content-Type: application/json")


@pytest.fixture(scope="module")
def captured(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the shop's project is kept once it was captured: it is the same for each test."""
    return tmp_path_factory.mktemp("captured") / "shop"


@pytest.fixture
def shop(stand: Stand, captured: Path) -> Stand:
    """A stand with a fixture `shop` of two tool calls, whose model has gone since."""
    if not captured.exists():
        (stand.root / "orders.json").write_text('{"O-1042": {"amount": 40.0, "note": "gift"}}')
        (stand.root / "prompt").write_text("You refund once.")
        stand.capture(SHOP, shop_model, name="shop")
        stand.model.asked.clear()
        (stand.root / "ran").unlink()
        shutil.copytree(stand.root, captured)
    shutil.copytree(captured, stand.root, dirs_exist_ok=True)
    return stand


def replay(shop: Stand, *options: str, code: int = 0, command: tuple[str, ...] = ("python", "agent.py")) -> Said:
    said = shop.stepfork("replay", "shop", *options, "--", *command, code=code)
    assert shop.model.asked == []
    return said


def test_a_replay_says_what_was_served_and_what_was_executed(shop: Stand) -> None:
    said = replay(shop, *TOOLS)
    assert said.out == "It is done.\n"
    assert said.line("served") == "served        3 of 3   openai chat_completions test-model"
    assert said.line("executed") == "executed      look_up, refund"
    assert said.line("shop: ").startswith("shop: replayed ")
    assert said.line("shop: ").endswith(" s, exit 0")


def test_tools_that_nobody_listed_are_refused_before_the_child_starts(shop: Stand) -> None:
    said = replay(shop, "--executes", "look_up", code=2)
    assert "really runs tools that are not listed: refund; " in said.err
    assert "add --executes refund " in said.err
    assert len(said.err.splitlines()) == 1
    assert not (shop.root / "ran").exists()


def test_a_tool_that_a_route_serves_need_not_be_listed(shop: Stand) -> None:
    config = shop.store.root / "config.toml"
    config.write_text(
        config.read_text() + '[routes.shop]\nvariable = "SHOP_URL"\ndialect = "opaque"\ntools = ["refund"]\n'
    )
    said = replay(shop, "--executes", "look_up")
    assert said.line("executed") == "executed      look_up"
    assert said.line("by a route") == "by a route    refund"


def test_without_a_command_the_recorded_one_is_shown_and_not_run(shop: Stand) -> None:
    said = shop.stepfork("replay", "shop", *TOOLS, code=2)
    assert said.err.endswith("; read the recorded one, and type: stepfork replay shop -- python agent.py\n")
    evil = shop.store.manifest("shop").replace(b'"agent.py"', b'"; touch pwned \\u001b[2J"')
    shop.store.manifest_path("evil").write_bytes(evil)
    said = shop.stepfork("replay", "evil", code=2)
    assert said.err.endswith("stepfork replay evil -- python '; touch pwned \\x1b[2J'\n")
    assert not (shop.root / "ran").exists()


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("replay", "nothing"), "'nothing' is no fixture, manifest, bundle or revision"),
        (
            ("replay", "a/b", "--", "python", "agent.py", "--token", "t0psecret-" + "value"),
            ".stepfork/fixtures/a/b.json: there is no such fixture; record it on your machine and commit it: "
            "stepfork capture --name a/b -- python agent.py --token '[redacted]'",
        ),
        (("replay", "shop", "--mode", "warm", "--", "true"), "--mode warm is none that there is"),
        (("replay", "shop", "--format", "gitlab", "--", "true"), "--format is text or github"),
        (("replay", "shop", "--json", "--format", "github", "--", "true"), "both want stdout"),
        (("replay", "shop", "--result-file", "no/such/folder", "--", "true"), "no/such/folder: cannot be written"),
        (("replay", "shop", *TOOLS, "--", "no-such-program"), "no-such-program: command not found"),
    ],
    ids=lambda value: value[1] + value[-1] if isinstance(value, tuple) else "",
)
def test_what_cannot_be_replayed_is_one_line(shop: Stand, words: tuple[str, ...], told: str) -> None:
    said = shop.stepfork(*words, code=2)
    assert told in said.err
    assert len(said.err.splitlines()) == 1
    assert said.out == ""


def test_a_fixture_without_calls_a_draft_and_a_missing_route_are_refused(shop: Stand) -> None:
    export = {"resourceSpans": [{"scopeSpans": [{"spans": []}]}]}
    span = {"traceId": "01" * 16, "spanId": "01" * 8, "name": "chat", "attributes": []}
    span["attributes"] = [{"key": "gen_ai.operation.name", "value": {"stringValue": "chat"}}]
    export["resourceSpans"][0]["scopeSpans"][0]["spans"] = [span]  # type: ignore[list-item]
    (shop.root / "spans.json").write_text(json.dumps(export))
    assert main(["capture", "--name", "told", "--from", "spans.json"]) in (0, 1)
    assert "holds no model calls to answer from" in shop.stepfork("replay", "told", "--", "true", code=2).err
    shop.capture("call(b'{}')\nos.kill(os.getppid(), 15)\n", name="half", code=143)
    draft = str(next(shop.store.root.glob("failed/*")))
    assert "is the draft of a failed capture" in shop.stepfork("replay", draft, "--", "true", code=2).err
    run = shop.store.read("shop").run
    probe = msgspec.structs.replace(run.exchanges[0].request, method="HEAD", body=None)
    probes = (msgspec.structs.replace(run.exchanges[0], request=probe, api="other"),)
    shop.store.write(Fixture("probes", msgspec.structs.replace(run, exchanges=probes)))
    assert "holds no model calls to answer from" in shop.stepfork("replay", "probes", "--", "true", code=2).err
    exchanges = tuple(msgspec.structs.replace(exchange, provider="azure") for exchange in run.exchanges)
    shop.store.write(Fixture("azure", msgspec.structs.replace(run, exchanges=exchanges)))
    refused = shop.stepfork("replay", "azure", *TOOLS, "--", "true", code=2).err
    assert "has calls of a route that is not configured: azure; add [routes.azure] to config.toml" in refused


def test_a_bundle_and_a_manifest_replay_too(shop: Stand) -> None:
    shop.stepfork("pack", "shop", "shop.sftrace")
    for word in ("shop.sftrace", ".stepfork/fixtures/shop.json"):
        shop.stepfork("replay", word, *TOOLS, "--", "python", "agent.py")


def test_a_miss_names_what_changed_first_and_what_to_do(shop: Stand) -> None:
    (shop.root / "orders.json").write_text('{"O-1042": {"amount": 45.0, "note": "gift"}}')
    said = replay(shop, *TOOLS, code=1)
    lines = [line for line in said.err.splitlines() if not line.startswith("the model said no")]
    assert lines[0] == "replaying shop   model → 3 recorded calls   spans → listener"
    assert lines[1].startswith("shop: miss at model call 2 of 3    ")
    assert lines[1].endswith(" s, exit 1")
    assert lines[2:] == [
        "  first difference   message 2 (tool result look_up)",
        '      - "amount": 40.0',
        '      + "amount": 45.0',
        "  nearest recorded   exchange 1, all else equal",
        "  also               exit code 1, recorded 0",
        "  served 1, executed look_up (1×); 2 recorded calls unused",
        "if the change is wanted: stepfork capture --refresh shop",
        "if that value is noise, in .stepfork/config.toml:",
        "  [normalize.tool.look_up]",
        '  volatile = ["/amount"]',
    ]


def test_the_document_fits_its_schema_and_goes_to_a_file_too(shop: Stand) -> None:
    (shop.root / "prompt").write_text("You refund twice.")
    said = replay(shop, *TOOLS, "--json", "--result-file", "result.json", code=1)
    document = json.loads(said.out)
    assert (shop.root / "result.json").read_text() == said.out
    Draft202012Validator(SCHEMA).validate(document)
    assert document["passed"] is False
    assert document["outcome"] == "miss at model call 1 of 3"
    (miss,) = document["misses"]
    assert miss["component"] == "system"
    assert miss["difference"]["system"] == [
        {"op": "-", "text": "You refund once."},
        {"op": "+", "text": "You refund twice."},
    ]
    assert [unused["exchange"] for unused in document["unused"]] == [0, 1, 2]
    (shop.root / "prompt").write_text("You refund once.")
    document = json.loads(replay(shop, *TOOLS, "--json").out)
    Draft202012Validator(SCHEMA).validate(document)
    assert document["passed"] is True
    assert document["executed"] == {"look_up": 1, "refund": 1}
    assert len(document["served"]) == 3


def test_github_is_told_at_the_fixtures_file(shop: Stand) -> None:
    shop.git("init", "-q")
    (shop.root / "prompt").write_text("You refund twice.\n::add-mask::100%")
    said = replay(shop, *TOOLS, "--format", "github", code=1)
    (line,) = said.out.splitlines()
    start = "::error file=.stepfork/fixtures/shop.json,title=stepfork replay shop::miss at model call 1 of 3%0A"
    assert line.startswith(start)
    assert (
        "first difference   system prompt%0A- You refund once.%0A+ You refund twice.%0A+ ::add-mask::100%25%0A" in line
    )
    assert line.endswith("if the change is wanted: stepfork capture --refresh shop")
    (shop.root / "prompt").write_text("You refund once.")
    assert replay(shop, *TOOLS, "--format", "github").out == ""


def test_another_exit_code_fails_a_replay_that_hit_everything(shop: Stand) -> None:
    shop.agent(SHOP + "\nsys.exit(3)\n")
    said = replay(shop, *TOOLS, code=1)
    assert said.line("shop: ").startswith("shop: not as recorded ")
    assert said.line("cause") == "cause         exit code 3, recorded 0"
    assert said.line("served").startswith("served        3 of 3")
    shop.agent(SHOP + "\nos.kill(os.getpid(), 9)\n")
    said = replay(shop, *TOOLS, code=1)
    assert said.line("shop: ").endswith(" s, exit 137 (ended by SIGKILL)")
    assert said.line("cause") == "cause         exit code 137 (ended by SIGKILL), recorded 0"


def test_calls_that_are_left_over_are_listed(shop: Stand) -> None:
    shop.agent(SHOP.replace("for asked in", "break\n    for asked in"))
    said = replay(shop, *TOOLS, code=1)
    told = [line.strip() for line in said.err.splitlines() if line.strip().startswith("cause")]
    for index, (line, says) in enumerate(zip(told, ("look_up: {", "refund: "), strict=True), 1):
        assert line.startswith(f"cause         exchange {index} was recorded and not asked for: {says}")
    assert said.err.splitlines()[-1] == "if the change is wanted: stepfork capture --refresh shop"


def test_a_program_that_reaches_no_listener_is_told_why(shop: Stand) -> None:
    said = replay(shop, *TOOLS, code=1, command=("true",))
    assert "no model call reached the listener; build the model client from OPENAI_BASE_URL" in said.err


def test_a_run_whose_spans_are_missing_does_not_pass(shop: Stand) -> None:
    """Without them a tool that ran twice for one call would look as if it ran once."""
    shop.agent(SHOP.replace("export(*spans)", ""))
    said = replay(shop, *TOOLS, code=1)
    assert said.line("cause").startswith("cause         the recorded run exported spans and this one none, so what its")
    shop.agent(SHOP.replace("export(*spans)", "export(*spans[:-2])"))
    said = replay(shop, *TOOLS, code=1)
    assert "the trace of this run is not whole: 1 of 3 answered model calls have no span" in said.err


def test_a_tool_that_the_recording_has_not_is_told(shop: Stand) -> None:
    other = "spans.append(span(99, 'execute_tool audit', 'execute_tool', gen_ai__tool__name='audit'))\nexport("
    shop.agent(SHOP.replace("export(", other))
    said = replay(shop, *TOOLS)
    assert said.line("executed") == "executed      look_up, refund, audit"
    assert said.line("note") == "note          tools ran that the recording has not: audit 1×"


@pytest.mark.parametrize(("number", "code"), [(2, 130), (15, 143)])
def test_an_interrupted_replay_is_no_verdict(shop: Stand, number: int, code: int) -> None:
    quiet = "import signal\nsignal.signal(2, signal.SIG_DFL)\n"
    shop.agent(f"{quiet}os.kill(os.getppid(), {number})\nwhile True: threading.Event().wait()\n")
    said = replay(shop, *TOOLS, code=code)
    assert said.line("shop: ").startswith("shop: interrupted ")


def test_a_secret_and_a_cursor_move_in_what_changed_stay_out_of_every_view(
    shop: Stand, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret = "hunter" + "2-xQ9vB7k3"
    monkeypatch.setenv("SHOP_PASSWORD", secret)
    (shop.root / "prompt").write_text(f"You refund once.\nThe password is {secret}.\x1b[2J\u202e")
    for options in ((), ("--json",), ("--format", "github")):
        said = replay(shop, *TOOLS, *options, "--result-file", "result.json", code=1)
        written = (shop.root / "result.json").read_text()
        assert secret not in said.out + said.err + written
        assert "\x1b" not in said.out + said.err + written
        assert "\u202e" not in said.err + ("" if "--json" in options else said.out)
        assert "The password is [redacted]." in said.out + said.err


def test_what_another_key_would_be_is_a_placeholder_that_no_prompt_shows(
    shop: Stand, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A program that shows its key: the recording has the marker in its place, and the replay finds it there."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-" + "real-looking-0123456789abcdef")
    shop.capture("print(ask(f\"key {os.environ['OPENAI_API_KEY']}, a placeholder\"))", name="key")
    assert "key [redacted], a placeholder" in json.dumps(shop.document("key"))
    for present in (True, False):
        if not present:
            monkeypatch.delenv("OPENAI_API_KEY")
        shop.stepfork("replay", "key", "--", "python", "agent.py")
    assert "real-looking" not in os.environ.get("OPENAI_API_KEY", "")


@pytest.mark.parametrize(
    "manifest",
    [
        b"!!python/object/apply:os.system ['touch pwned']\n",
        b"cos\nsystem\n(S'touch pwned'\ntR.",
        b'{"py/reduce": [{"py/function": "os.system"}, {"py/tuple": ["touch pwned"]}]}',
    ],
    ids=["yaml", "pickle", "jsonpickle"],
)
def test_c113_what_would_be_code_to_a_deserialiser_is_no_fixture(shop: Stand, manifest: bytes) -> None:
    shop.store.manifest_path("evil").write_bytes(manifest)
    for words in (["show", "evil"], ["diff", "shop", "evil"], ["replay", "evil", "--", "true"], ["validate", "evil"]):
        said = shop.stepfork(*words, code=2)
        assert len(said.err.splitlines()) == 1
    assert not (shop.root / "pwned").exists()


def test_c113_hints_of_a_deserialiser_inside_a_fixture_are_data(shop: Stand) -> None:
    hint = {"py/reduce": [{"py/function": "os.system"}, {"py/tuple": ["touch pwned"]}], "__class__": "os.system"}
    fixture = shop.store.read("shop")
    shop.store.write(msgspec.structs.replace(fixture, extensions={"hint": hint}))
    assert shop.store.read("shop").extensions == {"hint": hint}
    replay(shop, *TOOLS)
    assert not (shop.root / "pwned").exists()

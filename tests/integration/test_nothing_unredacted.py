"""Whatever writes or shows a fixture that is older than a secret, or was edited by hand, redacts it again."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest

from stepfork.cli.main import main
from stepfork.redact.finding import digest_of
from stepfork.redact.secrets import Secrets
from stepfork.store.bundle import read_bundle, write_bundle
from stepfork.store.codec import encode_fixture
from stepfork.trace.body import JsonBody
from stepfork.trace.fixture import Fixture
from stepfork.trace.step import Step, StepError
from stepfork.workflows.clean_copy import clean_copy, secrets_in
from tests.integration.conftest import Stand
from tests.integration.test_merges import commit, merge
from tests.integration.wire import Asked, Line
from tests.unit.redact.samples import OPENAI
from tests.unit.store.sample_runs import conversation, fixture_of

PASSWORD = "-".join(("blue", "parrot", "sings", "1042"))
HELD = (OPENAI, PASSWORD)


@pytest.fixture(autouse=True)
def _known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHOP_PASSWORD", PASSWORD)


def planted(name: str = "old", *, size: int = 40) -> Fixture:
    """A fixture that holds both secrets in every part."""
    made = fixture_of(conversation(3, size=size), name)
    run = made.run
    said = f"use {OPENAI} and {PASSWORD} "
    exchanges = list(run.exchanges)
    last = exchanges[-1]
    asked = JsonBody({**last.request.body.value, "note": said, PASSWORD: 1})  # type: ignore[union-attr]
    answered = JsonBody({"choices": [{"message": {"role": "assistant", "content": said * 9}}]})
    exchanges[-1] = msgspec.structs.replace(
        last,
        request=msgspec.structs.replace(last.request, body=asked, path=f"{last.request.path}/{OPENAI}"),
        response=msgspec.structs.replace(last.response, body=answered),
    )
    step = Step("tool_call", f"tool {OPENAI}", 90, 91, arguments={"a": json.dumps({"b": PASSWORD})}, result=said * 9)
    failed = Step("tool_call", f"tool {OPENAI}", 92, 93, error=StepError(PASSWORD, said))
    trace = msgspec.structs.replace(run.trace, steps=(*run.trace.steps, step, failed), output=said * 9, notes=(said,))
    source = msgspec.structs.replace(run.source, command=("agent", "--say", said))
    return msgspec.structs.replace(
        made,
        run=msgspec.structs.replace(run, exchanges=tuple(exchanges), trace=trace, source=source),
        contracts=({"id": "tools-called", "kind": "trajectory", "mode": "superset", "tools": [OPENAI, PASSWORD]},),
        extensions={"note": {OPENAI: said}},
    )


def is_clean(*folders: Path) -> bool:
    files = [path for folder in folders for path in folder.rglob("*") if path.is_file()]
    assert files
    return not any(secret in path.read_text() for path in files for secret in HELD)


def told(text: str) -> bool:
    """Whether a text shows of either secret more than its first letters."""
    return any(secret[:14] in text for secret in HELD)


def test_a_bundle_that_comes_in_is_redacted_and_that_is_said(stand: Stand) -> None:
    write_bundle(stand.root / "old.sftrace", planted())
    said = stand.stepfork("unpack", "old.sftrace")
    assert said.out == ".stepfork/fixtures/old.json\n"
    assert "places redacted that held a secret" in said.err
    assert "value of SHOP_PASSWORD" in said.err
    assert not told(said.out + said.err)
    assert is_clean(stand.store.root)
    held = read_bundle(stand.root / "old.sftrace")
    assert held.extensions == planted().extensions
    clean, _ = clean_copy(held, Secrets({PASSWORD: "SHOP_PASSWORD"}))
    assert stand.store.manifest("old") == encode_fixture(clean).manifest
    stand.stepfork("fsck")
    assert stand.stepfork("check-redaction").out.startswith("stepfork check-redaction: no secret")


def test_a_bundle_that_goes_out_is_redacted_and_that_is_said(stand: Stand) -> None:
    stand.store.write(planted())
    said = stand.stepfork("pack", "old", "out.sftrace")
    assert said.out == "out.sftrace\n"
    assert "redacted that held a secret" in said.err
    assert not told(said.out + said.err)
    assert is_clean(stand.root / "out.sftrace")


def test_a_fixture_without_a_secret_comes_and_goes_byte_for_byte(stand: Stand) -> None:
    stand.store.write(fixture_of(conversation(3), "new"))
    before = stand.files()
    assert stand.stepfork("pack", "new").err == ""
    stand.store.delete("new")
    assert stand.stepfork("unpack", "new.sftrace").err == ""
    assert stand.files() == before


def test_what_a_project_accepts_stays(stand: Stand) -> None:
    entry = f'rule = "openai-key"\nblake3 = "{digest_of(OPENAI)}"\nreason = "documented example"\n'
    config = stand.store.root / "config.toml"
    config.write_text(f"{config.read_text()}\n[[redact.accepted]]\n{entry}")
    fixture = msgspec.structs.replace(fixture_of(conversation(2), "new"), extensions={"note": OPENAI})
    write_bundle(stand.root / "new.sftrace", fixture)
    assert stand.stepfork("unpack", "new.sftrace").err == ""
    assert stand.store.read("new") == fixture
    assert json.loads(stand.stepfork("show", "new", "--json").out)["extensions"] == {"note": OPENAI}


def test_a_side_of_a_merge_that_is_taken_is_redacted(stand: Stand) -> None:
    stand.git("init", "-q")
    commit(stand, fixture_of(conversation(2), "old"))
    stand.git("checkout", "-q", "-b", "side")
    commit(stand, planted())
    stand.git("checkout", "-q", "main")
    commit(stand, fixture_of(conversation(4), "old"))
    assert merge(stand, "side") != 0
    said = stand.stepfork("resolve", "old", "--theirs")
    assert "redacted that held a secret" in said.err
    assert not told(said.out + said.err)
    assert is_clean(stand.store.root)
    assert secrets_in(stand.store.read("old"), Secrets({PASSWORD: "SHOP_PASSWORD"})) == ()
    stand.git("add", "-A")
    stand.stepfork("fsck")


def test_an_object_of_git_that_holds_a_secret_does_not_come_back(stand: Stand) -> None:
    stand.git("init", "-q")
    fixture = planted(size=4000)
    stand.store.write(fixture)
    stand.git("add", "-A")
    stand.git("commit", "-q", "-m", "x")
    names = list(stand.store.objects.names())
    holding = [name for name in names if any(secret in stand.store.get(name).decode() for secret in HELD)]
    assert 0 < len(holding) < len(names)
    for name in names:
        stand.store.objects.remove(name)
    said = stand.stepfork("fsck", "--restore", code=1)
    assert said.out.count("restored from") == len(names) - len(holding)
    assert said.out.count("git has it with ") == len(holding)
    assert not told(said.out + said.err)
    assert sorted(stand.store.objects.names()) == sorted(set(names) - set(holding))


LEAVE = ["--executes", f"tool {OPENAI}"]
SHOWN = [
    ["show", "old"],
    ["show", "old", "--json"],
    ["show", "old", "--placeholders"],
    ["show", "old", "--placeholders", "--json"],
    ["ls"],
    ["ls", "--json"],
    ["validate", "old"],
    ["fsck"],
    ["trace", "check", "old"],
    ["trace", "check", "old", "--json"],
    ["diff", "old", "new"],
    ["diff", "old", "new", "--json"],
    ["capture", "--refresh", "old"],
    ["replay", "old", "--", "python", "agent.py"],
    ["replay", "old", *LEAVE, "--json", "--result-file", "result.json", "--", "python", "agent.py"],
    ["replay", "old", *LEAVE, "--format", "github", "--", "python", "agent.py"],
    ["doctor"],
]


@pytest.mark.parametrize("words", SHOWN, ids=lambda words: " ".join(words).replace(OPENAI, "x"))
def test_what_is_shown_of_a_fixture_is_redacted_again(stand: Stand, words: list[str]) -> None:
    stand.agent("ask('hi')")
    stand.store.write(planted())
    stand.store.write(fixture_of(conversation(2), "new"))
    path = stand.store.manifest_path("old")
    path.write_text(path.read_text().replace('"label": "', f'"label": "{PASSWORD} ', 1))  # its seal does not fit now
    (stand.store.root / "objects" / f"{PASSWORD}.json").write_text("{}")  # no file of a store
    said = run(stand, *words)
    assert said
    assert not told(said)
    if "--result-file" in words:
        assert not told((stand.root / "result.json").read_text())


def run(stand: Stand, *words: str, broken: bool = False) -> str:
    """All that a command says, whatever it thinks."""
    stand.capfd.readouterr()
    main(list(words))
    said = "".join(stand.capfd.readouterr())
    assert ("internal error" in said) == broken, said
    return said


def test_a_dotenv_that_cannot_be_read_hides_nothing_and_lets_nothing_be_written(stand: Stand) -> None:
    (stand.root / ".env").mkdir()
    stand.store.write(planted())
    said = stand.stepfork("show", "old")
    assert "is not a regular file" in said.err
    assert OPENAI[:14] not in said.out
    assert "is not a regular file" in stand.stepfork("pack", "old", code=2).err
    assert not (stand.root / "old.sftrace").exists()


def test_a_fixture_without_a_secret_is_not_read_through_to_be_shown(
    stand: Stand, monkeypatch: pytest.MonkeyPatch
) -> None:
    stand.store.write(fixture_of(conversation(30), "long"))
    monkeypatch.delattr("stepfork.workflows.clean_copy.FixRedactor")
    assert "exchange 29" in stand.stepfork("show", "long").out


def test_c035_the_service_echoes_the_credential(stand: Stand, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", PASSWORD)
    body = json.dumps({"error": {"message": f"Incorrect API key provided: {PASSWORD}. Not {OPENAI} either."}}).encode()
    echoed = f"Content-Type: application/json\r\nx-request-id: of-{PASSWORD}\r\nset-cookie: s={OPENAI}\r\nx-user: ann"

    def refused(asked: Asked, line: Line) -> None:
        assert PASSWORD in asked.headers["authorization"]
        line.whole(body, echoed, status="401 Unauthorized")

    program = (
        'call({"model": "m", "messages": []}, headers={"Authorization": "Bearer " + os.environ["OPENAI_API_KEY"]})'
    )
    said = stand.capture(program, refused, code=1)
    assert not told(said.out + said.err)
    assert is_clean(stand.store.root)
    response = stand.document()["exchanges"][0]["response"]
    assert response["status"] == 401
    assert set(response["headers"]) == {"x-request-id"}
    assert response["body"]["json"]["error"]["message"] == (
        "Incorrect API key provided: [redacted]. Not [redacted] either."
    )


@pytest.mark.parametrize("where", ["redact.matcher.Matcher.spans", "rewrite.text.parsed", "rewrite.run.rewrite_value"])
def test_c050_what_breaks_inside_shows_no_payload(stand: Stand, monkeypatch: pytest.MonkeyPatch, where: str) -> None:
    def breaks(*given: object, **_: object) -> None:
        raise ValueError(f"cannot read {given!r}")

    stand.agent(f"ask({PASSWORD!r})")
    module, _, name = where.rpartition(".")
    monkeypatch.setattr(f"stepfork.{module}.{name}", breaks)
    said = run(stand, "capture", "--name", "new", "--", "python", "agent.py", broken=True)
    assert "internal error, ValueError at " in said
    assert not told(said)
    assert is_clean(stand.store.root)


def test_c050_what_the_program_prints_is_its_own_and_in_no_file(stand: Stand) -> None:
    stand.agent(f"ask('hi'); print({OPENAI!r}); raise ValueError({PASSWORD!r})")
    stand.capfd.readouterr()
    assert main(["capture", "--name", "case", "--json", "--", "python", "agent.py"]) == 1
    document, shown = stand.capfd.readouterr()
    assert f"ValueError: {PASSWORD}" in shown, "what a program says goes on to whoever watches it"
    assert json.loads(document)["exit_code"] == 1
    assert not told(document)
    assert is_clean(stand.store.root)

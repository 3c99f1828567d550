"""The command line of select: bases, modes, documents, errors, and what makes it take everything."""

from __future__ import annotations

import json
import re
from pathlib import Path

import jsonschema
import pytest

import stepfork
from stepfork.cli import select
from tests.integration.scratch_repo import Repo, select_here, two_fixtures

REFUND = "tests/test_refund.py::test_refund"
SHIP = "tests/test_ship.py::test_ship"
SCHEMA = Path(stepfork.__file__).parent / "schemas/select.schema.json"


def with_origin(tmp_path: Path) -> Repo:
    """A clone with one commit of its own on a branch; its origin's default branch is `trunk`."""
    origin = Repo(tmp_path / "origin")
    for name in ("refund", "ship"):
        origin.fixture(name)
        origin.test(name, name)
    origin.commit("base")
    origin.git("branch", "--move", "trunk")
    origin.git("branch", "release")
    clone = Repo(tmp_path / "clone", init=False)
    origin.git("clone", "--quiet", str(origin.root), str(clone.root))
    clone.git("checkout", "--quiet", "-b", "feat")
    clone.fixture("refund", "second")
    clone.commit("edit")
    return clone


def test_the_remotes_default_branch_is_the_base(tmp_path: Path) -> None:
    printed = with_origin(tmp_path).select()
    assert printed.ids == [REFUND]
    assert "base origin/trunk (merge base " in printed.messages


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("GITHUB_BASE_REF", "release"),
        ("CI_MERGE_REQUEST_TARGET_BRANCH_NAME", "release"),
        ("CI_EXTERNAL_PULL_REQUEST_TARGET_BRANCH_NAME", "release"),
        ("SYSTEM_PULLREQUEST_TARGETBRANCH", "refs/heads/release"),
        ("BITBUCKET_PR_DESTINATION_BRANCH", "release"),
        ("BUILDKITE_PULL_REQUEST_BASE_BRANCH", "release"),
        ("CHANGE_TARGET", "release"),
    ],
)
def test_the_target_branch_that_a_ci_names_is_the_base(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, variable: str, value: str
) -> None:
    repo = with_origin(tmp_path)
    monkeypatch.setenv("CI", "true")
    monkeypatch.setenv("GITHUB_BASE_REF", "")  # as GitHub has it outside of pull requests
    monkeypatch.setenv(variable, value)
    printed = repo.select()
    assert printed.ids == [REFUND]
    assert "base origin/release (merge base " in printed.messages


def test_a_target_branch_that_was_not_fetched_selects_everything(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo = with_origin(tmp_path)
    monkeypatch.setenv("GITHUB_BASE_REF", "elsewhere")
    printed = repo.select()
    assert (printed.code, printed.ids) == (0, [REFUND, SHIP])
    assert "git fetch origin elsewhere" in printed.messages


def test_the_base_of_the_settings(tmp_path: Path) -> None:
    repo = with_origin(tmp_path)
    repo.git("checkout", "--quiet", "-b", "settings")
    repo.write(".stepfork/config.toml", 'format = 1\n[select]\nbase = "settings"\n')
    repo.commit("settings")
    repo.fixture("ship", "second")
    printed = repo.select()
    assert printed.ids == [SHIP]
    assert "base settings (merge base " in printed.messages


def test_in_ci_without_any_base_nothing_is_not_an_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    repo = two_fixtures(tmp_path / "r")
    monkeypatch.setenv("CI", "1")
    printed = repo.select()
    assert printed.ids == [REFUND, SHIP]
    assert "--base" in printed.messages


def test_before_the_first_commit_all_is_new(tmp_path: Path) -> None:
    repo = Repo(tmp_path / "r")
    repo.fixture("refund")
    repo.test("refund", "refund")
    printed = repo.select()
    assert (printed.code, printed.ids) == (0, ["tests/test_refund.py"])
    printed = repo.select("--committed")
    assert printed.code == 2
    assert printed.messages.count("\n") == 1


def test_a_changed_object_selects_the_tests_of_all_fixtures_that_reach_it(tmp_path: Path) -> None:
    repo = Repo(tmp_path / "r")
    shared, alone = "ab" * 32, "cd" * 32
    for identity in (shared, alone):
        repo.write(f".stepfork/objects/{identity[:2]}/{identity[2:]}.json", "{}\n")
    repo.fixture("refund", objects=(shared,))
    repo.fixture("ship", objects=(shared, alone))
    for name in ("refund", "ship"):
        repo.test(name, name)
    repo.commit("base")
    (repo.root / f".stepfork/objects/{alone[:2]}/{alone[2:]}.json").unlink()
    assert repo.select("--explain").ids == [
        f"{SHIP}  ship object changed: .stepfork/objects/{alone[:2]}/{alone[2:]}.json"
    ]
    repo.write(f".stepfork/objects/{shared[:2]}/{shared[2:]}.json", '{"a": 1}\n')
    assert repo.select().ids == [REFUND, SHIP]


@pytest.mark.parametrize(
    ("path", "text", "reason"),
    [
        (".stepfork/config.toml", "format = 1\n", ".stepfork/config.toml changed"),
        (".stepfork/fixtures/refund.json", "<<<<<<< ours\n", ".stepfork/fixtures/refund.json cannot be read"),
        (".stepfork/fixtures/refund.json", "[" * 100_000, ".stepfork/fixtures/refund.json cannot be read"),
        ("tests/test_refund.py", "def test_refund(:\n    load('refund')\n", "is no Python"),
        ("tests/conftest.py", "NAME = 'refund'\n", "tests/conftest.py changed, which names fixtures"),
        ("tests/helpers/load.py", "def load():\n    return 'ship'\n", "tests/helpers/load.py changed, which names"),
    ],
)
def test_unsure_selects_every_test_that_uses_fixtures(tmp_path: Path, path: str, text: str, reason: str) -> None:
    repo = two_fixtures(tmp_path / "r")
    repo.test("plain")
    repo.write("tests/conftest.py", "")
    repo.commit("more")
    base = repo.git("rev-parse", "HEAD")
    repo.write(path, text)
    for arguments in (["--base", base], ["--base", base, "--committed"]):
        printed = repo.select(*arguments)
        assert printed.code == 0
        assert [one.split("::")[0] for one in printed.ids] == ["tests/test_refund.py", "tests/test_ship.py"]
        assert reason in printed.messages
        repo.commit("committed")


@pytest.mark.parametrize(
    ("module", "user"),
    [
        ("tests/conftest.py", "def test_plain(thing):\n"),
        ("tests/names.py", "from names import X\n\ndef test_plain():\n"),
    ],
)
def test_a_module_that_cannot_be_read_fails_the_tests_that_load_it_and_is_none_itself(
    tmp_path: Path, module: str, user: str
) -> None:
    repo = two_fixtures(tmp_path / "r")
    repo.write("tests/test_plain.py", user + "    pass\n")
    repo.write("tests/deep/test_other.py", "def test_other():\n    pass\n")
    base = repo.commit("more")
    repo.write(module, "X = ('refund'\n")
    printed = repo.select("--base", base)
    assert f"{module} changed, which names fixtures" in printed.messages
    below = ["tests/deep/test_other.py"] if module.endswith("conftest.py") else []
    files = [*below, "tests/test_plain.py", "tests/test_refund.py", "tests/test_ship.py"]
    assert [one.split("::")[0] for one in printed.ids] == files


def test_a_helper_that_no_longer_names_fixtures_still_makes_all_uncertain(tmp_path: Path) -> None:
    repo = two_fixtures(tmp_path / "r")
    repo.write("tests/names.py", "REFUND = 'refund'\n")
    repo.write("tests/other.py", "LIMIT = 3\n")
    base = repo.commit("helpers")
    repo.write("tests/other.py", "LIMIT = 4\n")
    assert repo.select("--base", base).ids == []
    (repo.root / "tests/names.py").unlink()
    assert repo.select("--base", base).ids == [REFUND, SHIP]


def test_a_changed_test_file_is_selected_where_it_uses_fixtures(tmp_path: Path) -> None:
    repo = two_fixtures(tmp_path / "r")
    repo.test("plain")
    repo.commit("plain")
    base = repo.git("rev-parse", "HEAD")
    repo.write("tests/test_plain.py", 'def test_plain():\n    assert 1  # as "refund" does\n')
    repo.write("tests/test_ship.py", "def test_ship():\n    assert load('ship')\n\ndef test_more():\n    pass\n")
    assert repo.select("--base", base, "--explain").ids == ["tests/test_ship.py  tests/test_ship.py changed"]


def test_a_changed_test_that_uses_fixtures_through_other_modules_alone_is_selected(tmp_path: Path) -> None:
    repo = two_fixtures(tmp_path / "r")
    repo.write("tests/names.py", "CASE = 'refund'\n")
    repo.write("tests/test_through.py", "from names import CASE\n\ndef test_it():\n    load(CASE)\n")
    repo.write("tests/test_plain.py", "from names import OTHER\n\ndef test_plain():\n    pass\n")
    base = repo.commit("more")
    for name in ("through", "plain"):
        repo.write(f"tests/test_{name}.py", (repo.root / f"tests/test_{name}.py").read_text() + "    assert True\n")
    assert repo.select("--base", base).ids == ["tests/test_through.py"]


def test_a_fixture_behind_conftest_and_helpers_reaches_the_tests_that_use_it(tmp_path: Path) -> None:
    repo = Repo(tmp_path / "r")
    for name in ("refund", "ship"):
        repo.fixture(name)
    repo.write("tests/names.py", "REFUND = 'refund'\nSHIP = 'ship'\n")
    repo.write("tests/__init__.py", "")
    repo.write(
        "tests/conftest.py",
        "import pytest\nfrom tests.names import REFUND\n\n@pytest.fixture\ndef replay():\n    return load(REFUND)\n\n"
        "@pytest.fixture\ndef other():\n    return load('ship')\n",
    )
    repo.write("tests/test_a.py", "def test_uses(replay):\n    pass\n\ndef test_other(other):\n    pass\n")
    repo.write("tests/test_b.py", "from tests import names\n\ndef test_direct():\n    load(names.REFUND)\n")
    repo.write("tests/test_c.py", "def test_nothing():\n    pass\n")
    repo.commit("base")
    repo.fixture("refund", "second")
    assert repo.select().ids == ["tests/test_a.py::test_uses", "tests/test_b.py::test_direct"]


def test_a_constant_taken_from_another_test_module(tmp_path: Path) -> None:
    repo = Repo(tmp_path / "r")
    repo.fixture("refund")
    repo.write("tests/test_a.py", "FIXTURE = 'refund'\n\ndef test_a():\n    load(FIXTURE)\n")
    repo.write(
        "tests/test_b.py", "from test_a import FIXTURE as F\n\ndef test_b():\n    load(F)\n\ndef test_c():\n    pass\n"
    )
    repo.commit("base")
    repo.fixture("refund", "second")
    assert repo.select().ids == ["tests/test_a.py::test_a", "tests/test_b.py::test_b"]


def test_the_json_document_is_the_published_one(tmp_path: Path) -> None:
    repo = two_fixtures(tmp_path / "r")
    repo.fixture("refund", "second")
    schema = json.loads(SCHEMA.read_text())
    for arguments in (["--base", "main"], ["--base", "HEAD", "--committed"], ["--base", "main", "--committed"]):
        document = json.loads(repo.select(*arguments, "--json").data)
        jsonschema.Draft202012Validator(schema).validate(document)
    document = json.loads(repo.select("--base", "main", "--json").data)
    assert document["fixtures"] == [{"name": "refund", "change": "changed", "path": ".stepfork/fixtures/refund.json"}]
    assert [test["id"] for test in document["tests"]] == [REFUND]


def test_reasons_stand_in_a_column_beside_long_ids_too(tmp_path: Path) -> None:
    repo = two_fixtures(tmp_path / "r")
    short, longer, longest = (f"tests/test_{'x' * size}.py" for size in (2, 60, 130))
    for path in (short, longer, longest):
        repo.write(path, "DATA = 'refund'\n")
    lines = [re.match(r"(\S+)( +)", line) for line in repo.select("--explain").ids]
    columns = {line[1]: line.end() for line in lines if line}
    assert columns == {short: len(longer) + 2, longer: len(longer) + 2, longest: len(longest) + 2}


def test_explain_counts_what_uses_fixtures_and_what_nothing_watches(tmp_path: Path) -> None:
    repo = two_fixtures(tmp_path / "r")
    repo.test("plain")
    repo.commit("plain")
    base = repo.git("rev-parse", "HEAD")
    repo.fixture("refund", "second")
    repo.write("agent.py", "x = 1\n")
    printed = repo.select("--base", base, "--explain")
    assert "1 of 2 tests that use fixtures; 1 changed file is watched by no fixture" in printed.messages
    assert printed.ids == [f"{REFUND}  refund changed: .stepfork/fixtures/refund.json"]


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (["--base", "nowhere"], "no such revision"),
        (["--base", "--all"], "no such revision"),
        (["--base"], "--base needs a value"),
        (["--base="], "--base needs a value"),
        (["--committed", "--work-tree"], "exclude one another"),
        (["--base=-x"], "no such revision"),
        (["--base", "main\nHEAD"], "no such revision"),
        (["--store", "/"], "not inside"),
        (["--json", "--null"], "--json"),
        (["--nonsense\x1b[2J"], "no such option"),
        (["tests"], "no such option tests"),
    ],
)
def test_bad_usage_is_exit_2_and_one_reason(tmp_path: Path, arguments: list[str], word: str) -> None:
    printed = two_fixtures(tmp_path / "r").select(*arguments)
    assert (printed.code, printed.data) == (2, b"")
    assert word in printed.messages
    assert printed.messages.count("\n") == 1
    assert "\x1b" not in printed.messages


def test_what_to_select_by_must_be_said_and_help_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert select.main([]) == 2
    assert capfdbinary.readouterr().err.startswith(b"stepfork select: select needs --changed; ")
    assert select.main(["--help"]) == 0
    printed = capfdbinary.readouterr().out
    assert printed.startswith(b"Usage: stepfork select --changed")
    assert max(map(len, printed.splitlines())) <= 80


def test_no_repository_and_no_store_are_exit_2(tmp_path: Path, project: Path) -> None:
    printed = select_here()
    assert printed.code == 2
    assert "no git repository" in printed.messages
    repo = Repo(tmp_path / "r")
    printed = repo.select()
    assert printed.code == 2
    assert "stepfork init" in printed.messages


def test_settings_that_cannot_be_read_are_not_passed_over(tmp_path: Path) -> None:
    """They may name the base, and files whose change must not look green."""
    repo = two_fixtures(tmp_path / "r")
    (repo.root / ".stepfork/config.toml").mkdir()
    printed = repo.select()
    assert (printed.code, printed.data, printed.messages.count("\n")) == (2, b"", 1)
    assert "config.toml: cannot be read" in printed.messages


def test_a_line_break_in_a_path_needs_null(tmp_path: Path) -> None:
    repo = two_fixtures(tmp_path / "r")
    repo.write("tests/a\nb/test_odd.py", "def test_odd():\n    load('refund')\n")
    base = repo.commit("odd")
    repo.fixture("refund", "second")
    repo.commit("edit")
    for state in ([], ["--committed"]):
        printed = repo.select("--base", base, *state)
        assert (printed.code, printed.data) == (2, b"")
        assert b"tests/a\nb/test_odd.py::test_odd\0" in repo.select("--base", base, "--null", *state).data


def test_a_bundle_beside_the_tests(tmp_path: Path) -> None:
    repo = two_fixtures(tmp_path / "r")
    repo.write("traces/fail.sftrace/manifest.json", "{}\n")
    repo.write("tests/test_bundle.py", "def test_bundle():\n    load('traces/fail.sftrace')\n")
    base = repo.commit("bundle")
    repo.write("traces/fail.sftrace/objects/ab/cd.json", "{}\n")
    assert repo.select("--base", base).ids == ["tests/test_bundle.py::test_bundle"]


EXPORTED = """from pathlib import Path

from stepfork.export.runtime import run_regression_case

ROOT = Path(__file__).resolve().{above}
TRACE_PATH = {trace}


def test_stepfork_regression_fail() -> None:
    run_regression_case(trace_path=TRACE_PATH, entrypoint="agent:run", root=ROOT)
"""


@pytest.mark.parametrize("gone", [False, True])
@pytest.mark.parametrize(
    ("test", "above", "trace"),
    [
        ("tests/test_fail.py", "parent", "ROOT / '../traces/fail.sftrace'"),
        ("tests/test_fail.py", "parents[1]", "ROOT / 'traces/fail.sftrace'"),
        ("tests/deep/er/test_fail.py", "parents[3]", "ROOT / 'traces/fail.sftrace'"),
        ("tests/test_fail.py", "parents[1]", "ROOT.joinpath('traces/', 'fail.sftrace')"),
        ("tests/test_fail.py", "parents[1]", "ROOT.joinpath(\n    'traces/'\n    'fail.sftrace',\n)"),
    ],
)
def test_an_exported_test_is_selected_by_its_bundle_for_an_exact_reason(
    tmp_path: Path, *, test: str, above: str, trace: str, gone: bool
) -> None:
    repo = two_fixtures(tmp_path / "r")
    repo.write("traces/fail.sftrace/manifest.json", "{}\n")
    repo.write(test, EXPORTED.format(above=above, trace=trace))
    base = repo.commit("bundle")
    if gone:
        repo.git("rm", "-q", "traces/fail.sftrace/manifest.json")
    else:
        repo.write("traces/fail.sftrace/manifest.json", "{ }\n")
    printed = repo.select("--base", base, "--explain")
    told = f"{printed.data.decode()}{printed.messages}"
    assert f"{test}::test_stepfork_regression_fail" in told
    assert "may name it" not in told
    assert " of 0 " not in told

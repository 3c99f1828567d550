"""JavaScript and TypeScript tests in real repositories: which are selected, and which runner is handed what."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from stepfork.git.command import GitProgram
from tests.integration.scratch_repo import Repo, two_fixtures

REFUND = "tests/test_refund.py::test_refund"
JS = ("--language", "javascript")
WEB = {
    "web/plain.test.ts": "// 'refund'\nload('refund-2');\n",
    "web/literal.test.js": "load('.stepfork/fixtures/refund.json');\n",
    "web/computed.spec.tsx": "const e = <p>don't</p>; load(`fixtures/${name}`);\n",
    "web/__tests__/ship.mts": 'load("ship");\n',
    "web/through.test.ts": "import { one } from './helper.js';\n",
    "web/helper.ts": "export { one } from './testing';\n",
    "web/testing/index.ts": 'export const one = () => load("refund");\n',
    "web/agent.ts": 'load("refund");\n',
    "web/node_modules/p/p.test.js": 'load("refund");\n',
}
TOUCHED = ["web/computed.spec.tsx", "web/literal.test.js", "web/through.test.ts"]


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    made = two_fixtures(tmp_path / "r")
    for path, text in WEB.items():
        made.write(path, text)
    made.commit("web")
    made.fixture("refund", "second")
    return made


def test_scripts_that_name_a_changed_fixture(repo: Repo) -> None:
    base = repo.git("rev-parse", "HEAD")
    why = "refund changed: .stepfork/fixtures/refund.json"
    printed = repo.select("--base", base, *JS, "--explain")
    assert [line.split()[0] for line in printed.ids] == TOUCHED
    assert printed.ids[0].endswith(f'  {why} ("fixtures/…" may name it)')
    assert printed.ids[1].endswith(f"  {why}")
    assert printed.ids[2].endswith(f"  {why}, through web/testing/index.ts")
    assert "4 of 6 tests that use fixtures" in printed.messages
    repo.commit("edit")
    assert repo.select("--base", base, *JS, "--committed").ids == TOUCHED


def test_python_is_what_a_runner_is_handed_unless_it_says_otherwise(repo: Repo) -> None:
    base = repo.git("rev-parse", "HEAD")
    printed = repo.select("--base", base)
    assert printed.ids == [REFUND]
    assert "3 JavaScript tests selected: --language javascript names them" in printed.messages
    document = json.loads(repo.select("--base", base, "--json").data)
    assert [(test["language"], test["id"]) for test in document["tests"]] == [
        ("python", REFUND),
        *(("javascript", path) for path in TOUCHED),
    ]
    program = [sys.executable, "-c", "import sys; open('noted', 'w').write(' '.join(sys.argv[1:]))"]
    assert repo.select("--base", base, *JS, "--run", "--", *program, at="web").code == 0
    assert (repo.root / "web/noted").read_text().split() == [path.removeprefix("web/") for path in TOUCHED]
    repo.write("tests/test_refund.py", "def test_refund():\n    pass\n")
    printed = repo.select("--base", base, "--run", "--", *program)
    assert (printed.code, (repo.root / "noted").exists()) == (0, False)
    assert "no Python test selected, 3 JavaScript tests selected" in printed.messages
    assert repo.select("--language", "go").code == 2


def test_a_project_without_tests_in_python(tmp_path: Path) -> None:
    made = Repo(tmp_path / "r")
    made.fixture("refund")
    made.write("web/-odd.test.ts", 'load("refund");\n')
    base = made.commit("base")
    made.fixture("refund", "second")
    assert made.select().ids == ["web/-odd.test.ts"]
    made.commit("edit")
    assert made.select("--base", base, "--committed").ids == ["web/-odd.test.ts"]
    made.write(".stepfork/config.toml", "format = 1\n")
    assert made.select("--base", "HEAD").ids == ["web/-odd.test.ts"]


def test_changed_scripts(repo: Repo) -> None:
    """A test that changed and names any fixture, or is new; a helper that names one; a set-up that all tests have."""
    repo.fixture("refund")
    repo.write("web/__tests__/ship.mts", 'load("ship"); more();\n')
    repo.write("web/new.test.cjs", 'load("ship");\n')
    repo.write("web/none.test.cjs", "more();\n")
    assert repo.select("--base", "HEAD", *JS).ids == ["web/__tests__/ship.mts", "web/new.test.cjs"]
    repo.commit("tests")
    repo.write("web/testing/index.ts", "export const one = 1;\n")
    assert repo.select("--base", "HEAD", *JS).ids == ["web/through.test.ts"]
    repo.write("web/vitest.setup.ts", 'beforeEach(() => load("ship"));\n')
    repo.commit("helpers")
    repo.fixture("ship", "second")
    tests = ["web/__tests__/ship.mts", *TOUCHED, "web/new.test.cjs", "web/none.test.cjs", "web/plain.test.ts"]
    assert repo.select("--base", "HEAD", *JS).ids == sorted(tests)


def test_unsure_takes_all_that_use_fixtures(repo: Repo) -> None:
    repo.fixture("refund")
    repo.write(".stepfork/config.toml", "format = 1\n")
    assert repo.select("--base", "HEAD", *JS).ids == ["web/__tests__/ship.mts", *TOUCHED]


def test_without_such_tests_git_is_not_asked_about_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = two_fixtures(tmp_path / "r")
    made.write("web/agent.ts", 'load("refund");\n')
    made.commit("web")
    made.fixture("refund", "second")
    asked: list[tuple[str, ...]] = []
    start = GitProgram.start
    monkeypatch.setattr(
        GitProgram, "start", lambda self, *words, **how: asked.append(words) or start(self, *words, **how)
    )
    run = GitProgram.run
    monkeypatch.setattr(GitProgram, "run", lambda self, *words, **how: asked.append(words) or run(self, *words, **how))
    for state in ([], ["--committed"]):
        assert made.select("--base", "main", *state).code == 0
    assert asked
    assert not any("[jt]s" in word for words in asked for word in words)


def test_a_clone_without_an_index_is_asked_about_head(repo: Repo, tmp_path: Path) -> None:
    repo.commit("edit")
    repo.git("clone", "--quiet", "--no-checkout", str(repo.root), str(tmp_path / "bare"))
    clone = Repo(tmp_path / "bare", init=False)
    (clone.root / ".stepfork").mkdir()
    assert clone.select("--base", "HEAD~1", "--committed", *JS).ids == TOUCHED

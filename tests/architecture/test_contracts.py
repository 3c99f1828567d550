"""The house rules that are not a matter of taste."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tests.architecture.sources import SOURCES, modules_with

ROOT = Path(__file__).parents[2]
MANIFEST = ROOT / ".stepfork" / "fixtures" / "refund" / "chat.json"


def test_the_import_contracts_hold_and_ignore_nothing() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]
    assert len(settings["contracts"]) >= 3
    assert not any("ignore_imports" in contract for contract in settings["contracts"])
    program = Path(sys.executable).with_name("lint-imports")
    done = subprocess.run([program, "--no-cache"], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


FRONT_DOOR = ROOT / "src" / "stepfork" / "__init__.py"
ROOMS = [path for path in SOURCES if path.name == "__init__.py" and path != FRONT_DOOR]


@pytest.mark.parametrize("path", ROOMS, ids=lambda p: str(p.parent.name))
def test_package_files_hold_only_a_docstring(path: Path) -> None:
    body = ast.parse(path.read_text()).body
    assert len(body) == 1
    assert ast.get_docstring(ast.parse(path.read_text()))


def test_the_front_door_names_what_it_leads_to_and_loads_nothing() -> None:
    import stepfork

    instrumented = {"allm_request", "llm_request", "trace_tool", "wrap_anthropic", "wrap_langchain", "wrap_openai"}
    assert set(stepfork.__all__) == {"playback", "record", *instrumented}
    assert set(stepfork.__all__) <= set(dir(stepfork))
    assert all(callable(getattr(stepfork, name)) for name in stepfork.__all__)
    folders = {path.name for path in FRONT_DOOR.parent.iterdir() if path.is_dir()}
    assert not folders & set(stepfork.__all__)  # importing a folder of that name would overwrite the function
    code = (
        "import sys; before = set(sys.modules); import stepfork; print(*sorted(set(sys.modules) - before)); "
        "print(stepfork.record.__module__, stepfork.playback.__module__); stepfork.other"
    )
    done = subprocess.run([sys.executable, "-S", "-c", code], capture_output=True, text=True, env=_with_path())
    assert done.stdout.splitlines()[0] == "stepfork"
    assert done.stdout.splitlines()[1] == "stepfork.workflows.record stepfork.workflows.playback"
    assert done.stderr.splitlines()[-1] == "AttributeError: module 'stepfork' has no attribute 'other'"


def _with_path() -> dict[str, str]:
    """No site module, which loads much itself: the packages are found by the path of this process."""
    return {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}


def test_the_front_door_is_typed() -> None:
    """What a type checker sees of it is what there is: the same names, from the same modules."""
    tree = ast.parse(FRONT_DOOR.read_text())
    seen = {
        alias.asname: node.module
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module != "typing"
        for alias in node.names
        if alias.asname
    }
    import stepfork

    assert seen == stepfork._HOMES
    assert (FRONT_DOOR.parent / "py.typed").exists()


def test_only_config_reads_the_environment() -> None:
    readers = [
        path.relative_to(ROOT / "src" / "stepfork").parts[0]
        for path in SOURCES
        if "os.environ" in path.read_text() or "os.getenv" in path.read_text()
    ]
    assert set(readers) <= {"config"}


OWNERS = {
    "aiohttp": {"listener", "capture"},
    "ahocorasick_rs": {"redact"},
    "deepdiff": {"diff"},
    "dotenv": {"config"},
    "dulwich": {"git"},
    "jsonschema": {"contracts"},
    "opentelemetry": {"otlp"},
    "orjson": {"canonical"},
    "pytest": {"pytest_plugin"},
    "referencing": {"contracts"},
    "blake3": {"canonical"},
    "rich": {"cli"},
    "typer": {"cli"},
    "yaml": {"redact"},
}


def test_each_outside_package_has_its_owner() -> None:
    rooms: dict[str, set[str]] = {package: set() for package in OWNERS}
    for path, tree in modules_with(OWNERS):
        for node in ast.walk(tree):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom) and node.module:
                names = [node.module]
            for name in names:
                if name.split(".")[0] in rooms:
                    rooms[name.split(".")[0]].add(path.relative_to(ROOT / "src" / "stepfork").parts[0])
    assert all(rooms[package] <= owners for package, owners in OWNERS.items()), rooms


def test_nothing_ever_loads_code_from_data() -> None:
    loaders, calls = {"pickle", "shelve", "jsonpickle", "dill", "marshal"}, {"eval", "exec"}
    for path, tree in modules_with(loaders | calls):
        for node in ast.walk(tree):
            if isinstance(node, ast.Import | ast.ImportFrom):
                names = {alias.name for alias in node.names} | {getattr(node, "module", None)}
                assert not names & loaders, path
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                assert node.func.id not in calls, path


@pytest.mark.parametrize(
    ("arguments", "foreign"),
    [
        (
            ["check-redaction", "clean.json"],
            {"typer", "rich", "msgspec", "orjson", "aiohttp", "dulwich", "deepdiff", "yaml"},
        ),
        (["select", "--changed"], {"typer", "rich", "msgspec", "aiohttp", "dulwich", "deepdiff", "yaml"}),
        (["textconv", str(MANIFEST)], {"typer", "rich", "aiohttp", "dulwich", "deepdiff", "yaml", "jsonschema"}),
        (["--version"], {"typer", "rich", "msgspec", "orjson", "aiohttp", "dulwich", "deepdiff"}),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else "",
)
def test_what_a_hook_pays_for_loads_nothing_heavy(arguments: list[str], foreign: set[str], project: Path) -> None:
    (project / "clean.json").write_text('{"a": 1}\n')
    (project / ".stepfork").mkdir()
    subprocess.run(["git", "init", "-q"], cwd=project, check=True)
    subprocess.run(["git", "commit", "-q", "--allow-empty", "-m", "start"], cwd=project, check=True)
    code = (
        "import sys; from stepfork.cli.main import main; code = main(sys.argv[1:]); "
        "print(code, *sorted({name.partition('.')[0] for name in sys.modules}), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, env=os.environ)
    code_and_modules = done.stderr.splitlines()[-1].split()
    assert code_and_modules[0] == "0", done.stderr
    assert not foreign & set(code_and_modules[1:])


def test_a_selection_of_every_kind_loads_nothing_heavy(project: Path) -> None:
    """Both states, lists of watched files, tests in Python and in scripts; nor does any other module of `select/`."""
    files = {
        ".stepfork/config.toml": 'format = 1\n[watch]\nrefund = ["prompts/"]\n',
        ".stepfork/fixtures/refund.json": '{"name": "refund", "objects": []}\n',
        "prompts/a.md": "before\n",
        "tests/test_a.py": "def test_a():\n    load('refund')\n",
        "web/a.test.ts": "test('a', () => load('refund'));\n",
    }
    for path, text in files.items():
        (project / path).parent.mkdir(parents=True, exist_ok=True)
        (project / path).write_text(text)
    for words in (("init", "-q"), ("add", "-A"), ("commit", "-q", "-m", "start")):
        subprocess.run(["git", *words], cwd=project, check=True)
    (project / "prompts/a.md").write_text("after\n")
    subprocess.run(["git", "commit", "-q", "-a", "-m", "edit"], cwd=project, check=True)
    modules = sorted(f"stepfork.select.{path.stem}" for path in (ROOT / "src/stepfork/select").glob("[!_]*.py"))
    code = (
        "import sys; from stepfork.cli.main import main; main(sys.argv[1:]); "
        f"import {', '.join(modules)}; print(*sys.modules, file=sys.stderr)"
    )
    heavy = {"typer", "rich", "msgspec", "orjson", "aiohttp", "dulwich", "deepdiff", "yaml", "pathlib", "dataclasses"}
    for state in ("--work-tree", "--committed"):
        words = ["select", "--changed", "--base", "HEAD^", state, "--json"]
        done = subprocess.run([sys.executable, "-c", code, *words], capture_output=True, text=True, env=os.environ)
        loaded = set(done.stderr.splitlines()[-1].split())
        assert [test["path"] for test in json.loads(done.stdout)["tests"]] == ["tests/test_a.py", "web/a.test.ts"]
        assert not heavy & loaded


def test_the_error_tree_is_the_drawn_one() -> None:
    from stepfork import errors

    drawn = {}
    above: list[tuple[int, str]] = []
    for line in (errors.__doc__ or "").splitlines():
        word = line.replace("|", " ").replace("+--", "   ")
        name = word.split()[0] if word.split() else ""
        if not (name.endswith("Error") and line.startswith("    ")):
            continue
        depth = len(word) - len(word.lstrip())
        above = [item for item in above if item[0] < depth]
        drawn[name] = above[-1][1] if above else "Exception"
        above.append((depth, name))
    real = {
        name: item.__base__.__name__
        for name, item in vars(errors).items()
        if isinstance(item, type) and issubclass(item, Exception)
    }
    assert drawn == real

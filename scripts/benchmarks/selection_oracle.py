"""`stepfork select --changed` beside the truth: which tests of generated repositories fail without a fixture.

The repositories are made of the forms in ``selection_forms.txt``. Each of their fixtures is deleted once and emptied
once; pytest runs, and the tests that no longer pass must be among those selected. Prints ``missed M, extra E
(literal)`` and by which forms more is selected than needed; exits 1 when a test was missed, when too many were where
references are literals inside functions, or when a node id was printed that pytest does not know. ``--forms A,B``
limits the forms, ``--keep DIR`` leaves the repositories there.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

FORMS = Path(__file__).with_name("selection_forms.txt")
NAMES = (
    *("refund", "refund-2", "refund-de", "refund-de-2", "ship", "ship_de", "ship.v2", "billing/late", "billing/late/2"),
    *(
        "zürich",
        "überweisung-ß",
        "2024-case",
        "x",
        "x-1",
        "notify-de",
        "refund/refund",
        "a/b-c.d_e",
        "name",
        "test_data",
    ),
)
FIXTURES = 6
WAYS = ("deleted", "emptied")
HEADER = "import json, os, sys, pytest; from pathlib import Path; from product import load"
PRODUCT = '''
import json
def load(name):
    """What an application does: open the fixture by its name."""
    with open(f".stepfork/fixtures/{name}.json") as file:
        return json.load(file)["note"]
'''
INI = "[pytest]\npythonpath = .\nmarkers = stepfork\n"
GIT = ("git", "-c", "user.name=Oracle", "-c", "user.email=oracle@example.com", "-c", "commit.gpgsign=false")


class Form(NamedTuple):
    name: str
    words: tuple[str, ...]
    files: tuple[tuple[str, str], ...]


class Outcome(NamedTuple):
    """A fixture ``deleted`` or ``emptied``: node ids with their forms; ``extra`` are found in the test's own module."""

    fixture: str
    how: str
    missed: dict[str, str]
    extra: dict[str, str]
    extra_through: dict[str, str]
    unknown: tuple[str, ...]


def read_forms() -> dict[str, Form]:
    forms: dict[str, Form] = {}
    for block in FORMS.read_text().split("\n=== ")[1:]:
        head, _, rest = block.partition("\n")
        name, *words = head.split()
        files = [part.partition("\n") for part in ("\n" + rest).split("\n--- ")[1:]]
        forms[name] = Form(name, tuple(words), tuple((path, text) for path, _, text in files))
    return forms


def parts(name: str) -> dict[str, str]:
    at = next((index for index, char in enumerate(name) if char in "-_./"), len(name))
    head, joint, tail = name[:at], name[at : at + 1], name[at + 1 :]
    return {"": name, ".head": head, ".joint": joint, ".tail": tail, ".liat": tail[::-1], ".yna": name[::-1]}


def generate(top: Path, forms: list[Form], rng: random.Random) -> dict[str, Form]:
    """A repository with the forms in it; path → the form that a test file came from."""
    names = rng.sample(NAMES, FIXTURES)
    while not any(parts(name)[".tail"] for name in names):
        names = rng.sample(NAMES, FIXTURES)
    write(top, "product.py", PRODUCT)
    write(top, "pytest.ini", INI)
    write(top, "tests/conftest.py", HEADER + "\n")
    write(top, ".stepfork/config.toml", "format = 1\n")
    for name in names:
        write(top, f".stepfork/fixtures/{name}.json", json.dumps({"name": name, "note": 1, "objects": []}))
    origin: dict[str, Form] = {}
    for index, form in enumerate(forms):
        chosen = rng.sample(names, 3)
        if "split" in form.words and not parts(chosen[0])[".tail"]:
            chosen[0] = rng.choice([name for name in names if parts(name)[".tail"]])
            chosen[1:] = rng.sample([name for name in names if name != chosen[0]], 2)
        filled = {
            f"@{key}{part}@": text
            for key, name in zip("abc", chosen, strict=True)
            for part, text in parts(name).items()
        }
        for place, template in form.files:
            # What begins with a slash stands at the top, beside the folder of tests.
            path, text = place[1:] if place.startswith("/") else f"tests/{place}", template
            for mark, value in {**filled, "@i@": str(index)}.items():
                path, text = path.replace(mark, value), text.replace(mark, value)
            if path.endswith("+"):
                whole = (top / path[:-1]).read_text()
                begun = "pytest_plugins = ["
                whole = (
                    whole.replace(begun, f"{begun}{text.strip()}, ")
                    if begun in whole
                    else f"{whole}{begun}{text.strip()}]\n"
                )
                write(top, path[:-1], whole)
                continue
            write(top, path, text if text.startswith("#raw") or not text else f"{with_header(text)}")
            origin[path] = form
    for words in (("init", "-q", "-b", "main"), ("add", "-A"), ("commit", "-q", "-m", "all")):
        subprocess.run([*GIT, *words], cwd=top, check=True, env=environment())
    return origin


def with_header(text: str) -> str:
    if text.startswith('"""'):
        docstring, _, rest = text.partition("\n")
        return f"{docstring}\n{HEADER}\n{rest}\n"
    return f"{HEADER}\n{text}\n"


def write(top: Path, path: str, text: str) -> None:
    place = top / path
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(text)


def environment() -> dict[str, str]:
    return {key: value for key, value in os.environ.items() if not key.startswith(("GIT_", "STEPFORK")) and key != "CI"}


def run_tests(top: Path) -> dict[str, str]:
    """Node id → outcome, from pytest in a process of its own (a fork: pytest is loaded once)."""
    told, tell = os.pipe()
    child = os.fork()
    if child:
        os.close(tell)
        with os.fdopen(told) as pipe:
            text = pipe.read()
        os.waitpid(child, 0)
        return dict(json.loads(text)) if text else {}
    try:
        os.close(told)
        quiet = os.open(os.devnull if "ORACLE_SHOW" not in os.environ else "/dev/stderr", os.O_WRONLY)
        os.dup2(quiet, 1)
        os.dup2(quiet, 2)
        os.chdir(top)
        text = json.dumps(_in_child())
        with os.fdopen(tell, "w") as pipe:
            pipe.write(text)
    finally:
        os._exit(0)


def _in_child() -> dict[str, str]:
    import types

    import pytest

    sys.dont_write_bytecode = True

    def load(name: Any, *_: object, **__: object) -> Any:
        text = os.fspath(name).removesuffix(".json").rpartition("fixtures/")[2]
        json.loads(Path(f".stepfork/fixtures/{text}.json").read_text())["note"]
        return contextlib.nullcontext()

    # The product's functions open the file and nothing else: no recorded run is needed.
    stand_in: Any = types.ModuleType("stepfork.testing")
    stand_in.inspect_fixture = stand_in.playback = stand_in.replay_run = load
    import stepfork

    sys.modules["stepfork.testing"] = stepfork.testing = stand_in
    outcomes: dict[str, str] = {}

    class Plugin:
        @staticmethod
        def pytest_runtest_setup(item: pytest.Item) -> None:
            for mark in item.iter_markers("stepfork"):
                load(*mark.args, *mark.kwargs.values())

        @staticmethod
        def pytest_runtest_logreport(report: pytest.TestReport) -> None:
            if not report.passed or report.nodeid not in outcomes:
                outcomes[report.nodeid] = report.outcome

    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    pytest.main(["-q", "-p", "no:cacheprovider", "--continue-on-collection-errors"], [Plugin()])
    return outcomes


def compare(
    top: Path, origin: dict[str, Form], changes: int, rng: random.Random, ways: tuple[str, ...]
) -> Iterator[Outcome]:
    """So many fixtures of a repository deleted and emptied: what pytest says beside what is selected."""
    before = run_tests(top)
    failing = [node for node, outcome in before.items() if outcome != "passed"]
    if failing or not before:
        raise SystemExit(f"{top}: tests fail before anything changed: {failing[:5]}")
    silent = {path for path in origin if path.rpartition("/")[2].startswith("test_")} - {
        n.partition("::")[0] for n in before
    }
    if silent:
        raise SystemExit(f"{top}: no test was collected in {silent}")
    nodes = {node.partition("[")[0] for node in before}
    fixtures = sorted((top / ".stepfork/fixtures").rglob("*.json"))
    for path in rng.sample(fixtures, min(changes, len(fixtures))):
        whole = path.read_bytes()
        truths: dict[str, set[str]] = {}
        selected: dict[str, dict[str, tuple[str, ...]]] = {}
        for how in ways:
            path.unlink() if how == "deleted" else path.write_text('{"objects": []}')
            after = run_tests(top)
            truths[how] = {node.partition("[")[0] for node in before if after.get(node) != "passed"}
            selected[how] = selected_by_product(top)
        path.write_bytes(whole)
        needed = set().union(*truths.values())
        for how, reasons in selected.items():
            # What is selected through another form's conftest is that form's doing.
            own = [one for one, why in reasons.items() if not any(", through " in reason for reason in why)]
            yield Outcome(
                path.relative_to(top / ".stepfork/fixtures").as_posix(),
                how,
                by_form(truths[how] - covered(nodes, reasons), origin),
                by_form(covered(nodes, own) - needed, origin),
                by_form(covered(nodes, reasons) - covered(nodes, own) - needed, origin),
                tuple(one for one in reasons if not any(node == one or node.startswith(one + "::") for node in nodes)),
            )


def covered(nodes: set[str], ids: Iterable[str]) -> set[str]:
    """The tests that pytest runs when it is given some node ids."""
    return {node for node in nodes if any(node == one or node.startswith((one + "::", one + "/")) for one in ids)}


def by_form(nodes: Iterable[str], origin: dict[str, Form]) -> dict[str, str]:
    return {node: origin[node.partition("::")[0]].name for node in sorted(nodes)}


def selected_by_product(top: Path) -> dict[str, tuple[str, ...]]:
    """Node id → reasons."""
    from stepfork.workflows.select import SelectOptions, select_changed

    report = select_changed(str(top), environment(), SelectOptions(base="HEAD"))
    if report.selection.everything:
        raise SystemExit(f"{top}: all were selected: {report.selection.everything}")
    return {test.id: test.reasons for test in report.selection.tests}


class Totals:
    """What was found over all repositories."""

    def __init__(self, forms: dict[str, Form]) -> None:
        self._forms = forms
        self.missed = self.literal = self.unknown = 0
        self.extra: Counter[str] = Counter()
        self.cases = self.repositories = 0

    def take(self, top: Path, outcome: Outcome) -> None:
        self.cases += 1
        where = f"{top.name}, {outcome.fixture} {outcome.how}"
        for node, form in outcome.missed.items():
            self.missed += 1
            print(f"missed ({form}; {where}): {node}")
        for one in outcome.unknown:
            self.unknown += 1
            print(f"unknown to pytest ({where}): {one}")
        for node, form in outcome.extra.items():
            if "literal" in self._forms[form].words:
                self.literal += 1
                print(f"extra ({form}; {where}): {node}")
            else:
                self.extra[form] += 1
        self.extra.update(
            form if "literal" not in self._forms[form].words else "(through a conftest.py for all)"
            for form in outcome.extra_through.values()
        )

    @property
    def failed(self) -> bool:
        return bool(self.missed or self.literal or self.unknown)


def examine(
    repositories: int,
    seed: int,
    *,
    size: int,
    changes: int,
    ways: tuple[str, ...] = WAYS,
    wanted: list[str] | None = None,
    keep: Path | None = None,
) -> Totals:
    """Make that many repositories of ``size`` forms each, every form in turn, and compare."""
    forms = read_forms()
    totals = Totals(forms)
    rng = random.Random(seed)
    deck: list[Form] = []
    with tempfile.TemporaryDirectory() as scratch:
        for number in range(repositories):
            while len(deck) < size:
                more = [forms[name] for name in wanted or forms]
                rng.shuffle(more)
                deck += more
            chosen, deck = deck[:size], deck[size:]
            top = (keep or Path(scratch).resolve()) / f"repository-{number}"
            top.mkdir(parents=True)
            for outcome in compare(top, generate(top, chosen, rng), changes, rng, ways):
                totals.take(top, outcome)
            totals.repositories += 1
            if totals.repositories % 10 == 0:
                print(f"{totals.repositories} repositories, missed {totals.missed}", file=sys.stderr, flush=True)
    return totals


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--repositories", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--forms", type=lambda text: text.split(","))
    parser.add_argument("--size", type=int, default=8, help="forms in a repository")
    parser.add_argument("--changes", type=int, default=FIXTURES, help="fixtures of each that are deleted and emptied")
    parser.add_argument("--only", choices=WAYS, help="one way of changing them")
    parser.add_argument("--keep", type=Path)
    chosen = parser.parse_args()
    import pytest  # noqa: F401  # before the first fork

    begun = time.monotonic()
    totals = examine(
        chosen.repositories,
        chosen.seed,
        size=chosen.size,
        changes=chosen.changes,
        ways=(chosen.only,) if chosen.only else WAYS,
        wanted=chosen.forms,
        keep=chosen.keep,
    )
    for form, count in totals.extra.most_common():
        print(f"  {count:5} more than needed: {form}")
    print(f"{totals.repositories} repositories, {totals.cases} changes, {time.monotonic() - begun:.0f} s")
    print(f"missed {totals.missed}, extra {totals.literal} (literal), unknown ids {totals.unknown}")
    return 1 if totals.failed else 0


if __name__ == "__main__":
    sys.exit(main())

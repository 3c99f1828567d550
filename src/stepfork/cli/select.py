"""The select command: parsed by hand, since a hook pays for every import each time."""

from __future__ import annotations

import os

from stepfork.cli.exit_codes import BAD_INPUT, OK
from stepfork.config.environment import environ, in_ci, store_override
from stepfork.errors import StepforkError, UsageError
from stepfork.git.ahead import start_walks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from stepfork.select.selection import SelectedTest
    from stepfork.workflows.affected import Affected
    from stepfork.workflows.select import SelectReport

NAME = "stepfork select"

HELP = """\
Usage: stepfork select --changed [OPTIONS] [--run -- COMMAND...]

  Print the tests that a change touches: one pytest node id a line, relative to
  the pytest root.

  Compared are the merge base of BASE and HEAD with the work tree (index and
  untracked files included) or, with --committed, with HEAD. A test is touched
  when it references a fixture that was added, edited, deleted or renamed. What
  cannot be told selects every test that uses fixtures.

Options:
  --changed     Select by what changed (the one way there is).
  --base REF    Compare with this revision. Without: [select] base of
                config.toml, the CI's target branch, the remote's default
                branch, HEAD.
  --committed   Compare HEAD (the default when CI is set).
  --work-tree   Compare the work tree, in CI too.
  --explain     Print the reasons beside each test.
  --language L  Which tests: python (the default), or javascript, TypeScript
                included (the default where there is no test in Python).
  --json        Print one JSON document (select.schema.json).
  --null        End each node id with NUL instead of a line break.
  --run         Run COMMAND with the tests as further words, instead of printing
                them. No test: nothing is run, a success.
  --store DIR   The store to use instead of the nearest .stepfork (also
                STEPFORK_DIR).
  -h, --help    Show this message and exit.

Exit codes: 0 selected, none included; 2 it could not be told. With --run, the
command's own where it was run.
"""


ALIGNED = 100
"""Characters of a node id up to which the reasons stand in a column; beside a longer one its reason follows at once."""
_LANGUAGES = {"python": "Python", "javascript": "JavaScript"}


class Options:
    """The words of the command line; ``committed`` is None where they leave it to the environment."""

    def __init__(self, words: list[str]) -> None:
        self.base: str | None = None
        self.store: str | None = None
        self.language: str | None = None
        self.committed: bool | None = None
        self.changed = self.explain = self.json = self.null = self.run = self.help = False
        end = words.index("--") if "--" in words else len(words)
        self.command = words[end + 1 :]
        rest = iter(words[:end])
        for word in rest:
            name, equals, value = word.partition("=")
            if name in ("--base", "--store", "--language"):
                given = value if equals else next(rest, None)
                if not given:
                    raise UsageError(f"{name} needs a value", fix=f"{NAME} --help")
                setattr(self, name[2:], given)
            elif word in ("--committed", "--work-tree"):
                if self.committed is not None and self.committed != (word == "--committed"):
                    raise UsageError("--committed and --work-tree exclude one another")
                self.committed = word == "--committed"
            elif word in ("--changed", "--explain", "--json", "--null", "--run", "--help", "-h"):
                setattr(self, "help" if word == "-h" else word[2:], True)
            else:
                raise UsageError(f"no such option {ascii(name[:40])[1:-1]}", fix=f"{NAME} --help lists them")
        if self.language not in (None, *_LANGUAGES):
            raise UsageError(f"no such language {ascii(self.language)[1:-1]}", fix="python or javascript")
        if not self.changed and not self.help:
            raise UsageError("select needs --changed", fix=f"{NAME} --help")
        if self.json and (self.null or self.explain):
            raise UsageError("--json stands alone", fix="it has the reasons and the paths already")
        if self.run != bool(self.command) and not self.help:
            raise UsageError("--run and a command after -- need one another", fix=f"{NAME} --changed --run -- pytest")
        if self.run and (self.json or self.null):
            raise UsageError("--run prints no list", fix="leave --json and --null out")


def main(argv: list[str]) -> int:
    """Run ``stepfork select`` with these words and return its exit code."""
    try:
        chosen = Options(argv)
        if chosen.help:
            _out([HELP.rstrip("\n")], "\n")
            return OK
        if chosen.run:
            return _run(chosen)
        report = _ask(chosen)
        _tell(report, chosen)
        _print(report, chosen)
        _conclude(report)
    except StepforkError as error:
        return _fail(str(error))
    except OSError as error:
        return _fail(f"{error.filename or 'output'}: {error.strerror}")
    return OK


def _run(chosen: Options) -> int:
    from stepfork.cli.select_run import CommandRun

    command = CommandRun(chosen.command)
    report = _ask(chosen)
    _tell(report, chosen)
    tests = _tests(report, chosen)
    for line in _explained(tests) if chosen.explain else ():
        _err(line)
    _conclude(report)
    ids = [test.id for test in tests]
    if not ids:
        _err("nothing is run")
    return command.run(ids, report.root, as_file=_language(report, chosen) == "python")


def _ask(chosen: Options) -> SelectReport:
    variables = environ()
    committed = in_ci() if chosen.committed is None else chosen.committed
    ahead = None if committed else start_walks(variables)
    try:
        # Loaded while git walks.
        from stepfork.workflows.select import SelectOptions, select_changed

        store = chosen.store or store_override()
        options = SelectOptions(chosen.base, committed, store, count_users=chosen.explain)
        return select_changed(".", variables, options, ahead)
    finally:
        for walk in ahead or ():
            walk.stop()


def _language(report: SelectReport, chosen: Options) -> str:
    return chosen.language or ("javascript" if report.scripts_only else "python")


def _tests(report: SelectReport, chosen: Options) -> list[SelectedTest]:
    """Those of one language: a runner refuses files of another."""
    wanted = _language(report, chosen) == "python"
    return [test for test in report.selection.tests if test.path.endswith(".py") == wanted]


def _tell(report: SelectReport, chosen: Options) -> None:
    for line in _messages(report):
        _say(line)
    language = _language(report, chosen)
    tests = _tests(report, chosen)
    others = len(report.selection.tests) - len(tests)
    if others and not chosen.json:
        (other,) = _LANGUAGES.keys() - {language}
        head = "" if tests else f"no {_LANGUAGES[language]} test selected, "
        noun = f"{_LANGUAGES[other]} test"
        _err(f"{head}{_count(others, noun)} selected: --language {other} names {'it' if others == 1 else 'them'}")


def _print(report: SelectReport, chosen: Options) -> None:
    tests = _tests(report, chosen)
    if tests and os.path.realpath(report.root) != os.path.realpath("."):
        _err(f"node ids are relative to {os.path.relpath(report.root)}")
    if chosen.json:
        _out([_document(report, report.selection.tests if chosen.language is None else tests)], "\n")
    elif chosen.explain:
        _out(_explained(tests), "\n")
    else:
        ids = [test.id for test in tests]
        if not chosen.null and any("\n" in one or "\r" in one for one in ids):
            raise UsageError("a path has a line break in it", fix="use --null")
        _out(ids, "\0" if chosen.null else "\n")


def _explained(tests: Sequence[SelectedTest]) -> list[str]:
    from stepfork.cli.escape import escape

    lengths = [len(escape(test.id)) for test in tests]
    width = max((length for length in lengths if length <= ALIGNED), default=0)
    return [f"{escape(test.id):<{width}}  {escape(_why(test.reasons))}" for test in tests]


def _why(reasons: tuple[str, ...]) -> str:
    more = f" (and {len(reasons) - 2} more)" if len(reasons) > 2 else ""
    return "; ".join(reasons[:2]) + more


def compared(report: SelectReport | Affected) -> str:
    """Base and mode in words."""
    state = "HEAD" if report.committed else "the work tree"
    from_ = f" (merge base {report.merge_base[:7]})" if report.merge_base else ""
    return (
        f"base {report.base.name}{from_}, comparing {state}" if report.base.head else "no commit here yet: all is new"
    )


def _messages(report: SelectReport) -> list[str]:
    lines = [compared(report)]
    tests, changed = report.selection.tests, report.fixtures.reasons
    lines += [f"every test that uses fixtures: {reason}" for reason in report.selection.everything]
    if not tests and changed:
        names = ", ".join(sorted(changed)[:5]) + (", …" if len(changed) > 5 else "")
        left = " (those that this sparse checkout leaves out are not looked at)" if report.sparse else ""
        lines.append(f"no test selected: none references {names}{left}; stepfork ls --unreferenced lists such fixtures")
    elif not tests:
        lines.append("no test selected: no fixture changed")
    lines += [f"{other} changed too: run select in its project" for other in report.fixtures.others]
    return lines


def _conclude(report: SelectReport) -> None:
    """How many of how many, where the reasons were asked for."""
    if report.using is None:
        return
    are = "is" if report.unwatched == 1 else "are"
    watched = f"; {_count(report.unwatched, 'changed file')} {are} watched by no fixture" if report.unwatched else ""
    users = "test that uses fixtures" if report.using == 1 else "tests that use fixtures"
    _say(f"{len(report.selection.tests)} of {report.using} {users}{watched}")


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _document(report: SelectReport, tests: Sequence[SelectedTest]) -> str:
    import json

    fixtures = (*report.fixtures.fixtures, *report.fixtures.bundles)
    document = {
        "base": {"name": report.base.name, "commit": report.base.commit, "merge_base": report.merge_base},
        "compared": "head" if report.committed else "work_tree",
        "root": report.root,
        "everything": list(report.selection.everything),
        "fixtures": [{"name": one.name, "change": one.what, "path": one.path} for one in fixtures],
        "tests": [
            {
                "id": test.id,
                "language": "python" if test.path.endswith(".py") else "javascript",
                "path": test.path,
                "node": list(test.node),
                "reasons": list(test.reasons),
            }
            for test in tests
        ],
        "other_stores": list(report.fixtures.others),
    }
    # A path of bytes that are no UTF-8 is written as escapes, so that the document itself always is.
    return json.dumps(document, indent=2, ensure_ascii=True)


def _out(lines: list[str], end: str) -> None:
    """Node ids are paths: their bytes go out as they are, whatever encoding the terminal has."""
    from stepfork.cli.console import out_bytes

    out_bytes("".join(line + end for line in lines).encode("utf-8", "surrogateescape"))


def _say(line: str) -> None:
    """A line for whoever reads along: beside the node ids, which are the answer."""
    from stepfork.cli.console import err
    from stepfork.cli.escape import escape

    err(escape(line))


def _err(line: str) -> None:
    from stepfork.cli.console import err
    from stepfork.cli.escape import escape

    err(f"{NAME}: {escape(line)}")


def _fail(message: str) -> int:
    _err(message)
    return BAD_INPUT

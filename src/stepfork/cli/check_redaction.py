"""The check-redaction command: parsed by hand, since a hook pays for every import each time."""

# Without pathlib, which takes longer to load than a clean file to scan.
# ruff: noqa: PTH109

from __future__ import annotations

import os

from stepfork.cli.console import err, out
from stepfork.cli.exit_codes import BAD_INPUT, NO, OK
from stepfork.config.environment import environ, read_dotenv, store_override
from stepfork.config.redaction import project_rules
from stepfork.errors import StepforkError, UsageError
from stepfork.redact.secrets import Secrets
from stepfork.workflows import check_redaction as workflow

TYPE_CHECKING = False
if TYPE_CHECKING:
    from stepfork.workflows.check_redaction import Checked

NAME = "stepfork check-redaction"

HELP = """\
Usage: stepfork check-redaction [OPTIONS] [PATH]...

  Look for secrets in fixtures, bundles, and any JSON, JSON lines, YAML or text.

  PATH is a file or a folder; without one, the project's store is checked. What
  counts as a secret: the values of the environment and of .env whose names say
  so, the shapes of known credentials, and values that a name gives away. A
  finding names the file, the place and the rule, never the value.

  Run by git as a hook, it reads the bytes being committed.

Options:
  --staged    Check what the next commit adds or changes, as it is staged.
  --json      Print one JSON document.
  -h, --help  Show this message and exit.

Exit codes: 0 no secret, 1 a secret was found, 2 something could not be scanned
(and no secret was found in the rest).
"""


class Options:
    """The words of the command line."""

    def __init__(self, words: list[str]) -> None:
        self.paths: list[str] = []
        self.staged = self.json = self.help = self.in_hook = False
        ended = False
        for word in words:
            if ended or not word.startswith("-") or word == "-":
                if not word:
                    raise UsageError("a path is empty", fix="name a file or a folder")
                self.paths.append(word)
            elif word == "--":
                ended = True
            elif word in ("--staged", "--json", "--help", "-h"):
                setattr(self, "help" if word == "-h" else word[2:], True)
            else:
                raise UsageError(f"no such option {word.partition('=')[0][:40]}", fix=f"{NAME} --help lists them")


def main(argv: list[str]) -> int:
    """Run the command with the words after its name; the exit code."""
    try:
        options = Options(argv)
        if options.help:
            out(HELP.rstrip("\n"))
            return OK
        variables = environ()
        folder = os.getcwd()
        secrets = Secrets.collect(variables, read_dotenv(folder), project_rules(folder, store_override()))
        checked = _check(options, folder, variables, secrets)
    except StepforkError as error:
        err(f"{NAME}: {_escaped(str(error))}")
        return BAD_INPUT
    except OSError as error:
        err(f"{NAME}: {_escaped(error.strerror or 'cannot be read')}")
        return BAD_INPUT
    code = NO if checked.findings else BAD_INPUT if checked.problems else OK
    try:
        _report(checked, options, secrets, code)
    except StepforkError as error:
        err(f"{NAME}: {_escaped(str(error))}")
        return BAD_INPUT
    return code


def _check(options: Options, folder: str, variables: dict[str, str], secrets: Secrets) -> Checked:
    options.in_hook = bool(variables.get("GIT_INDEX_FILE"))
    if options.staged or (options.in_hook and not options.paths):
        return workflow.check_staged(folder, options.paths, variables, secrets)
    if options.in_hook:
        return workflow.check_in_hook(folder, options.paths, variables, secrets)
    if options.paths:
        return workflow.check_paths(options.paths, secrets)
    return workflow.check_store(folder, store_override(), secrets)


def _report(checked: Checked, options: Options, secrets: Secrets, code: int) -> None:
    if options.json:
        out(_document(checked, secrets))
        return
    for name, reason in checked.problems:
        err(f"{NAME}: {_shown(name, secrets)}: {reason}")
    for name, kind in checked.notes:
        if len(options.paths) and name in options.paths:
            err(
                f"{_shown(name, secrets)}: {kind}, read for the text in it"
                if kind != "an empty file"
                else f"{_shown(name, secrets)}: {kind}"
            )
    if checked.findings:
        rows = [(_shown(item.where, secrets), _escaped(item.path), item.rule) for item in checked.findings]
        files = len({item.where for item in checked.findings})
        total = len(rows)
        out(f"{NAME}: {_count(total, 'finding')} in {files} of {_count(checked.scanned, *_NOUNS[checked.source])}")
        out("\n".join(_table(rows)))
        out(_NEXT["hook" if options.in_hook else checked.source])
    elif checked.scanned:
        suffix = f", {_count(len(checked.problems), 'file')} not scanned" if checked.problems else ""
        out(f"{NAME}: no secret in {_count(checked.scanned, *_NOUNS[checked.source])}{suffix}")
    else:
        out(f"{NAME}: no file was scanned{_WHY_NONE.get(checked.source, '') if code == OK else ''}")


def _escaped(text: str) -> str:
    from stepfork.cli.escape import escape

    return escape(text)


def _shown(name: str, secrets: Secrets) -> str:
    """A file's name as it may be shown: names come from outside, and one may hold a secret itself."""
    return _escaped(_redacted(name, secrets))


def _redacted(name: str, secrets: Secrets) -> str:
    from stepfork.redact.redactor import redact_text

    return redact_text(name, secrets)


_NOUNS = {
    "disk": ("file",),
    "store": ("file of the store", "files of the store"),
    "staged": ("staged file",),
    "index": ("file of the commit", "files of the commit"),
}
_WHY_NONE = {
    "staged": ": nothing is staged, or only deletions and renames",
    "store": ": the store is empty",
}
_TAKE_OUT = "Take the secrets out, and change any that left this machine"
_NEXT = {
    "hook": "nothing was committed. Take the secrets out and stage the files again",
    "staged": "Take the secrets out and stage the files again before you commit",
    "disk": _TAKE_OUT,
    "store": _TAKE_OUT,
}


def _count(number: int, one: str, many: str = "") -> str:
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def _table(rows: list[tuple[str, str, str]]) -> list[str]:
    """Rows with aligned columns, as far as a long name does not push all others aside."""
    widths = [min(max(len(row[column]) for row in rows), 60) for column in (0, 1)]
    return [f"  {row[0]:<{widths[0]}}   {row[1]:<{widths[1]}}   {row[2]}" for row in rows]


def _document(checked: Checked, secrets: Secrets) -> str:
    import json

    return json.dumps(
        {
            "source": checked.source,
            "scanned": checked.scanned,
            "findings": [
                {"file": _redacted(item.where, secrets), "path": item.path, "rule": item.rule}
                for item in checked.findings
            ],
            "problems": [{"file": _redacted(name, secrets), "reason": reason} for name, reason in checked.problems],
            "notes": [{"file": _redacted(name, secrets), "kind": kind} for name, kind in checked.notes],
        },
        indent=2,
        ensure_ascii=True,
    )

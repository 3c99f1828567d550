"""The check-redaction command; hooks pay for what it imports each time."""

# Without pathlib, which takes longer to load than a clean file to scan.
# ruff: noqa: PTH109

from __future__ import annotations

import os

from stepfork.cli.check_options import HELP, NAME, Options
from stepfork.cli.console import err, out
from stepfork.cli.exit_codes import BAD_INPUT, NO, OK
from stepfork.config.environment import environ, read_dotenv, store_override
from stepfork.config.redaction import project_rules
from stepfork.errors import StepforkError
from stepfork.redact.secrets import Secrets
from stepfork.workflows import check_redaction as workflow

TYPE_CHECKING = False
if TYPE_CHECKING:
    from stepfork.redact.rules import Rules
    from stepfork.workflows.checked import Checked


def main(argv: list[str]) -> int:
    """Run the command with the words after its name; the exit code."""
    try:
        options = Options(argv)
        if options.help:
            out(HELP.rstrip("\n"))
            return OK
        return _run(options, os.getcwd(), environ())
    except StepforkError as error:
        return _refused(str(error))
    except OSError as error:
        return _refused(error.strerror or "cannot be read")


def _refused(reason: str) -> int:
    from stepfork.cli.render.check_text import shown
    from stepfork.redact.secrets import Secrets

    err(f"{NAME}: {shown(reason, Secrets({}))}")  # words of the command line stand in it, and names of files
    return BAD_INPUT


def _run(options: Options, folder: str, variables: dict[str, str]) -> int:
    rules = _rules(options, folder, variables)
    digests = options.hash or bool(rules.accepted)
    secrets = Secrets.collect(variables, read_dotenv(folder), rules, digests=digests)
    in_hook = bool(variables.get("GIT_INDEX_FILE"))
    if options.fix:
        from stepfork.cli import fix_redaction

        code, report = fix_redaction.run(options, folder, variables, secrets, in_hook=in_hook)
        _report(report, in_hook=in_hook)
        return code
    secrets = secrets.with_personal
    checked = _check(options, folder, variables, secrets, in_hook=in_hook)
    code = NO if checked.findings else BAD_INPUT if checked.problems else OK
    if options.json:
        from stepfork.cli.render.check_json import check_document

        out(check_document(checked, secrets, hashes=options.hash))
        return code
    from stepfork.cli.render.check_text import entries, lines, remarks

    for line in remarks(checked, secrets, options.paths):
        err(line)
    if options.hash and checked.findings:
        told = entries(checked, secrets)
    else:
        told = lines(checked, secrets, in_hook=in_hook, accepted_from=options.accepted_from)
    _report("\n".join(told), in_hook=in_hook)
    if options.form == "github":
        from stepfork.cli.render.check_github import annotated

        for line in annotated(checked, secrets, folder, variables):
            out(line)
    return code


def _report(text: str, *, in_hook: bool) -> None:
    """Print a report. A hook's answer is its exit code, and git shows both outputs: where stdout cannot be written, the
    report goes to stderr."""
    try:
        out(text)
    except StepforkError:
        if not in_hook:
            raise
        err(text)


def _rules(options: Options, folder: str, variables: dict[str, str]) -> Rules:
    rules = project_rules(folder, store_override())
    if not options.accepted_from:
        return rules
    from stepfork.redact.rules import NO_RULES
    from stepfork.workflows.accepted_from import rules_at

    base = rules_at(options.accepted_from, folder, store_override(), variables)
    if base is None:
        from stepfork.cli.escape import escape

        err(f"{NAME}: {escape(options.accepted_from)} has no config.toml of a store here, so nothing is accepted")
    return rules.judged_by(base or NO_RULES, options.accepted_from)


def _check(options: Options, folder: str, variables: dict[str, str], secrets: Secrets, *, in_hook: bool) -> Checked:
    if options.staged or (in_hook and not options.paths):
        return workflow.check_staged(folder, options.paths, variables, secrets)
    if in_hook:
        return workflow.check_in_hook(folder, options.paths, variables, secrets)
    if options.paths:
        return workflow.check_paths(options.paths, secrets)
    return workflow.check_store(folder, store_override(), secrets)

"""init --status: what git is told here, and whether it works."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import msgspec

from stepfork.errors import GitError
from stepfork.git.checkout import Checkout, find_checkout
from stepfork.git.index import staged_entries
from stepfork.git.settings import attribute, converted, local_values
from stepfork.store.layout import FIXTURES, STORE_NAME
from stepfork.workflows.init_git import COMMAND_KEY, GUARDS, TEXTCONV_KEY, hook_file, state_of_hook


class Row(msgspec.Struct, frozen=True):
    """One thing that init sets up: its state in words, and `fix`, what to do. `ok` is None for what is optional."""

    name: str
    state: str
    ok: bool | None = True
    fix: str = ""


def status(folder: Path, environ: Mapping[str, str]) -> list[Row]:
    """A row for each thing that init sets up in `folder`."""
    store = folder / STORE_NAME
    if not store.is_dir():
        return [Row("store", f"no {STORE_NAME} in {folder.resolve().as_posix()}", False, "stepfork init")]
    rows = [Row("store", store.as_posix())]
    try:
        checkout = find_checkout(folder, environ, committing=True)
    except GitError as error:
        return [*rows, Row("git", error.what, False, error.fix or "")]
    if checkout is None:
        return [*rows, Row("git", "this is no git repository", False, "git init, then stepfork init")]
    return [*rows, *_in_git(checkout, f"{checkout.prefix}{STORE_NAME}/{FIXTURES}")]


def _in_git(checkout: Checkout, fixtures: str) -> Iterator[Row]:
    named = attribute(checkout, "diff", f"{fixtures}/x.json") == "stepfork"
    yield (
        Row("attributes", "git knows the fixtures (diff=stepfork)")
        if named
        else Row(
            "attributes", "git is not told which files are fixtures", False, "stepfork init, and see .gitattributes"
        )
    )
    values = local_values(checkout, TEXTCONV_KEY)
    if not values:
        yield Row("textconv", f"{TEXTCONV_KEY} is not set: git shows fixtures as JSON", False, "stepfork init")
    elif values[-1] != GUARDS[TEXTCONV_KEY]:
        fix = f"git config --unset-all {TEXTCONV_KEY}, then stepfork init"
        yield Row("textconv", f"{TEXTCONV_KEY} is set to something else", None, fix)
    else:
        yield Row("textconv", "git diff, log -p, show and blame tell fixtures as text")
        yield _tried(checkout, fixtures)
    values = local_values(checkout, COMMAND_KEY)
    if not values:
        yield Row("driver", "not set", None, "optional: stepfork init --diff-driver")
    elif values[-1] != GUARDS[COMMAND_KEY]:
        yield Row("driver", f"{COMMAND_KEY} is set to something else", None, f"git config --unset-all {COMMAND_KEY}")
    else:
        yield Row("driver", "git diff tells what changed in meaning")
    yield _hook(checkout)


def _tried(checkout: Checkout, fixtures: str) -> Row:
    """Whether git gets a text when it asks for one."""
    manifest = next((path for path in staged_entries(checkout, [fixtures]) if path.endswith(".json")), None)
    if manifest is None:
        return Row("works", "no fixture is staged or committed yet, so it was not tried", None)
    text = converted(checkout, manifest)
    if text is not None and not text.startswith(b"{"):
        return Row("works", f"tried with {manifest}")
    return Row("works", f"git shows {manifest} as JSON", False, "put stepfork on the PATH that git has")


def _hook(checkout: Checkout) -> Row:
    match state_of_hook(hook_file(checkout)):
        case "ours" | "calls":
            return Row("hook", "the pre-commit hook runs check-redaction")
        case "none":
            return Row("hook", "no pre-commit hook", None, "optional: stepfork init --hook")
    return Row("hook", "a pre-commit hook that does not name check-redaction", None, "docs/how-to/pre-commit.md")

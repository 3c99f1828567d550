"""check-redaction as annotations of a GitHub job, beside its text."""

# ruff: noqa: PTH118

from __future__ import annotations

import os

from stepfork.cli.check_options import NAME
from stepfork.cli.render.github import annotation

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from stepfork.redact.secrets import Secrets
    from stepfork.workflows.checked import Checked


def annotated(checked: Checked, secrets: Secrets, folder: str, environ: Mapping[str, str]) -> Iterator[str]:
    """A line for each finding and for each file that could not be scanned. Files are named from the root of the
    repository around `folder`, as GitHub wants them; one that is outside of it has no name."""
    from stepfork.redact.redactor import redact_text

    root = None if checked.source in ("staged", "index") else _root(folder, environ)
    for item in checked.places:
        file = redact_text(_from_root(item.where, root, folder), secrets)
        message = f"{item.rule} at {item.path}: take it out, and change it if it left your machine"
        yield annotation("error", message, file=file, title=f"secret: {item.rule}", line=_line(item.path))
    for name, reason in checked.problems:
        file = redact_text(_from_root(name, root, folder), secrets)
        yield annotation("error", f"{redact_text(name, secrets)}: {reason}", file=file, title=f"{NAME}: not scanned")


def _line(path: str) -> int | None:
    """The line that a place begins with; None where it is a pointer alone."""
    word, _, rest = path.partition(" ")
    number = rest.partition(" ")[0]
    return int(number) if word == "line" and number.isdigit() else None


def _root(folder: str, environ: Mapping[str, str]) -> str | None:
    from stepfork.errors import GitError
    from stepfork.git.checkout import find_checkout

    try:
        checkout = find_checkout(folder, environ)
    except GitError:
        return None
    return None if checkout is None else checkout.root


def _from_root(name: str, root: str | None, folder: str) -> str:
    if root is None:
        return name
    try:
        inside = os.path.relpath(os.path.join(os.path.realpath(folder), name), root).replace(os.sep, "/")
    except ValueError:  # Windows: on another drive
        return ""
    return "" if inside.startswith("../") else inside

"""Which state of the code was run: the commit, and whether the work tree is that commit."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import msgspec

from stepfork.errors import GitError
from stepfork.git.checkout import find_checkout
from stepfork.git.environment import without_hook_variables


class CodeState(msgspec.Struct, frozen=True):
    """The commit of HEAD, None before the first one; ``dirty``: a file is changed, staged, or new and not ignored."""

    commit: str | None
    dirty: bool


def code_state(folder: Path, environ: Mapping[str, str]) -> CodeState | None:
    """The state of the repository around `folder`; None where there is none, or no git program to ask."""
    try:
        checkout = find_checkout(folder, without_hook_variables(environ))
        if checkout is None:
            return None
        commit = checkout.commits(["HEAD"])[0]
        status = checkout.git.run("status", "--porcelain", "-z", "--untracked-files=normal", "--no-renames")
    except GitError:
        return None
    return CodeState(commit, bool(status.out))

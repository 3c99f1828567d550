"""What this repository's own configuration says, and changing it: never that of the user or of the machine."""

from __future__ import annotations

import os
import re

from stepfork.errors import GitError
from stepfork.git.command import to_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from stepfork.git.checkout import Checkout

_SPECIAL = re.compile(r"[][{}()*+?.^$|\\]")


def local_values(checkout: Checkout, key: str) -> tuple[str, ...]:
    """All values of a key in the repository's own configuration."""
    answer = checkout.git.run("config", "--local", "-z", "--get-all", key, codes=(0, 1))
    return tuple(to_text(answer.out).split("\0")[:-1])


def set_local(checkout: Checkout, key: str, value: str) -> None:
    """Give a key that has no value one. Raises GitError where the configuration cannot be written."""
    _write(checkout, "--add", key, value)


def unset_local(checkout: Checkout, key: str, value: str) -> None:
    """Take that value of a key away; a section that is empty then goes too. Raises GitError as `set_local`."""
    # --fixed-value came with git 2.30
    _write(checkout, "--unset-all", key, "^" + _SPECIAL.sub(r"\\\g<0>", value) + "$")


def _write(checkout: Checkout, *words: str) -> None:
    answer = checkout.git.run("config", "--local", *words, codes=range(256))
    if answer.code:
        told = answer.err.splitlines()[:1] or [f"exit {answer.code}"]
        raise GitError(
            f"git's configuration cannot be written ({told[0].removeprefix('error: ')})",
            where=checkout.root,
            fix="see that no other git is at work and that it may be written, then stepfork init",
        )


def hooks_folder(checkout: Checkout) -> tuple[str, bool]:
    """Where git looks for hooks, absolute, and whether that is the repository's own folder of them."""
    told = to_text(checkout.git.run("rev-parse", "--git-path", "hooks", "--git-common-dir").out).splitlines()
    hooks, common = (os.path.normpath(os.path.join(checkout.root, path)) for path in told[:2])
    return hooks, hooks == os.path.join(common, "hooks")


def attribute(checkout: Checkout, name: str, path: str) -> str:
    """The value that git gives an attribute of a path from the root."""
    answer = checkout.git.run("check-attr", "-z", name, "--", path)
    return to_text(answer.out).split("\0")[2]


def converted(checkout: Checkout, path: str) -> bytes | None:
    """What git shows of a file of the index where a driver converts it to text; None where git cannot."""
    answer = checkout.git.run("cat-file", "--textconv", f":{path}", codes=range(256))
    return None if answer.code else answer.out

"""init: what git is told in this clone, and taken back. Attributes are committed, configuration is each person's.

Only the repository's own configuration is written, only keys that have no value get one, and only what is there byte
for byte as it was written is taken back.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from stepfork.errors import GitError, StoreError
from stepfork.git.checkout import Checkout, find_checkout
from stepfork.git.settings import hooks_folder, local_values, set_local, unset_local
from stepfork.store.files import remove_file, write_atomic
from stepfork.workflows.git_guards import COMMAND, HOOK, TEXTCONV

TEXTCONV_KEY = "diff.stepfork.textconv"
COMMAND_KEY = "diff.stepfork.command"
GUARDS = {TEXTCONV_KEY: TEXTCONV, COMMAND_KEY: COMMAND}
"""The keys that init may set, each with its value."""


def tell_git(folder: Path, environ: Mapping[str, str], *, driver: bool = False, hook: bool = False) -> list[str]:
    """Set up what git runs for manifests, one line for each thing done or left; none where all is set.

    `driver` adds the command driver, `hook` the pre-commit hook. Raises GitError where git's configuration cannot be
    written, StoreError for the hook.
    """
    asked = "".join((" --diff-driver" if driver else "", " --hook" if hook else ""))
    checkout = _checkout(folder, environ)
    if isinstance(checkout, str):
        return [f"git is told nothing yet: {checkout}"]
    if checkout is None:
        return [f"git is told nothing yet: this is no git repository (git init, then stepfork init{asked} again)"]
    told = [line for key in _keys(driver=driver) if (line := _set(checkout, key)) is not None]
    return told + (_add_hook(checkout) if hook else [])


def take_back(folder: Path, environ: Mapping[str, str]) -> list[str]:
    """Take back what `tell_git` set, one line for each; what somebody changed since stays, and is said."""
    checkout = _checkout(folder, environ)
    if isinstance(checkout, str):
        return [f"git was told nothing here: {checkout}"]
    if checkout is None:
        return ["git was told nothing here: this is no git repository"]
    told = [line for key in GUARDS if (line := _unset(checkout, key)) is not None]
    hook = hook_file(checkout)
    if state_of_hook(hook) == "ours":
        remove_file(hook)
        told.append(f"removed {hook.as_posix()}")
    return told


def not_done(folder: Path, environ: Mapping[str, str], *, driver: bool, hook: bool) -> list[str]:
    """What was asked of `tell_git` and is not so: `tell_git` has said why, and what to do."""
    checkout = _checkout(folder, environ)
    lacking = []
    if driver and not (isinstance(checkout, Checkout) and local_values(checkout, COMMAND_KEY)[-1:] == (COMMAND,)):
        lacking.append("diff driver")
    if hook and not (isinstance(checkout, Checkout) and state_of_hook(hook_file(checkout)) in ("ours", "calls")):
        lacking.append("pre-commit hook")
    return lacking


def lacks_hook(folder: Path, environ: Mapping[str, str]) -> bool:
    """Whether a hook would be made, were it asked for; also where there is no repository yet."""
    checkout = _checkout(folder, environ)
    return not isinstance(checkout, Checkout) or state_of_hook(hook_file(checkout)) == "none"


def hook_file(checkout: Checkout) -> Path:
    """Where git looks for the pre-commit hook."""
    return Path(hooks_folder(checkout)[0]) / "pre-commit"


def state_of_hook(path: Path) -> str:
    """``none``, ``ours`` (as it was written), ``calls`` (another that mentions check-redaction) or ``other``."""
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return "other" if path.is_symlink() else "none"
    except OSError:
        return "other"
    if path.is_symlink():
        return "calls" if b"check-redaction" in data else "other"
    return "ours" if data == HOOK.encode() else "calls" if b"check-redaction" in data else "other"


def _checkout(folder: Path, environ: Mapping[str, str]) -> Checkout | str | None:
    """The work tree around a folder, None where there is none, or why git cannot tell: a store is useful without it."""
    try:
        return find_checkout(folder, environ, committing=True)
    except GitError as error:
        return str(error)


def _keys(*, driver: bool) -> list[str]:
    return [TEXTCONV_KEY, *([COMMAND_KEY] if driver else [])]


def _set(checkout: Checkout, key: str) -> str | None:
    values = local_values(checkout, key)
    if not values:
        set_local(checkout, key, GUARDS[key])
        return f"set {key} in this clone's git configuration"
    return None if values[-1] == GUARDS[key] else f"left {key} as it is: somebody set it to something else"


def _unset(checkout: Checkout, key: str) -> str | None:
    values = local_values(checkout, key)
    if GUARDS[key] in values:
        unset_local(checkout, key, GUARDS[key])
        return f"unset {key} in this clone's git configuration"
    return f"left {key} as it is: somebody set it to something else" if values else None


def _add_hook(checkout: Checkout) -> list[str]:
    folder, own = hooks_folder(checkout)
    path = Path(folder) / "pre-commit"
    state = state_of_hook(path)
    if state in ("ours", "calls"):
        return []
    if state == "other":
        return [f"left {path.as_posix()} as it is: add the line  stepfork check-redaction || exit  to it"]
    if not own:
        return [f"made no hook: core.hooksPath names {folder}, which may serve others; see docs/how-to/pre-commit.md"]
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomic(path, HOOK.encode())
        path.chmod(0o755)
    except OSError as error:
        raise StoreError(f"the hook cannot be written ({error.strerror})", where=path.as_posix()) from None
    return [f"wrote {path.as_posix()}"]

"""What check-redaction --fix says: what was redacted where, what is left, and why."""

from __future__ import annotations

from stepfork.cli.check_options import NAME
from stepfork.cli.render.check_text import NOUNS, count, escaped, shown, table
from stepfork.cli.render.check_text import lines as check_lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from stepfork.redact.finding import Finding
    from stepfork.redact.secrets import Secrets
    from stepfork.workflows.fix_redaction import Fix

_CHANGE = "Change any secret that left this machine"


def told(fix: Fix, secrets: Secrets) -> Iterator[str]:
    """Lines for stderr: what stays as it is, and why."""
    for name, reason in dict.fromkeys(fix.told):
        yield f"{NAME}: {shown(name, secrets)}: {escaped(reason)}"


def lines(fix: Fix, secrets: Secrets, *, in_hook: bool) -> Iterator[str]:
    """What was redacted, each with file, place and rule; then what is left."""
    if not fix.before.findings:
        yield from check_lines(fix.after, secrets, in_hook=in_hook)
        return
    if fix.waiting:
        *found, _ = check_lines(fix.after, secrets, in_hook=in_hook)
        yield from found
        waiting = ", ".join(shown(name, secrets) for name in fix.waiting)
        yield f"nothing was committed. Redacted in the work tree, to be staged again: {waiting}"
        return
    before = fix.before
    if fix.fixed:
        scanned = count(before.scanned, *NOUNS[before.source])
        yield f"{NAME}: {_told(fix.fixed, 'redacted')} in {_files(fix.fixed):,} of {scanned}"
        yield from table(_rows(fix.fixed, secrets))
    if fix.fixtures:
        yield f"written anew, with new objects: {', '.join(shown(name, secrets) for name in fix.fixtures)}"
    left = _files(fix.after.places)
    if left:
        yield f"{NAME}: {_told(fix.after.places, 'not redacted')} in {count(left, 'file', 'files')}"
        yield from table(_rows(fix.after.places, secrets))
        if in_hook:
            yield "nothing was committed"
    yield _CHANGE


def _told(places: Sequence[Finding], what: str) -> str:
    return f"{count(len(places), 'secret', 'secrets')} {what}"


def _files(places: Sequence[Finding]) -> int:
    return len({item.where for item in places})


def _rows(places: Sequence[Finding], secrets: Secrets) -> list[tuple[str, str, str]]:
    return [(shown(item.where, secrets), escaped(item.path), escaped(item.rule)) for item in places]

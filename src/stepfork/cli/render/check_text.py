"""What check-redaction says, and the entries of config.toml that would accept what it found. Standard library only.

Names of files come from outside, and one may hold a secret itself: they are redacted and escaped before they are shown.
"""

from __future__ import annotations

from stepfork.cli.check_options import NAME
from stepfork.workflows.checked import DELETED, EMPTY, SUBMODULE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from stepfork.redact.secrets import Secrets
    from stepfork.workflows.checked import Checked

NOUNS = {
    "disk": ("file", "files"),
    "store": ("file of the store", "files of the store"),
    "staged": ("staged file", "staged files"),
    "index": ("file of the commit", "files of the commit"),
}
_WHY_NONE = {
    "staged": ": nothing is staged there, or only deletions and renames",
    "store": ": the store is empty",
}
_CHANGE = "and change any secret that left this machine"
_UNREAD = (DELETED, EMPTY, SUBMODULE)
_WIDEST = 60


def remarks(checked: Checked, secrets: Secrets, named: Sequence[str]) -> Iterator[str]:
    """Lines for stderr: what could not be scanned, and what is no text of that which was `named`."""
    for name, reason in checked.problems:
        yield f"{NAME}: {shown(name, secrets)}: {escaped(reason)}"
    for name, kind in checked.notes:
        if name in named:
            yield f"{shown(name, secrets)}: {kind}{'' if kind in _UNREAD else ', read for the text in it'}"


def lines(checked: Checked, secrets: Secrets, *, in_hook: bool, accepted_from: str = "") -> Iterator[str]:
    """The verdict; each finding with file, place and rule; what to do, by the same list of what is accepted."""
    rows = [(shown(item.where, secrets), escaped(item.path), escaped(item.rule)) for item in checked.places]
    scanned = count(checked.scanned, *NOUNS[checked.source])
    accepted = f", {len(checked.accepted):,} accepted" if checked.accepted else ""
    if rows:
        files = len({row[0] for row in rows})
        yield f"{NAME}: {count(len(rows), 'finding', 'findings')} in {files:,} of {scanned}{accepted}"
        yield from table(rows)
        yield _next("hook" if in_hook else checked.source, accepted_from)
    elif checked.scanned:
        unread = len({name for name, _ in checked.problems})
        missed = f", {count(unread, 'file', 'files')} not scanned" if unread else ""
        told = f" ({count(len(checked.accepted), 'finding', 'findings')} accepted)" if checked.accepted else ""
        yield f"{NAME}: no secret in {scanned}{told}{missed}"
    else:
        yield f"{NAME}: no file was scanned{'' if checked.problems else _WHY_NONE.get(checked.source, '')}"


def _next(where: str, accepted_from: str) -> str:
    if where == "disk":
        return f"Redact in place: the same with --fix, {_CHANGE}"
    command = NAME
    if accepted_from:
        import shlex

        command += f" --accepted-from {escaped(shlex.quote(accepted_from))}"
    if where == "store":
        return f"Redact in place: {command} --fix, {_CHANGE}"
    return f"{'nothing was committed. ' if where == 'hook' else ''}Redact in place: {command} --staged --fix"


def entries(checked: Checked, secrets: Secrets) -> Iterator[str]:
    """TOML that accepts each value that was found, to be pasted; the reason is the reader's to write."""
    from stepfork.config.document import quoted

    places: dict[tuple[str, str], list[str]] = {}
    for item in checked.findings:
        place = f"{shown(item.where, secrets)} {escaped(item.path)}"
        places.setdefault((item.rule, item.digest), []).append(place)
    yield "# Accept only what is no secret: a weak value can be guessed from its hash. An entry needs its reason."
    for (rule, digest), found in places.items():
        yield ""
        more = f", and {count(len(found) - 1, 'place', 'places')} more" if len(found) > 1 else ""
        yield f"# {found[0]}{more}"
        yield f'[[redact.accepted]]\nrule = {quoted(rule)}\nblake3 = "{digest}"\nreason = ""'


def shown(name: str, secrets: Secrets) -> str:
    """A file's name as it may be shown."""
    from stepfork.redact.redactor import redact_text

    return escaped(redact_text(name, secrets))


def escaped(text: str) -> str:
    """On one line, without what a terminal acts on."""
    from stepfork.cli.escape import escape

    return escape(text)


def count(number: int, one: str, many: str) -> str:
    """Such as ``1 file`` and ``2 files``."""
    return f"{number:,} {one if number == 1 else many}"


def table(rows: list[tuple[str, str, str]]) -> Iterator[str]:
    """Rows with aligned columns, as far as a long name does not push all others aside."""
    widths = [min(max(len(row[column]) for row in rows), _WIDEST) for column in (0, 1)]
    for row in rows:
        yield f"  {row[0]:<{widths[0]}}   {row[1]:<{widths[1]}}   {row[2]}"

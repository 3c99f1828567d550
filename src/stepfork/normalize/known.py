"""Known values of a run: where it ran, and who ran it. Given back, they let a fixture replay on another machine."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime

import msgspec

from stepfork.normalize.own import NO_OWN, OwnRules
from stepfork.normalize.placeholders import Placeholder, give_back
from stepfork.normalize.rules import ORDINARY_NAMES

KINDS = ("cwd", "cwd_slug", "home", "tmp", "host", "user", "listener", "listener_token", "today")
"""The kinds of placeholders that stand for known values."""
SHORTEST = 4
"""Characters that a value must have to be looked for."""


class Context(msgspec.Struct, frozen=True):
    """What a run's surroundings were. Times are Unix nanoseconds; ``listener`` is ``127.0.0.1:PORT`` and ``token`` what
    its paths begin with; an empty text is unknown. `finds_today` says that the day on which the run began is looked for
    as a date alone, which is data unless a project says otherwise. A ``{{today}}`` is given back either way.

    `own`, `personal` and `names` are what the project asks for: its own rules, classes of personal data, persons.
    `ids` are those of the run's spans and traces, as far as it is over."""

    started_ns: int
    ended_ns: int
    cwd: str = ""
    home: str = ""
    tmp: str = ""
    hostname: str = ""
    user: str = ""
    listener: str = ""
    token: str = ""
    finds_today: bool = False
    own: OwnRules = NO_OWN
    personal: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    ids: tuple[str, ...] = ()


class Known(msgspec.Struct, frozen=True):
    """A value to look for; `pattern` finds it at a boundary."""

    value: str
    placeholder: Placeholder
    pattern: re.Pattern[str]


def known_values(context: Context) -> tuple[Known, ...]:
    """What to look for, the longest value first."""
    found = dict[str, tuple[str, str]]()
    for kind in ("cwd", "home", "tmp"):
        for value in _spellings(getattr(context, kind).rstrip("/\\")):
            found.setdefault(value, (kind, _path_pattern(value)))
    for value in map(slug, _spellings(context.cwd.rstrip("/\\"))):
        found.setdefault(value, ("cwd_slug", rf"(?<=[/\\]projects[/\\]){re.escape(value)}(?![\w-])"))
    port = context.listener.rpartition(":")[2]
    for value in (context.listener, f"localhost:{port}" if port else ""):
        found.setdefault(value, ("listener", rf"(?<![\w.-]){re.escape(value)}(?![0-9])"))
    found.setdefault(context.token, ("listener_token", rf"(?<![0-9A-Za-z]){re.escape(context.token)}(?![0-9A-Za-z])"))
    found.setdefault(context.hostname, ("host", _name_pattern(context.hostname, before="@")))
    found.setdefault(context.user, ("user", _name_pattern(context.user, after="@")))
    if context.finds_today:
        found.setdefault(_today(context), ("today", _date_pattern(_today(context))))
    longest = sorted((value for value in found if len(value) >= SHORTEST), key=lambda value: (-len(value), value))
    return tuple(Known(value, Placeholder(found[value][0]), re.compile(found[value][1])) for value in longest)


def find_known(text: str, known: tuple[Known, ...]) -> Iterator[tuple[int, int, Placeholder]]:
    """Start, end and placeholder of each known value in a text."""
    for item in known:
        if item.value in text:
            for match in item.pattern.finditer(text):
                yield match.start(), match.end(), item.placeholder


def known_value(context: Context, kind: str) -> str | None:
    """What a placeholder of a kind stands for in this run; None for kinds that are no known value, and where it is
    not known."""
    if kind == "cwd_slug":
        return slug(context.cwd) or None
    if kind == "today":
        return _today(context)
    field = {"host": "hostname", "listener_token": "token"}.get(kind, kind)
    return getattr(context, field) or None if kind in KINDS else None


def slug(path: str) -> str:
    """The folder's name in ``~/.claude/projects`` under which Claude Code keeps what belongs to a working directory."""
    return re.sub(r"[^0-9A-Za-z]", "-", path.rstrip("/\\"))


def restore(text: str, context: Context) -> str:
    """A normalised text (an argument of a command) with this machine's known values given back."""
    return give_back(text, lambda placeholder: known_value(context, placeholder.kind))


def _today(context: Context) -> str:
    """The date on this machine's calendar, as programs that ask for the day are told it."""
    return datetime.fromtimestamp(context.started_ns / 1e9).astimezone().date().isoformat()


def _date_pattern(date: str) -> str:
    """A date alone: no part of a date-time, of a number or of a longer code (``SKU 2024-11-05-88``)."""
    return rf"(?<![0-9A-Za-z])(?<![0-9][-.]){date}(?![0-9A-Za-z]|[-.:][0-9]| [0-9]{{2}}:)"


def _spellings(path: str) -> Iterator[str]:
    yield path
    if "\\" in path:
        yield path.replace("\\", "/")
    elif path.startswith(("/tmp", "/var/")):  # noqa: S108 (macOS reaches both through /private)
        yield f"/private{path}"


def _path_pattern(path: str) -> str:
    """A whole path or its beginning, never a part of a longer segment: ``/home/ada`` in ``/home/ada/x``, not in
    ``/home/adam``, ``/srv/home/ada`` or ``https://example.com/home/ada``."""
    before = r"(?:(?<![\w.~/\\-])|(?<=file://))" if path.startswith("/") else r"(?<![\w.-])"
    return before + re.escape(path) + r"(?![\w-]|\.\w)"


def _name_pattern(name: str, *, before: str = "", after: str = "") -> str:
    """A whole word; where a name is an ordinary word too, only in a path, an assignment or ``user@host``."""
    word = re.escape(name)
    if name.lower() not in ORDINARY_NAMES:
        return rf"(?<![\w.-]){word}(?![\w-])"
    places = [rf"(?<=(?:home|sers)[/\\]){word}(?![\w.-])", rf"(?<=\bUSER=){word}(?![\w.-])"]
    if before:
        places.append(rf"(?<={before}){word}(?![\w.-])")
    if after:
        places.append(rf"(?<![\w.-]){word}(?={after}[\w])")
    return "|".join(places)

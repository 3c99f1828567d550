"""A value that differs between two runs of one command, and what can be done about it."""

from __future__ import annotations

import json
import re
from typing import Literal

import msgspec

from stepfork.diff.leaves import Leaf, is_reordered
from stepfork.diff.own_rules import rule_for

Kind = Literal["noise", "behaviour", "stored"]
"""``noise``: a rule of config.toml can say that it does not count. ``behaviour``: the program asked, or the model
answered, something else. ``stored``: no request is matched by it, but a second capture changes the fixture."""


class Rule(msgspec.Struct, frozen=True):
    """``[normalize.tool.TOOL] volatile = ["POINTER"]``."""

    tool: str
    pointer: str


class Unstable(msgspec.Struct, frozen=True):
    """A value that differs: in which exchange (None: in the run as a whole), where in it, both values in short.

    ``rule`` is set for noise alone; ``advice`` says what else can be done, "" where the rule is all. ``accepted``: the
    project's rules say already that it does not count.
    """

    exchange: int | None
    place: str
    old: str
    new: str
    kind: Kind
    rule: Rule | None = None
    advice: str = ""
    accepted: bool = False


class Comparison(msgspec.Struct, frozen=True):
    """What differs, in the order of the exchanges. ``parted`` is the index of the exchange after which nothing was
    compared, since the runs part there; None where all was."""

    differences: tuple[Unstable, ...]
    parted: int | None = None


STORED = "counts in no replay, but each capture changes the fixture"
ANSWERED = "the model answered in another way: contracts on what it does hold longer than its words"
OTHERWISE = "this is behaviour: the program does something else each time"

_UUID = re.compile(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}", re.IGNORECASE)
_DATE = re.compile(r"[0-9]{4}[-/.][0-9]{2}[-/.][0-9]{2}|[0-9]{1,2}:[0-9]{2}|[0-9]{10}(?:[0-9]{3})?(?:\.[0-9]+)?\b")
_TOKEN = re.compile(r"[0-9a-f]{8,}|(?=\w*[0-9])(?=\w*[A-Za-z])\w{10,}", re.IGNORECASE)
_PATH = re.compile(r"(?:^|[\s\"'(=])(?:/[\w.{}-]+){2,}|[A-Za-z]:\\\w")


def told_rule(leaf: Leaf) -> str:
    """The rule of the project's own that would make both values one placeholder, as it is typed; empty for none."""
    rule = rule_for(leaf)
    return f"[normalize] {rule[0]} = [{json.dumps(rule[1], ensure_ascii=False)}] in config.toml" if rule else ""


def advice_on(leaf: Leaf, old: str, new: str) -> str:
    """What can be done about what a program asks otherwise, by what its two values look like."""
    if is_reordered(leaf.old, leaf.new):
        return "the same items in another order: sort them (a set has none)"
    rule = told_rule(leaf)
    if rule:
        return f"made up anew in each run: {rule} makes it a placeholder"
    for pattern, what in (
        (_UUID, "an id that the program makes up: let recordings give it a fixed one"),
        (_DATE, "a clock: pass it in, or write a whole ISO 8601 date-time, which becomes a placeholder"),
        (_PATH, "a path: below the working, home or temporary folder it becomes a placeholder"),
        (_TOKEN, "an id that the program makes up: let recordings give it a fixed one"),
    ):
        places = pattern.findall(old), pattern.findall(new)
        if places[0] and places[1] and places[0] != places[1]:
            return what
    return OTHERWISE

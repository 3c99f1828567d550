"""What a comparison says, as values: the JSON view and the text view are made of these and of nothing else."""

from __future__ import annotations

from typing import Literal

import msgspec

from stepfork.trace.body import JsonValue

ItemKind = Literal["added", "removed", "changed", "moved"]
Cause = Literal["authored", "consequence"]
Grade = Literal["info", "changed", "breaking"]
"""How much a change matters to those who use the agent; by which rule: ``docs/reference/diff.md``, "Grades"."""
GRADES: tuple[Grade, ...] = ("info", "changed", "breaking")
"""From the least to the most."""
Section = Literal[
    "model", "params", "system", "tools", "messages", "tool_results", "other",
    "answer", "exchange", "run", "contracts", "verification", "trace",
]  # fmt: skip
"""Where a change stands. ``run`` is how the run was made: command, folder, agent, input."""


class DiffOptions(msgspec.Struct, frozen=True):
    """``responses``: the answers are among the parts compared; ``trace``: the steps and the outcome are;
    ``tools_only``: the tools that the runs offer are, by name, and nothing else."""

    responses: bool = False
    trace: bool = False
    tools_only: bool = False


class Line(msgspec.Struct, frozen=True):
    """One line of a text that only the old (``-``) or only the new side (``+``) has, whole and as recorded."""

    op: Literal["-", "+"]
    text: str


class FieldChange(msgspec.Struct, frozen=True):
    """A JSON value that differs. ``path`` is an RFC 6901 pointer that exists in the new value (in the old one where
    the value was removed); ``old_path`` is set where the old value stood elsewhere; an absent side is UNSET, which is
    not null."""

    path: str
    change: ItemKind
    old: JsonValue | msgspec.UnsetType = msgspec.UNSET
    new: JsonValue | msgspec.UnsetType = msgspec.UNSET
    old_path: str | None = None


class ToolChange(msgspec.Struct, frozen=True):
    """A tool that the model is offered. ``fields`` are its changes; all of it where it was added or removed."""

    name: str
    change: ItemKind
    fields: tuple[FieldChange, ...]


class MessageChange(msgspec.Struct, frozen=True):
    """A message or a tool result that differs.

    ``index`` is the message's place on the new side (the old one where it was removed), from 0, and ``old_index`` its
    place on the old side. ``label`` is the tool's name for a result, else empty. ``lines`` are the changed lines of
    its text (of a result that is JSON, of that JSON indented); ``fields`` what lines do not show. ``at`` counts
    messages and results together, (old, new), None where that side has none.
    """

    index: int
    change: ItemKind
    role: str
    label: str
    lines: tuple[Line, ...]
    fields: tuple[FieldChange, ...]
    old_index: int | None = None
    at: tuple[int | None, int | None] = (None, None)


class ModelChange(msgspec.Struct, frozen=True):
    """The model asked for; None where a side names none."""

    old: str | None
    new: str | None


class RequestDiff(msgspec.Struct, frozen=True):
    """What differs between two requests, part by part. All parts are empty exactly where the normal forms are equal."""

    model: ModelChange | None = None
    params: tuple[FieldChange, ...] = ()
    system: tuple[Line, ...] = ()
    tools: tuple[ToolChange, ...] = ()
    messages: tuple[MessageChange, ...] = ()
    tool_results: tuple[MessageChange, ...] = ()
    other: tuple[FieldChange, ...] = ()

    def __bool__(self) -> bool:
        return self != RequestDiff()


class Usage(msgspec.Struct, frozen=True):
    """Tokens as the provider counted them, and the US dollars that it says it bills; None is unknown, never 0."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    cost: float | None = None


Usages = tuple[Usage | None, Usage | None]
"""Of the old and the new side; None where that side has nothing to say it, or does not say."""


class AnswerDiff(msgspec.Struct, frozen=True):
    """What differs between two answers; token counts and the model's snapshot name are not compared."""

    summary: str
    lines: tuple[Line, ...]
    fields: tuple[FieldChange, ...]


class ExchangeDiff(msgspec.Struct, frozen=True):
    """An exchange that differs. ``index`` is its place on the new side (the old one where it was removed).

    Of an added or removed exchange ``request`` holds what it appended to the conversation that it continues, and
    ``carried`` the indices of the exchanges that hold those messages in their history and differ in nothing else.
    ``answer`` is set where the answers were compared and differ. ``usage`` is what both answers used, (old, new).
    """

    index: int
    change: ItemKind
    label: str
    request: RequestDiff = RequestDiff()
    answer: AnswerDiff | None = None
    old_index: int | None = None
    carried: tuple[int, ...] = ()
    usage: Usages = (None, None)

    def with_answer(self, answer: AnswerDiff | None, usage: Usages) -> ExchangeDiff:
        """The same with what differs in the answer, and with what both answers used."""
        return msgspec.structs.replace(self, answer=answer, usage=usage)


class Change(msgspec.Struct, frozen=True):
    """One change, however many exchanges it stands in (``exchanges``, new indices; old ones for what was removed).

    ``subject`` says what changed within the section: a tool's name, ``user [0]``. ``lines`` and ``fields`` are the
    change itself; ``summary`` is for one folded line; its texts are whole, so who shows it redacts and then cuts it.
    ``grade`` was given by ``rule``, the name of a rule in the reference; a breaking change says in ``breaks`` what no
    longer holds, in one phrase (``tool call notify_customer is gone``), and is empty otherwise.
    """

    section: Section
    change: ItemKind
    cause: Cause
    subject: str
    summary: str
    exchanges: tuple[int, ...] = ()
    lines: tuple[Line, ...] = ()
    fields: tuple[FieldChange, ...] = ()
    grade: Grade = "changed"
    rule: str = ""
    breaks: str = ""


class FixtureDiff(msgspec.Struct, frozen=True):
    """Two fixtures compared; a side that does not exist makes the other ``added`` or ``removed``.

    ``exchanges`` holds those that differ, in order; ``changes`` the same differences (and those of the run as a whole)
    with repetitions folded, authored ones first; ``notes`` differences outside the parts compared, one phrase each.
    ``usage`` sums what all answers of a side used; what any of them does not say is unknown. ``tools_only``: nothing
    but the tools was compared.
    """

    name: str
    change: Literal["unchanged", "changed", "added", "removed"]
    old_count: int
    new_count: int
    exchanges: tuple[ExchangeDiff, ...] = ()
    changes: tuple[Change, ...] = ()
    usage: Usages = (None, None)
    notes: tuple[str, ...] = ()
    old_name: str | None = None
    tools_only: bool = False

    @property
    def changed(self) -> bool:
        """Whether anything differs in meaning, within the parts compared."""
        return self.change != "unchanged"

    @property
    def grade(self) -> Grade | None:
        """The grade of its gravest change, None where nothing changed; a fixture that came or went is ``changed``."""
        alone: Grade | None = "changed" if self.change in ("added", "removed") else None
        return max((change.grade for change in self.changes), key=GRADES.index, default=alone)

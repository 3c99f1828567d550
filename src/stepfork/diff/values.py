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

"""The differences of all exchanges put together: a change that repeats is one change, causes come before effects."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import Any, Literal

import msgspec
from msgspec import UNSET

from stepfork.diff.exchange_diff import Compared
from stepfork.diff.keys import canonical_text
from stepfork.diff.text_diff import hunks_of
from stepfork.diff.units import AUTHORS
from stepfork.diff.values import (
    Cause,
    Change,
    ExchangeDiff,
    FieldChange,
    ItemKind,
    Line,
    MessageChange,
    Section,
    ToolChange,
)
from stepfork.providers.shapes import dict_of, json_text, str_of


class _Atom(msgspec.Struct, frozen=True, dict=True):
    """The smallest thing that can repeat: lines that replace one another, or one field, of one `part` of an exchange.

    ``part`` is the place within its exchange (atoms of one part are shown together), ``index`` the message's place.
    """

    section: Section
    change: ItemKind
    subject: str
    part: tuple[Any, ...]
    lines: tuple[Line, ...] = ()
    fields: tuple[FieldChange, ...] = ()
    said: str = ""
    index: int | None = None

    @cached_property
    def content(self) -> str:
        """Equal for equal changes, wherever they stand."""
        lines = [f"{line.op}{line.text}" for line in self.lines]
        fields = [[f.change, f.path, f.old, f.new] for f in self.fields]
        return canonical_text([self.section, self.change, self.subject, lines, fields, self.said])


_Known = dict[tuple[Section, int], tuple[MessageChange | ToolChange, tuple[_Atom, ...]]]


class _Folded:
    """An atom with all the exchanges that it stands in."""

    def __init__(self, atom: _Atom, first: int, cause: Cause) -> None:
        self.atom = atom
        self.first = first
        self.cause = cause
        self.exchanges: list[int] = []
        self.indices: set[int | None] = set()


def fold(compared: Sequence[Compared], *, answers: bool) -> tuple[Change, ...]:
    """All changes, authored ones first, each once with the exchanges that it stands in.

    A change is a consequence where an exchange before it got a different answer: then what the assistant said, what
    tools gave back and further or missing exchanges follow from that. What the author wrote (model, parameters,
    prompt, tools, user messages) is never one. `answers`: different answers are listed too.
    """
    folded: dict[tuple[str, int], _Folded] = {}
    known: _Known = {}
    diverged = False
    for one in compared:
        seen: Counter[str] = Counter()
        atoms = list(_atoms(one, known))
        if answers and one.answer is not None and not one.answer_told:
            atoms.append(
                _Atom("answer", "changed", "", ("answer",), one.answer.lines, one.answer.fields, one.answer.summary)
            )
        for atom in atoms:
            content = atom.content
            follows = atom.section == "answer" or (diverged and _may_follow(atom)) or _is_effect(atom, one)
            cause: Cause = "consequence" if follows else "authored"
            # The same edit of several messages is one change; two equal messages that came are two.
            entry = folded.setdefault((content, seen[content]), _Folded(atom, one.diff.index, cause))
            entry.exchanges.append(one.diff.index)
            entry.indices.add(atom.index)
            seen[content] += atom.change != "changed"
        diverged = diverged or one.answer is not None
    groups: dict[tuple[Any, ...], list[_Folded]] = {}
    for entry in folded.values():
        places = tuple(dict.fromkeys(entry.exchanges))
        groups.setdefault((entry.first, entry.atom.part, entry.cause, places), []).append(entry)
    made = [_change(group) for group in groups.values()]
    made += _order(compared, alone=not (made or diverged))
    return tuple(sorted(made, key=lambda change: change.cause != "authored"))


def _order(compared: Sequence[Compared], *, alone: bool) -> Iterator[Change]:
    """The exchanges that stand elsewhere, as one change. Calls that overlapped are stored in order of their content,
    so beside any other change the order may follow from that."""
    moved = [one.diff for one in compared if one.diff.change == "moved"]
    if moved:
        fields = tuple(FieldChange("", "moved", diff.old_index, diff.index) for diff in moved)
        subject = moved[0].label if len(moved) == 1 else "order"
        summary = f"{subject} moved" if len(moved) == 1 else f"{len(moved)} exchanges stand in another order"
        places = tuple(diff.index for diff in moved)
        cause: Cause = "authored" if alone else "consequence"
        yield Change("exchange", "moved", cause, subject, summary, places, fields=fields)


def _may_follow(atom: _Atom) -> bool:
    return atom.section in ("tool_results", "exchange") or (atom.section == "messages" and atom.subject not in AUTHORS)


def _is_effect(atom: _Atom, one: Compared) -> bool:
    """Whether nobody wrote this: a try that failed, or what the model said to another question."""
    return one.failed or (atom.section == "messages" and atom.part[1] in one.follows)


def _change(group: Sequence[_Folded]) -> Change:
    atom = group[0].atom
    indices = set().union(*(entry.indices for entry in group))
    subject = atom.subject
    if len(indices) == 1 and (index := indices.pop()) is not None:
        subject = f"{subject} [{index}]".lstrip()
    lines = tuple(line for entry in group for line in entry.atom.lines)
    fields = tuple(field for entry in group for field in entry.atom.fields)
    return Change(
        section=atom.section,
        change=atom.change,
        cause=group[0].cause,
        subject=subject,
        summary=_summary(atom, subject, lines, fields),
        exchanges=tuple(dict.fromkeys(group[0].exchanges)),
        lines=lines,
        fields=fields,
    )


def _summary(atom: _Atom, subject: str, lines: Sequence[Line], fields: Sequence[FieldChange]) -> str:
    if atom.section == "answer":
        return atom.said
    name = f"tool result {subject}".rstrip() if atom.section == "tool_results" else subject or atom.section
    if atom.change in ("added", "removed"):
        mark = "+" if atom.change == "added" else "-"
        if atom.said:
            return f"{mark} {atom.said}"
        said = " ".join(line.text for line in lines) or ", ".join(_told(field) for field in fields)
        return f"{mark} {name} {said}".rstrip()
    if atom.change == "moved":
        return f"{name} moved"
    gone = [line.text.strip() for line in lines if line.op == "-"]
    come = [line.text.strip() for line in lines if line.op == "+"]
    if len(gone) == len(come) == 1 and not fields:
        return f"{name}  {gone[0]} → {come[0]}"
    parts = [f"−{len(gone)} +{len(come)} lines"] if lines else []
    parts += [f"{len(fields)} field{'s' if len(fields) > 1 else ''}"] if fields else []
    return f"{name} changed ({', '.join(parts)})"


def _told(field: FieldChange) -> str:
    """What came or went beside text: the kind of an item, else its JSON."""
    value = field.new if field.old is UNSET else field.old
    item = dict_of(dict_of(value).get("item"))
    return str_of(item.get("type")) or json_text(value)


def _atoms(one: Compared, known: _Known) -> Iterator[_Atom]:
    diff = one.diff
    if diff.change in ("added", "removed"):
        lines = () if one.failed else tuple(_exchange_lines(diff))
        yield _Atom("exchange", diff.change, diff.label, ("exchange", diff.change), lines, said=one.words)
        return
    request = diff.request
    if request.model is not None:
        field = FieldChange("", "changed", request.model.old, request.model.new)
        yield _Atom("model", "changed", "", ("model",), fields=(field,))
    for field in request.params:
        yield _Atom("params", "changed", "", ("params",), fields=(field,))
    for hunk in _hunks(request.system):
        yield _Atom("system", "changed", "", ("system",), hunk)
    for tool in request.tools:
        yield from _once("tools", tool.name, tool, known)
    for message in request.messages:
        if message.at not in one.told:
            yield from _once("messages", message.role or "item", message, known)
    for result in request.tool_results:
        yield from _once("tool_results", result.label, result, known)
    for field in request.other:
        yield _Atom("other", "changed", "", ("other",), fields=(field,))


def _once(section: Section, subject: str, item: MessageChange | ToolChange, known: _Known) -> tuple[_Atom, ...]:
    """The atoms of a message or tool, made once for all exchanges that carry it; each item is held, so that no id is
    given away again."""
    made = known.get((section, id(item)))
    if made is None:
        atoms = _tool_atoms(item) if isinstance(item, ToolChange) else _message_atoms(section, subject, item)
        made = known[section, id(item)] = item, tuple(atoms)
    return made[1]


def _tool_atoms(tool: ToolChange) -> Iterator[_Atom]:
    for field in tool.fields:
        yield _Atom("tools", tool.change, tool.name, ("tools", tool.name), fields=(field,))


def _message_atoms(section: Section, subject: str, item: MessageChange) -> Iterator[_Atom]:
    part = (section, item.at)
    if item.change in ("added", "removed"):
        yield _Atom(section, item.change, subject, part, item.lines, item.fields, index=item.index)
        return
    if item.change == "moved":
        where = FieldChange("", "moved", item.old_index, item.index)
        yield _Atom(section, "moved", subject, part, fields=(where,), index=item.index)
    for hunk in _hunks(item.lines):
        yield _Atom(section, "changed", subject, part, hunk, index=item.index)
    for field in item.fields:
        yield _Atom(section, "changed", subject, part, fields=(field,), index=item.index)


def _items(diff: ExchangeDiff) -> list[MessageChange]:
    items = (*diff.request.messages, *diff.request.tool_results)
    return sorted(items, key=lambda item: max(at for at in item.at if at is not None))


def _exchange_lines(diff: ExchangeDiff) -> Iterator[Line]:
    for item in _items(diff):
        name = f"tool result {item.label}".rstrip() if item in diff.request.tool_results else item.role or "item"
        for number, line in enumerate(item.lines):
            is_call = line.text.startswith("→ ")
            yield line if number or is_call else Line(line.op, f"{name}: {line.text}")
    yield from _asked(diff)


def _asked(diff: ExchangeDiff) -> Iterator[Line]:
    """What a call asked that is no conversation: ``GET /orders?id=1``, then its body."""
    added = diff.change == "added"
    parts = {field.path: field.new if added else field.old for field in diff.request.other}
    op: Literal["-", "+"] = "+" if added else "-"
    query = f"?{parts['/query']}" if "/query" in parts else ""
    head = " ".join(str(parts[name]) for name in ("/method", "/path") if name in parts) + query
    if head:
        yield Line(op, head)
    for body in (parts[name] for name in ("/body",) if name in parts):
        shown = body["json"] if isinstance(body, dict) and body.keys() == {"json"} else body
        yield Line(op, json_text(shown))


def _hunks(lines: Iterable[Line]) -> Iterator[tuple[Line, ...]]:
    """Lines that stand for one another, each pair alone where there are as many new ones as old ones."""
    for gone, come in hunks_of(list(lines)):
        if len(gone) == len(come):
            yield from ((Line("-", old), Line("+", new)) for old, new in zip(gone, come, strict=True))
        else:
            yield (*(Line("-", text) for text in gone), *(Line("+", text) for text in come))

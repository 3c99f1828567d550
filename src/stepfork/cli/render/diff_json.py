"""A comparison as one JSON document; its schema is ``stepfork/schemas/diff.schema.json``.

Strings are what was recorded, redacted again: nothing is cut, folded or escaped for a terminal here.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from stepfork.cli.render.diff_clean import Clean, as_it_is, clean_field, clean_lines, clean_summary
from stepfork.diff.fixture_diff import FixtureDiff
from stepfork.diff.usage import usage_difference
from stepfork.diff.values import Change, ExchangeDiff, FieldChange, Line, MessageChange, RequestDiff, Usages

Document = dict[str, Any]

SUMMARY = 200
"""Characters of a summary; lines and fields beside it are whole."""


def diff_document(diff: FixtureDiff, *, clean: Clean = as_it_is) -> Document:
    """The document of one pair of fixtures."""
    return report_document((diff,), clean=clean)


def report_document(diffs: Sequence[FixtureDiff], *, clean: Clean = as_it_is, unread: Sequence[str] = ()) -> Document:
    """The document of any number of pairs: ``exchanges`` has all that differ, each with the fixture it is of;
    ``unread`` says of which fixtures a side could not be read."""

    def sound(text: str) -> str:
        """Redacted, and without the lone surrogates that an event stream can spell and JSON cannot carry."""
        return clean(text).encode("utf-8", "surrogatepass").decode("utf-8", "replace")

    return {
        "changed": any(diff.changed for diff in diffs),
        "exchanges": [
            {"fixture": sound(diff.name)} | _exchange(exchange, sound) for diff in diffs for exchange in diff.exchanges
        ],
        "fixtures": [_fixture(diff, sound) for diff in diffs],
        **({"unread": [sound(line) for line in unread]} if unread else {}),
    }


def _fixture(diff: FixtureDiff, clean: Clean) -> Document:
    causes = [change.cause for change in diff.changes]
    return {
        "name": clean(diff.name),
        **({} if diff.old_name is None else {"old_name": clean(diff.old_name)}),
        "change": diff.change,
        "grade": diff.grade,
        "exchanges": {"old": diff.old_count, "new": diff.new_count},
        "authored": causes.count("authored"),
        "consequences": causes.count("consequence"),
        "changes": [_change(change, clean) for change in diff.changes],
        "usage": _usage(diff.usage),
        "notes": list(diff.notes),
    }


def _exchange(diff: ExchangeDiff, clean: Clean) -> Document:
    made: Document = {
        "index": diff.index,
        "change": diff.change,
        "label": clean(diff.label),
        "usage": _usage(diff.usage),
    }
    if diff.old_index not in (None, diff.index):
        made["old_index"] = diff.old_index
    parts: Document = {"carried": list(diff.carried)}
    if diff.answer is not None:
        answer = diff.answer
        parts["answer"] = {
            "summary": clean_summary(answer.summary, clean, SUMMARY),
            "lines": _lines(answer.lines, clean),
            "fields": _fields(answer.fields, clean),
        }
    return made | request_document(diff.request, clean) | {name: part for name, part in parts.items() if part}


def request_document(request: RequestDiff, clean: Clean) -> Document:
    """The parts of a request that differ, each under its name; none where nothing does."""
    parts: Document = {}
    if request.model is not None:
        model = request.model
        parts["model"] = {name: text and clean(text) for name, text in (("old", model.old), ("new", model.new))}
    parts["system"] = _lines(request.system, clean)
    parts["tools"] = [
        {"name": clean(tool.name), "change": tool.change, "fields": _fields(tool.fields, clean)}
        for tool in request.tools
    ]
    parts["messages"] = [_message(item, clean) for item in request.messages]
    parts["tool_results"] = [_message(item, clean) | {"name": clean(item.label)} for item in request.tool_results]
    parts["params"] = _fields(request.params, clean)
    parts["other"] = _fields(request.other, clean)
    return {name: part for name, part in parts.items() if part}


def _message(item: MessageChange, clean: Clean) -> Document:
    return {
        "index": item.index,
        **({} if item.old_index in (None, item.index) else {"old_index": item.old_index}),
        "change": item.change,
        "role": clean(item.role),
        "lines": _lines(item.lines, clean),
        "fields": _fields(item.fields, clean),
    }


def _change(change: Change, clean: Clean) -> Document:
    return {
        "section": change.section,
        "change": change.change,
        "cause": change.cause,
        "grade": change.grade,
        "rule": change.rule,
        **({"breaks": clean_summary(change.breaks, clean, SUMMARY)} if change.breaks else {}),
        "subject": clean(change.subject),
        "summary": clean_summary(change.summary, clean, SUMMARY),
        "exchanges": list(change.exchanges),
        "lines": _lines(change.lines, clean),
        "fields": _fields(change.fields, clean),
    }


def _lines(lines: Iterable[Line], clean: Clean) -> list[Document]:
    return [{"op": line.op, "text": line.text} for line in clean_lines(lines, clean)]


def _fields(fields: Iterable[FieldChange], clean: Clean) -> list[Document]:
    return [_field(clean_field(field, clean)) for field in fields]


def _field(field: FieldChange) -> Document:
    made: Document = {"path": field.path, "change": field.change}
    for name, value in (("old", field.old), ("new", field.new)):
        if value is not msgspec.UNSET:
            made[name] = value
    return made if field.old_path is None else made | {"old_path": field.old_path}


def _usage(usages: Usages) -> Document:
    old, new = usages
    sides = {"old": old, "new": new, "difference": usage_difference(old, new)}
    return {name: None if usage is None else msgspec.to_builtins(usage) for name, usage in sides.items()}

"""A fixture as lines of text of which two versions differ in few: what ``git diff`` shows of a manifest.

Nothing is numbered and nothing is wrapped, so an inserted call or message is lines added, and an edited prompt the
lines that were edited. What a call continues stands where it was said first; a part that stays as it was is not told
again. Lines of a text are indented below what introduces them, so none looks like a line of ours.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from stepfork.canonical.encode import dumps
from stepfork.cli.escape import escape
from stepfork.cli.render.call_head import call_head
from stepfork.diff.units import read_json
from stepfork.errors import CanonicalError
from stepfork.providers.answer import answer_of
from stepfork.providers.apis import MODEL_APIS
from stepfork.providers.calls import ToolCall
from stepfork.providers.legible import legible
from stepfork.providers.normal import normal_request
from stepfork.providers.normal_form import NormalMessage, NormalRequest
from stepfork.providers.shapes import dict_of, json_text
from stepfork.providers.summary import says
from stepfork.store.exchange_form import parts_of
from stepfork.store.manifest import Entry
from stepfork.store.story import recent
from stepfork.trace.body import EventsBody, TextBody
from stepfork.trace.exchange import Exchange
from stepfork.trace.fixture import Fixture
from stepfork.trace.plain_form import plain_form, plain_step
from stepfork.trace.step import Step
from stepfork.workflows.textconv import Told

_SHORT = 100
"""Characters of a value that stands beside its name; a longer one stands below, a line a member or a line of text."""


def fixture_lines(told: Told) -> Iterator[str]:
    """Where the run came from, each call with what it added, the steps, contracts, and a digest of the file."""
    fixture = told.fixture
    source = fixture.run.source
    yield escape(fixture.name)
    command = f"{' '.join(source.command)}   in {source.cwd}" if source.command else source.kind
    yield escape(f"source   {command}")
    if source.exit_code is not None:
        yield f"exit   {source.exit_code}"
    yield from _value("options", list(source.flags)) if source.flags else ()
    if told.whole:
        yield from _exchanges(fixture.run.exchanges, told.entries)
        yield from _trace(fixture)
    else:
        yield "what the manifest says alone: its objects are not in this repository"
        yield from _alone(told.entries)
    if fixture.contracts:
        yield "contracts"
    for contract in fixture.contracts:
        named = dict_of(contract)
        rest = {name: value for name, value in named.items() if name != "id"} if named else contract
        yield from _value(f"  {named.get('id', 'contract')}", rest)
    yield from _verification(fixture.verification)
    yield from _value("extensions", fixture.extensions) if fixture.extensions else ()
    yield f"file   blake3 {told.digest[:16]}"


def _alone(entries: Sequence[Entry]) -> Iterator[str]:
    for index, entry in enumerate(entries):
        yield f"call   {escape(entry.label)}   {entry.status}"
        yield from _continues(index, entry.base)
        for name, part in (("system", entry.system), ("tools", entry.tools)):
            if part is not msgspec.UNSET:
                yield f"  {name}: {'none' if part is None else f'object {part[:16]}'}"
        yield from (f"  {escape(line)}" for line in entry.says)


def _exchanges(exchanges: Sequence[Exchange], entries: Sequence[Entry]) -> Iterator[str]:
    sizes: list[int] = []  # messages of each conversation
    heads: list[NormalRequest] = []
    answers: list[list[str]] = []
    for index, (exchange, entry) in enumerate(zip(exchanges, entries, strict=True)):
        parts = parts_of(exchange)
        base = entry.base
        seen, kept = recent(exchange, parts, 0 if base is None else sizes[base] if entry.keep is None else entry.keep)
        request = normal_request(seen)
        yield f"call   {escape(call_head(exchange))}"
        yield from _continues(index, base)
        yield from _head(request, NormalRequest() if base is None else heads[base])
        appended = [list(_message(message)) for message in request.messages[kept:]]
        if base is not None and appended and appended[0] == answers[base]:
            appended = appended[1:]  # the base's answer, sent on: it stands there
        for lines in appended:
            yield from lines
        answer = list(_answer(exchange))
        yield from answer
        sizes.append(0 if parts is None or parts.messages is msgspec.UNSET else len(parts.messages))
        heads.append(msgspec.structs.replace(request, messages=()))
        answers.append(answer)


def _continues(index: int, base: int | None) -> Iterator[str]:
    """How far back the call is that this one continues, where it is not the one before."""
    if index and base is None:
        yield "  a new conversation"
    elif base is not None and base != index - 1:
        yield f"  continues the call {index - base} before"


def _head(now: NormalRequest, before: NormalRequest) -> Iterator[str]:
    """What is not a message, as far as the call that is continued had it otherwise."""
    if now.system != before.system:
        yield "  system" if now.system else "  system: none"
        for text in now.system:
            yield from _indented(text)
    for name in sorted({*now.params, *before.params}):
        if name not in now.params:
            yield escape(f"  {name}: not set")
        elif name not in before.params or json_text(now.params[name]) != json_text(before.params[name]):
            yield from _value(f"  {name}:", now.params[name])
    for name in sorted({*now.tools, *before.tools}):
        if name not in now.tools:
            yield escape(f"  tool {name}: removed")
        elif name not in before.tools or json_text(now.tools[name]) != json_text(before.tools[name]):
            yield from _tool(name, dict_of(now.tools[name]))
    if now.other and json_text(now.other) != json_text(before.other):
        yield from _value("  request", now.other)


def _tool(name: str, tool: dict[str, Any]) -> Iterator[str]:
    yield escape(f"  tool {name}")
    description = tool.get("description")
    if isinstance(description, str):
        yield from _indented(description)
        tool = {key: value for key, value in tool.items() if key != "description"}
    yield from _indented(_written(tool)) if tool else ()


def _message(message: NormalMessage) -> Iterator[str]:
    for result in message.tool_results:
        yield from _text(result.name or "tool", result.text)
    if message.text:
        yield from _text(message.role or "message", message.text)
    yield from _calls(message.tool_calls)
    if message.extra and not _is_plain(message):
        yield from _value(f"  {message.role or 'item'} has", message.extra)


def _is_plain(message: NormalMessage) -> bool:
    """Whether what a message holds besides is only the shape of what is told already."""
    content = dict_of(message.extra).get("content")
    return dict_of(message.extra).keys() == {"content"} and all(isinstance(one, str) for one in content or [None])


def _calls(calls: Sequence[ToolCall]) -> Iterator[str]:
    for call in calls:
        value = read_json(call.arguments)
        if value is None:
            yield from _text(f"→ {call.name}", call.arguments)
        else:
            yield from _value(f"  → {call.name}", value)


def _answer(exchange: Exchange) -> Iterator[str]:
    if exchange.api not in MODEL_APIS:
        yield f"  {escape(says(exchange, 0)[0])}"
        body = exchange.response.body
        value = legible(body)
        if value is not None:
            yield from _value("  answer", value)
        elif isinstance(body, TextBody):
            yield from _text("answer", body.text)
        elif isinstance(body, EventsBody):
            yield from _text("answer", body.separator.join(body.events))
        return
    answer = answer_of(exchange)
    if answer.reasoning:
        yield from _text("reasoning", answer.reasoning)
    if answer.text:
        yield from _text("assistant", answer.text)
    yield from _calls(answer.tool_calls)
    if answer.error is not None:
        yield from _text(f"error {answer.error.type}", answer.error.message)
    elif answer.outcome != "ok":
        yield escape(f"  {answer.outcome}: {', '.join(answer.finish_reasons)}")


def _trace(fixture: Fixture) -> Iterator[str]:
    trace = fixture.run.trace
    yield f"trace   {trace.status}, from {trace.origin}" + (escape(f", agent {trace.agent}") if trace.agent else "")
    if (not fixture.run.exchanges or trace.origin == "instrumented") and trace.input is not msgspec.UNSET:
        yield from _value("  input", plain_form(trace.input))
    for step in trace.steps:
        yield from _step(step, alone=not fixture.run.exchanges)
    if trace.output is not msgspec.UNSET:
        yield from _value("  output", trace.output)
    if trace.error is not None:
        yield from _text(f"error {trace.error.type}", trace.error.message)


def _step(step: Step, *, alone: bool) -> Iterator[str]:
    """A step; `alone` adds what the messages of calls would tell, were there any."""
    yield escape(f"  {step.type} {step.name}")
    alone = alone or (step.instrumented and step.exchange is None)
    step = plain_step(step)
    if alone and step.arguments is not msgspec.UNSET:
        yield from _value("    with", step.arguments)
    if alone and step.result is not msgspec.UNSET:
        yield from _value("    gave", step.result)
    if step.error is not None:
        yield from (f"  {line}" for line in _text(f"error {step.error.type}", step.error.message))


def _verification(value: Any) -> Iterator[str]:
    told = dict_of(value)
    if not told:
        yield "verification   none"
        return
    yield escape(f"verification   {told.get('outcome')}")
    for one in told.get("contracts") or ():
        row = dict_of(one)
        yield escape(f"  {row.get('status')}   {row.get('id')}   {row.get('explanation')}")
    rest = {name: held for name, held in told.items() if name not in ("outcome", "contracts", "verified") and held}
    for name, held in sorted(rest.items()):
        yield from _value(f"  {name}", held)


def _text(name: str, text: str) -> Iterator[str]:
    """A text below or beside what introduces it; JSON a member a line."""
    value = read_json(text)
    if value is not None:
        yield from _value(f"  {name}:", value)
    elif "\n" not in text and len(text) <= _SHORT:
        yield escape(f"  {name}: {text}")
    else:
        yield escape(f"  {name}:")
        yield from _indented(text)


def _value(name: str, value: Any) -> Iterator[str]:
    """A JSON value beside its name, or below it."""
    short = json_text(value)
    if short and len(short) <= _SHORT:
        yield escape(f"{name} {short}")
        return
    yield escape(name)
    yield from _indented(_written(value))


def _written(value: Any) -> str:
    """JSON text, a member a line; on one line where it nests too deep for that."""
    try:
        return dumps(value).decode().rstrip("\n")
    except CanonicalError:
        return json_text(value)


def _indented(text: str) -> Iterator[str]:
    return (f"      {escape(line)}" if line else "" for line in text.split("\n"))

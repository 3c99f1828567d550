"""What differs between two runs of one command, and what would absorb it.

Both runs are redacted and normalised, so what generated ids, clocks, addresses and machines differ in is gone already.
Calls are compared in stored order up to the first one that the model answered in another way: what comes after it
follows from it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from stepfork.diff.leaves import Leaf, is_reordered, json_in, leaves, shown
from stepfork.diff.unstable import ANSWERED, OTHERWISE, STORED, Comparison, Rule, Unstable, advice_on, told_rule
from stepfork.normalize.request_key import NO_RULES, KeyRules, keyed_form
from stepfork.providers.answer import answer_of
from stepfork.providers.apis import MODEL_APIS, label
from stepfork.providers.normal_form import NormalMessage, NormalRequest
from stepfork.trace.body import Body, EventsBody, JsonBody
from stepfork.trace.exchange import Exchange, Response
from stepfork.trace.fixture import Run
from stepfork.trace.wire import body_to_json


def compare_runs(one: Run, two: Run, rules: KeyRules = NO_RULES) -> Comparison:
    """What differs between two normalised runs of one command, each value once, wherever it is repeated."""
    found: list[Unstable] = []
    seen: set[tuple[str, ...]] = set()
    parted: int | None = None

    def add(differences: Iterator[Unstable]) -> None:
        # A conversation is sent again with each call, and answers and trace repeat its values.
        for item in differences:
            values = (item.old, item.new)
            told = values if item.kind == "stored" else (item.place, *values)
            if told not in seen:
                found.append(item)
                seen.update((told, values))

    for index, (old, new) in enumerate(zip(one.exchanges, two.exchanges, strict=False)):
        add(_of_request(index, old, new, rules))
        if not _same_call(old, new):
            parted = index
            break
        add(_of_answer(index, old, new))
        if _answered(old) != _answered(new):
            parted = index
            break
    if parted is None:
        add(_of_run(one, two))
    return Comparison(tuple(_with_wildcards(found)), parted)


def _same_call(old: Exchange, new: Exchange) -> bool:
    return _line(old) == _line(new)


def _line(exchange: Exchange) -> tuple[str, str, str, str]:
    return exchange.provider, exchange.api, exchange.request.method, exchange.request.path


def _of_request(index: int, old: Exchange, new: Exchange, rules: KeyRules) -> Iterator[Unstable]:
    if not _same_call(old, new):
        calls = [f"{label(one)}: {one.request.method} {one.request.path}" for one in (old, new)]
        yield Unstable(index, "the call itself", calls[0], calls[1], "behaviour", advice=OTHERWISE)
        return
    before, after = keyed_form(old, rules), keyed_form(new, rules)
    if before != after:
        yield from _of_forms(index, before, after)
    else:
        accepted = keyed_form(old) != keyed_form(new)
        named = [body_to_json(one.request.body) for one in (old, new)]
        for leaf in leaves(named[0], named[1]):
            yield _stored(index, "request" + leaf.pointer.removeprefix("/json"), leaf, accepted=accepted)


def _of_forms(index: int, old: NormalRequest, new: NormalRequest) -> Iterator[Unstable]:
    parts: list[tuple[str, Any, Any]] = [
        ("model", old.model, new.model),
        *((f"params.{name}", a, b) for name, a, b in _members(old.params, new.params)),
        ("system prompt", "\n\n".join(old.system), "\n\n".join(new.system)),
        *((f"tool {name}", a, b) for name, a, b in _members(old.tools, new.tools)),
        *((name, a, b) for name, a, b in _members(old.other, new.other)),
    ]
    for place, before, after in parts:
        for leaf in leaves(before, after):
            yield _asked(index, _joined(place, leaf.pointer), leaf)
    for at, (first, second) in enumerate(zip(old.messages, new.messages, strict=False)):
        if first != second:
            yield from _of_messages(index, at, first, second)
    if len(old.messages) != len(new.messages):
        yield _asked(index, "messages", Leaf("", len(old.messages), len(new.messages)))


def _members(old: dict[str, Any], new: dict[str, Any]) -> Iterator[tuple[str, Any, Any]]:
    for name in dict.fromkeys([*old, *new]):
        yield name, old.get(name), new.get(name)


def _of_messages(index: int, at: int, old: NormalMessage, new: NormalMessage) -> Iterator[Unstable]:
    paired = len(old.tool_results) == len(new.tool_results)
    for first, second in zip(old.tool_results, new.tool_results, strict=False):
        if first.text != second.text and first.name == second.name and first.name:
            yield from _of_results(index, first.name, first.text, second.text)
    plain = [
        {name: value for name, value in msgspec.to_builtins(one).items() if name != "tool_results" or not paired}
        for one in (old, new)
    ]
    for leaf in leaves(plain[0], plain[1]):
        yield _asked(index, _joined(f"message {at} ({old.role})", leaf.pointer.removeprefix("/text")), leaf)


def _of_results(index: int, tool: str, old: str, new: str) -> Iterator[Unstable]:
    is_json = all(isinstance(json_in(text), dict | list) for text in (old, new))
    for leaf in leaves(old, new):
        before, after = shown(leaf)
        place = _joined(f"result of {tool}", leaf.pointer)
        advice = "" if is_json else "the result is no JSON, so the rule leaves out all of it"
        if is_reordered(leaf.old, leaf.new):
            advice = "the same items in another order: sort them, rather than leave them out"
        elif is_json and (rule := told_rule(leaf)):
            advice = f"or {rule}: then each capture writes the same, too"
        yield Unstable(index, place, before, after, "noise", Rule(tool, leaf.pointer if is_json else ""), advice)


def _asked(index: int, place: str, leaf: Leaf) -> Unstable:
    before, after = shown(leaf)
    return Unstable(index, place, before, after, "behaviour", advice=advice_on(leaf, before, after))


def _answered(exchange: Exchange) -> Any:
    """What a caller goes on with: what the model said and asked for, and of any other service the whole answer."""
    if exchange.api not in MODEL_APIS:
        return exchange.response.status
    answer = answer_of(exchange)
    calls = [(call.name, json_in(call.arguments) or call.arguments) for call in answer.tool_calls]
    return answer.text, calls, answer.outcome, exchange.response.status


def _of_answer(index: int, old: Exchange, new: Exchange) -> Iterator[Unstable]:
    before, after = _answered(old), _answered(new)
    if before != after:
        for leaf in leaves(msgspec.to_builtins(before), msgspec.to_builtins(after)):
            one, two = shown(leaf)
            yield Unstable(index, "answer", one, two, "behaviour", advice=ANSWERED)
        return
    for leaf in leaves(_response_json(old.response), _response_json(new.response)):
        yield _stored(index, "answer" + leaf.pointer.removeprefix("/body").removeprefix("/json"), leaf)


def _response_json(response: Response) -> Any:
    return {"headers": response.headers, "ending": response.ending, "body": _with_events(response.body)}


def _with_events(body: Body) -> Any:
    """A body as JSON, the JSON of each event's data readable."""
    if isinstance(body, EventsBody):
        lines = [[line.partition(":")[::2] for line in event.split("\n")] for event in body.events]
        return [[[name, value.strip()] for name, value in event] for event in lines]
    return {"json": body.value} if isinstance(body, JsonBody) else body_to_json(body)


def _stored(index: int | None, place: str, leaf: Leaf, *, accepted: bool = False) -> Unstable:
    before, after = shown(leaf)
    rule = "" if accepted else told_rule(leaf)
    advice = f"{STORED}; {rule} makes it a placeholder" if rule else STORED
    return Unstable(index, place, before, after, "stored", advice=advice, accepted=accepted)


def _of_run(one: Run, two: Run) -> Iterator[Unstable]:
    if len(one.exchanges) != len(two.exchanges):
        counts = Leaf("", len(one.exchanges), len(two.exchanges))
        yield Unstable(None, "number of calls", *shown(counts), "behaviour", advice=OTHERWISE)
    if one.source.exit_code != two.source.exit_code:
        codes = Leaf("", one.source.exit_code, two.source.exit_code)
        yield Unstable(None, "exit code", *shown(codes), "behaviour", advice=OTHERWISE)
    for leaf in leaves(msgspec.to_builtins(one.trace), msgspec.to_builtins(two.trace)):
        yield _stored(None, "trace" + leaf.pointer, leaf)


def _joined(place: str, pointer: str) -> str:
    return f"{place} {pointer}" if pointer else place


def _with_wildcards(found: Sequence[Unstable]) -> Iterator[Unstable]:
    """Rules for one field of many items become one rule: ``/lines/0/at`` and ``/lines/1/at`` are ``/lines/*/at``."""
    pointers: dict[tuple[str, str], set[str]] = {}
    for item in found:
        if item.rule is not None:
            pointers.setdefault((item.rule.tool, _starred(item.rule.pointer)), set()).add(item.rule.pointer)
    for item in found:
        if item.rule is None or len(pointers[item.rule.tool, _starred(item.rule.pointer)]) == 1:
            yield item
        else:
            yield msgspec.structs.replace(item, rule=Rule(item.rule.tool, _starred(item.rule.pointer)))


def _starred(pointer: str) -> str:
    return re.sub(r"/[0-9]+(?=/|\Z)", "/*", pointer)

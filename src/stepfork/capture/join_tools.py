"""Which call of which model answer each tool step answers, and what came back for the calls."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Sequence
from typing import Any

import msgspec

from stepfork.capture.calls import Call, digest
from stepfork.capture.drafts import Asked, Draft, Place
from stepfork.capture.links import Links
from stepfork.providers.calls import bare_tool
from stepfork.providers.genai_values import exact_value


def asked_in_calls(calls: Sequence[Call], links: Links) -> list[Asked]:
    """All that the answers asked for, in stored order. A result is looked for in the requests that follow the answer,
    then, where the id is the only one of its name, in any later request."""
    following: defaultdict[int, list[Call]] = defaultdict(list)
    for call, parent in zip(calls, links.parents, strict=True):
        if parent is not None:
            following[parent].append(call)
    anywhere: dict[str, str] = {}
    for call in reversed(calls):
        anywhere.update(given_results(call))
    ids = Counter(tool.id for call in calls if call.answered for tool in call.answer.tool_calls)
    found: list[Asked] = []
    for rank, call in enumerate(calls):
        if not call.answered:
            continue
        given = {name: text for next_ in reversed(following[rank]) for name, text in given_results(next_).items()}
        for at, tool in enumerate(call.answer.tool_calls):
            result = given.get(tool.id)
            if result is None and ids[tool.id] == 1:
                result = anywhere.get(tool.id)
            found.append(Asked((rank, at), tool, result, followed=bool(following[rank])))
    return found


def asked_in_spans(drafts: Sequence[Draft]) -> list[Asked]:
    """All that the model steps' own messages say was asked for, in the order of their ranks."""
    ranked = sorted((draft.rank, draft) for draft in drafts if draft.rank is not None)
    return [Asked((rank, at), call) for rank, draft in ranked for at, call in enumerate(draft.said.calls)]


def join_tools(drafts: Sequence[Draft], asked: Sequence[Asked]) -> None:
    """Give each tool step the call that it answers: by id; where a span has none, by what it was called with and what
    came back, then by name, in order."""
    tools = [draft for draft in drafts if draft.step.type == "tool_call"]
    tools.sort(key=lambda draft: (draft.span.start_ns, draft.arrival))
    named = [draft for draft in tools if draft.step.call_id is not None]
    unnamed = [draft for draft in tools if draft.step.call_id is None]
    free = list(asked)
    for step, call in (
        (lambda d: (d.step.call_id, *_with(d)), lambda a: (a.call.id, *_asked_with(a))),
        (lambda d: d.step.call_id, lambda a: a.call.id),
    ):
        free = _pair(named, step, free, call)
    for step, call in (
        (lambda d: (*_with(d), _name(d.step.result)), lambda a: (*_asked_with(a), _name(_exact(a.result)))),
        (_with, _asked_with),
        (lambda d: d.step.name, lambda a: bare_tool(a.call.name)),
    ):
        free = _pair(unnamed, step, free, call)


def _pair(
    tools: Sequence[Draft],
    of_step: Callable[[Draft], Hashable],
    asked: Sequence[Asked],
    of_call: Callable[[Asked], Hashable],
) -> list[Asked]:
    """Pair steps and calls that are alike, first with first; what is left over of the calls."""
    waiting: defaultdict[Hashable, list[Asked]] = defaultdict(list)
    for call in reversed(asked):
        waiting[of_call(call)].append(call)
    paired: set[Place] = set()
    for draft in tools:
        if draft.asked is None and (alike := waiting[of_step(draft)]):
            draft.asked = alike.pop()
            paired.add(draft.asked.place)
    return [call for call in asked if call.place not in paired]


def given_results(call: Call) -> dict[str, str]:
    """What a model call was given back, by the ids of the calls that it had asked for."""
    return {
        result.call_id: result.text for message in call.messages for result in message.tool_results if result.call_id
    }


def _with(draft: Draft) -> tuple[str, bytes]:
    return draft.step.name, _name(draft.step.arguments)


def _asked_with(asked: Asked) -> tuple[str, bytes]:
    return bare_tool(asked.call.name), _name(exact_value(asked.call.arguments))


def _exact(text: str | None) -> Any:
    return msgspec.UNSET if text is None else exact_value(text)


def _name(value: Any) -> bytes:
    return b"" if value is msgspec.UNSET else digest(_sorted(value))


def _sorted(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _sorted(value[name]) for name in sorted(value)}
    return [_sorted(item) for item in value] if isinstance(value, list) else value

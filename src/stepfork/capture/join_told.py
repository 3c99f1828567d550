"""Which recorded exchange each instrumented model call is, where it went over HTTP too."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

import msgspec

from stepfork.capture.calls import Call as Seen
from stepfork.capture.drafts import SLACK
from stepfork.capture.order import Ordered
from stepfork.providers.apis import MODEL_APIS, request_model
from stepfork.providers.shapes import dict_of, json_text
from stepfork.trace.body import JsonBody
from stepfork.trace.call import Call
from stepfork.trace.wrapped import held_in, unwrapped


def join_told(calls: Sequence[Call], seen: Ordered, around: Mapping[int, int | None]) -> dict[int, int]:
    """For the numbers of model calls, the places of their exchanges in stored order.

    The answer's id decides, then the request's body, then the model, each while the call lasted; of several attempts it
    is the last. `around` has the number of the call in whose body each call of any kind was made: what one has asked
    in whose body another one ran is told from what that one has asked.
    """
    repeated = {index for index in seen.links.repeats if index is not None}
    free = {index for index, one in enumerate(seen.calls) if one.is_model_call and index not in repeated}
    by_id: defaultdict[str, list[int]] = defaultdict(list)
    by_body: defaultdict[str, list[int]] = defaultdict(list)
    for index in sorted(free, key=lambda index: seen.calls[index].start):
        for name in seen.calls[index].given:
            by_id[name].append(index)
        by_body[_body(seen.calls[index])].append(index)
    found: dict[int, int] = {}

    def take(call: Call, indexes: Sequence[int]) -> None:
        if call.number in found:
            return
        index = next((i for i in indexes if i in free and _within(call, seen.calls[i])), None)
        if index is not None:
            found[call.number] = index
            free.discard(index)

    for call in calls:
        take(call, [index for name in _ids(call) for index in by_id.get(name, ())])
    for call in calls:
        take(call, by_body.get(json_text(unwrapped(call.asked.arguments)[0]), ()))
    with_inner = {call.parent for call in calls}
    rest = sorted(free, key=lambda index: seen.calls[index].start)
    starts = [seen.calls[index].start for index in rest]
    for call in sorted(calls, key=lambda call: -_depth(call, around)):
        if call.number not in with_inner and call.number not in found:
            take(call, [index for index in _while(call, rest, starts) if _fits(call, seen.calls[index])])
    return found


def _depth(call: Call, around: Mapping[int, int | None]) -> int:
    depth, above = 0, call.parent
    while above is not None and depth < len(around):
        depth, above = depth + 1, around.get(above)
    return depth


def _while(call: Call, rest: Sequence[int], starts: Sequence[int]) -> Sequence[int]:
    end = call.started_ns if call.ended_ns is None else call.ended_ns
    return rest[bisect_left(starts, call.started_ns - SLACK) : bisect_left(starts, end + SLACK + 1)]


def _within(call: Call, seen: Seen) -> bool:
    end = seen.start if call.ended_ns is None else call.ended_ns
    return call.started_ns - SLACK <= seen.start <= end + SLACK


def _fits(call: Call, seen: Seen) -> bool:
    asked = call.asked
    models = {seen.answer.model, request_model(seen.exchange)} - {None}
    same_api = asked.api == seen.exchange.api or asked.api not in MODEL_APIS
    return same_api and (asked.model is None or not models or asked.model in models)


def _body(seen: Seen) -> str:
    body = seen.exchange.request.body
    return json_text(body.value) if isinstance(body, JsonBody) else ""


def _ids(call: Call) -> Iterator[str]:
    """The id of the answer, where what came back tells one: an object, or the items of a stream."""
    told = held_in(None if call.outcome is None or call.outcome.result is msgspec.UNSET else call.outcome.result)
    for item in told[:3] if isinstance(told, list) else [told]:
        frame = dict_of(held_in(item))
        for held in (frame, frame.get("message"), frame.get("response")):
            name = dict_of(held_in(held)).get("id")
            if isinstance(name, str) and name:
                yield name

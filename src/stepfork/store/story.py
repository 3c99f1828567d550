"""The run as its manifest tells it: one line for each message that a call added and one for its answer."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from stepfork.providers.split import SYSTEM_ROLES, RequestParts, join_request
from stepfork.providers.summary import says
from stepfork.store.exchange_form import parts_of
from stepfork.store.lineage import Link, lineage_of
from stepfork.trace.body import JsonBody
from stepfork.trace.exchange import Exchange

RECENT = 16
"""Messages before an addition that its lines may look at."""


def story_of(exchanges: Sequence[Exchange]) -> list[tuple[str, ...]]:
    """The lines of each exchange of a run."""
    cut = [parts_of(exchange) for exchange in exchanges]
    return lines_of(exchanges, cut, lineage_of(exchanges))


def lines_of(
    exchanges: Sequence[Exchange], cut: Sequence[RequestParts | None], lineage: Sequence[Link]
) -> list[tuple[str, ...]]:
    """The lines of each exchange, with the parts and the lineage that are known already."""
    told: list[tuple[str, ...]] = []
    for exchange, parts, link in zip(exchanges, cut, lineage, strict=True):
        lines = says(*recent(exchange, parts, link.kept))
        if link.base is not None and lines[:-1] and lines[0] == told[link.base][-1]:
            lines = lines[1:]  # the base's answer, sent on: it has its line there
        told.append(lines)
    return told


def recent(exchange: Exchange, parts: RequestParts | None, kept: int) -> tuple[Exchange, int]:
    """The exchange without all but the last RECENT of the messages kept, and how many of those it has.

    The lines of the messages added may need the names of calls that they answer, and no more: reading the whole
    conversation again for each call would cost the square of its length.
    """
    if parts is None or parts.messages is msgspec.UNSET or kept <= RECENT:
        return exchange, kept
    start = kept - RECENT
    while start and str(parts.messages[start].get("role")) in SYSTEM_ROLES:
        start -= 1  # at the front it would be taken for the system prompt
    fewer = msgspec.structs.replace(parts, messages=parts.messages[start:])
    body = JsonBody(join_request(exchange.api, fewer))
    request = msgspec.structs.replace(exchange.request, body=body)
    return msgspec.structs.replace(exchange, request=request), kept - start

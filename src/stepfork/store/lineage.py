"""Which earlier exchange each conversation continues.

Conversations are compared by content, item for item, as chains of hashes: the cost is linear in what was sent. The
base of an exchange is the earlier one that shares the longest beginning; where several do, one whose whole
conversation is kept, then one with the same system prompt and tools, then the latest.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import msgspec

from stepfork.canonical.encode import dumps
from stepfork.canonical.names import hasher
from stepfork.providers.split import RequestParts
from stepfork.store.exchange_form import parts_of
from stepfork.trace.exchange import Exchange


class Conversation(msgspec.Struct, frozen=True):
    """What is compared: only conversations of one `kind` continue one another; `prompt` breaks ties."""

    kind: str
    prompt: Hashable
    messages: Sequence[Any]


class Link(msgspec.Struct, frozen=True):
    """`base` is the index of the exchange continued, None where none is; `kept` the number of its messages kept."""

    base: int | None = None
    kept: int = 0


def lineage_of(exchanges: Sequence[Exchange]) -> list[Link]:
    """The link of each exchange of a run. Raises CanonicalError."""
    return links([conversation_of(exchange, parts_of(exchange)) for exchange in exchanges])


def conversation_of(exchange: Exchange, parts: RequestParts | None) -> Conversation | None:
    """What of an exchange is compared, None where it has no messages. Raises CanonicalError."""
    if parts is None or parts.messages is msgspec.UNSET:
        return None
    prompt = tuple(None if part is msgspec.UNSET else dumps(part) for part in (parts.system, parts.tools))
    return Conversation(f"{exchange.provider} {exchange.api}", prompt, parts.messages)


def links(conversations: Sequence[Conversation | None]) -> list[Link]:
    """The link of each conversation; None stands for an exchange without one. Raises CanonicalError."""
    whole: dict[Hashable, int] = {}
    partly: dict[Hashable, int] = {}
    found = []
    for index, conversation in enumerate(conversations):
        if conversation is None:
            found.append(Link())
            continue
        chain = _chain(conversation)
        found.append(_longest(chain, conversation.prompt, whole, partly))
        for digest in chain:
            partly[digest] = index
            partly[digest, conversation.prompt] = index
        if chain:
            whole[chain[-1]] = index
            whole[chain[-1], conversation.prompt] = index
    return found


def _longest(chain: list[bytes], prompt: Hashable, whole: dict[Hashable, int], partly: dict[Hashable, int]) -> Link:
    for kept in range(len(chain), 0, -1):
        digest = chain[kept - 1]
        if digest in partly:
            for table in (whole, partly):
                base = table.get((digest, prompt), table.get(digest))
                if base is not None:
                    return Link(base, kept)
    return Link()


def _chain(conversation: Conversation) -> list[bytes]:
    # A canonical document ends where its bytes say so: their sequence has one reading.
    running = hasher(conversation.kind.encode() + b"\n")
    chain = []
    for message in conversation.messages:
        running.update(dumps(message))
        chain.append(running.digest())
    return chain

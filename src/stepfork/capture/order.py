"""An order of calls that two equal runs share, however their timing differs.

Calls form trees: each follows at most one earlier call. Branches (and roots) that overlapped in time might have come
in any order, so they stand in order of their content; where none overlapped they stand in order of arrival. A branch
is kept whole, except that a call waits for those that it needs. Calls that a client makes on its own account, beside
the run (a probe, a session's title), stand first: whether one of them overlapped the run's first call is luck.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

import msgspec

from stepfork.capture.calls import Call, as_recorded, digest, read_calls
from stepfork.capture.links import Links, link
from stepfork.normalize.optional import is_optional
from stepfork.trace.exchange import Exchange
from stepfork.trace.recorded import Recorded

Key = Callable[[Exchange], bytes]
"""What a request is, blind to ids and clocks: equal for the same request of two equal runs."""

_WORD = re.compile(r"[\w.:+-]++")
_DIGIT = re.compile(r"\d")
_COMPARED = 1 << 16  # bytes of a text


class Node(msgspec.Struct, frozen=True):
    """What is to be ordered: a time span, the index of what it follows, the indexes of what else it needs, and its
    content, without what two equal runs differ in (`blind`) and to the letter (`exact`). Nodes are given in order of
    arrival; `parent` and `needs` point to earlier ones. ``aside``: made by the client on its own account."""

    start: int
    end: int
    parent: int | None
    needs: frozenset[int]
    blind: tuple[bytes, ...]
    exact: tuple[bytes, ...]
    aside: bool = False


class Ordered(msgspec.Struct, frozen=True):
    """The calls of a run in stored order, and their links as places in that order."""

    calls: tuple[Call, ...]
    links: Links

    @property
    def exchanges(self) -> tuple[Exchange, ...]:
        """The exchanges, as they are stored."""
        return tuple(call.exchange for call in self.calls)


def order_calls(recorded: Sequence[Recorded], key: Key) -> Ordered:
    """The calls of a run in stored order. `key` is the content of a request; see `Key`."""
    calls = read_calls(recorded)
    links = link(calls)
    order = arrange(
        [_node(call, key, parent, needs) for call, parent, needs in zip(calls, links.parents, links.needs, strict=True)]
    )
    place = {index: at for at, index in enumerate(order)}
    return Ordered(
        calls=tuple(calls[index] for index in order),
        links=Links(
            parents=[_placed(place, links.parents[index]) for index in order],
            needs=[frozenset(place[need] for need in links.needs[index]) for index in order],
            repeats=[_placed(place, links.repeats[index]) for index in order],
        ),
    )


def as_told(exchanges: Sequence[Exchange]) -> Ordered:
    """Calls of which the stored order is known."""
    calls = read_calls(as_recorded(exchanges))
    return Ordered(calls=tuple(calls), links=link(calls))


def _placed(place: dict[int, int], index: int | None) -> int | None:
    return None if index is None else place[index]


def _node(call: Call, key: Key, parent: int | None, needs: frozenset[int]) -> Node:
    answer, response = call.answer, call.exchange.response
    asked = "\0".join(part for tool in answer.tool_calls for part in (tool.name, tool.arguments))
    texts = (str(response.status), answer.outcome, answer.text, asked)
    seen = (key(call.exchange), *(_sortable(blind(text)) for text in texts))
    exact = tuple(_sortable(text.encode()) for text in texts)
    return Node(call.start, call.end, parent, needs, seen, exact, is_optional(call.exchange))


def _sortable(text: bytes) -> bytes:
    """`text` to sort by: a long one by its beginning, then by a digest, so that sorting does not hold all once more."""
    return text if len(text) <= _COMPARED else text[:_COMPARED] + digest(text)


def blind(text: str) -> bytes:
    """`text` without its ids, numbers and times."""
    seen = _WORD.sub(lambda word: "#" if _DIGIT.search(word[0]) else word[0], text)
    return seen.encode("utf-8", "surrogatepass")


def arrange(nodes: Sequence[Node]) -> list[int]:
    """The order of `nodes`, as indexes into them. Linear but for sorting; any links give some order of all nodes."""
    branches = _Branches(nodes)
    order: list[int] = []
    done: set[int] = set()
    # Unfinished lists of branches, each reversed; the innermost branch goes on first.
    open_: list[list[int]] = [list(reversed(branches.below(None)))] if nodes else []
    while open_:
        at = _ready(open_, nodes, done)
        siblings = open_[at]
        # Needs that go round in a circle cannot be met: then the first one goes.
        places = range(len(siblings) - 1, -1, -1)
        index = siblings.pop(next((place for place in places if nodes[siblings[place]].needs <= done), -1))
        order.append(index)
        done.add(index)
        if not siblings:
            open_.pop(at)
        following = branches.below(index)
        if following:
            open_.append(list(reversed(following)))
    return order


def _ready(open_: list[list[int]], nodes: Sequence[Node], done: set[int]) -> int:
    for at in range(len(open_) - 1, -1, -1):
        if any(nodes[i].needs <= done for i in open_[at]):
            return at
    return len(open_) - 1


class _Branches:
    """The trees of the nodes: for each branch how long it lasted and what it holds."""

    def __init__(self, nodes: Sequence[Node]) -> None:
        self.nodes = nodes
        self.children: dict[int | None, list[int]] = {}
        self.start = [node.start for node in nodes]
        self.end = [node.end for node in nodes]
        self.content: list[tuple[tuple[bytes, ...], ...]] = [()] * len(nodes)
        for index, node in enumerate(nodes):
            self.children.setdefault(node.parent, []).append(index)
        for index in range(len(nodes) - 1, -1, -1):
            node, below = nodes[index], self.children.get(index, [])
            blinds, exacts = (sorted(self.content[child][side] for child in below) for side in (0, 1))
            self.content[index] = ((*node.blind, digest(blinds)), (*node.exact, digest(exacts)))
            if node.parent is not None:
                self.start[node.parent] = min(self.start[node.parent], self.start[index])
                self.end[node.parent] = max(self.end[node.parent], self.end[index])

    def below(self, parent: int | None) -> list[int]:
        """The branches that follow `parent` (None: the trees themselves), in their order."""
        every = self.children.get(parent, [])
        asides = sorted((i for i in every if self.nodes[i].aside), key=lambda index: self.content[index])
        found = [index for index in every if not self.nodes[index].aside]
        found.sort(key=lambda index: (self.start[index], index))
        if any(self.start[later] < end for end, later in zip(self._ends(found), found[1:], strict=False)):
            found.sort(key=lambda index: self.content[index])
        return asides + found

    def _ends(self, found: list[int]) -> list[int]:
        ends: list[int] = []
        for index in found:
            ends.append(max(ends[-1], self.end[index]) if ends else self.end[index])
        return ends

"""Which call of a run follows which: by content alone, so that timing cannot change it.

A request follows an earlier response where it names it (``previous_response_id``, ids of calls and items), where it
extends the conversation that the response ended, or where it repeats a request that failed. Beside this one parent, a
request *needs* the calls whose words it carries in another form: a summary of what others answered, the task that a
tool call handed to another agent, or what a tool's service answered.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

import msgspec

from stepfork.capture.calls import Call, digest
from stepfork.providers.genai_values import exact_value
from stepfork.trace.body import TextBody

WORDS = 24
"""The shortest text, in characters, that counts as carried over; shorter ones coincide."""


class Links(msgspec.Struct):
    """For each call, by its index in order of arrival: the call that it follows, those that it needs besides, and the
    failed call that it repeats (which is then the one that it follows)."""

    parents: list[int | None]
    needs: list[frozenset[int]]
    repeats: list[int | None]


def link(calls: Sequence[Call]) -> Links:
    """The links of calls that stand in order of arrival; each link points to an earlier one."""
    made = Links([], [], [])
    linker = _Linker(calls, made.parents)
    for index, call in enumerate(calls):
        repeated = linker.failed_before(call)
        parent = linker.named(call)
        if parent is None and repeated is None:
            parent = linker.extended(call)
        parent = repeated if repeated is not None else parent
        made.parents.append(parent)
        made.repeats.append(repeated)
        made.needs.append(linker.carried(index, call, parent))
        linker.add(index, call)
    return made


class _Linker:
    """What the calls so far said, indexed by what a later request could repeat of it."""

    def __init__(self, calls: Sequence[Call], parents: list[int | None]) -> None:
        self.calls = calls
        self.parents = parents
        self.followed: set[int] = set()
        self.owners: defaultdict[str, list[int]] = defaultdict(list)
        self.conversations: defaultdict[bytes, list[int]] = defaultdict(list)
        self.failed: defaultdict[bytes, list[int]] = defaultdict(list)
        self.words: defaultdict[str, list[tuple[str, int]]] = defaultdict(list)

    def add(self, index: int, call: Call) -> None:
        parent = self.parents[index]
        if parent is not None:
            self.followed.add(parent)
        for name in call.given:
            self.owners[name].append(index)
        if call.is_model_call:
            self.conversations[_prefixes(call)[-1]].append(index)
            if not call.answered:
                self.failed[call.opening].append(index)
        asked = (text for asked in call.answer.tool_calls for text in _texts(asked.arguments))
        for text in (call.answer.text, *asked, *_served(call)):
            if len(text) >= WORDS:
                self.words[text[:WORDS]].append((text, index))

    def failed_before(self, call: Call) -> int | None:
        """The failed call of which this one is the next attempt: each attempt is repeated once."""
        attempts = self.failed.get(call.opening, ())
        return next((i for i in attempts if i not in self.followed and self.calls[i].end <= call.start), None)

    def named(self, call: Call) -> int | None:
        """The response whose id, or whose calls' or items' ids, stand last in the request."""
        for name in reversed(call.taken):
            owners = self.owners.get(name, ())
            if len(owners) == 1:
                return owners[0]
            if owners:  # a server that numbers its calls anew in each response: the conversation has to decide
                extended = self.extended(call)
                return extended if extended is not None else owners[-1]
        return None

    def extended(self, call: Call) -> int | None:
        """The call whose conversation, and answer, this request goes on from."""
        prefixes = _prefixes(call)
        for at in range(len(call.messages) - 1, -1, -1):
            if call.messages[at].role != "assistant":
                continue
            ended = self.conversations.get(prefixes[at], ())
            said = _squeezed(call.messages[at].text)
            same = [i for i in ended if _squeezed(self.calls[i].answer.text) == said] or ended
            # Equal conversations are told apart by nothing, so each is gone on from in turn.
            if same:
                return next((i for i in same if i not in self.followed), same[-1])
        return None

    def carried(self, index: int, call: Call, parent: int | None) -> frozenset[int]:
        """The calls whose answers, or whose handed-over tasks, the new part of this request carries."""
        if not self.words or not call.messages:
            return frozenset()
        known = len(self.calls[parent].messages) if parent is not None else 0
        found: set[int] = set()
        own: set[int] = set()
        for message in call.messages[known:]:
            if message.role == "assistant":
                continue
            for text in (message.text, *(result.text for result in message.tool_results)):
                for at in range(len(text) - WORDS + 1):
                    held = self.words.get(text[at : at + WORDS])
                    if held:
                        own = own or {index, *self._line(parent)}
                        owners = {i for words, i in held if text.startswith(words, at)}
                        found |= set() if owners & own else owners
        return frozenset(found)

    def _line(self, index: int | None) -> Iterator[int]:
        while index is not None:
            yield index
            index = self.parents[index]


def _prefixes(call: Call) -> list[bytes]:
    """A name for each beginning of the conversation: of no message, of the first, of the first two, …"""
    names = [digest(call.exchange.provider, call.exchange.api, call.system)]
    for message in call.messages:
        names.append(digest(names[-1], message))
    return names


def _texts(arguments: str) -> Iterator[str]:
    """The texts among the arguments of a call."""
    value = exact_value(arguments)
    if isinstance(value, dict):
        yield from (text for text in value.values() if isinstance(text, str))


def _served(call: Call) -> Iterator[str]:
    """What a tool's service answered, which the tool may give to the model as it stands."""
    body = call.exchange.response.body
    if not call.is_model_call and isinstance(body, TextBody):
        yield body.text


def _squeezed(text: str) -> str:
    return "".join(text.split())

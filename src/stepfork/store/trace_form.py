"""A trace as a document and back. What an exchange holds already is pointed at, not stored twice."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from stepfork.canonical.encode import plain_dumps
from stepfork.canonical.names import hasher
from stepfork.canonical.parse import parse
from stepfork.errors import CanonicalError, DamagedError
from stepfork.store.exchange_form import parts_of
from stepfork.store.markers import value_marker
from stepfork.store.shapes import only
from stepfork.store.trace_told import STEP_MEMBERS, TRACE_MEMBERS, fold, unfold
from stepfork.trace.body import JsonBody
from stepfork.trace.exchange import Exchange
from stepfork.trace.step import Step, StepError, Trace, Usage

POINTED = 200
"""Characters of text, or bytes of a value's canonical form, from which on a trace points instead of repeating."""

Path = tuple[str | int | None, ...]
"""Steps into an exchange: a member, an item, or None: the text read as JSON."""


def trace_document(trace: Trace) -> dict[str, Any]:
    """The members of a trace, defaults left out, `trace_version` always there."""
    document: dict[str, Any] = msgspec.to_builtins(trace)
    fold(document)
    return document | {"trace_version": trace.trace_version}


class Pointers:
    """Where the exchanges hold what a trace document would repeat.

    Looked for: its texts of at least POINTED characters, and the values of at least POINTED canonical bytes in
    arguments, results, input and output. Looked at, in stored order, members sorted: the messages that each exchange
    appends, then its JSON response, JSON text inside them included; the first place wins.
    """

    def __init__(self, document: dict[str, Any], exchanges: Sequence[Exchange], kept: Sequence[int]) -> None:
        self._texts: set[str] = set()
        self._values: dict[bytes, list[int]] = {}
        self._places: dict[str | bytes, Path] = {}
        self._want(document)
        if self._texts or self._values:
            for index, exchange in enumerate(exchanges):
                for path, value in _appended(exchange, kept[index]):
                    self._look(value, (index, *path))
        self._nodes = {
            node: self._places[digest]
            for digest, nodes in self._values.items()
            if digest in self._places
            for node in nodes
        }

    def find(self, node: Any) -> dict[str, Any] | None:
        """The marker for a text or a container of the document (which must be alive still), or None."""
        path = self._places.get(node) if isinstance(node, str) else self._nodes.get(id(node))
        return None if path is None else value_marker(path)

    def _want(self, document: dict[str, Any]) -> None:
        slots = [document.get("input"), document.get("output")]
        for step in document["steps"]:
            slots += [step.get("arguments"), step.get("result"), step.get("raised")]
        for container in _containers(slots[:]):
            digest = _digest(container)
            if digest is not None:
                self._values.setdefault(digest, []).append(id(container))
        self._texts = {text for text in _texts(document) if len(text) >= POINTED}

    def _look(self, value: Any, path: Path) -> None:
        if isinstance(value, str):
            if len(value) < POINTED:
                return
            if value in self._texts:
                self._places.setdefault(value, path)
            inner = _json_inside(value)
            if inner is not None:
                self._look(inner, (*path, None))
        elif isinstance(value, dict | list):
            digest = _digest(value) if self._values else None
            if digest in self._values:
                self._places.setdefault(digest, path)
            for step, item in sorted(value.items()) if isinstance(value, dict) else enumerate(value):
                self._look(item, (*path, step))


def read_trace(document: Any) -> Trace:
    """The trace of an unpacked document. Raises DamagedError for a wrong type, member or link."""
    try:
        only(document, (*Trace.__struct_fields__, *TRACE_MEMBERS))
        for step in document.get("steps") or ():
            told = isinstance(step, dict) and step.get("instrumented") is True
            only(step, (*Step.__struct_fields__, *(STEP_MEMBERS if told else ())))
            only(step.get("error") or {}, StepError.__struct_fields__)
            only(step.get("usage") or {}, Usage.__struct_fields__)
        only(document.get("error") or {}, StepError.__struct_fields__)
        trace = msgspec.convert(unfold(document), Trace)
    except (msgspec.ValidationError, TypeError, OverflowError):
        raise DamagedError("a trace has a member that is absent or of a wrong type") from None
    if "trace_version" not in document or trace.trace_version != 1:
        raise DamagedError("a trace is of a version that this stepfork does not read")
    return trace


class Pointed:
    """Gives the values that a trace points at in `exchanges`."""

    def __init__(self, exchanges: Sequence[Exchange]) -> None:
        self._exchanges = exchanges
        self._parsed: dict[str, Any] = {}

    def value(self, path: list[Any]) -> Any:
        """What stands at ``[index, "request" | "response", step...]``. Raises DamagedError where nothing does."""
        match path:
            case [int(index), "request" | "response" as side, *steps] if type(index) is int and 0 <= index < len(
                self._exchanges
            ):
                body = getattr(self._exchanges[index], side).body
                node = body.value if isinstance(body, JsonBody) else None
                for step in steps:
                    node = self._step(node, step)
                return node
        raise DamagedError("a trace points at an exchange that is not there")

    def _step(self, node: Any, step: Any) -> Any:
        if isinstance(node, str) and step is None:
            if node not in self._parsed:
                self._parsed[node] = _json_inside(node)
            if self._parsed[node] is not None:
                return self._parsed[node]
        if isinstance(node, dict) and isinstance(step, str) and step in node:
            return node[step]
        if isinstance(node, list) and type(step) is int and 0 <= step < len(node):
            return node[step]
        raise DamagedError("a trace points at a value that is not there")


def _appended(exchange: Exchange, kept: int) -> Iterator[tuple[Path, Any]]:
    parts = parts_of(exchange)
    body = exchange.request.body
    if parts is not None and parts.messages is not msgspec.UNSET and isinstance(body, JsonBody):
        name = "input" if exchange.api == "responses" else "messages"
        items = body.value[name]
        for index in range(len(items) - len(parts.messages) + kept, len(items)):
            yield ("request", name, index), items[index]
    if isinstance(exchange.response.body, JsonBody):
        yield ("response",), exchange.response.body.value


def _containers(stack: list[Any]) -> Iterator[Any]:
    while stack:
        node = stack.pop()
        if isinstance(node, dict | list):
            yield node
            stack.extend(node.values() if isinstance(node, dict) else node)


def _texts(node: Any) -> Iterator[str]:
    stack = [node]
    while stack:
        node = stack.pop()
        if isinstance(node, str):
            yield node
        elif isinstance(node, dict | list | tuple):
            stack.extend(node.values() if isinstance(node, dict) else node)


def _digest(value: Any) -> bytes | None:
    data = plain_dumps(value)
    return None if data is None or len(data) < POINTED else hasher(data).digest()


def _json_inside(text: str) -> Any:
    """The container that a text spells, None where it spells none (or one that canonical JSON cannot carry)."""
    if not text.lstrip().startswith(("{", "[")):
        return None
    try:
        value = parse(text)
    except CanonicalError:
        return None
    return value if isinstance(value, dict | list) else None

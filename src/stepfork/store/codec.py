"""A fixture to bytes and back: pure functions, no files.

    encode_fixture(fixture) -> Encoded(manifest, objects)
    decode_fixture(manifest, get, where=...) -> fixture

What is written is a pure function of the run: equal runs give equal bytes. The rules are in
``docs/reference/format.md``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from stepfork.canonical.encode import dumps
from stepfork.canonical.names import name_of
from stepfork.canonical.parse import parse
from stepfork.errors import CanonicalError, DamagedError
from stepfork.providers.split import RequestParts
from stepfork.store.cutting import LARGE, Cutter
from stepfork.store.encoded import Encoded, Objects
from stepfork.store.exchange_form import exchange_document, parts_of, read_exchange
from stepfork.store.lineage import Link, conversation_of, links
from stepfork.store.manifest import VERSION, Entry, Manifest, read_manifest, write_manifest
from stepfork.store.markers import Unpacker
from stepfork.store.personal import FEATURE, looks_personal, marks_in, with_marks, without_marks
from stepfork.store.trace_form import Pointed, Pointers, read_trace, trace_document
from stepfork.trace.exchange import Exchange
from stepfork.trace.fixture import Fixture, Run

Get = Callable[[str], bytes]


class Written(msgspec.Struct, frozen=True):
    """What a write did: where the manifest or the bundle is, how many objects were new, how many older ones were
    removed, the files and bytes of the whole fixture, manifest included, and whether the manifest's bytes are new."""

    path: Path
    new_objects: int
    removed_objects: int
    files: int
    bytes: int
    new_manifest: bool = True


class _Prompt(msgspec.Struct, frozen=True):
    """The system prompt and the tools of a request by content, None where it has none."""

    system: str | None
    tools: str | None


def encode_fixture(fixture: Fixture) -> Encoded:
    """The bytes of a fixture. Raises CanonicalError where a value has no canonical form."""
    manifest, objects = _written(fixture)
    marks = marks_in((write_manifest(manifest), *objects.values()))
    if False in marks:
        manifest = msgspec.structs.replace(manifest, requires=(FEATURE,))
    elif marks:
        manifest, objects = _written(msgspec.structs.replace(fixture, run=without_marks(fixture.run)))
    return Encoded(write_manifest(manifest), objects)


def _written(fixture: Fixture) -> tuple[Manifest, Objects]:
    run = fixture.run
    objects = Objects()
    cut = [parts_of(exchange) for exchange in run.exchanges]
    shared, prompts = _shared_parts(cut, objects)
    lineage = links([conversation_of(exchange, parts) for exchange, parts in zip(run.exchanges, cut, strict=True)])
    documents = [
        partial(exchange_document, exchange, _own_parts(parts, prompt, shared), link.kept)
        for exchange, parts, prompt, link in zip(run.exchanges, cut, prompts, lineage, strict=True)
    ]
    names = Cutter(documents, objects).packed()
    trace = trace_document(run.trace)
    pointers = Pointers(trace, run.exchanges, [link.kept for link in lineage])
    (trace_name,) = Cutter([lambda: trace], objects, pointers.find).packed()
    manifest = Manifest(
        fixture_version=VERSION,
        name=fixture.name,
        source=run.source,
        trace=trace_name,
        exchanges=_entries(run.exchanges, names, cut, lineage, [_named(p, shared) for p in prompts]),
        objects=tuple(sorted(objects)),
        contracts=fixture.contracts,
        verification=fixture.verification,
        world=None,
        run="",
        seal="",
        requires=(),
        extensions=fixture.extensions,
    )
    return manifest, objects


def decode_fixture(manifest: bytes, get: Get, *, where: str, name: str = "NAME") -> Fixture:
    """The fixture of a manifest. `get` gives the verified bytes of an object; `where` is the manifest's path.

    Raises ManifestError, NotFoundError (from `get`) or DamagedError, each naming file and place.
    """
    read = read_manifest(manifest, where, name)
    source = _Source(get, set(read.objects), where)
    exchanges = _read_exchanges(read, source)
    unpacker = Unpacker(source.text, Pointed(exchanges).value)
    trace = source.checked("the trace", read.trace, lambda document: read_trace(unpacker.unpack(document)))
    run = Run(read.source, trace, tuple(exchanges))
    if FEATURE not in read.requires and (source.looks_personal or looks_personal(manifest)):
        run = with_marks(run)
    return Fixture(read.name, run, read.contracts, read.verification, read.extensions)


class _Source:
    """Reads objects of one fixture, each once, and says where it stood when something is wrong."""

    def __init__(self, get: Get, reached: set[str], where: str) -> None:
        self._get = get
        self._reached = reached
        self._where = where
        self._values: dict[str, Any] = {}
        self.looks_personal = False

    def value(self, name: str) -> Any:
        if name not in self._reached:
            raise DamagedError(f"object {name} is used but not among the manifest's objects", where=self._where)
        if name not in self._values:
            data = self._get(name)
            self.looks_personal = self.looks_personal or looks_personal(data)
            try:
                self._values[name] = parse(data)
            except CanonicalError as error:
                raise DamagedError(f"object {name}: {error.what}", where=self._where) from None
        return self._values[name]

    def text(self, name: str) -> str:
        value = self.value(name)
        if not isinstance(value, str):
            raise DamagedError(f"object {name} is not a text", where=self._where)
        return value

    def checked(self, what: str, name: str, read: Callable[[Any], Any]) -> Any:
        try:
            return read(self.value(name))
        except DamagedError as error:
            if error.where is not None:
                raise
            raise DamagedError(f"{what}, object {name}: {error.what}", where=self._where) from None


def _read_exchanges(manifest: Manifest, source: _Source) -> list[Exchange]:
    unpacker = Unpacker(source.text)
    exchanges: list[Exchange] = []
    conversations: list[list[Any] | None] = []
    prompts: list[_Prompt] = []
    for index, entry in enumerate(manifest.exchanges):
        inherited = _Prompt(None, None) if entry.base is None else prompts[entry.base]
        prompt = _Prompt(
            inherited.system if entry.system is msgspec.UNSET else entry.system,
            inherited.tools if entry.tools is msgspec.UNSET else entry.tools,
        )

        def read(document: Any, entry: Entry = entry, prompt: _Prompt = prompt) -> tuple[Exchange, Any]:
            kept = _kept(entry, conversations)
            system, tools = (
                msgspec.UNSET if name is None else unpacker.unpack(source.value(name))
                for name in (prompt.system, prompt.tools)
            )
            return read_exchange(unpacker.unpack(document), kept, system, tools)

        exchange, messages = source.checked(f"exchange {index}", entry.object, read)
        exchanges.append(exchange)
        conversations.append(messages)
        prompts.append(prompt)
    return exchanges


def _kept(entry: Entry, conversations: list[list[Any] | None]) -> list[Any]:
    if entry.base is None:
        return []
    messages = conversations[entry.base]
    keep = entry.keep if entry.keep is not None else len(messages or ())
    if not messages or keep > len(messages):
        raise DamagedError("it keeps more messages than its base has")
    return messages[:keep]


def _shared_parts(cut: Sequence[RequestParts | None], objects: Objects) -> tuple[dict[str, str], list[_Prompt]]:
    """The prompts and tools that become objects (content name to object name), and each exchange's by content."""
    values: dict[str, Any] = {}
    large: set[str] = set()
    uses: Counter[str] = Counter()

    def content(part: Any) -> str | None:
        if part is msgspec.UNSET:
            return None
        data = dumps(part)
        name = name_of(data)
        values[name] = part
        if len(data) >= LARGE:
            large.add(name)
        uses[name] += 1
        return name

    prompts = [
        _Prompt(None, None) if parts is None else _Prompt(content(parts.system), content(parts.tools)) for parts in cut
    ]
    chosen = [name for name in values if name in large or uses[name] > 1]
    names = Cutter([partial(values.__getitem__, name) for name in chosen], objects).packed()
    return dict(zip(chosen, names, strict=True)), prompts


def _own_parts(parts: RequestParts | None, prompt: _Prompt, shared: dict[str, str]) -> RequestParts | None:
    """`parts` without those that are objects of their own."""
    if parts is None:
        return None
    return msgspec.structs.replace(
        parts,
        system=msgspec.UNSET if prompt.system in shared else parts.system,
        tools=msgspec.UNSET if prompt.tools in shared else parts.tools,
    )


def _named(prompt: _Prompt, shared: dict[str, str]) -> _Prompt:
    return _Prompt(shared.get(prompt.system or ""), shared.get(prompt.tools or ""))


def _entries(
    exchanges: Sequence[Exchange],
    names: Sequence[str],
    cut: Sequence[RequestParts | None],
    lineage: Sequence[Link],
    prompts: Sequence[_Prompt],
) -> tuple[Entry, ...]:
    from stepfork.providers.apis import label
    from stepfork.store.story import lines_of  # not for reading

    told = lines_of(exchanges, cut, lineage)
    entries: list[Entry] = []
    for index, (exchange, link) in enumerate(zip(exchanges, lineage, strict=True)):
        base = _Prompt(None, None) if link.base is None else prompts[link.base]
        own = prompts[index]
        entries.append(
            Entry(
                label=label(exchange),
                object=names[index],
                says=told[index],
                status=exchange.response.status,
                base=link.base,
                keep=None if link.base is None or link.kept == _length(cut[link.base]) else link.kept,
                system=msgspec.UNSET if own.system == base.system else own.system,
                tools=msgspec.UNSET if own.tools == base.tools else own.tools,
            )
        )
    return tuple(entries)


def _length(parts: RequestParts | None) -> int:
    return 0 if parts is None or parts.messages is msgspec.UNSET else len(parts.messages)

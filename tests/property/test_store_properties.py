"""Stores over any run: what goes in comes out, equal runs are equal files, and no bit can flip unseen."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stepfork.errors import StepforkError
from stepfork.store.codec import decode_fixture, encode_fixture
from stepfork.store.fsck import fsck_store
from stepfork.store.layout import init_store
from stepfork.store.store import Store
from stepfork.trace.body import Body, BytesBody, EventsBody, JsonBody, TextBody
from stepfork.trace.exchange import Exchange, Request, Response
from stepfork.trace.fixture import Fixture, Run, Source
from stepfork.trace.step import Step, StepError, Trace
from tests.property.test_canonical_values import shuffled
from tests.unit.store.sample_runs import conversation, fixture_of, odd_exchanges

MARKS = ("$stepfork:object", "$stepfork:join", "$stepfork:value", "$$stepfork:object", "$stepfork:", "$", "content")
LONG = ("word " * 300, "QUJD" * 300, "data:image/png;base64," + "QUJD" * 300 + "==", "é" * 700, "lorem " * 60)
SCALARS = (None, True, False, 0, 1, 1.0, -0.0, 1e16, 2**63, "", "a", "0" * 64, "\u2028", '{"a": 1}', "é", *LONG)


class Maker:
    """Makes fixtures from a seed: a strategy of a strategy would take longer to draw than to test."""

    def __init__(self, chance: random.Random) -> None:
        self.chance = chance
        self.api = chance.choice(["chat_completions", "responses", "messages"])
        self.texts = ["", "a", "user", *LONG]
        self.values: list[Any] = [[], {}, None]
        self.conversations: list[list[Any]] = [[]]

    def fixture(self) -> Fixture:
        exchanges = tuple(self.exchange() for _ in range(self.chance.randrange(6)))
        steps = tuple(self.step(number) for number in range(self.chance.randrange(4)))
        trace = Trace("spans", steps, input=self.slot(), output=self.slot(), notes=(self.text(),))
        return Fixture("f", Run(Source("command", True), trace, exchanges), extensions={"x": self.value()})

    def step(self, number: int) -> Step:
        error = StepError(self.text(), self.text())
        return Step("tool_call", self.text(), number, 1, arguments=self.slot(), result=self.slot(), error=error)

    def exchange(self) -> Exchange:
        chance = self.chance
        asked = self.request() if chance.random() < 0.7 else self.body()
        request = Request(chance.choice(["POST", "GET"]), self.text(), self.text(), self.media(), asked)
        ending = chance.choice(["complete", "truncated", "reset"])
        headers = {self.text(): self.text()} if chance.random() < 0.3 else {}
        response = Response(chance.choice([200, 429]), self.media(), headers, self.body(), ending)  # type: ignore[arg-type]
        api = self.api if chance.random() < 0.8 else "other"
        return Exchange(chance.choice(["openai", "openai", "x"]), api, request, response)

    def request(self) -> JsonBody:
        chance = self.chance
        messages = [*chance.choice(self.conversations), *(self.message() for _ in range(chance.randrange(3)))]
        self.conversations.append(messages)
        name = "input" if self.api == "responses" and chance.random() < 0.8 else "messages"
        body: dict[str, Any] = {"model": "m", name: messages}
        if chance.random() < 0.5:
            body["tools"] = chance.choice([[], [{"name": "t"}], None, self.value()])
        if chance.random() < 0.5:
            body[chance.choice(["system", "instructions"])] = chance.choice([self.text(), self.value()])
        return JsonBody(body)

    def message(self) -> Any:
        role = self.chance.choice(["user", "user", "system", "assistant", 7])
        return {"role": role, "content": self.value()}

    def body(self) -> Body:
        kind = self.chance.randrange(5)
        if kind == 0:
            return JsonBody(self.value())
        if kind == 1:
            return TextBody(self.text(), self.chance.choice([None, "a reason"]))
        if kind == 2:
            return BytesBody(self.chance.choice([b"", b"\xff", b"\xff" * 900]))
        if kind == 3:
            return EventsBody((self.text(), self.text()), self.chance.choice(["\n\n", "\r\n\r\n"]))
        return None

    def media(self) -> str:
        return self.chance.choice(["", "application/json", "text/event-stream", "text/event-stream; charset=utf-8"])

    def slot(self) -> Any:
        return msgspec.UNSET if self.chance.random() < 0.2 else self.value()

    def text(self) -> str:
        return self.chance.choice(self.texts)

    def value(self, levels: int = 4) -> Any:
        """A new value or, often, one that stands elsewhere already."""
        chance = self.chance
        kind = chance.randrange(6) if levels else 0
        if kind in (0, 1):
            made = chance.choice(SCALARS)
        elif kind == 2:
            made = chance.choice(self.values)
        elif kind == 3:
            made = {chance.choice(MARKS): self.value(levels - 1)}
        elif kind == 4:
            made = [self.value(levels - 1) for _ in range(chance.randrange(3))]
        else:
            made = {name: self.value(levels - 1) for name in chance.sample(["a", "b", *MARKS], 3)}
        self.values.append(made)
        if chance.random() < 0.1:
            self.texts.append(json.dumps(made))
            self.values.append(self.texts[-1])
        return made


_bytes = msgspec.json.Encoder(order="deterministic").encode


@given(st.integers(0, 2**40))
def test_decoding_undoes_encoding(seed: int) -> None:
    fixture = Maker(random.Random(seed)).fixture()
    encoded = encode_fixture(fixture)
    read = decode_fixture(encoded.manifest, encoded.objects.__getitem__, where="f.json")
    assert read == fixture
    assert _bytes(read) == _bytes(fixture)  # types too: True is not 1 here
    assert encode_fixture(read) == encoded


@given(st.integers(0, 2**40))
def test_equal_runs_are_equal_files(seed: int) -> None:
    chance = random.Random(seed)
    fixture = Maker(chance).fixture()

    def mixed(exchange: Exchange) -> Exchange:
        body = exchange.request.body
        if not isinstance(body, JsonBody):
            return exchange
        request = msgspec.structs.replace(exchange.request, body=JsonBody(shuffled(body.value, chance), "as sent"))
        return msgspec.structs.replace(exchange, request=request)

    run = msgspec.structs.replace(fixture.run, exchanges=tuple(map(mixed, fixture.run.exchanges)))
    assert encode_fixture(msgspec.structs.replace(fixture, run=run)) == encode_fixture(fixture)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Store:
    folder = tmp_path_factory.mktemp("whole")
    init_store(folder)
    store = Store(folder / ".stepfork")
    store.write(fixture_of(conversation(3) + odd_exchanges()))
    return store


@settings(max_examples=120, deadline=None)
@given(data=st.data())
def test_any_flipped_bit_is_found(whole: Store, data: st.DataObject) -> None:
    paths = sorted(path for path in whole.root.rglob("*.json") if path.is_file())
    path = data.draw(st.sampled_from(paths))
    good = path.read_bytes()
    at, bit = data.draw(st.integers(0, len(good) - 1)), data.draw(st.integers(0, 7))
    path.write_bytes(good[:at] + bytes([good[at] ^ (1 << bit)]) + good[at + 1 :])
    try:
        findings = fsck_store(whole).findings
        assert whole.shown(path) in [finding.path for finding in findings]
        if path.parent.name != "fixtures":
            with pytest.raises(StepforkError):
                whole.read("refund")
    finally:
        path.write_bytes(good)
    assert fsck_store(whole).findings == ()


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_any_cut_is_found(whole: Store, data: st.DataObject) -> None:
    path: Path = data.draw(st.sampled_from(sorted(whole.root.rglob("*.json"))))
    good = path.read_bytes()
    path.write_bytes(good[: data.draw(st.integers(0, len(good) - 1))])
    try:
        assert whole.shown(path) in [finding.path for finding in fsck_store(whole).findings]
        with pytest.raises(StepforkError):
            whole.read("refund")
    finally:
        path.write_bytes(good)

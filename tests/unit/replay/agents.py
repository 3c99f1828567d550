"""An agent and a model as one script that two worlds play: captured in one, replayed in the other.

The agent takes ids and arguments from whatever answers it gets; the rest is its world's: its customers, its clock, its
folder. What a model says and what tools return are texts of pieces, at any depth of JSON text.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from stepfork.normalize.normalize import normalize_run
from stepfork.normalize.request_key import NO_RULES, KeyRules
from stepfork.redact.secrets import Secrets
from stepfork.replay.player import Player
from stepfork.replay.report import Miss
from stepfork.trace.body import EventsBody, JsonBody
from stepfork.trace.exchange import Exchange, Request, Response
from stepfork.trace.fixture import Fixture, Run, Source
from stepfork.trace.step import Trace
from stepfork.trace.wire import read_body
from tests.unit.normalize.scripted import START, World

PATHS = {"chat_completions": "/chat/completions", "responses": "/responses", "messages": "/v1/messages"}
PROVIDERS = {"chat_completions": "openai", "responses": "openai", "messages": "anthropic"}
Model = Callable[[Exchange], Response]

PIECES = (
    "plain ", "customer 0", "customer 1", "invented", "model clock", "agent clock", "folder", "home", "id",
    "request id", "fixed date-time near the capture", "fixed date-time", "look-alike {{id_1}}", "{{!user}}",
    'quote " and \\ slash',
)  # fmt: skip


@dataclass(frozen=True)
class Turn:
    """What the model says and asks, and what each tool returns beside its argument; `depth` of JSON in JSON."""

    text: tuple[str, ...] = ()
    calls: tuple[tuple[str, ...], ...] = ()
    results: tuple[str, ...] = ()
    depth: int = 0
    stream: bool = False
    chunk: int = 7


class Side(World):
    """A world with its customers and its machine."""

    def __init__(self, seed: int, *, home: str = "/home/mkowalski", customers: Sequence[str] = ()) -> None:
        super().__init__(seed, home=home)
        self.customers = customers or ("ada@example.org", "grace@example.net")

    def piece(self, piece: str) -> str:
        """What a piece is here."""
        match piece:
            case "customer 0" | "customer 1":
                return f"<{self.customers[int(piece[-1])]}>"
            case "invented":
                return "help@shop.example"
            case "model clock" | "agent clock":
                return self.iso()
            case "folder":
                return f"{self.home}/agent/notes.txt"
            case "home":
                return f"{self.home}/.config"
            case "id":
                return self.id("call_")
            case "request id":
                return self.hex("req_", 32)
            case "fixed date-time near the capture":
                return (START + timedelta(hours=1)).isoformat()
            case "fixed date-time":
                return "2001-02-03T04:05:06Z"
        return piece

    def text(self, pieces: Sequence[str], depth: int = 0) -> str:
        """The text of pieces, inside `depth` levels of JSON."""
        text = " ".join(map(self.piece, pieces))
        for _ in range(depth):
            text = json.dumps({"k": [text]})
        return text


class Scripted:
    """The model at capture: answers turn by turn, with ids and clocks of its world."""

    def __init__(self, side: Side, api: str, turns: Sequence[Turn]) -> None:
        self.side = side
        self.api = api
        self.turns = iter(turns)

    def __call__(self, exchange: Exchange) -> Response:
        turn = next(self.turns)
        told = getattr(self, self.api)(turn)
        media = "text/event-stream" if isinstance(told, str) else "application/json"
        raw = told if isinstance(told, str) else json.dumps(told)
        return Response(200, media, {"x-request-id": self.side.hex("req_", 32)}, read_body(raw.encode(), media))

    def _calls(self, turn: Turn) -> list[str]:
        return [json.dumps({"v": self.side.text(pieces, turn.depth)}) for pieces in turn.calls]

    def chat_completions(self, turn: Turn) -> dict[str, Any] | str:
        side = self.side
        head = {
            "id": side.id("chatcmpl-", 29),
            "created": side.epoch(),
            "model": "m",
            "system_fingerprint": "fp_1a2b3c",
        }
        text, calls = side.text(turn.text), self._calls(turn)
        frames = [
            {"index": at, "id": side.id("call_"), "type": "function", "function": {"name": "t", "arguments": arguments}}
            for at, arguments in enumerate(calls)
        ]
        if not turn.stream:
            for frame in frames:
                del frame["index"]
            message = {"role": "assistant", "content": text} | ({"tool_calls": frames} if frames else {})
            return head | {"choices": [{"index": 0, "finish_reason": "stop", "message": message}]}
        deltas: list[dict[str, Any]] = [{"role": "assistant", "content": piece} for piece in _cut(text, turn.chunk)]
        for frame, arguments in zip(frames, calls, strict=True):
            deltas.append({"tool_calls": [frame | {"function": {"name": "t", "arguments": ""}}]})
            pieces = _cut(arguments, turn.chunk)
            deltas += [{"tool_calls": [{"index": frame["index"], "function": {"arguments": p}}]} for p in pieces]
        chunks = [head | {"choices": [{"index": 0, "delta": delta, "finish_reason": None}]} for delta in deltas]
        chunks.append(head | {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
        return "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in chunks) + "data: [DONE]\n\n"

    def responses(self, turn: Turn) -> dict[str, Any] | str:
        side = self.side
        text, calls = side.text(turn.text), self._calls(turn)
        said = {"type": "output_text", "text": text, "annotations": []}
        output: list[dict[str, Any]] = [
            {"type": "message", "id": side.hex("msg_", 48), "role": "assistant", "content": [said]}
        ]
        for arguments in calls:
            ids = {"id": side.hex("fc_", 48), "call_id": side.id("call_")}
            output.append({"type": "function_call", **ids, "name": "t", "arguments": arguments})
        body = {"id": side.hex("resp_", 48), "created_at": float(side.epoch()), "status": "completed", "output": output}
        if not turn.stream:
            return body
        events: list[dict[str, Any]] = [{"type": "response.created", "response": body | {"output": []}}]
        for at, item in enumerate(output):
            kind, whole = (
                ("output_text", text) if item["type"] == "message" else ("function_call_arguments", item["arguments"])
            )
            place = {"item_id": item["id"], "output_index": at, "content_index": 0}
            pieces = _cut(whole, turn.chunk)
            events += [{"type": f"response.{kind}.delta", **place, "delta": piece} for piece in pieces]
        events.append({"type": "response.completed", "response": body})
        return "".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events)

    def messages(self, turn: Turn) -> dict[str, Any] | str:
        side = self.side
        blocks: list[dict[str, Any]] = [{"type": "text", "text": side.text(turn.text)}]
        blocks += [
            {"type": "tool_use", "id": side.id("toolu_01", 22), "name": "t", "input": json.loads(arguments)}
            for arguments in self._calls(turn)
        ]
        body = {"id": side.id("msg_01", 22), "type": "message", "role": "assistant", "model": "m"}
        if not turn.stream:
            return body | {"content": blocks, "stop_reason": "end_turn"}
        events: list[dict[str, Any]] = [{"type": "message_start", "message": body | {"content": []}}]
        for at, block in enumerate(blocks):
            is_text = block["type"] == "text"
            begun = block | ({"text": ""} if is_text else {"input": {}})
            events.append({"type": "content_block_start", "index": at, "content_block": begun})
            for piece in _cut(block["text"] if is_text else json.dumps(block["input"]), turn.chunk):
                delta = (
                    {"type": "text_delta", "text": piece}
                    if is_text
                    else {"type": "input_json_delta", "partial_json": piece}
                )
                events.append({"type": "content_block_delta", "index": at, "delta": delta})
            events.append({"type": "content_block_stop", "index": at})
        events += [{"type": "message_delta", "delta": {"stop_reason": "end_turn"}}, {"type": "message_stop"}]
        return "".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events)


def _cut(text: str, size: int) -> list[str]:
    return [text[at : at + size] for at in range(0, len(text), size)]


@dataclass
class Agent:
    """Asks `model` as often as there are turns, and gives back to it what its answers and its tools said."""

    side: Side
    api: str
    turns: Sequence[Turn]
    model: Model
    prompt: tuple[str, ...] = ("plain ",)
    params: tuple[tuple[str, Any], ...] = ()

    def run(self) -> None:
        side = self.side
        system = f"Work in {side.home}/agent. " + side.text(("fixed date-time near the capture", "fixed date-time"))
        asked = {"role": "user", "content": side.text(self.prompt)}
        history: list[dict[str, Any]] = [asked]
        for turn in self.turns:
            body: dict[str, Any] = {"model": "m", "tools": _tool(self.api), **dict(self.params)}
            body |= {"stream": True} if turn.stream else {}
            if self.api == "chat_completions":
                body["messages"] = [{"role": "system", "content": system}, *history]
            else:
                body["instructions" if self.api == "responses" else "system"] = system
                body["input" if self.api == "responses" else "messages"] = list(history)
            answer = self.model(asking(self.api, body))
            history += getattr(self, f"_after_{self.api}")(answer, turn)

    def _result(self, arguments: str, call_id: str, turn: Turn) -> str:
        """A tool's result: its argument, its own id, and what is its world's."""
        echoed = json.loads(arguments)["v"]
        return json.dumps({"got": echoed, "for": call_id, "own": self.side.text(turn.results, turn.depth)})

    def _after_chat_completions(self, answer: Response, turn: Turn) -> list[dict[str, Any]]:
        message = _joined_chat(answer)
        calls = message.get("tool_calls", [])
        results = [
            {
                "role": "tool",
                "tool_call_id": c["id"],
                "content": self._result(c["function"]["arguments"], c["id"], turn),
            }
            for c in calls
        ]
        return [message, *results]

    def _after_responses(self, answer: Response, turn: Turn) -> list[dict[str, Any]]:
        assert answer.body is not None
        value = answer.body.value if isinstance(answer.body, JsonBody) else _events(answer)[-1]["response"]
        calls = [item for item in value["output"] if item["type"] == "function_call"]
        results = [
            {
                "type": "function_call_output",
                "call_id": call["call_id"],
                "output": self._result(call["arguments"], call["call_id"], turn),
            }
            for call in calls
        ]
        return [*value["output"], *results]

    def _after_messages(self, answer: Response, turn: Turn) -> list[dict[str, Any]]:
        blocks = answer.body.value["content"] if isinstance(answer.body, JsonBody) else _joined_messages(answer)
        results = [
            {
                "type": "tool_result",
                "tool_use_id": block["id"],
                "content": self._result(json.dumps(block["input"]), block["id"], turn),
            }
            for block in blocks
            if block["type"] == "tool_use"
        ]
        return [{"role": "assistant", "content": blocks}, {"role": "user", "content": results or "go on"}]


def asking(api: str, body: dict[str, Any]) -> Exchange:
    """A request, not answered yet."""
    raw = read_body(json.dumps(body).encode(), "application/json")
    return Exchange(PROVIDERS[api], api, Request("POST", PATHS[api], "", "application/json", raw), Response(0))


def _tool(api: str) -> list[dict[str, Any]]:
    schema = {"type": "object", "properties": {"v": {"type": "string"}}}
    if api == "messages":
        return [{"name": "t", "description": "A tool.", "input_schema": schema}]
    tool = {"name": "t", "description": "A tool.", "parameters": schema}
    return [{"type": "function", **tool}] if api == "responses" else [{"type": "function", "function": tool}]


def _events(answer: Response) -> list[dict[str, Any]]:
    assert isinstance(answer.body, EventsBody)
    lines = [line for event in answer.body.events for line in event.split("\n") if line.startswith("data: {")]
    return [json.loads(line[6:]) for line in lines]


def _joined_chat(answer: Response) -> dict[str, Any]:
    if isinstance(answer.body, JsonBody):
        message: dict[str, Any] = answer.body.value["choices"][0]["message"]
        return message
    text, calls = "", []
    for event in _events(answer):
        delta = event["choices"][0]["delta"]
        text += delta.get("content") or ""
        for call in delta.get("tool_calls", []):
            if "id" in call:
                calls.append({"id": call["id"], "type": "function", "function": dict(call["function"])})
            else:
                calls[call["index"]]["function"]["arguments"] += call["function"]["arguments"]
    return {"role": "assistant", "content": text} | ({"tool_calls": calls} if calls else {})


def _joined_messages(answer: Response) -> list[dict[str, Any]]:
    blocks: list[dict[str, Any]] = []
    texts: list[str] = []
    for event in _events(answer):
        if event["type"] == "content_block_start":
            blocks.append(event["content_block"])
            texts.append("")
        elif event["type"] == "content_block_delta":
            texts[event["index"]] += event["delta"].get("text", event["delta"].get("partial_json", ""))
    for block, text in zip(blocks, texts, strict=True):
        block.update({"text": text} if block["type"] == "text" else {"input": json.loads(text or "{}")})
    return blocks


def captured(side: Side, agent: Callable[[Model], Agent], model: Model) -> Fixture:
    """The fixture of a run of `agent` against `model`."""
    seen: list[Exchange] = []

    def recording(exchange: Exchange) -> Response:
        answer = model(exchange)
        seen.append(Exchange(exchange.provider, exchange.api, exchange.request, answer))
        return answer

    agent(recording).run()
    return fixture_of(seen, side)


def fixture_of(exchanges: Sequence[Exchange], side: World) -> Fixture:
    """Exchanges as a capture in a world stores them."""
    run = Run(Source("command", True, ("python", "agent.py")), Trace("exchanges", ()), tuple(exchanges))
    return Fixture("case", normalize_run(run, side.context()))


def player_of(fixture: Fixture, side: World, rules: KeyRules = NO_RULES) -> Player:
    """A player of a fixture in a world."""
    return Player(fixture, context=side.context(), secrets=Secrets({}), rules=rules)


class Playing:
    """A player as a model; `misses` are the calls that it did not answer, which end a run."""

    def __init__(self, player: Player) -> None:
        self.player = player
        self.calls = 0
        self.misses: list[Miss] = []

    def __call__(self, exchange: Exchange) -> Response:
        found = self.player.answer(exchange.provider, exchange.api, exchange.request, call=self.calls)
        self.calls += 1
        if isinstance(found, Miss):
            self.misses.append(found)
            raise MissedError(found)
        return found


class MissedError(Exception):
    """A call was not answered."""

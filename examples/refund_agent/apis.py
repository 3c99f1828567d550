"""One conversation with a model, over each of the three APIs: ask, get text and tool calls, give results back.

Each SDK is imported by the conversation that needs it: importing both would double the agent's start.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any, Protocol

from tools import schemas

OPENAI_MODEL = "gpt-4.1"
ANTHROPIC_MODEL = "claude-sonnet-5"


@dataclass
class Turn:
    """What the model said: text, tool calls (id, name, arguments as JSON text), and what it used."""

    text: str
    calls: list[tuple[str, str, str]]
    model: str
    response_id: str
    finish: str
    tokens: tuple[int, int] = field(default=(0, 0))


class Conversation(Protocol):
    """What the agent's loop needs of an API."""

    model: str
    system: str

    def ask(self) -> Turn:
        """Send the conversation so far and take the model's next turn."""

    def give(self, results: list[tuple[str, str]]) -> None:
        """Add tool results: call id and JSON text."""


class Chat:
    """OpenAI Chat Completions."""

    model, system = OPENAI_MODEL, "openai"

    def __init__(self, prompt: str, task: str, *, stream: bool) -> None:
        from openai import OpenAI

        self.client = OpenAI()
        self.stream = stream
        self.messages: list[Any] = [{"role": "system", "content": prompt}, {"role": "user", "content": task}]
        self.tools: list[Any] = [
            {"type": "function", "function": {"name": name, "description": text, "parameters": schema}}
            for name, text, schema in schemas()
        ]

    def ask(self) -> Turn:
        request: dict[str, Any] = {"model": self.model, "messages": self.messages, "tools": self.tools}
        if self.stream:
            with self.client.chat.completions.stream(**request, stream_options={"include_usage": True}) as stream:
                done = stream.get_final_completion()
        else:
            done = self.client.chat.completions.create(**request)
        message = done.choices[0].message
        calls = [(call.id, call.function.name, call.function.arguments) for call in message.tool_calls or []]
        self.messages.append({"role": "assistant", "content": message.content})
        if calls:
            self.messages[-1]["tool_calls"] = [
                {"id": key, "type": "function", "function": {"name": name, "arguments": arguments}}
                for key, name, arguments in calls
            ]
        used = (done.usage.prompt_tokens, done.usage.completion_tokens) if done.usage else (0, 0)
        return Turn(message.content or "", calls, done.model, done.id, done.choices[0].finish_reason, used)

    def give(self, results: list[tuple[str, str]]) -> None:
        self.messages += [{"role": "tool", "tool_call_id": key, "content": text} for key, text in results]


class Responses:
    """OpenAI Responses, with the whole conversation as its input."""

    model, system = OPENAI_MODEL, "openai"

    def __init__(self, prompt: str, task: str, *, stream: bool) -> None:
        from openai import OpenAI

        self.client = OpenAI()
        self.stream = stream
        self.prompt = prompt
        self.input: list[Any] = [{"role": "user", "content": task}]
        self.tools: list[Any] = [
            {"type": "function", "name": name, "description": text, "parameters": schema, "strict": False}
            for name, text, schema in schemas()
        ]

    def ask(self) -> Turn:
        request: dict[str, Any] = {
            "model": self.model,
            "instructions": self.prompt,
            "input": self.input,
            "tools": self.tools,
        }
        if self.stream:
            with self.client.responses.stream(**request) as stream:
                done = stream.get_final_response()
        else:
            done = self.client.responses.create(**request)
        self.input += [item.model_dump(exclude_none=True) for item in json_items(done)]
        calls = [(item.call_id, item.name, item.arguments) for item in done.output if item.type == "function_call"]
        used = (done.usage.input_tokens, done.usage.output_tokens) if done.usage else (0, 0)
        return Turn(done.output_text, calls, str(done.model), done.id, done.status or "completed", used)

    def give(self, results: list[tuple[str, str]]) -> None:
        self.input += [{"type": "function_call_output", "call_id": key, "output": text} for key, text in results]


def json_items(done: Any) -> list[Any]:
    """The output items that the next request repeats."""
    return [item for item in done.output if item.type in ("function_call", "message")]


class Messages:
    """Anthropic Messages."""

    model, system = ANTHROPIC_MODEL, "anthropic"

    def __init__(self, prompt: str, task: str, *, stream: bool) -> None:
        from anthropic import Anthropic

        self.client = Anthropic()
        self.stream = stream
        self.prompt = prompt
        self.messages: list[Any] = [{"role": "user", "content": task}]
        self.tools: list[Any] = [
            {"name": name, "description": text, "input_schema": schema} for name, text, schema in schemas()
        ]

    def ask(self) -> Turn:
        request: dict[str, Any] = {
            "model": self.model,
            "max_tokens": 1024,
            "system": self.prompt,
            "messages": self.messages,
            "tools": self.tools,
        }
        if self.stream:
            with self.client.messages.stream(**request) as stream:
                done = stream.get_final_message()
        else:
            done = self.client.messages.create(**request)
        blocks: list[Any] = []
        for block in done.content:
            if block.type == "text":
                blocks.append({"type": "text", "text": block.text})
            elif block.type == "tool_use":
                blocks.append({"type": "tool_use", "id": block.id, "name": block.name, "input": block.input})
        self.messages.append({"role": "assistant", "content": blocks})
        text = "".join(block["text"] for block in blocks if block["type"] == "text")
        calls = [(block["id"], block["name"], json.dumps(block["input"])) for block in blocks if "input" in block]
        used = (done.usage.input_tokens, done.usage.output_tokens)
        return Turn(text, calls, str(done.model), done.id, str(done.stop_reason), used)

    def give(self, results: list[tuple[str, str]]) -> None:
        content = [{"type": "tool_result", "tool_use_id": key, "content": text} for key, text in results]
        self.messages.append({"role": "user", "content": content})


APIS: dict[str, type[Chat | Responses | Messages]] = {"chat": Chat, "responses": Responses, "messages": Messages}

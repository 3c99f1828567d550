"""LangChain's messages and generations in the form of chat completions, and back.

That form is what a trace knows how to read: messages, tool calls, finish reason, usage. What of a LangChain object it
has no place for (its class, metadata, ids) stands beside it under ``langchain``; no text stands twice, so what is
redacted in one place is redacted.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from stepfork.instrument.named import class_name, find_class
from stepfork.instrument.plain import plain
from stepfork.instrument.tagged import decode, encode
from stepfork.providers.shapes import dict_of, list_of, text_or_none
from stepfork.trace.body import JsonValue

_ROLES = {"human": "user", "ai": "assistant", "system": "system", "tool": "tool", "function": "function"}
_MADE = frozenset({"type", "content", "tool_calls", "tool_call_chunks", "invalid_tool_calls"})
"""Fields of an answer that its form tells, or that LangChain makes of those."""


def sent_message(message: Any) -> dict[str, JsonValue]:
    """A message as it is sent. Ids of messages, which LangGraph makes up at each run, are not."""
    kind = str(message.type).removesuffix("MessageChunk").lower()
    made: dict[str, JsonValue] = {
        "role": text_or_none(getattr(message, "role", None)) or _ROLES.get(kind, kind),
        "content": plain(message.content),
    }
    if name := text_or_none(getattr(message, "name", None)):
        made["name"] = name
    if calls := getattr(message, "tool_calls", None):
        made["tool_calls"] = [_call(call) for call in calls]
    if call_id := getattr(message, "tool_call_id", None):
        made["tool_call_id"] = str(call_id)
    return made


def told_result(result: Any) -> JsonValue:
    """A ``ChatResult`` as a chat completion."""
    choices: list[JsonValue] = []
    kept: list[JsonValue] = []
    for index, generation in enumerate(result.generations):
        message = generation.message
        answered = _answered(message)
        choices.append({"index": index, "message": answered, "finish_reason": _finish(generation)})
        kept.append(_kept(generation))
    first = result.generations[0].message if result.generations else None
    made: dict[str, JsonValue] = {"object": "chat.completion", "choices": choices}
    made |= _model(first, result.llm_output) | _usage(first, result.llm_output)
    held: dict[str, JsonValue] = {"type": class_name(type(result)), "generations": kept}
    if result.llm_output is not None:
        held["llm_output"] = encode(result.llm_output)
    return made | {"langchain": held}


def result_of(told: Any) -> Any:
    """The ``ChatResult`` that `told_result` told of."""
    held = told["langchain"]
    generations = [
        _generation(kept, choice["message"]) for kept, choice in zip(held["generations"], told["choices"], strict=True)
    ]
    kind: Any = find_class(held["type"])
    return kind(generations=generations, llm_output=decode(held.get("llm_output")))


def told_chunk(chunk: Any) -> JsonValue:
    """A ``ChatGenerationChunk`` as an event of a streamed chat completion."""
    answered = _answered(chunk.message)
    reason = _known_finish(chunk)
    made: dict[str, JsonValue] = {
        "object": "chat.completion.chunk",
        "choices": [{"index": 0, "delta": answered, "finish_reason": reason}],
    }
    return made | _model(chunk.message, None) | _usage(chunk.message, None) | {"langchain": _kept(chunk)}


def chunk_of(told: Any) -> Any:
    """The ``ChatGenerationChunk`` that `told_chunk` told of."""
    return _generation(told["langchain"], told["choices"][0]["delta"])


def _answered(message: Any) -> dict[str, JsonValue]:
    made: dict[str, JsonValue] = {"role": "assistant", "content": _content(message.content)}
    pieces = getattr(message, "tool_call_chunks", None)
    if pieces is not None:
        calls = [_piece(piece, position) for position, piece in enumerate(pieces)]
    else:
        calls = [_call(call) for call in getattr(message, "tool_calls", None) or ()]
    if calls:
        made["tool_calls"] = calls
    return made


def _content(content: Any) -> JsonValue:
    """The text of a message, or its blocks; one block of text is told as the text."""
    block = _only_text(content)
    return encode(content if block is None else block["text"])


def _only_text(content: Any) -> Mapping[str, Any] | None:
    if isinstance(content, list) and len(content) == 1 and isinstance(content[0], dict):
        block = content[0]
        return block if block.get("type") == "text" and isinstance(block.get("text"), str) else None
    return None


def _call(call: Any) -> JsonValue:
    function = {"name": str(call["name"]), "arguments": json.dumps(plain(call["args"]), ensure_ascii=False)}
    return {"id": call.get("id"), "type": "function", "function": function}


def _piece(piece: Any, position: int) -> JsonValue:
    index = piece.get("index")
    made: dict[str, JsonValue] = {"index": index if isinstance(index, int) else position, "type": "function"}
    if piece.get("id") is not None:
        made["id"] = piece["id"]
    function = {
        key: piece[name] for name, key in (("name", "name"), ("args", "arguments")) if piece.get(name) is not None
    }
    return made | {"function": function}


def _kept(generation: Any) -> dict[str, JsonValue]:
    """What of a generation its form does not tell."""
    message = generation.message
    kept: dict[str, JsonValue] = {
        "type": class_name(type(generation)),
        "message": class_name(type(message)),
        "fields": encode(_other_fields(message)),
    }
    if (block := _only_text(message.content)) is not None:
        kept["block"] = encode({name: held for name, held in block.items() if name != "text"})
    if generation.generation_info is not None:
        kept["info"] = encode(generation.generation_info)
    if getattr(message, "invalid_tool_calls", None) and "tool_call_chunks" not in type(message).model_fields:
        kept["invalid_tool_calls"] = encode(message.invalid_tool_calls)
    indices = [piece.get("index") for piece in getattr(message, "tool_call_chunks", None) or ()]
    if any(not isinstance(index, int) for index in indices):
        kept["indices"] = encode(indices)
    return kept


def _told_calls(answered: dict[str, JsonValue]) -> list[dict[str, Any]]:
    return [dict_of(call) for call in list_of(answered.get("tool_calls"))]


def _other_fields(message: Any) -> dict[str, Any]:
    """Fields that were set to something, and extra ones; ``additional_kwargs`` without the calls that stand in it."""
    fields = type(message).model_fields
    made = {
        name: held
        for name in fields
        if name not in _MADE
        and (held := getattr(message, name)) is not None
        and held != fields[name].get_default(call_default_factory=True)
    }
    return made | (message.__pydantic_extra__ or {})


def _generation(kept: Any, answered: dict[str, Any]) -> Any:
    fields = decode(kept["fields"])
    content = decode(answered["content"])
    if "block" in kept:
        content = [{**decode(kept["block"]), "text": content}]
    message_class: Any = find_class(kept["message"])
    calls = _told_calls(answered)
    if "tool_call_chunks" in message_class.model_fields:
        indices = kept.get("indices") or [call["index"] for call in calls]
        fields["tool_call_chunks"] = [
            {
                "type": "tool_call_chunk",
                "id": call.get("id"),
                "index": index,
                "name": call["function"].get("name"),
                "args": call["function"].get("arguments"),
            }
            for call, index in zip(calls, indices, strict=True)
        ]
    elif "tool_calls" in message_class.model_fields:
        fields["tool_calls"] = [
            {
                "type": "tool_call",
                "id": call["id"],
                "name": call["function"]["name"],
                "args": json.loads(call["function"]["arguments"]),
            }
            for call in calls
        ]
        if "invalid_tool_calls" in kept:
            fields["invalid_tool_calls"] = decode(kept["invalid_tool_calls"])
    kind: Any = find_class(kept["type"])
    return kind(message=message_class(content=content, **fields), generation_info=decode(kept.get("info")))


def _finish(generation: Any) -> str:
    """Why an answer ended; one whose model does not say is a whole one."""
    return _known_finish(generation) or ("tool_calls" if getattr(generation.message, "tool_calls", None) else "stop")


def _known_finish(generation: Any) -> str | None:
    told = (generation.generation_info or {}, generation.message.response_metadata or {})
    found = (text_or_none(each.get(name)) for each in told for name in ("finish_reason", "stop_reason"))
    return next((reason for reason in found if reason), None)


def _model(message: Any, output: Any) -> dict[str, JsonValue]:
    told = (dict_of(getattr(message, "response_metadata", None)), dict_of(output))
    found = (text_or_none(each.get(name)) for each in told for name in ("model_name", "model"))
    name = next((each for each in found if each), None)
    return {} if name is None else {"model": name}


def _usage(message: Any, output: Any) -> dict[str, JsonValue]:
    counted = dict_of(getattr(message, "usage_metadata", None))
    told = dict_of(dict_of(getattr(message, "response_metadata", None)).get("token_usage"))
    told = told or dict_of(dict_of(output).get("token_usage"))
    made: dict[str, JsonValue] = {}
    if counted:
        made = {
            "prompt_tokens": counted.get("input_tokens"),
            "completion_tokens": counted.get("output_tokens"),
            "total_tokens": counted.get("total_tokens"),
        }
        cached = dict_of(counted.get("input_token_details")).get("cache_read")
        if isinstance(cached, int):
            made["prompt_tokens_details"] = {"cached_tokens": cached}
    cost = {name: plain(told[name]) for name in ("cost", "is_byok", "cost_details") if name in told}
    return {"usage": made | cost} if made or cost else {}

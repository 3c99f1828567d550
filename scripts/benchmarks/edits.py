"""Seeded edits of a recorded run, each of one known kind. Used by edited_runs.py.

A run is a list of calls; a call is what was sent and answered, as JSON values. An edit returns the run as an author, a
tool or a model would have changed it (a message that changed stands so in every later request too), or None where the
run has nothing to change in that way.
"""

from __future__ import annotations

import copy
import json
import random
import re
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

Call = dict[str, Any]
"""provider, api, method, path, query, status, request (a JSON value or text), response (the same), kind."""
Run = list[Call]
Edit = Callable[[Run, random.Random], Run | None]
LISTS = {"chat_completions": "messages", "messages": "messages", "responses": "input"}
WORD = "marmalade"


def items(call: Call) -> list[Any]:
    """The messages of a request, the list itself; an empty one where it has none."""
    found = call["request"].get(LISTS[call["api"]]) if is_model(call) else None
    return found if isinstance(found, list) else []


def is_model(call: Call) -> bool:
    return call["api"] in LISTS and isinstance(call["request"], dict)


def everywhere(run: Run, call: Call, at: int, change: Callable[[list[Any]], None]) -> None:
    """Change the messages of each request that begins with the same ones, up to and with place `at`."""
    start = copy.deepcopy(items(call)[: at + 1])
    for other in run:
        if other["api"] == call["api"] and items(other)[: at + 1] == start:
            change(items(other))


def places(run: Run, wanted: Callable[[Any], bool]) -> list[tuple[Call, int]]:
    return [
        (call, at) for call in run for at, item in enumerate(items(call)) if isinstance(item, dict) and wanted(item)
    ]


def is_user(item: Any) -> bool:
    return item.get("role") == "user" and isinstance(item.get("content"), str) and item["content"] != ""


def said(text: str, role: str = "user") -> dict[str, Any]:
    return {"role": role, "content": text}


def result_holder(item: Any) -> tuple[dict[str, Any], str] | None:
    """Where a message has the text of a tool result."""
    if item.get("role") == "tool" and isinstance(item.get("content"), str):
        return item, "content"
    if item.get("type") == "function_call_output" and isinstance(item.get("output"), str):
        return item, "output"
    blocks = item["content"] if isinstance(item.get("content"), list) else []
    for block in blocks:
        if isinstance(block, dict) and block.get("type") == "tool_result" and isinstance(block.get("content"), str):
            return block, "content"
    return None


def first_user(run: Run) -> tuple[Call, int] | None:
    found = places(run, is_user)
    return found[0] if found else None


def inserted(run: Run, rng: random.Random, *, front: bool) -> Run | None:
    users = places(run, is_user)
    if not users:
        return None
    call, at = users[0] if front else rng.choice(users)
    everywhere(run, call, at, lambda found: found.insert(at if front else at + 1, said(f"Mind the {WORD}, please.")))
    return run


def insert_front(run: Run, rng: random.Random) -> Run | None:
    """One user message before the first one."""
    return inserted(run, rng, front=True)


def insert_middle(run: Run, rng: random.Random) -> Run | None:
    """One user message after one of those that are there."""
    return inserted(run, rng, front=False)


def delete_message(run: Run, rng: random.Random) -> Run | None:
    """One user message less, of several."""
    users = [(call, at) for call, at in places(run, is_user) if sum(map(is_user, items(call)[:at])) > 0]
    if not users:
        return None
    call, at = rng.choice(users)
    everywhere(run, call, at, lambda found: found.pop(at))
    return run


def move_message(run: Run, rng: random.Random) -> Run | None:
    """One user message after the one that follows it."""
    pairs = [
        (call, at)
        for call, at in places(run, is_user)
        if at + 1 < len(items(call)) and items(call)[at + 1] != items(call)[at] and "role" in items(call)[at + 1]
    ]
    if not pairs:
        return None
    call, at = rng.choice(pairs)
    everywhere(run, call, at + 1, lambda found: found.insert(at + 1, found.pop(at)))
    return run


def edit_user(run: Run, rng: random.Random) -> Run | None:
    """One word more in a user message."""
    users = places(run, is_user)
    if not users:
        return None
    call, at = rng.choice(users)
    text = one_word_more(items(call)[at]["content"], rng)
    everywhere(run, call, at, lambda found: found.__setitem__(at, found[at] | {"content": text}))
    return run


def one_word_more(text: str, rng: random.Random) -> str:
    spaces = [match.start() for match in re.finditer(r"(?<=\w) (?=\w)", text)] or [len(text)]
    at = rng.choice(spaces)
    return f"{text[:at]} {WORD}{text[at:]}"


def edit_system(run: Run, rng: random.Random) -> Run | None:
    """One word more in the system prompt of all calls that have that prompt."""
    prompts = [prompt for call in run for prompt in system_texts(call)]
    if not prompts:
        return None
    old = rng.choice(prompts)
    new = one_word_more(old, rng)
    for call in run:
        if is_model(call):
            for name in ("system", "instructions"):
                if call["request"].get(name) == old:
                    call["request"][name] = new
            for item in items(call)[:1]:
                if isinstance(item, dict) and item.get("role") in ("system", "developer") and item["content"] == old:
                    item["content"] = new
    return run


def system_texts(call: Call) -> Iterator[str]:
    if is_model(call):
        yield from (text for name in ("system", "instructions") if isinstance(text := call["request"].get(name), str))
        yield from (
            item["content"]
            for item in items(call)[:1]
            if isinstance(item, dict)
            and item.get("role") in ("system", "developer")
            and isinstance(item["content"], str)
        )


def edit_tool(run: Run, rng: random.Random) -> Run | None:
    """Another description in the schema of one tool, wherever it is offered."""
    named = [tool for call in run if is_model(call) for tool in call["request"].get("tools") or () if schema_of(tool)]
    if not named:
        return None
    chosen = copy.deepcopy(rng.choice(named))
    for call in run:
        for tool in (call["request"].get("tools") or ()) if is_model(call) else ():
            if tool == chosen:
                (schema_of(tool) or {})["description"] = f"How much {WORD}."
    return run


def schema_of(tool: Any) -> dict[str, Any] | None:
    holder = tool.get("function", tool) if isinstance(tool, dict) else {}
    found = (holder.get("parameters") or holder.get("input_schema")) if isinstance(holder, dict) else None
    return found if isinstance(found, dict) else None


def edit_param(run: Run, _rng: random.Random) -> Run | None:
    """Another temperature in all calls."""
    for call in filter(is_model, run):
        call["request"]["temperature"] = 0.3125
    return run if any(map(is_model, run)) else None


def edit_model(run: Run, rng: random.Random) -> Run | None:
    """Another model in all calls of one model."""
    models = [call["request"]["model"] for call in run if is_model(call) and call["request"].get("model")]
    if not models:
        return None
    chosen = rng.choice(models)
    for call in run:
        if is_model(call) and call["request"].get("model") == chosen:
            call["request"]["model"] = f"{chosen}-{WORD}"
    return run


def results_of(run: Run) -> list[tuple[Call, int]]:
    return places(run, lambda item: result_holder(item) is not None)


def edit_result(run: Run, rng: random.Random) -> Run | None:
    """One word more in a tool result."""
    found = results_of(run)
    if not found:
        return None
    call, at = rng.choice(found)
    holder, name = result_holder(items(call)[at]) or ({}, "")
    text = with_member(holder[name], rng)

    def change(others: list[Any]) -> None:
        others[at] = copy.deepcopy(others[at])
        other, member = result_holder(others[at]) or ({}, "")
        other[member] = text

    everywhere(run, call, at, change)
    return run


def with_member(text: str, rng: random.Random) -> str:
    try:
        value = json.loads(text)
    except ValueError:
        value = None
    return json.dumps(value | {WORD: 7}) if isinstance(value, dict) else one_word_more(text, rng)


def double_result(run: Run, rng: random.Random) -> Run | None:
    """One tool result twice."""
    found = [(call, at) for call, at in results_of(run) if not isinstance(items(call)[at].get("content"), list)]
    if not found:
        return None
    call, at = rng.choice(found)
    everywhere(run, call, at, lambda others: others.insert(at + 1, copy.deepcopy(others[at])))
    return run


def insert_call(run: Run, rng: random.Random) -> Run | None:
    """One more call, of its own conversation."""
    models = [call for call in run if is_model(call) and isinstance(call["request"].get("messages"), list)]
    if not models:
        return None
    call = copy.deepcopy(rng.choice(models))
    call["request"]["messages"] = [said(f"How does one cook {WORD} of oranges, and for how many hours?")]
    call["request"].pop("system", None)
    run.insert(rng.randrange(len(run) + 1), call)
    return run


def drop_last(run: Run, _rng: random.Random) -> Run | None:
    """The run ends one call earlier."""
    if len(run) < 2 or not is_model(run[-1]):
        return None
    return run[:-1]


def drop_call(run: Run, rng: random.Random) -> Run | None:
    """One call less that no other continues."""
    free = [
        index
        for index, call in enumerate(run)
        if is_model(call)
        and items(call)
        and not any(other is not call and items(other)[: len(items(call))] == items(call) for other in run)
    ]
    if len(run) < 2 or not free:
        return None
    del run[rng.choice(free)]
    return run


def retried(run: Run, rng: random.Random) -> Run | None:
    """One call was answered 429 first and made again."""
    models = [index for index, call in enumerate(run) if is_model(call)]
    if not models:
        return None
    at = rng.choice(models)
    error = {"error": {"message": "Too many requests.", "type": "rate_limit_error"}}
    run.insert(at, copy.deepcopy(run[at]) | {"status": 429, "response": error, "kind": "application/json"})
    return run


def asked_again(run: Run, rng: random.Random) -> Run | None:
    """A model asks the same tools once more before it goes on, as in an incident: one turn and one call more."""
    found = []
    for first, then in pairwise(run):
        own = items(then)[len(items(first)) :] if items(then)[: len(items(first))] == items(first) else []
        if (
            own
            and isinstance(own[0], dict)
            and calls_of(own[0])
            and all(item.get("role") == "tool" for item in own[1:])
        ):
            found.append((first, then, own))
    if not found or "previous_response_id" in json.dumps(run):
        return None
    first, then, own = rng.choice(found)
    ids = {call["id"]: "".join(redrawn(mark, rng) if at > 6 else mark for at, mark in enumerate(call["id"]))
           for call in calls_of(own[0])}  # fmt: skip
    begun = copy.deepcopy(items(then))
    for other in run:
        if other is not then and items(other)[: len(begun)] == begun:
            items(other)[len(begun) : len(begun)] = with_names(own, ids)
    more = copy.deepcopy(then)
    items(more).extend(with_names(own, ids))
    then["response"] = with_names(first["response"], ids)
    then["kind"] = first["kind"]
    run.insert(run.index(then) + 1, more)
    return run


def with_names(value: Any, names: dict[str, str]) -> Any:
    text = json.dumps(value)
    for old, new in names.items():
        text = text.replace(old, new)
    return json.loads(text)


def calls_of(item: Any) -> list[Any]:
    found = item.get("tool_calls")
    return found if isinstance(found, list) else []


def swap_calls(run: Run, rng: random.Random) -> Run | None:
    """Two calls of one turn stand in the other order, in the answer and in the history."""
    found = places(run, lambda item: len(calls_of(item)) > 1 and calls_of(item)[0] != calls_of(item)[1])
    if not found:
        return None
    call, at = rng.choice(found)
    old = copy.deepcopy(calls_of(items(call)[at]))
    new = [old[1], old[0], *old[2:]]
    everywhere(run, call, at, lambda others: others.__setitem__(at, others[at] | {"tool_calls": new}))
    for other in run:
        for choice in (other["response"].get("choices") or ()) if isinstance(other["response"], dict) else ():
            message = choice.get("message") if isinstance(choice, dict) else None
            if isinstance(message, dict) and message.get("tool_calls") == old:
                message["tool_calls"] = new
    return run


_IDS = re.compile(r"(?<![A-Za-z0-9_])((?:call_|toolu_01|toolu_|fc_|msg_|resp_|rs_|chatcmpl-))([A-Za-z0-9]{16,})")


def rename_ids(run: Run, rng: random.Random) -> Run | None:
    """All ids are drawn again."""
    return with_ids(run, rng, all_of_them=True)


def rename_id(run: Run, rng: random.Random) -> Run | None:
    """One id is drawn again, wherever it stands."""
    return with_ids(run, rng, all_of_them=False)


def with_ids(run: Run, rng: random.Random, *, all_of_them: bool) -> Run | None:
    text = json.dumps(run)
    found = sorted({match[2] for match in _IDS.finditer(text)})
    if not found:
        return None
    for one in found if all_of_them else [rng.choice(found)]:
        text = text.replace(one, "".join(redrawn(mark, rng) for mark in one))
    made: Run = json.loads(text)
    return made


def redrawn(mark: str, rng: random.Random) -> str:
    alphabets = ("0123456789", "abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJKLMNOPQRSTUVWXYZ")
    return rng.choice(next((letters for letters in alphabets if mark in letters), mark))


def answer_text(run: Run, _rng: random.Random) -> Run | None:
    """The last answer is put in other words."""
    body = run[-1]["response"]
    if not isinstance(body, dict):
        return None
    choices, blocks = body.get("choices"), body.get("content")
    if isinstance(choices, list) and choices and isinstance(choices[0].get("message", {}).get("content"), str):
        choices[0]["message"]["content"] += f" Enjoy the {WORD}."
        return run
    texts = [block for block in blocks if block.get("type") == "text"] if isinstance(blocks, list) else []
    if texts:
        texts[-1]["text"] += f" Enjoy the {WORD}."
        return run
    return None


def other_order(run: Run, _rng: random.Random) -> Run | None:
    """Members of all bodies in another order."""

    def turned(value: Any) -> Any:
        if isinstance(value, dict):
            return {name: turned(value[name]) for name in reversed(value)}
        return [turned(item) for item in value] if isinstance(value, list) else value

    return [call | {"request": turned(call["request"])} for call in run]


def interleaved(run: Run, rng: random.Random) -> Run | None:
    """Two calls that stand beside each other and of which neither continues the other, in the other order."""
    free = [
        at
        for at in range(len(run) - 1)
        if is_model(run[at])
        and is_model(run[at + 1])
        and items(run[at])
        and items(run[at])[:1] != items(run[at + 1])[:1]
        and "previous_response_id" not in json.dumps(run[at + 1]["request"])
    ]
    if not free:
        return None
    at = rng.choice(free)
    run[at], run[at + 1] = run[at + 1], run[at]
    return run


def as_messages(run: Run, _rng: random.Random) -> Run | None:
    """The same conversations by way of Messages, of runs in plain Chat Completions."""
    for call in run:
        if call["api"] != "chat_completions" or not items(call) or not isinstance(call["response"], dict):
            return None
        system, made = [], []
        for item in items(call):
            if not isinstance(item.get("content"), str) or set(item) - {"role", "content"}:
                return None
            (system if item["role"] == "system" else made).append(item)
        if len(system) > 1 or set(call["request"]) - {"model", "messages", "temperature", "max_tokens"}:
            return None
        body = {name: value for name, value in call["request"].items() if name != "messages"} | {"messages": made}
        text = ((call["response"].get("choices") or [{}])[0].get("message") or {}).get("content")
        call["request"] = body | ({"system": system[0]["content"]} if system else {})
        call["response"] = {
            "type": "message", "role": "assistant", "model": body.get("model"), "stop_reason": "end_turn",
            "content": [{"type": "text", "text": text or ""}],
        }  # fmt: skip
        call |= {"api": "messages", "provider": "anthropic", "path": "/v1/messages"}
    return run

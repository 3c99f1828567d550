"""Which API an instrumented model call speaks that does not say so: told by the form of what came back."""

from __future__ import annotations

from typing import Any

from stepfork.providers.shapes import dict_of, is_list_of_dicts, str_of
from stepfork.trace.in_process import STREAMS
from stepfork.trace.wrapped import held_in

_FIRST_ITEMS = 3


def api_of_answer(body: Any, result: Any) -> str:
    """The API of a request body and a tagged result, ``other`` where the two are of no form that is known."""
    body, answer = dict_of(body), held_in(result)
    items = answer[:_FIRST_ITEMS] if isinstance(answer, list) and dict_of(result).get("$py") in STREAMS else [answer]
    found = {_api(body, dict_of(held_in(item))) for item in items}
    return found.pop() if len(found) == 1 else "other"


def _api(body: dict[str, Any], answer: dict[str, Any]) -> str:
    messages = is_list_of_dicts(held_in(body.get("messages")))
    kind = str_of(answer.get("type"))
    if messages and isinstance(answer.get("choices"), list) and all(map(_is_choice, answer["choices"])):
        return "chat_completions"
    if messages and ((kind == "message" and isinstance(answer.get("content"), list)) or kind in _MESSAGE_EVENTS):
        return "messages"
    if "input" in body and (answer.get("object") == "response" or kind.startswith("response.")):
        return "responses"
    return "other"


_MESSAGE_EVENTS = frozenset(
    {"ping", "message_start", "message_delta", "message_stop"}
    | {f"content_block_{part}" for part in ("start", "delta", "stop")}
)


def _is_choice(value: Any) -> bool:
    choice = dict_of(held_in(value))
    return "message" in choice or "delta" in choice

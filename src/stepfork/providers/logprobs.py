"""Log probabilities, which say an answer a second time, token by token: where the tokens stand in a document.

OpenAI's Chat Completions and Responses (and what speaks like them), the older Completions, Gemini, and Text Generation
Inference. Standard library only, since the scan for secrets starts here.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from stepfork.providers.shapes import dict_of, list_of

Path = tuple[str | int, ...]

HOLDERS = frozenset({"logprobs", "logprobsResult", "logprobs_result", "details"})
"""Members under which tokens stand."""
_SIGNS = ("ogprob", '"token')

_ROWS = ("content", "refusal", "chosenCandidates", "chosen_candidates", "tokens", "prefill")
_TEXTS = ("token", "text")
_NUMBERS = ("id", "tokenId", "token_id")
_DEEPEST = 12


def may_have_tokens(text: str) -> bool:
    """False for a JSON text in which no tokens stand."""
    return all(sign in text for sign in _SIGNS)


class TokenPlace(NamedTuple):
    """A token of an answer: where its text stands, and that text; `data` are its bytes where they are told, since a
    character may be cut in two. `beside` is all that tells the token too and may be a number or a list, `others` are
    the texts of tokens that were not chosen, and what tells those too; each with what stands there."""

    path: Path
    text: str
    data: bytes | None = None
    beside: tuple[tuple[Path, Any], ...] = ()
    others: tuple[tuple[Path, Any], ...] = ()


def token_rows(value: Any, path: Path = ()) -> Iterator[tuple[Path, list[TokenPlace]]]:
    """Each row of tokens in a document, with the path of the list that it is. Never raises, whatever `value` is."""
    waiting: list[tuple[Path, Any]] = [(path, value)]
    while waiting:
        here, node = waiting.pop()
        if len(here) - len(path) > _DEEPEST:
            continue
        if isinstance(node, dict):
            for name, item in node.items():
                if name in HOLDERS:
                    yield from rows_of(item, (*here, name))
                elif isinstance(item, dict | list):
                    waiting.append(((*here, name), item))
        elif isinstance(node, list):
            waiting += [((*here, index), item) for index, item in enumerate(node) if isinstance(item, dict | list)]


def rows_of(holder: Any, path: Path) -> Iterator[tuple[Path, list[TokenPlace]]]:
    """The rows of tokens of what stands at `path` under a name of `HOLDERS`."""
    named = [("", holder)] if isinstance(holder, list) else [(name, dict_of(holder).get(name)) for name in _ROWS]
    for name, items in named:
        at = (*path, name) if name else path
        row = [
            place
            for index, item in enumerate(list_of(items))
            if (place := _place(item, (*at, index), _alternatives(holder, path, index))) is not None
        ]
        if row:
            yield at, row


def _place(item: Any, path: Path, others: tuple[tuple[Path, Any], ...]) -> TokenPlace | None:
    if isinstance(item, str):
        return TokenPlace(path, item, others=others)
    name = next((name for name in _TEXTS if isinstance(dict_of(item).get(name), str)), None)
    if name is None:
        return None
    listed = [
        ((*path, "top_logprobs", index), other)
        for index, other in enumerate(list_of(item.get("top_logprobs")))
        if isinstance(other, dict)
    ]
    told = [one for at, other in listed for one in _told(other, at)]
    return TokenPlace((*path, name), item[name], _bytes(item), tuple(_beside(item, path)), (*others, *told))


def _alternatives(holder: Any, path: Path, index: int) -> tuple[tuple[Path, Any], ...]:
    """What stands beside the row for the token of that index: an object with tokens as names, or a list of tokens."""
    found: list[tuple[Path, Any]] = []
    for name in ("top_logprobs", "topCandidates", "top_candidates", "top_tokens"):
        items = list_of(dict_of(holder).get(name))
        if index >= len(items):
            continue
        at, item = (*path, name, index), items[index]
        inner = item.get("candidates") if isinstance(item, dict) else item
        if isinstance(inner, list):
            below = (*at, "candidates") if isinstance(item, dict) else at
            found += [one for nth, other in enumerate(inner) for one in _told(dict_of(other), (*below, nth))]
        elif isinstance(item, dict) and item:
            found.append((at, item))
    return tuple(found)


def _told(item: dict[str, Any], path: Path) -> Iterator[tuple[Path, Any]]:
    for name in _TEXTS:
        if isinstance(item.get(name), str):
            yield (*path, name), item[name]
    yield from _beside(item, path)


def _beside(item: dict[str, Any], path: Path) -> Iterator[tuple[Path, Any]]:
    if isinstance(item.get("bytes"), list):
        yield (*path, "bytes"), item["bytes"]
    for name in _NUMBERS:
        if isinstance(item.get(name), int) and not isinstance(item[name], bool):
            yield (*path, name), item[name]


def _bytes(item: dict[str, Any]) -> bytes | None:
    told = item.get("bytes")
    if not isinstance(told, list) or not all(type(one) is int and 0 <= one < 256 for one in told):
        return None
    return bytes(told)

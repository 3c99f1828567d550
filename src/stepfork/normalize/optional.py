"""Calls that a client makes on its own account: whether they come again depends on it and its cache, not on the run."""

from __future__ import annotations

import re
from typing import Any

from stepfork.normalize.claude_code import is_claude_codes
from stepfork.providers.apis import OPAQUE
from stepfork.providers.legible import legible
from stepfork.providers.shapes import dict_of
from stepfork.trace.exchange import Exchange

_PROBES = frozenset({"HEAD", "OPTIONS"})
_COUNTING = re.compile(r"/(messages/count_tokens|responses/input_tokens|models/[^/]+:countTokens)/?\Z")
_MODELS = re.compile(r"(\A|/)models(/[^/]+)*/?\Z")
_HELLO = re.compile(r"\A/api/")
_TITLES = frozenset({"title", "branch", "isNewTopic"})


def is_optional(exchange: Exchange) -> bool:
    """Whether a call is a probe, a count of tokens, a look at the models, or Claude Code's title or quota request.

    A replay does not fail over one, neither recorded and unused nor asked for and not recorded.
    """
    if exchange.api == OPAQUE:  # nothing is known of a tool's own service: each call is one that the run made
        return False
    request = exchange.request
    method = request.method.upper()
    if method in _PROBES or (method == "POST" and _COUNTING.search(request.path)):
        return True
    if method == "GET" and (_MODELS.search(request.path) or _HELLO.match(request.path)):
        return exchange.api == "other"
    return is_claude_codes(exchange) and _is_aside(dict_of(legible(request.body)))


def _is_aside(body: dict[str, Any]) -> bool:
    """Claude Code asks for a title of the session, and whether there is quota, in requests without tools."""
    if body.get("tools"):
        return False
    schema = dict_of(dict_of(dict_of(body.get("output_config")).get("format")).get("schema"))
    properties = dict_of(schema.get("properties"))
    return body.get("max_tokens") == 1 or (bool(properties) and properties.keys() <= _TITLES)

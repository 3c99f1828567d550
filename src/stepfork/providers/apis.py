"""Which API an exchange speaks, and what to call it."""

from __future__ import annotations

import re

from stepfork.providers.legible import legible
from stepfork.providers.lines import clean_line
from stepfork.providers.shapes import dict_of, text_or_none
from stepfork.trace.exchange import Exchange, Request

MODEL_APIS = frozenset({"chat_completions", "responses", "messages"})
"""The APIs whose requests and answers are read."""
OPAQUE = "opaque"
"""The API of a route of which nothing is known: its bodies are data, without a provider's fields in them."""

_APIS = (
    ("chat_completions", re.compile(r"/chat/completions/?\Z")),
    # "/responses/compact" and "/responses/{id}" are other calls.
    ("responses", re.compile(r"/responses/?\Z")),
    # The Assistants API has "/threads/{id}/messages", so only a version may stand in front.
    ("messages", re.compile(r"(\A|/v[0-9][^/]*)/messages/?\Z")),
)


def api_of(dialect: str, method: str, path: str) -> str:
    """``chat_completions``, ``responses``, ``messages`` or ``other``, from the method and the path after the prefix.

    Only a POST to the collection itself is a model call; a retrieval, a token count or a batch is ``other``. The
    dialect of a model's route says no more, since gateways serve any API under any name; that of an opaque one says
    ``opaque``, whatever the path.
    """
    if dialect == OPAQUE:
        return OPAQUE
    if method.upper() != "POST":
        return "other"
    rooted = path if path.startswith("/") else f"/{path}"
    return next((api for api, pattern in _APIS if pattern.search(rooted)), "other")


def request_model(exchange: Exchange) -> str | None:
    """The model that the request names, None where it names none."""
    return text_or_none(dict_of(legible(exchange.request.body)).get("model"))


def label(exchange: Exchange) -> str:
    """Provider, API and model in one line: ``openai chat_completions gpt-4.1``."""
    words = (exchange.provider, exchange.api, request_model(exchange))
    return clean_line(" ".join(word for word in words if word))


def asks_for_stream(request: Request) -> bool:
    """Whether a request asks for its answer as an event stream."""
    return dict_of(legible(request.body)).get("stream") is True

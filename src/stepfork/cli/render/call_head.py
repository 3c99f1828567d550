"""What a call was, in the words before its lines: ``openai chat_completions gpt-4.1   200``."""

from __future__ import annotations

from stepfork.providers.apis import MODEL_APIS, label, request_model
from stepfork.providers.lines import clean_line
from stepfork.trace.exchange import Exchange


def call_head(exchange: Exchange) -> str:
    """The label of a call and how it was answered: by its status or, where it never went over the wire, ``in process``
    with the name of its model alone if no API is known. Not escaped."""
    answered = exchange.response
    ending = "" if answered.ending == "complete" else f", {answered.ending}"
    if not exchange.in_process:
        return f"{label(exchange)}   {answered.status}{ending}"
    known = exchange.api in MODEL_APIS
    named = label(exchange) if known else clean_line(request_model(exchange) or exchange.request.path.lstrip("/"))
    return f"{named}   in process{'' if answered.status == 200 else ', failed'}{ending}"

"""Bodies that are no text: a secret in them goes as it would from text, and every other byte stays."""

from __future__ import annotations

import msgspec

from stepfork.rewrite.place import Place, Rewriter, apply_edits
from stepfork.trace.body import Body, BytesBody
from stepfork.trace.exchange import Exchange
from stepfork.trace.fixture import Run


def rewrite_bytes(run: Run, rewriter: Rewriter) -> Run:
    """`run` with the bytes bodies of its exchanges rewritten as the text that they hold."""
    exchanges = tuple(_exchange(exchange, index, rewriter) for index, exchange in enumerate(run.exchanges))
    return msgspec.structs.replace(run, exchanges=exchanges)


def _exchange(exchange: Exchange, index: int, rewriter: Rewriter) -> Exchange:
    request, response = exchange.request, exchange.response
    asked = _body(request.body, Place(("exchange", index, "request"), ("body",)), rewriter)
    answered = _body(response.body, Place(("exchange", index, "response"), ("body",)), rewriter)
    if asked is request.body and answered is response.body:
        return exchange
    return msgspec.structs.replace(
        exchange,
        request=msgspec.structs.replace(request, body=asked),
        response=msgspec.structs.replace(response, body=answered),
    )


def _body(body: Body, place: Place, rewriter: Rewriter) -> Body:
    if not isinstance(body, BytesBody):
        return body
    text = body.data.decode("utf-8", "surrogateescape")
    edits = rewriter.text(text, place)
    return BytesBody(apply_edits(text, edits).encode("utf-8", "surrogateescape")) if edits else body

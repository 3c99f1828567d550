"""An exchange as a line of a journal: redacted whole, as that of a fixture is, but for what earlier lines hold."""

from __future__ import annotations

import msgspec

from stepfork.instrument.journal_form import ExchangedLine
from stepfork.instrument.journal_repeats import Cut
from stepfork.redact.redactor import Redactor, redacted_by
from stepfork.redact.secrets import Secrets
from stepfork.trace.body import JsonBody
from stepfork.trace.exchange import Exchange
from stepfork.trace.fixture import Run, Source
from stepfork.trace.recorded import Recorded
from stepfork.trace.step import Trace
from stepfork.trace.wire import body_to_json

_LOST = {"text": "<not journalled>"}
"""What stands for a body that could not be redacted or written."""


def exchanged_line(index: int, recorded: Recorded, cut: Cut, secrets: Secrets) -> ExchangedLine:
    """The line of an exchange; `cut` is the JSON of its request without what is repeated."""
    exchange = recorded.exchange
    if isinstance(exchange.request.body, JsonBody):
        request = msgspec.structs.replace(exchange.request, body=JsonBody(cut.value))
        exchange = msgspec.structs.replace(exchange, request=request)
    exchange = _redacted(exchange, secrets)
    line = _line(
        index,
        recorded,
        exchange,
        request=body_to_json(exchange.request.body),
        response=body_to_json(exchange.response.body),
    )
    line = msgspec.structs.replace(line, kept=cut.kept)
    msgspec.json.encode(line)
    return line


def lost_line(index: int, recorded: Recorded) -> ExchangedLine:
    """The line of an exchange of which nothing can be told but that it was."""
    exchange = recorded.exchange
    response = msgspec.structs.replace(exchange.response, content_type="", headers={})
    request = msgspec.structs.replace(exchange.request, method="POST", path="", query="", content_type="")
    exchange = msgspec.structs.replace(exchange, request=request, response=response)
    return _line(index, recorded, exchange, request=_LOST, response=_LOST)


def _redacted(exchange: Exchange, secrets: Secrets) -> Exchange:
    run = Run(Source(kind="in_process", replay_capable=False), Trace(origin="exchanges", steps=()), (exchange,))
    redactor = Redactor(secrets)
    return redacted_by(run, redactor, redactor).exchanges[0]


def _line(index: int, recorded: Recorded, exchange: Exchange, *, request: object, response: object) -> ExchangedLine:
    asked, answered = exchange.request, exchange.response
    return ExchangedLine(
        index=index,
        arrived_ns=recorded.arrived_ns,
        ended_ns=recorded.ended_ns,
        connection=recorded.connection,
        provider=exchange.provider,
        api=exchange.api,
        method=asked.method,
        path=asked.path,
        status=answered.status,
        query=asked.query,
        request_type=asked.content_type,
        request=request,
        response_type=answered.content_type,
        headers=answered.headers,
        response=response,
        ending=answered.ending,
    )

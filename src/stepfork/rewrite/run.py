"""A whole run rewritten, in stored order: the command, each exchange, the trace."""

from __future__ import annotations

from typing import Any

import msgspec

from stepfork.canonical.order import order_of, with_order
from stepfork.rewrite.concatenated import documents_edits, documents_in, rewrite_items
from stepfork.rewrite.events import rewrite_events
from stepfork.rewrite.json_text import is_json_text
from stepfork.rewrite.place import Place, Rewriter, apply_edits
from stepfork.rewrite.text import rewrite_text
from stepfork.rewrite.value import rewrite_value
from stepfork.trace.body import Body, EventsBody, JsonBody, TextBody
from stepfork.trace.exchange import Exchange
from stepfork.trace.fixture import Run
from stepfork.trace.step import Step, StepError, Trace

_STEP_VALUES = ("name", "call_id", "model", "arguments", "result", "raised")
_TRACE_VALUES = ("agent", "conversation", "input", "output")


def rewrite_run(run: Run, rewriter: Rewriter) -> Run:
    """`run` as `rewriter` wants it."""
    return Run(
        source=rewrite_source(run, rewriter).source,
        exchanges=tuple(rewrite_exchange(exchange, index, rewriter) for index, exchange in enumerate(run.exchanges)),
        trace=rewrite_trace(run.trace, rewriter),
    )


def rewrite_source(run: Run, rewriter: Rewriter) -> Run:
    """`run` with its command, and the folder that it ran in, as `rewriter` wants them."""
    source = msgspec.structs.replace(
        run.source,
        command=rewriter.command(run.source.command),
        cwd=rewrite_text(run.source.cwd, Place(("source",), ("cwd",)), rewriter),
    )
    return msgspec.structs.replace(run, source=source)


def rewrite_exchange(exchange: Exchange, index: int, rewriter: Rewriter) -> Exchange:
    """One exchange: method, path, query, media types, headers and both bodies."""
    answered = Place(("exchange", index, "response"))
    response = exchange.response
    return msgspec.structs.replace(
        rewrite_request(exchange, index, rewriter),
        response=msgspec.structs.replace(
            response,
            content_type=rewrite_text(response.content_type, answered.child("content_type"), rewriter),
            headers=rewrite_value(response.headers, answered.child("headers"), rewriter),
            body=rewrite_body(response.body, answered.child("body"), rewriter, exchange.api),
        ),
    )


def rewrite_request(exchange: Exchange, index: int, rewriter: Rewriter) -> Exchange:
    """One exchange, its response as it is."""
    asked, request = Place(("exchange", index, "request")), exchange.request
    return msgspec.structs.replace(
        exchange,
        request=msgspec.structs.replace(
            request,
            method=rewrite_text(request.method, asked.child("method"), rewriter),
            path=rewrite_text(request.path, asked.child("path"), rewriter),
            query=rewriter.query(request.query, asked.child("query")) if request.query else "",
            content_type=rewrite_text(request.content_type, asked.child("content_type"), rewriter),
            body=rewrite_body(request.body, asked.child("body"), rewriter, exchange.api),
        ),
    )


def rewrite_body(body: Body, place: Place, rewriter: Rewriter, api: str = "") -> Body:
    """One body; its kind stays. Bytes that are no text are left as they are."""
    match body:
        case JsonBody(value, order):
            ordered = with_order(value, order) if order is not None else value
            made = _rewrite_json(ordered, place, rewriter, api)
            return body if made is ordered else JsonBody(made, order_of(made))
        case TextBody(text, reason):
            return TextBody(_rewrite_text(text, place, rewriter, api), reason)
        case EventsBody(events, separator):
            return EventsBody(rewrite_events(events, place, rewriter, api), separator)
        case _:
            return body


def _rewrite_json(value: Any, place: Place, rewriter: Rewriter, api: str) -> Any:
    if rewriter.reads_across and isinstance(value, list) and len(value) > 1:
        return rewrite_items(value, place, rewriter, api)
    return rewrite_value(value, place, rewriter)


def _rewrite_text(text: str, place: Place, rewriter: Rewriter, api: str) -> str:
    documents = documents_in(text) if rewriter.reads_across and is_json_text(text) else []
    if documents:  # an array; documents that are no JSON text together are the rewriter's
        return apply_edits(text, documents_edits(text, documents, place, rewriter, api))
    return rewrite_text(text, place, rewriter)


def rewrite_trace(trace: Trace, rewriter: Rewriter) -> Trace:
    """The trace: names, ids, values and messages; sequence numbers and counts stay."""
    place = Place(("trace",))
    steps = tuple(_rewrite_step(step, place.child("steps", index), rewriter) for index, step in enumerate(trace.steps))
    changes = _rewrite_fields(trace, _TRACE_VALUES, place, rewriter)
    notes = tuple(rewrite_text(note, place.child("notes", index), rewriter) for index, note in enumerate(trace.notes))
    return msgspec.structs.replace(
        trace, steps=steps, notes=notes, error=_rewrite_error(trace.error, place, rewriter), **changes
    )


def _rewrite_step(step: Step, place: Place, rewriter: Rewriter) -> Step:
    if rewriter.keeps({"steps": [_values(step)]}):
        return step
    changes = _rewrite_fields(step, _STEP_VALUES, place, rewriter)
    reasons = rewrite_value(list(step.finish_reasons), place.child("finish_reasons"), rewriter)
    error = _rewrite_error(step.error, place, rewriter)
    return msgspec.structs.replace(step, error=error, finish_reasons=tuple(reasons), **changes)


def _values(step: Step) -> dict[str, Any]:
    """What of a step may be rewritten, under the names that are its places."""
    values = {name: value for name in _STEP_VALUES if (value := getattr(step, name)) is not msgspec.UNSET and value}
    if step.finish_reasons:
        values["finish_reasons"] = list(step.finish_reasons)
    if step.error is not None:
        values["error"] = {"type": step.error.type, "message": step.error.message}
    return values


def _rewrite_fields(owner: Step | Trace, names: tuple[str, ...], place: Place, rewriter: Rewriter) -> dict[str, Any]:
    """Values that are unset or None pass through `rewrite_value` untouched."""
    return {name: rewrite_value(getattr(owner, name), place.child(name), rewriter) for name in names}


def _rewrite_error(error: StepError | None, place: Place, rewriter: Rewriter) -> StepError | None:
    if error is None:
        return None
    message = rewrite_text(error.message, place.child("error", "message"), rewriter)
    return StepError(rewrite_text(error.type, place.child("error", "type"), rewriter), message)

"""An export request, in either wire form, to spans."""

from __future__ import annotations

from stepfork.errors import OtlpError
from stepfork.otlp.json_form import decode_json
from stepfork.otlp.limits import DEFAULT, Limits
from stepfork.otlp.protobuf import decode_protobuf
from stepfork.otlp.reply import wire_form
from stepfork.trace.span import Span


def decode_export(data: bytes, content_type: str, *, limits: Limits = DEFAULT) -> list[Span]:
    """The spans of the body of one ``POST /v1/traces`` (already inflated), in the order in which it holds them.

    An attribute whose value cannot be kept (``doubleValue`` null, NaN) is left out and named in its span's notes:
    one bad attribute never costs the batch. Raises OtlpError, short and without the payload, for a body that is
    malformed or past `limits`, or whose media type is neither of OTLP's two.
    """
    form = wire_form(content_type)
    if form is None:
        raise OtlpError("unsupported media type", fix="send application/x-protobuf or application/json")
    return decode_protobuf(data, limits) if form == "protobuf" else decode_json(data, limits)

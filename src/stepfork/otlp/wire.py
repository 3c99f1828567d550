"""The protobuf wire format, as far as looking at it without decoding needs it."""

from __future__ import annotations

from collections.abc import Iterator

from stepfork.errors import OtlpError

Record = tuple[str, int, int]
"""What a record is, and where its bytes start and stop."""

_FIXED = {1: 8, 5: 4}


def malformed(form: str) -> OtlpError:
    """The error of bytes that are not an export request in `form` (``protobuf`` or ``JSON``)."""
    return OtlpError(f"the body is not an ExportTraceServiceRequest in {form}")


def fields(data: bytes, start: int, end: int, budget: list[int]) -> Iterator[tuple[int, int, int]]:
    """Each length-delimited field of the message at ``data[start:end]``: number, start and stop of its content.

    Takes one off ``budget[0]`` for each field of any kind. Raises OtlpError where that is used up, and where the
    message breaks off or holds a group (no OTLP message does).
    """
    at = start
    left = budget[0]
    while at < end:
        left -= 1
        if left < 0:
            raise OtlpError("more fields in one export than its limits allow")
        tag, at = _varint(data, at, end)
        kind = tag & 7
        if kind == 2:
            size, at = _varint(data, at, end)
            if size > end - at:
                raise malformed("protobuf")
            yield tag >> 3, at, at + size
            at += size
        elif kind == 0:
            _, at = _varint(data, at, end)
        elif kind in _FIXED:
            at += _FIXED[kind]
            if at > end:
                raise malformed("protobuf")
        else:
            raise malformed("protobuf")
    budget[0] = left


def is_plain_attribute(data: bytes, at: int, end: int) -> bool:
    """Whether ``data[at:end]`` is, for certain, a KeyValue of a short key and one short scalar: nearly all are."""
    if end - at < 6 or data[at] != 0x0A or data[at + 1] > 0x7F:
        return False
    at += 2 + data[at + 1]
    if at + 3 > end or data[at] != 0x12 or at + 2 + data[at + 1] != end or data[at + 1] > 0x7F:
        return False
    kind = data[at + 2]
    if kind == 0x0A:
        return at + 3 < end and at + 4 + data[at + 3] == end
    return (kind in (0x10, 0x18) and end - at <= 13 and data[end - 1] < 0x80) or (kind == 0x21 and end - at == 11)


def varint(number: int) -> bytes:
    """`number` (0 or more) as a protobuf varint."""
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


def _varint(data: bytes, at: int, end: int) -> tuple[int, int]:
    if at < end and data[at] < 0x80:
        return data[at], at + 1
    number = shift = 0
    while at < end and shift < 70:
        byte = data[at]
        at += 1
        number |= (byte & 0x7F) << shift
        if byte < 0x80:
            return number, at
        shift += 7
    raise malformed("protobuf")

"""Bodies that are no text: a secret in them goes as it would from text, and every other byte stays."""

from __future__ import annotations

import codecs
from collections.abc import Iterator

import msgspec

from stepfork.redact.inside import rewrite_compressed
from stepfork.rewrite.place import Place, Rewriter, apply_edits
from stepfork.rewrite.text import find_edits
from stepfork.trace.body import Body, BytesBody
from stepfork.trace.exchange import Exchange
from stepfork.trace.fixture import Run

_STRETCH = 1 << 20
_LOOKED_AT = 512


def rewrite_bytes(run: Run, rewriter: Rewriter) -> Run:
    """`run` with the bytes bodies of its exchanges rewritten as the text that they hold."""
    exchanges = tuple(_exchange(exchange, index, rewriter) for index, exchange in enumerate(run.exchanges))
    return msgspec.structs.replace(run, exchanges=exchanges)


def _exchange(exchange: Exchange, index: int, rewriter: Rewriter) -> Exchange:
    request, response = exchange.request, exchange.response
    asked = rewrite_bytes_body(request.body, Place(("exchange", index, "request"), ("body",)), rewriter)
    answered = rewrite_bytes_body(response.body, Place(("exchange", index, "response"), ("body",)), rewriter)
    if asked is request.body and answered is response.body:
        return exchange
    return msgspec.structs.replace(
        exchange,
        request=msgspec.structs.replace(request, body=asked),
        response=msgspec.structs.replace(response, body=answered),
    )


def rewrite_bytes_body(body: Body, place: Place, rewriter: Rewriter) -> Body:
    """A bytes body rewritten as the text that it holds, compressed or not; any other body as it is."""
    if not isinstance(body, BytesBody):
        return body
    packed = rewrite_compressed(body.data, place, rewriter) or _rewrite_wide(body.data, place, rewriter)
    if packed is not None:
        return BytesBody(packed)
    pieces = [_piece(body.data[start:end], place, rewriter) for start, end in _stretches(body.data)]
    return body if all(piece is None for piece in pieces) else _joined(body.data, pieces)


def _rewrite_wide(data: bytes, place: Place, rewriter: Rewriter) -> bytes | None:
    """Text in UTF-16 rewritten; None where it stays. Such text inside of other bytes is read like ASCII is."""
    encoding = _wide(data[:_LOOKED_AT])
    if not encoding or len(data) % 2:
        return None
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError:
        return None
    mark = "\ufeff" if text.startswith("\ufeff") else ""
    text = text[len(mark) :]
    edits = find_edits(text, place, rewriter)
    return (mark + apply_edits(text, edits)).encode(encoding) if edits else None


def _wide(head: bytes) -> str:
    """The byte order of UTF-16, told by its mark or by the zero bytes beside letters; empty for anything else."""
    if head.startswith(codecs.BOM_UTF16_LE) or head[1::2].count(0) * 2 > len(head[1::2]):
        return "utf-16-le"
    return "utf-16-be" if head.startswith(codecs.BOM_UTF16_BE) or head[::2].count(0) * 2 > len(head[::2]) else ""


def _piece(data: bytes, place: Place, rewriter: Rewriter) -> bytes | None:
    """`data` rewritten, None where it stays."""
    text = data.decode("utf-8", "surrogateescape")
    edits = rewriter.text(text, place)
    return apply_edits(text, edits).encode("utf-8", "surrogateescape") if edits else None


def _joined(data: bytes, pieces: list[bytes | None]) -> BytesBody:
    stretches = zip(_stretches(data), pieces, strict=True)
    return BytesBody(b"".join(data[start:end] if piece is None else piece for (start, end), piece in stretches))


def _stretches(data: bytes) -> Iterator[tuple[int, int]]:
    """`data` cut at zero bytes, which stand in no secret, into stretches of about a megabyte: as text, bytes that are
    none take many times their length."""
    start = 0
    while start < len(data):
        zero = data.find(b"\0", start + _STRETCH)
        end = len(data) if zero < 0 else zero + 1
        yield start, end
        start = end

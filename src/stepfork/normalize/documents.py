"""Bodies that are JSON documents one after another, such as JSON lines: each is read as one event of a stream is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from stepfork.rewrite.concatenated import documents_edits, documents_in
from stepfork.rewrite.place import Place, Rewriter, apply_edits
from stepfork.rewrite.run import rewrite_body
from stepfork.trace.body import Body, TextBody


def rewrite_documents(body: Body, place: Place, rewriter: Rewriter, api: str) -> Body:
    """A body as `rewriter` wants it, document by document where it has several."""
    documents = documents_in(body.text) if isinstance(body, TextBody) else []
    if not isinstance(body, TextBody) or not documents:
        return rewrite_body(body, place, rewriter, api)
    return TextBody(apply_edits(body.text, documents_edits(body.text, documents, place, rewriter, api)), body.reason)


def document_values(body: Body) -> Iterator[tuple[int, Any]]:
    """Each document of such a body with its number; none of any other body."""
    if isinstance(body, TextBody):
        yield from ((number, value) for number, (_, _, value) in enumerate(documents_in(body.text)))

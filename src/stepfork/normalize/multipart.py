"""The boundary of multipart bodies: made up for each upload, so a placeholder in the media type and in the body."""

from __future__ import annotations

import re

from stepfork.normalize.placeholders import Placeholder
from stepfork.trace.body import Body, BytesBody, TextBody

_BOUNDARY = re.compile(r"(\bboundary=)(?:\"([^\"]{1,70})\"|([^\s;\",]{1,70}))", re.IGNORECASE)
BOUNDARY = str(Placeholder("boundary"))


def without_boundary(content_type: str, made_type: str, body: Body) -> tuple[str, Body]:
    """`made_type` and `body` with the boundary that `content_type` names replaced in both.

    The body keeps all else byte for byte. A media type that names no boundary, or none that the body uses, is kept.
    """
    named = _BOUNDARY.search(content_type) if content_type.lower().lstrip().startswith("multipart/") else None
    if named is None:
        return made_type, body
    boundary = named[2] or named[3]
    if isinstance(body, TextBody):
        text = body.text.replace(f"--{boundary}", f"--{BOUNDARY}")
        body = TextBody(text, body.reason)
    elif isinstance(body, BytesBody):
        body = BytesBody(body.data.replace(f"--{boundary}".encode(), f"--{BOUNDARY}".encode()))
    quoted = f'"{boundary}"' if named[2] else boundary
    return content_type.replace(f"{named[1]}{quoted}", f"{named[1]}{BOUNDARY}", 1), body

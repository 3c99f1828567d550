"""Recorded failures that clients repeat their call after: served so that nobody waits."""

from __future__ import annotations

import msgspec

from stepfork.trace.exchange import Response

_REPEATED = frozenset({408, 409, 425, 429})


def patient(response: Response) -> Response:
    """`response`, with the wait taken out where clients wait before they ask again.

    The vendors' SDKs read ``retry-after-ms`` before ``retry-after``, and where there is neither they wait half a second
    and more; others read ``retry-after`` alone. What decides whether they ask again stays as recorded.
    """
    if response.status not in _REPEATED and response.status < 500:
        return response
    headers = response.headers | {"retry-after-ms": "1"}
    if "retry-after" in headers:
        headers["retry-after"] = "0"
    return msgspec.structs.replace(response, headers=headers)

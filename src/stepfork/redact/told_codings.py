"""What the headers of a recorded message say of how its body is coded, in the forms that recorders give them."""

from __future__ import annotations

from stepfork.redact.encoded import TOLD

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

_HEADERS = frozenset(("headers", "Headers", "header", "rawHeaders", "responseHeaders", "response_headers"))
_CODING = "content-encoding"


def coding_told(value: dict[str, Any]) -> str:
    """The coding that the headers of a message tell, where it is one that bytes do not show; empty where none is."""
    if _HEADERS.isdisjoint(value):
        return ""
    for key in _HEADERS.intersection(value):
        for name, told in _pairs(value[key]):
            if name.lower() == _CODING:
                word = told[0] if isinstance(told, list) and told else told
                return word.lower() if isinstance(word, str) and word.lower() in TOLD else ""
    return ""


def _pairs(headers: Any) -> Iterator[tuple[str, Any]]:
    """The names and values of headers in the forms that recorders give them."""
    if isinstance(headers, dict):
        yield from headers.items()
    elif isinstance(headers, list):
        if all(isinstance(item, str) for item in headers):
            yield from zip(headers[::2], headers[1::2], strict=False)
        for item in headers:
            if isinstance(item, dict) and isinstance(item.get("name"), str):
                yield item["name"], item.get("value")
            elif isinstance(item, list) and len(item) == 2 and isinstance(item[0], str):
                yield item[0], item[1]

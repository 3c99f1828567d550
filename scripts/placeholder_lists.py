"""The lists of docs/reference/placeholders.md, made from the rules themselves; people write the page around them."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable
from pathlib import Path

from stepfork.normalize import rules

PAGE = Path(__file__).parents[1] / "docs" / "reference" / "placeholders.md"
_LIST = re.compile(r"^( *)<!-- list: ([a-z-]+) -->\n.*?^ *<!-- end -->", re.DOTALL | re.MULTILINE)
_WIDTH = 138

LISTS: dict[str, Iterable[str]] = {
    "id-fields": rules.ID_FIELDS,
    "id-headers": rules.ID_HEADERS,
    "sealed-fields": rules.OPAQUE_FIELDS,
    "bookkeeping-fields": rules.BOOKKEEPING_FIELDS,
    "prefixes": rules.ID_PREFIXES,
    "framework-fields": rules.UUID_FIELDS,
    "classes": rules.REPR_CLASSES,
    "keywords": rules.REPR_NAMES,
    "time-fields": rules.TIME_FIELDS,
    "time-headers": rules.TIME_HEADERS,
    "duration-fields": rules.DURATION_FIELDS,
    "duration-headers": rules.DURATION_HEADERS,
    "ordinary-names": rules.ORDINARY_NAMES,
}


def page() -> str:
    """The page with each list as the rules have it."""
    return _LIST.sub(_made, PAGE.read_text(encoding="utf-8"))


def _made(found: re.Match[str]) -> str:
    indent = found[1]
    words = sorted(LISTS[found[2]], key=lambda word: (word.lower(), word))
    text = textwrap.fill(
        " ".join(f"`{word}`" for word in words),
        _WIDTH,
        initial_indent=indent,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return f"{indent}<!-- list: {found[2]} -->\n{text}\n{indent}<!-- end -->"

"""A page read as a browser's parser reads it, as far as tests ask: what stands in what, and what must never stand."""

from __future__ import annotations

import base64
import hashlib
import re
from html.parser import HTMLParser
from itertools import pairwise

from stepfork.trace.fixture import Fixture
from tests.unit.diff.conversations import SYSTEM, TURNS, conversation, fixture

VOID = {"meta", "input"}
ALLOWED = {
    "html", "head", "meta", "title", "style", "body", "a", "header", "h1", "h2", "h3", "h4", "h5", "p", "div", "nav",
    "main", "section", "table", "caption", "thead", "tbody", "tr", "th", "td", "ul", "ol", "li", "details", "summary",
    "b", "i", "em", "strong", "code", "pre", "del", "ins", "span", "s-c", "dialog", "dl", "dt", "dd", "kbd", "label",
    "input", "button", "script",
}  # fmt: skip
ATTRIBUTES = {
    "lang", "charset", "http-equiv", "content", "name", "class", "id", "href", "open", "scope", "tabindex", "role",
    "type", "checked", "aria-label", "aria-labelledby",
}  # fmt: skip


HOSTILE = (
    "</script><script>window.hit = 1</script>",
    "<img src=x onerror='window.hit = 1'>",
    '" onmouseover="window.hit = 1" x=\'',
    "--><!-- ]]> <![CDATA[ </style></title></pre></details>",
    "&lt;b&gt; &amp; &#0; &",
    "\x1b[31mred\x1b]8;;http://x.invalid\x07 \x00 \x9b \r\n\t",
    "\u202etxt.exe\u2066 \u200b\ufeff\u2028",
    "{{id_1}} [link](javascript:alert(1)) https://x.invalid/",
)
TOOLS = [
    {"type": "function", "function": {"name": name, "parameters": {"type": "object", "required": ["order_id"]}}}
    for name in ("lookup_order", "issue_refund")
]


def as_it_is(text: str) -> str:
    return text


def edited() -> tuple[Fixture, Fixture]:
    turns = [TURNS[0], [*TURNS[1], ("issue_refund", {"order_id": "O-1042", "amount": 45.0}, "late")], *TURNS[2:]]
    new = conversation(turns, system=SYSTEM.replace("once", "twice"), tools=TOOLS[:1], final="All done.")
    return fixture(conversation(tools=TOOLS)), fixture(new)


class Page(HTMLParser):
    """Raises AssertionError where elements do not nest. ``texts`` maps an element's name to the texts of all such."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.html = html
        self.open: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: dict[str, list[str]] = {}
        self.words: list[str] = []
        self.feed(html)
        self.close()
        assert not self.open, self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert len(dict(attrs)) == len(attrs), f"an attribute of {tag} stands twice"
        self.elements.append((tag, dict(attrs)))
        self.texts.setdefault(tag, [])
        if tag not in VOID:
            self.open.append(tag)
            self.texts[tag].append("")

    def handle_endtag(self, tag: str) -> None:
        assert self.open, tag
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] not in ("style", "script"):
            self.words.append(data)
        for tag in set(self.open):
            self.texts[tag][-1] += data

    def handle_comment(self, data: str) -> None:
        raise AssertionError("a comment")

    @property
    def text(self) -> str:
        """All that is read."""
        return "".join(self.words)

    def attributes(self, name: str) -> list[str]:
        """All values of an attribute."""
        return [value or "" for _, attributes in self.elements for key, value in attributes.items() if key == name]


def check_page(html: str) -> Page:
    """What holds for every page, whatever it shows."""
    page = Page(html)
    assert {tag for tag, _ in page.elements} <= ALLOWED
    assert {key for _, attributes in page.elements for key in attributes} <= ATTRIBUTES
    ids = page.attributes("id")
    assert len(ids) == len(set(ids))
    for link in page.attributes("href"):
        assert link.startswith("#")
        assert link[1:] in ids
    assert set(page.attributes("aria-labelledby")) <= set(ids)
    levels = [int(tag[1]) for tag, _ in page.elements if re.fullmatch("h[1-6]", tag)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels)), levels
    tags = [tag for tag, _ in page.elements]
    assert [tags.count(tag) for tag in ("main", "header", "style", "script", "title")] == [1] * 5
    assert all(inside == "summary" for inside in _first_inside("details", html))
    (policy,) = [attributes["content"] for _, attributes in page.elements if "http-equiv" in attributes]
    assert policy == (
        f"default-src 'none'; style-src '{_digest(page.texts['style'][0])}'; "
        f"script-src '{_digest(page.texts['script'][0])}'; base-uri 'none'; form-action 'none'"
    )
    assert {"name": "referrer", "content": "no-referrer"} in [attributes for _, attributes in page.elements]
    return page


def _digest(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def _first_inside(tag: str, html: str) -> list[str]:
    return re.findall(rf"<{tag}\b[^>]*><([a-z0-9-]+)", html)

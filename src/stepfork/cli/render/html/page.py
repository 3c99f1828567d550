"""The page: one file that holds all it needs, and says so to the browser.

Its policy allows the style and the script that are in the file, by their hashes, and nothing else: no request leaves
it, and no text of a fixture can become code. Without the script everything can be read; it adds keys.
"""

from __future__ import annotations

import base64
import hashlib
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from importlib import resources

from stepfork.cli.escape import escape
from stepfork.cli.render import diff_words
from stepfork.cli.render.diff_clean import Clean
from stepfork.cli.render.html.changes import change_lists
from stepfork.cli.render.html.elements import NOTHING, Html, element, user, words
from stepfork.cli.render.html.marks import mark
from stepfork.cli.render.html.rows import legend, places_of, timeline_list
from stepfork.diff.fixture_diff import FixtureDiff


def html_report(pairs: Sequence[FixtureDiff], *, clean: Clean, unread: Sequence[str] = ()) -> str:
    """The page of a report: all exchanges of each pair that was compared with its timeline, its changes alone of
    others; `unread` says which could not be compared and why. The same report gives the same bytes."""
    clean = cache(clean)
    pairs = diff_words.in_order(pairs)
    title = _title(pairs, clean)
    sections = [_fixture(diff, f"f{number}", clean) for number, diff in enumerate(pairs)]
    several = len(pairs) != 1
    told = element("p", words(diff_words.counts(pairs)), class_="facts") if several else NOTHING
    header = element("header", element("h1", user(title)), told, element("p", id="tools"))
    nav = element("nav", _table(pairs, clean), aria_label="Fixtures") if several and pairs else NOTHING
    body = element(
        "body",
        element("a", words("Skip to the changes"), href="#main", class_="skip"),
        header,
        _unread(unread, clean),
        nav,
        element("main", *sections, id="main", tabindex="-1"),
        _keys(),
        element("script", _asset("page.js")),
    )
    return f'<!doctype html>\n<html lang="en">\n{_head(title)}\n{body}\n</html>\n'


def _head(title: str) -> Html:
    policy = (
        f"default-src 'none'; style-src '{_digest('page.css')}'; script-src '{_digest('page.js')}'; "
        "base-uri 'none'; form-action 'none'"
    )
    metas = (
        '<meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        '<meta name="color-scheme" content="light dark">',
        '<meta name="referrer" content="no-referrer">',
    )
    return element(
        "head", Html("\n".join(metas)), element("title", words(escape(title))), element("style", _asset("page.css"))
    )


def _asset(name: str) -> Html:
    """A file beside this module, as it is: neither holds ``</``."""
    return Html(resources.files(__package__).joinpath(name).read_text(encoding="utf-8"))


def _digest(name: str) -> str:
    """What a policy calls a file's content (CSP 3, section 2.3.1)."""
    return f"sha256-{base64.b64encode(hashlib.sha256(_asset(name).encode()).digest()).decode()}"


def _title(pairs: Sequence[FixtureDiff], clean: Clean) -> str:
    if len(pairs) == 1:
        return f"stepfork diff: {clean(pairs[0].name)}"
    return f"stepfork diff: {diff_words.number(len(pairs), 'fixture')}"


def _unread(unread: Sequence[str], clean: Clean) -> Html:
    if not unread:
        return NOTHING
    lines = (element("li", user(clean(line))) for line in unread)
    return element("section", element("h2", words("Not compared")), element("ul", *lines), class_="unread")


def _table(diffs: Sequence[FixtureDiff], clean: Clean) -> Html:
    heads = ("fixture", "change", "grade", "authored", "consequences", "exchanges", "tokens and cost")
    rows = []
    for number, diff in enumerate(diffs):
        causes = Counter(change.cause for change in diff.changes)
        link = element("a", user(clean(diff.name)), href=f"#f{number}")
        cells = (
            mark(diff.change),
            mark(diff.grade) if diff.grade and diff.grade != "changed" else words(diff.grade or ""),
            words(str(causes["authored"])),
            words(str(causes["consequence"])),
            words(diff_words.exchanges(diff).removesuffix("s").removesuffix(" exchange")),
            words(_used(diff)),
        )
        rows.append(element("tr", element("th", link, scope="row"), *(element("td", cell) for cell in cells)))
    head = element("tr", *(element("th", words(name), scope="col") for name in heads))
    caption = element("caption", words("Fixtures, those with breaking changes first"))
    return element(
        "div",
        element("table", caption, element("thead", head), element("tbody", *rows)),
        class_="wide",
        tabindex="0",
        role="region",
        aria_label="Fixtures, a table",
    )


def _used(diff: FixtureDiff) -> str:
    return "; ".join(f"{what} {told}" for what, told in diff_words.usage(diff, whole=True)) or "unknown"


def _fixture(diff: FixtureDiff, prefix: str, clean: Clean) -> Html:
    places = places_of(diff.timeline, prefix)
    name = clean(diff.name) if diff.old_name is None else f"{clean(diff.old_name)} → {clean(diff.name)}"
    parts = [element("h2", mark(diff.change), words(" "), user(name), id=f"{prefix}-name"), *_summary(diff, clean)]
    lists = list(change_lists(diff, places, prefix, clean))
    if lists:
        parts += [element("h3", words("Changes")), *lists]
    if diff.timeline:
        parts += [element("h3", words("Timeline")), legend(), timeline_list(diff.timeline, places, clean)]
    return element("section", *parts, id=prefix, class_="fixture", aria_labelledby=f"{prefix}-name")


def _summary(diff: FixtureDiff, clean: Clean) -> Iterator[Html]:
    used = [f"{what} {told}" for what, told in diff_words.usage(diff)]
    told = "; ".join([f"{diff_words.told(diff)}, {diff_words.exchanges(diff)}", *used])
    yield element("p", words(told), class_="facts")
    if breaks := diff_words.breaks(diff):
        sign = element("b", words("BREAKING"), class_="mark breaking")
        yield element(
            "ul", *(element("li", sign, words(" "), user(clean(phrase))) for phrase in breaks), class_="breaks"
        )
    if diff.notes:
        yield element("p", mark("info"), words(" "), user(clean("; ".join(diff.notes))), class_="facts")


KEYS = (
    ("j", "next change"),
    ("k", "previous change"),
    ("Enter or Space", "open or close what has the focus"),
    ("o", "open everything"),
    ("c", "close everything"),
    ("?", "show these keys"),
    ("Escape", "close this list"),
)


def _keys() -> Html:
    rows = (element("div", element("dt", element("kbd", words(key))), element("dd", words(does))) for key, does in KEYS)
    switch = element("label", Html('<input type="checkbox" id="keys-on" checked>'), words(" single keys are on"))
    close = element("button", words("Close"), type="button", id="keys-close")
    title = element("h2", words("Keys"), id="keys-name")
    return element(
        "dialog", title, element("dl", *rows), element("p", switch), close, id="keys", aria_labelledby="keys-name"
    )

"""Nothing that a recording says acts on what shows it: a terminal, Markdown, a build's log, annotations."""

from __future__ import annotations

import re
import unicodedata
from html.parser import HTMLParser

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from stepfork.cli.render.diff_github import annotated
from stepfork.cli.render.diff_lines import rows_between
from stepfork.cli.render.diff_markdown import MARK, markdown_report
from stepfork.cli.render.diff_text import render_report
from stepfork.diff.fixture_diff import FixtureDiff
from stepfork.diff.text_diff import changed_lines
from stepfork.diff.values import Change, FieldChange, Line, Usage

# What hosts of Markdown, runners of builds, terminals and our own reports act on.
PIECES = [
    *("@octocat", "#123", "GH-7", "owner/repo#4", "!12", "~bug", "https://evil.example", "www.evil.example"),
    *("a@b.example", ":smile:", "[x](https://evil.example)", "![x](https://evil.example/p.png)", "</details>"),
    *("<!--", "-->", "</code>", "&lt;", "&#96;", "`", "``", "```", "````", "~~~", "---", "===", "$x$", "$`"),
    *("<https://evil.example>", "/close", "**", "__", "\\", "\\`", "[/red]", "[link=x]", "<img src=x onerror=y>"),
    *("<script>alert(1)</script>", "<!-- stepfork diff -->", "| a | b |", "# heading", "> quote", "* item"),
    *(
        "[^1]: note",
        "/assign @x",
        "::error::x",
        "##[add-mask]x",
        "##vso[task.setvariable variable=x]y",
        "##teamcity[x]",
        "%0A::error::",
        "- old",
        "+ new",
    ),
    *("refund: no semantic change (5 exchanges)", "  BREAKING   nothing", "\n", "\r", "\t", " ", "  ", "\x1b[2J"),
    *("\x1b]8;;x\x1b\\", "\x9b", "\u202e", "\u2066", "\u200b", "\u2028", "\x00", "\ud800", "\U000e0041", "é"),
    *("e\u0301", "\u0430", "a", ""),
]
hostile = st.lists(st.sampled_from(PIECES), max_size=6).map("".join)
values = st.one_of(hostile, st.none(), st.integers(), st.dictionaries(hostile, hostile, max_size=2))
sides = st.one_of(values, st.just(msgspec.UNSET))
lines = st.one_of(
    st.builds(changed_lines, hostile, hostile),
    st.lists(st.builds(Line, st.sampled_from("-+"), hostile), max_size=4).map(tuple),
)
fields = st.builds(
    FieldChange, hostile, st.sampled_from(["changed", "added", "removed", "moved"]), sides, sides
).filter(lambda field: not (field.old is msgspec.UNSET and field.new is msgspec.UNSET))
changes = st.builds(
    Change,
    st.sampled_from(["model", "params", "system", "tools", "messages", "tool_results", "answer", "exchange", "run"]),
    st.sampled_from(["added", "removed", "changed", "moved"]),
    st.sampled_from(["authored", "consequence"]),
    hostile,
    hostile,
    st.lists(st.integers(0, 5), max_size=3, unique=True).map(tuple),
    lines,
    st.lists(fields, max_size=2).map(tuple),
    st.sampled_from(["info", "changed", "breaking"]),
    st.just(""),
    hostile,
)
diffs = st.builds(
    FixtureDiff,
    hostile,
    st.sampled_from(["changed", "added", "removed", "unchanged"]),
    st.integers(0, 9),
    st.integers(0, 9),
    changes=st.lists(changes, max_size=3).map(tuple),
    usage=st.just((Usage(1, 2, 0.5), Usage(3, None, 0.25))),
    notes=st.just(()),
    old_name=st.one_of(st.none(), hostile),
)
some = st.lists(diffs, max_size=3)
costly = settings(deadline=None, max_examples=25)

_CONTROL = re.compile(
    "[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\U000e0000-\U000e007f]"
)
_TO_A_BUILD = re.compile(r"^\s*::|##\w*\[")
_OWN_WORDS = re.compile(
    r"\b(stepfork|diff|no|nothing|compared|semantic|change|without|fixture|differ|breaking|BREAKING|not|authored|"
    r"consequence|exchange|changed|added|removed|more|lines|shows|them|Without|and|empty|of|the|details)s?\b"
)
_KINDS = {
    *(
        "html_block",
        "heading_open",
        "heading_close",
        "inline",
        "paragraph_open",
        "paragraph_close",
        "text",
        "softbreak",
    ),
    *("strong_open", "strong_close", "code_inline", "fence", "bullet_list_open", "bullet_list_close"),
    *("list_item_open", "list_item_close"),
}


class _Tags(HTMLParser):
    """The tags of a piece of HTML, and what it says outside of code."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.told = ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(" ".join([tag, *(name for name, _ in attrs)]))

    def handle_data(self, data: str) -> None:
        self.told += data


def flat(tokens: list[Token]) -> list[Token]:
    return [inner for token in tokens for inner in [token, *flat(token.children or [])]]


@costly
@given(some, st.booleans(), st.lists(hostile, max_size=2))
def test_markdown_holds_nothing_of_a_recording_but_code(
    pairs: list[FixtureDiff], full: bool, unread: list[str]
) -> None:
    text = "\n".join(markdown_report(pairs, full=full, unread=unread))
    assert text.startswith(f"{MARK}\n### stepfork diff: ")
    assert not _CONTROL.search(text)
    assert not any(_TO_A_BUILD.search(line) for line in text.splitlines())
    tokens = flat(MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(text))
    assert {token.type for token in tokens} <= _KINDS
    assert [token.tag for token in tokens if token.type == "heading_open"] == ["h3"]
    for token in tokens:
        if token.type == "html_block" and token.content.strip() != MARK:
            found = _Tags(token.content)
            assert set(found.tags) <= {"details", "details open", "summary"}
            assert re.fullmatch(
                r"\s*((other )?(breaking changes|authored changes|consequences) \(\d+\))?\s*", found.told
            )
        elif token.type == "text":  # a mention, a reference or an address could only be here
            rest = _OWN_WORDS.sub("", token.content)
            assert re.fullmatch(r"[\d\s,;:.()→…–-]*", rest), token.content
        elif token.type == "fence":
            assert token.info in ("", "diff")


@costly
@given(some, st.booleans())
def test_the_text_acts_on_no_terminal_and_gives_no_build_a_command(pairs: list[FixtureDiff], full: bool) -> None:
    plain = list(render_report(pairs, several=True, full=full))
    for line in plain:
        assert not _CONTROL.search(line)
        assert "\n" not in line
        assert not _TO_A_BUILD.search(line)
    coloured = render_report(pairs, several=True, full=full, color=True)
    assert [re.sub(r"\x1b\[[\d;]+m", "", line) for line in coloured] == plain


@costly
@given(some)
def test_a_fixture_forges_no_line_of_another(pairs: list[FixtureDiff]) -> None:
    """At the depth of a headline there are as many lines as fixtures; a change's rows are deeper than all others."""
    shown = list(render_report(pairs))
    heads = [line for line in shown if line and not line.startswith(" " * 2)]
    assert sum(not line.startswith(" ") for line in heads) <= len(pairs)
    for line in shown:
        if re.match(r" {0,5}[-+~] ", line):
            assert re.match(r"    [-+] (tool|tool result|exchange)?", line)


@costly
@given(lines, st.lists(fields, max_size=3).map(tuple), st.booleans())
def test_two_rows_of_one_change_look_alike_only_where_they_are(
    changed: tuple[Line, ...], members: tuple[FieldChange, ...], full: bool
) -> None:
    rows, _ = rows_between(changed, members, str, full=full)
    seen: dict[str, str] = {}
    for row in rows:
        assert seen.setdefault(unicodedata.normalize("NFKC", row.text).rstrip(), row.whole) == row.whole


@costly
@given(some)
def test_an_annotation_is_one_line_of_its_own(pairs: list[FixtureDiff]) -> None:
    for line in annotated(pairs, str, lambda diff: f".stepfork/fixtures/{diff.name}.json"):
        assert not _CONTROL.search(line)
        assert "\n" not in line
        assert re.match(r"::(error|warning|notice) [^:]*::", line)

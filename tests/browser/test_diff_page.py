"""The page of a comparison in a real browser: what it may do, what keys do, and whether it can be read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from stepfork.cli.render.html.page import html_report
from stepfork.diff.fixture_diff import DiffOptions, diff_fixtures
from stepfork.trace.fixture import Fixture
from tests.browser.devtools import Tab
from tests.unit.cli.html_page import HOSTILE, as_it_is, edited
from tests.unit.diff.conversations import asks, conversation, fixture

FOCUS = "document.activeElement.closest('details')?.id ?? document.activeElement.tagName"
STOPS = "Array.from(document.querySelectorAll('details.stop'), (stop) => stop.id)"
SCHEMES = ("light", "dark")


def write(path: Path, *pairs: tuple[Fixture | None, Fixture | None]) -> Path:
    diffs = [diff_fixtures(*pair, DiffOptions(responses=True, timeline=True)) for pair in pairs]
    html = html_report(diffs, clean=as_it_is, unread=["broken: cannot be read"])
    path.write_text(html, encoding="utf-8", errors="replace")
    return path


def hostile() -> Fixture:
    text = "\n".join(HOSTILE)
    turns: list[Any] = [[(text, {text: text}, text)], [("t", {}, text)]]
    tools = [{"type": "function", "function": {"name": text, "description": text}}]
    return fixture(conversation(turns, system=text, user=text, final=text, tools=tools), name=HOSTILE[0])


@pytest.fixture
def page(tab: Tab, page_file: Path) -> Tab:
    """A page with a bit of everything."""
    alone = fixture([asks("a " * 900)], name="alone")
    tab.open(write(page_file, edited(), (None, alone), (alone, alone)))
    return tab


def complaints(tab: Tab) -> list[dict[str, Any]]:
    return tab.events("Log.entryAdded", "Runtime.consoleAPICalled", "Runtime.exceptionThrown")


def test_a_page_asks_for_nothing_and_the_browser_has_no_complaint(page: Tab) -> None:
    requests = [event["request"]["url"] for event in page.events("Network.requestWillBeSent")]
    assert len(requests) == 1
    assert requests[0].startswith("file:///")
    assert complaints(page) == []
    assert page.run("document.querySelectorAll('#tools button').length") == 3  # its script ran


def test_no_string_of_a_fixture_runs(tab: Tab, page_file: Path) -> None:
    tab.open(write(page_file, (hostile(), fixture(conversation())), (None, hostile())))
    tab.press("o")
    assert tab.run("typeof hit") == "undefined"
    assert complaints(tab) == []
    assert len(tab.events("Network.requestWillBeSent")) == 1
    assert tab.run("document.scripts.length") == 1


@pytest.mark.parametrize(
    "markup", ["<img src=x onerror='hit = 1'>", "<p style='color: red' onclick='hit = 1' id=late>x</p>"]
)
def test_the_policy_holds_where_markup_would_get_in(page: Tab, markup: str) -> None:
    page.run(f"document.body.insertAdjacentHTML('beforeend', {markup!r})")
    page.run("document.getElementById('late')?.click()")
    page.run("new Promise((done) => setTimeout(done))")
    assert page.run("typeof hit") == "undefined"
    assert any("Content Security Policy" in event["entry"]["text"] for event in page.events("Log.entryAdded"))


def test_j_and_k_go_from_change_to_change(page: Tab) -> None:
    stops = page.run(STOPS)
    assert len(stops) > 5
    seen = []
    for _ in stops:
        page.press("j")
        seen.append(page.run(FOCUS))
    assert seen == stops
    page.press("j")
    assert page.run(FOCUS) == stops[-1]
    page.press("k")
    assert page.run(FOCUS) == stops[-2]


def test_what_a_key_goes_to_is_in_view(page: Tab) -> None:
    page.width(900)
    for _ in range(7):
        page.press("j")
    box = page.run("(({top, bottom}) => [top, bottom])(document.activeElement.getBoundingClientRect())")
    assert box[0] >= 0
    assert box[1] <= 900


def test_enter_and_space_open_and_close_what_has_the_focus(page: Tab) -> None:
    page.press("j")
    is_open = "document.activeElement.closest('details').open"
    first = page.run(is_open)
    page.press("Enter")
    assert page.run(is_open) is not first
    page.press(" ")
    assert page.run(is_open) is first


def test_a_question_mark_lists_the_keys_and_escape_goes_back(page: Tab) -> None:
    page.press("j")
    before = page.run(FOCUS)
    page.press("?")
    assert page.run("document.getElementById('keys').open")
    assert page.run("document.getElementById('keys').contains(document.activeElement)")
    page.press("j")
    page.press("Escape")
    assert not page.run("document.getElementById('keys').open")
    assert page.run(FOCUS) == before


def test_single_keys_can_be_turned_off(page: Tab) -> None:
    page.run("document.getElementById('keys-on').click()")
    page.press("j")
    assert page.run(FOCUS) == "BODY"
    page.press("?")
    assert page.run("document.getElementById('keys').open")


def test_o_and_c_open_and_close_everything(page: Tab) -> None:
    closed = "Array.from(document.querySelectorAll('main details')).filter((one) => !one.open).length"
    page.press("o")
    assert page.run(closed) == 0
    page.press("c")
    assert page.run(closed) == page.run("document.querySelectorAll('main details').length")


def test_a_link_to_an_exchange_opens_it(page: Tab) -> None:
    page.press("c")
    target = page.run(
        "(() => { const link = document.querySelector('main a'); link.click(); return link.hash.slice(1); })()"
    )
    page.run("new Promise((done) => setTimeout(done, 0))")
    assert page.run(f"document.getElementById('{target}').open")
    assert page.run(FOCUS) == target


def test_the_first_tab_is_a_way_past_the_head(page: Tab) -> None:
    page.press("Tab")
    assert page.run("document.activeElement.className") == "skip"
    assert page.run("document.activeElement.getBoundingClientRect().left") >= 0
    page.press("Enter")
    page.press("Tab")
    assert page.run("document.querySelector('main').contains(document.activeElement)")


def test_the_focus_can_be_seen(page: Tab) -> None:
    page.press("j")
    assert page.run("getComputedStyle(document.activeElement).outlineStyle") == "solid"
    assert page.run("parseFloat(getComputedStyle(document.activeElement).outlineWidth)") >= 2


def test_without_script_all_is_there_and_opens(tab: Tab, page_file: Path) -> None:
    tab.call("Emulation.setScriptExecutionDisabled", value=True)
    tab.open(write(page_file, edited()))
    assert tab.run("document.querySelectorAll('#tools button').length") == 0
    for _ in range(2):
        tab.press("Tab")
    assert tab.run("document.activeElement.tagName") == "SUMMARY"
    first = tab.run("document.activeElement.parentElement.open")
    tab.press("Enter")
    assert tab.run("document.activeElement.parentElement.open") is not first


CONTRAST = """
(() => {
  const channels = (color) => color.match(/[0-9.]+/g).map(Number);
  const light = (color) => channels(color).slice(0, 3).map((c) => c / 255)
    .map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4))
    .reduce((sum, c, at) => sum + c * [0.2126, 0.7152, 0.0722][at], 0);
  const below = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const color = getComputedStyle(at).backgroundColor;
      if ((channels(color)[3] ?? 1) === 1) return color;
    }
    return "rgb(255, 255, 255)";
  };
  const poor = {};
  let count = 0;
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const element = texts.currentNode.parentElement;
    if (!texts.currentNode.data.trim() || ["SCRIPT", "STYLE"].includes(element.tagName)) continue;
    count += 1;
    const pair = [light(getComputedStyle(element).color), light(below(element))].sort((a, b) => b - a);
    const ratio = (pair[0] + 0.05) / (pair[1] + 0.05);
    if (ratio < 4.5) poor[`${element.tagName}.${element.className}`] = ratio;
  }
  return [count, poor];
})()
"""


@pytest.mark.parametrize("scheme", SCHEMES)
def test_every_text_stands_out_from_what_is_behind_it(tab: Tab, page_file: Path, scheme: str) -> None:
    tab.media(prefers_color_scheme=scheme)
    tab.open(write(page_file, edited(), (hostile(), fixture(conversation()))))
    tab.press("o")
    count, poor = tab.run(CONTRAST)
    assert count > 100
    assert poor == {}


def test_dark_and_light_follow_the_reader(page: Tab) -> None:
    seen = []
    for scheme in SCHEMES:
        page.media(prefers_color_scheme=scheme)
        seen.append(page.run("getComputedStyle(document.body).backgroundColor"))
    assert seen[0] == "rgb(255, 255, 255)"
    assert seen[1] != seen[0]


def test_nothing_moves_for_those_who_want_that(page: Tab) -> None:
    page.media(prefers_reduced_motion="reduce")
    moving = "Array.from(document.querySelectorAll('*'), (one) => parseFloat(getComputedStyle(one).transitionDuration))"
    assert not any(page.run(moving))
    page.media(prefers_reduced_motion="no-preference")
    assert any(page.run(moving))


@pytest.mark.parametrize("pixels", [320, 700, 1400])
def test_the_page_is_never_wider_than_the_window(page: Tab, pixels: int) -> None:
    page.width(pixels)
    page.press("o")
    assert page.run("document.scrollingElement.scrollWidth") <= pixels


def test_both_sides_stand_beside_each_other_and_stack_where_it_is_narrow(page: Tab) -> None:
    page.press("o")
    boxes = """(() => { const pair = document.querySelector('.p:has(> del + ins)');
      return Array.from(pair.children, (one) => one.getBoundingClientRect()).map(({left, top}) => [left, top]); })()"""
    page.width(1200)
    (left, top), (right, beside) = page.run(boxes)
    assert left < right
    assert top == beside
    page.width(400)
    (left, top), (below, under) = page.run(boxes)
    assert left == below
    assert top < under


def test_what_is_read_aloud_has_landmarks_headings_and_names(page: Tab) -> None:
    nodes = page.call("Accessibility.getFullAXTree")["nodes"]
    told = [(node["role"]["value"], node.get("name", {}).get("value", "")) for node in nodes if not node["ignored"]]
    roles = {role for role, _ in told}
    assert {"banner", "main", "navigation", "heading", "table", "columnheader", "rowheader"} <= roles
    assert {"deletion", "insertion"} <= roles
    opens = [name for role, name in told if role == "DisclosureTriangle"]
    assert opens
    assert all(opens)
    assert any(name.startswith("~ changed") for name in opens)
    assert all(name for role, name in told if role in ("link", "button", "checkbox", "dialog", "region"))


def test_on_paper_there_are_no_buttons(page: Tab) -> None:
    page.call("Emulation.setEmulatedMedia", media="print")
    assert page.run("getComputedStyle(document.getElementById('tools')).display") == "none"
    assert page.call("Page.printToPDF")["data"]

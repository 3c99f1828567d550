"""The only place where text becomes HTML: what is not made by these functions has no type that a page takes."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable
from typing import NewType

from stepfork.cli.escape import pieces

Html = NewType("Html", str)
"""Markup that is safe to put into a page."""

NOTHING = Html("")
_ATTRIBUTE = re.compile(r"[\w #;:,.'=/%+-]*", re.ASCII)


def user(text: str) -> Html:
    """A string of the user's on one line: what a terminal would act on, or an eye not see, is spelled out and marked,
    so that it is told from text that spells the same."""
    if text.isascii() and text.isprintable():
        return Html(html.escape(text, quote=False))
    made = (
        f"<s-c>{html.escape(piece)}</s-c>" if spelled else html.escape(piece, quote=False)
        for piece, spelled in pieces(text)
    )
    return Html("".join(made))


def words(text: str) -> Html:
    """Words of the program's own."""
    return Html(html.escape(text, quote=False))


def element(name: str, *children: Html, **attributes: str | bool) -> Html:
    """An element. An attribute's value is never the user's: letters and a few signs, or True for one without a value;
    a trailing ``_`` of a name is left out and others are hyphens."""
    made = "".join(_attribute(key, value) for key, value in attributes.items() if value is not False)
    return Html(f"<{name}{made}>{''.join(children)}</{name}>")


def join(children: Iterable[Html], between: str = "") -> Html:
    """Elements one after another."""
    return Html(between.join(children))


def _attribute(key: str, value: str | bool) -> str:
    name = key.rstrip("_").replace("_", "-")
    if value is True:
        return f" {name}"
    assert isinstance(value, str)
    assert _ATTRIBUTE.fullmatch(value), "an attribute is made of the program's own words"
    return f' {name}="{value}"'

"""A name and its value side by side: ``{"name": "x-api-key", "value": "…"}``, ``["x-api-key", "…"]``, or the value in
an object below: ``"x-api-key": {"equalTo": "…"}``.

Recorders of traffic keep headers, parameters and form fields so, and so do traces and lists of arguments. What a name
must be is told by ``names``, what a secret under it looks like by ``named``; here is told which value of a parsed
document is whose. In text ``beside`` tells it. Standard library only.
"""

from __future__ import annotations

from itertools import chain

from stepfork.redact.beside import NAME_WORDS, VALUE_WORDS, shows_itself
from stepfork.redact.cookies import is_cookie_name, names_session
from stepfork.redact.judging import shows_password
from stepfork.redact.names import PASSWORD, strength

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    Path = tuple[str | int, ...]

_DEEPEST = 8
"""Steps from a container to a value that a name beside it names."""


def _spelled(words: str) -> frozenset[str]:
    """Each word as members of objects are spelled: ``header_name``, ``headerName``, ``HeaderName``."""
    camel = ["".join(part.capitalize() for part in word.split("_?")) for word in words.split("|")]
    lower = [word.replace("_?", "_") for word in words.split("|")]
    return frozenset([*camel, *lower, *(word[0].lower() + word[1:] for word in camel), *map(str.upper, lower)])


_NAMES = _spelled(NAME_WORDS)
_VALUES = _spelled(VALUE_WORDS)


def containers(document: Any) -> Iterator[tuple[Path, dict[str, Any] | list[Any]]]:
    """Each object and list of a document, with the way to it."""
    waiting: list[tuple[Path, Any]] = [((), document)]
    while waiting:
        path, value = waiting.pop()
        if isinstance(value, dict):
            yield path, value
            waiting += [((*path, key), item) for key, item in value.items() if isinstance(item, dict | list)]
        elif isinstance(value, list):
            yield path, value
            waiting += [((*path, index), item) for index, item in enumerate(value) if isinstance(item, dict | list)]


def named_in(
    value: dict[str, Any] | list[Any], above: Path, introduces: Callable[[str], bool], own: Callable[[str], bool]
) -> Iterator[tuple[Path, str]]:
    """The way from a container, which stands at `above`, to each text that a text in it names, with that name;
    `introduces` tells the names of secrets, `own` those of a project, whose values go whatever they look like."""
    if isinstance(value, list):
        # One of a list of pairs, which in a tagged tuple stand one step deeper.
        is_pair = len(value) == 2 and bool(above) and (isinstance(above[-1], int) or above[-1] == "value")
        return _in_list(value, introduces, own, is_pair=is_pair)
    if "kind" in value or "kty" in value or "httpOnly" in value or (len(above) > 1 and above[-2] in _COOKIES):
        return chain(_of_kind(value), _in_object(value, introduces))
    return _in_object(value, introduces)


def _of_kind(value: dict[str, Any]) -> Iterator[tuple[Path, str]]:
    """What goes in an object of a known kind: a Secret of Kubernetes, a JSON Web Key, a cookie of a browser."""
    if value.get("kind") == "Secret":
        for part in ("data", "stringData"):
            held = value.get(part)
            yield from (((part, key), "password") for key in (held if isinstance(held, dict) else ()))
    if "kty" in value:
        yield from (((member,), "private key") for member in _PRIVATE if isinstance(value.get(member), str))
    if isinstance(value.get("value"), str) and ("httpOnly" in value or names_session(str(value.get("name")))):
        yield ("value",), "cookie token"


_COOKIES = ("cookies", "Cookies")
"""Members that list cookies, each with name and value, as HAR files and browsers do."""
_PRIVATE = ("d", "p", "q", "dp", "dq", "qi", "k")
"""Members of a JSON Web Key that are not public."""


def _in_object(value: dict[str, Any], introduces: Callable[[str], bool]) -> Iterator[tuple[Path, str]]:
    name = None
    if len(value) > 1 and not _NAMES.isdisjoint(value):
        told = (item for key, item in value.items() if key in _NAMES and isinstance(item, str))
        name = next((told_name for told_name in map(bare, told) if introduces(told_name)), None)
    if value.get("$py") == "dict" and isinstance(value.get("value"), list):
        yield from _in_tagged(value["value"], introduces)
    for key, item in value.items():
        if name is not None and key in _VALUES:
            yield from ((path, name) for path, _ in _texts(item, (key,)))
        if isinstance(item, dict | list) and introduces(key):
            yield from ((path, key) for path in _held(item, (key,)))


def _in_tagged(pairs: list[Any], introduces: Callable[[str], bool]) -> Iterator[tuple[Path, str]]:
    """The members of an object that instrumentation wrote as pairs, since some of its keys are no texts."""
    for index, pair in enumerate(pairs):
        if isinstance(pair, list) and len(pair) == 2 and isinstance(pair[0], str) and introduces(pair[0]):
            path, item = ("value", index, 1), pair[1]
            found = _held(item, path) if isinstance(item, dict) else (at for at, _ in _texts(item, path))
            yield from ((at, pair[0]) for at in found)


def _held(value: dict[str, Any] | list[Any], path: Path) -> Iterator[Path]:
    """The texts of members that hold the value of a name above them, in an object or a list of some."""
    for key, item in value.items() if isinstance(value, dict) else enumerate(value):
        if key in _VALUES or (key == "base64" and "$py" in value):
            yield from (found for found, _ in _texts(item, (*path, key)))
        elif isinstance(key, int) and isinstance(item, dict):
            yield from _held(item, (*path, key))


def _in_list(
    value: list[Any], introduces: Callable[[str], bool], own: Callable[[str], bool], *, is_pair: bool
) -> Iterator[tuple[Path, str]]:
    for index, item in enumerate(value[:-1]):
        if isinstance(item, str) and len(item) <= 100 and introduces(bare(item)):
            held = _texts(value[index + 1], (index + 1,))
            goes = own(bare(item)) and (is_pair or (item.startswith("-") and not str(value[index + 1]).startswith("-")))
            goes = goes or is_cookie_name(bare(item))  # the value says itself what in it goes
            is_password = is_pair and strength(bare(item)) == PASSWORD
            yield from (
                (path, bare(item))
                for path, text in held
                if goes or shows_itself(text) or (is_password and shows_password(text))
            )


def _texts(value: Any, path: Path) -> Iterator[tuple[Path, str]]:
    """The texts of a value that is named as a whole: itself, the items of a list, and what a trace wraps it in."""
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _texts(item, (*path, index)) if isinstance(item, str | dict) else ()
    elif isinstance(value, dict) and (len(value) == 1 or "$py" in value) and len(path) < _DEEPEST:
        for key, item in value.items():
            if key in _VALUES:
                yield from _texts(item, (*path, key))


def bare(name: str) -> str:
    """The name of a header or a flag alone."""
    return name.strip().strip("-:=")

"""Where in a text the value of a name stands that does not follow it directly, as ``name: value`` does.

It may stand in a member beside the one that holds the name (``"name": "x-api-key", "value": "…"``, in either order, in
JSON, YAML, XML or a call), after it in a list (``["x-api-key", "…"]``), or below it: in a list, or in an object whose
member it is (``"x-api-key": {"equalTo": "…"}``). Parsed documents are read by ``pairs``. Standard library only.
"""

from __future__ import annotations

from stepfork.redact.pattern import pattern
from stepfork.redact.randomness import looks_random, mixed_share

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re

NAME_WORDS = "name|key|header|header_?name|field|field_?name|param|parameter|variable|var|type|kind|id|label|k|n"
"""Members whose text may say what the value beside them is."""
VALUE_WORDS = (
    "value|values|val|v|data|default|default_?value|header_?value|field_?value|string_?value|array_?value"
    "|equal_?to|equals|exact|literal|const"
)
"""Members that hold it."""

_SIGN = r"""["']?[ \t]{0,3}(?:=>|[:=])\s{0,40}"""
_QUOTED = r"""[bu]?(?:"(?P<double>[^"\n]{6,4096})"|'(?P<single>[^'\n]{6,4096})')"""
_BARE = r"""(?P<bare>[^\s"'`,<>\[\]{}()]{6,4096})"""
_TEXT = rf"(?:{_QUOTED}|{_BARE})"
_MEMBER = rf"""["']?[\w.-]{{1,40}}{_SIGN}(?:"[^"\n]{{0,200}}"|'[^'\n]{{0,200}}'|[\w.+-]{{1,40}})[,\s]\s{{0,60}}"""
"""A member that stands between the two, such as ``"type": "header"``."""
_FIRST = r"""(?:[\[(]\s{0,40}|-[ \t]+)"""
_WRAPPED = rf"""(?:[\[({{]\s{{0,40}}|-[ \t]+|["'](?i:{VALUE_WORDS})["']\s?:\s{{0,40}}){{0,9}}"""
"""What a trace or a list puts around a value."""
_HOLDS_NAME = rf"""["']?(?i:{NAME_WORDS}){_SIGN}["']?\Z"""
_HOLDS_VALUE = rf"""["']?(?i:{VALUE_WORDS}){_SIGN}{_WRAPPED}"""

_NAMED = pattern(_HOLDS_NAME)
_AFTER = pattern(rf"""["']?[,\s]\s{{0,60}}(?:{_MEMBER}){{0,3}}?{_HOLDS_VALUE}{_TEXT}""")
_BEFORE = pattern(rf"""(?<!\w){_HOLDS_VALUE}{_QUOTED}\s{{0,40}}\]?[,\s]\s{{0,60}}(?:{_MEMBER}){{0,3}}{_HOLDS_NAME}""")
_INSIDE = rf"""\{{\s{{0,40}}(?:{_MEMBER}){{0,3}}?["']?(?i:{VALUE_WORDS}){_SIGN}"""
_LIST = pattern(rf"""{_SIGN}(?:{_FIRST}|{_FIRST}?{_INSIDE}{_FIRST}?){_TEXT}""")
_NEXT = pattern(rf"""["']\s{{0,3}},\s{{0,60}}{_FIRST}?{_QUOTED}(?!\s{{0,3}}:)""")
_NEXT_LINE = pattern(rf"""["']?[ \t]*\r?\n[ \t]*-[ \t]+["']?{_BARE}["']?[ \t]*\r?(?:\n|\Z)""")
_ITEM = pattern(r"""-[ \t]+["']?\Z""")
_WORDS = pattern(r"[A-Za-z][a-z]*[0-9]{0,3}(?:[-_. ][A-Za-z]?[a-z]*[0-9]{0,3})+\Z")
"""Words, some with a number: ``oauth2_pkce_s256``."""
_BEHIND = 800
"""So many characters before a name its value is looked for."""


def value_beside(text: str, begin: int, stop: int) -> tuple[int, int] | None:
    """Where the value of the name at `begin` to `stop` of `text` stands, if it stands beside it."""
    before = text[max(0, begin - 80) : begin]
    if _NAMED.search(before):
        found = _AFTER.match(text, stop)
        if found is not None:
            return _value(found)
        start = max(0, begin - _BEHIND)
        found = _BEFORE.search(text[start:begin])
        return None if found is None else _value(found, start)
    found = _LIST.match(text, stop)
    if found is not None:
        return _value(found)
    found = _NEXT.match(text, stop) if before.endswith(("'", '"')) else None
    if found is None and _ITEM.search(before):
        found = _NEXT_LINE.match(text, stop)
    return _value(found) if found is not None and shows_itself(found[found.lastgroup or 0]) else None


def may_be_beside(text: str, begin: int, stop: int) -> bool:
    """Whether `value_beside` may find something, in a text with escapes. Asked of many names of a file, so it reads
    characters and loads nothing where it can."""
    before = text[max(0, begin - 80) : begin].replace("\\n", "\n").rstrip("\\\"'`")
    held = before.rstrip()[-1:]
    if held == "-":
        return True  # the name is an item
    if held in (":", "=", ">") and _HELD.search(before) is not None:
        return True  # the name is a member's text
    after = text[stop : stop + 80].lstrip("\\\"'`] ")
    if after[:1] == ",":  # bytes of Python begin with a letter
        return held in ("[", "(", ",", "b", "u") and _FOLLOWING.match(text, stop) is not None
    return after[:1] in (":", "=") and after[1:].lstrip("> \t\r\nrn\\")[:1] in ("[", "(", "-", "{")


_HELD = pattern(rf"""(?<![A-Za-z0-9])(?i:{NAME_WORDS})[\\"']*[ \t]*(?:=>|[:=>])\s*[bu]?\Z""")
_FOLLOWING = pattern(
    r"""[\\"'`\] ]*,(?:\s|\\+[nrt])*[\[({]?(?:\s|\\+[nrt])*[bu]?"""
    r"""(?:[\[({]|(?P<slashes>\\*)(?P<quote>["'`])(?s:(?!(?<!\\)(?P=slashes)(?P=quote)).){6})"""
)
"""The next item of a list, which is a list itself, or a text that is no short one."""


def shows_itself(value: str) -> bool:
    """Whether a value is a secret wherever it stands: after a name in a list may come the next name as well."""
    if len(value) < 16 or not any(map(str.isdigit, value)) or _WORDS.match(value):
        return False
    return looks_random(value) and mixed_share(value) > 0.6


def _value(found: re.Match[str], start: int = 0) -> tuple[int, int]:
    first, last = found.span(found.lastgroup or 0)
    return start + first, start + last

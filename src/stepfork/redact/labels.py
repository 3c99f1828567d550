"""Names as people write them: words with blanks between them (``API Key: …``), in bold, in a table, in a sentence."""

from __future__ import annotations

from stepfork.redact.names import PASSWORD, WEAK, strength
from stepfork.redact.pattern import pattern

_WORDS_BEFORE = pattern(r"(?:[A-Za-z][A-Za-z0-9]{0,15} ){1,3}\Z")
LAST_WORDS = frozenset("key keys token tokens secret password code codes phrase".split())  # noqa: SIM905
_AFTER_LABEL = pattern(
    r"""(?P<close>["'`*_]{0,3}(?:</(?:td|th|dt|b|strong|label|span)>)?)[ \t]*"""
    r"""(?:(?P<sign>[:=→]|\|(?=\s))[*_]{0,2}|(?P<is>(?:is|was|are|ist|lautet|est|es|è)(?::|(?=\s)))|(?=\s*<(?:td|dd)))"""
    r"""\s{0,4}(?:<(?:td|dd|code|span|pre)[^<>]{0,60}>\s{0,4})*[*_]{0,2}"""
)
_MAY_BE = pattern(r"""[\\"'`*_\s]{0,12}(?:[|<→%]|[:=][*_]|\\u|(?:is|was|are|ist|lautet|est|es|è)\b|(?<=[*_\s])[:=])""")
_MAY_BE_WORDS = pattern(r"""[\\"'`*_\s]{0,12}(?:[:=|<→%]|\\u|(?:is|was|are|ist|lautet|est|es|è)\b)""")


def label_strength(text: str, begin: int, name: str) -> str | None:
    """The strength of a name of several words of which `name`, at `begin` of `text`, is the last."""
    if name.lower() not in LAST_WORDS:
        return None
    before = _WORDS_BEFORE.search(text, max(0, begin - 50), begin)
    if before is None:
        return None
    parts = before.group().split()
    found = (strength("_".join([*parts[-count:], name])) for count in range(1, len(parts) + 1))
    return next((kind for kind in found if kind is not None), None)


def label_value(text: str, stop: int, kind: str) -> tuple[int, str, bool] | None:
    """Where the value of a name that ends at `stop` begins if the name stands there as a label, what strength it then
    has, and whether it stands in a table or a sentence; None where it does not stand so."""
    after = _AFTER_LABEL.match(text, stop)
    if after is None:
        return None
    is_said = after["sign"] not in (":", "=")
    return after.end(), WEAK if is_said and kind != PASSWORD else kind, is_said


def may_be_label(text: str, begin: int, stop: int, name: str = "") -> bool:
    """Whether a name that is one of a secret may stand as a label in a text with escapes; or `name`, of which that is
    not known, as the last word of one."""
    if not name:
        return _MAY_BE.match(text, stop) is not None
    if name.lower() not in LAST_WORDS or not (text[begin - 1 : begin] == " " and text[begin - 2 : begin - 1].isalnum()):
        return False
    return _MAY_BE_WORDS.match(text, stop) is not None and label_strength(text, begin, name) is not None

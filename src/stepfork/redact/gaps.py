"""Values that only a blank parts from their name: flags, ``ENV NAME value``, ``set -x NAME value``, a ``.netrc``."""

from __future__ import annotations

from stepfork.redact.pattern import pattern

_GAP = pattern(r"[ \t]+(?=[^-\s])")
_ANY_GAP = pattern(r"\s+")
_SETS = pattern(
    r"""(?:\A|[\s"'>;&])(?:ENV|ARG|setenv|setx|set(?: --?[A-Za-z]+)+|(?:env|secret) add"""
    r"""|(?:configure|config|secrets?|env|variables?)[ :]set)[ \t]+(?:\S{0,60}:)?\Z"""
)
"""What programs begin with that give a name and then its value."""
_NETRC = pattern(r"(?:\bmachine\s+\S+|\bdefault)\s+(?:(?:login|account)\s+\S+\s+)*\Z")
_DIRECTIVES = ("requirepass", "masterauth")
"""Lines of a configuration whose first word is the name."""


def gap_value(text: str, begin: int, stop: int) -> int | None:
    """Where the value begins of the name at `begin` to `stop` of `text`, if the name is one that a value follows so."""
    name = text[begin:stop]
    before = text[max(0, begin - 200) : begin]
    if name == "password" and _NETRC.search(before):
        gap = _ANY_GAP.match(text, stop)
    elif name.startswith("--") or before.endswith("--") or name in _DIRECTIVES or _SETS.search(before[-90:]):
        gap = _GAP.match(text, stop)
    else:
        return None
    return None if gap is None else gap.end()


def may_have_gap(before: str, name: str, after: str) -> bool:
    """Whether a name may be one that a value follows so, in a text with escapes; it loads nothing."""
    if after and not after[0].isspace() and after[0] not in "\\%&+":
        return False
    if "--" in before[-2:] or name.startswith("--") or name in _DIRECTIVES:
        return True
    if any(word in before[-90:] for word in ("ENV", "ARG", "set", "add ")):
        return True
    return name.endswith("password") and any(word in before for word in ("login", "machine", "default"))

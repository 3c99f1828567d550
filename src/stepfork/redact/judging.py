"""Whether a value under the name of a secret is one, and no word, type, path, template or piece of code."""

from __future__ import annotations

from stepfork.redact.marker import is_stand_in, is_template
from stepfork.redact.names import OWN, PASSWORD, STRONG, words
from stepfork.redact.pattern import pattern
from stepfork.redact.randomness import is_varied, looks_random, mixed_share, worded_share

_JUDGED = 512
"""So much of a value is looked at to tell whether it is one."""

_VARIABLE = pattern(r"[A-Za-z_$][A-Za-z0-9_$]*(?:\.[A-Za-z_$][A-Za-z0-9_$]*)+\Z|[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\Z")
_WORDLIKE = pattern(r"[A-Za-z][a-z]*(?:[-_ .][A-Za-z]?[a-z]*)*\Z")
_IDENTIFIER = pattern(r"_?[A-Za-z]+(?:_[A-Za-z]+)*\Z")
_REFERENCE = pattern(r"[a-z]+(?:_[a-z]+)*_?(?:pass|passwd|password|pwd|secret|token|key)[0-9]*\Z")
_RULES = pattern(r"[a-z_]+(?::[\w,.]+)?(?:\|[a-z_]+(?::[\w,./^$-]+)?)+\Z")
_LOCATION = pattern(r"(?:[A-Za-z][A-Za-z0-9+.-]*://|[~/]|\.{1,2}/|[A-Za-z]:[\\/])")
_TOKEN = pattern(r"[A-Za-z0-9_.~+/=:@!$%-]+\Z")
_RESOURCE = pattern(r"[A-Za-z][\w.-]*(?:/[\w.-]+){2,}\Z")
_CLASS = pattern(r".*(?:a-z|A-Z|0-9).*(?:a-z|A-Z|0-9|\\|_)")
_CODE = pattern(r"[A-Za-z_][\w.:]*[(\[]|\([A-Za-z_]|.*\{[A-Za-z_][\w.]*(?:[(\[][^{}]*)?(?:![rsa])?(?::[^{}]*)?\}")
_ASSIGNMENT = pattern(r"[A-Za-z_][A-Za-z0-9_.-]*=[^=]")
_FILE = pattern(r"/.*\.[A-Za-z0-9]{1,5}\Z")
_DATE = pattern(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_MNEMONIC = pattern(r"(?:[a-z]{3,8} ){11,23}[a-z]{3,8}\Z")
_NO_VALUE = pattern(
    r"(?i)(?:none|null|nil|true|false|undefined|str|string|bytes|int|any|unset|empty)\s*(?:[=,;|].*)?\Z"
)


def is_plausible(value: str, kind: str, name: str = "", *, is_bare: bool = False) -> bool:
    """Whether a value under a `name` of this strength is a secret; `is_bare`: it stands there without quotes, where
    code and notes have names of other things."""
    if kind == OWN:
        return bool(value.strip()) and not is_template(value) and not _NO_VALUE.match(value)
    if is_stand_in(value) or _VARIABLE.match(value) or (name and _is_named_alike(name, value)):
        return False
    if _CLASS.match(value[:_JUDGED]) or _CODE.match(value[:_JUDGED]):
        return False
    if _has_blank(value):
        return kind == PASSWORD and _MNEMONIC.match(value) is not None
    value = value[:_JUDGED]
    if _LOCATION.match(value) and ("://" in value or mixed_share(value) < 0.6):
        return False
    if _RESOURCE.match(value) and mixed_share(value) < 0.4:
        return False
    if kind == PASSWORD:
        return len(value) >= 6 and not _is_word(value, is_bare=is_bare)
    if _ASSIGNMENT.match(value):  # the name in it introduces what follows
        return False
    if not any(char.isdigit() for char in value) or not any(char.isalpha() for char in value):
        return len(value) >= 20 and looks_random(value) and worded_share(value) < 0.75 and bool(_TOKEN.match(value))
    if len(value) < 8 or _DATE.match(value) or (is_bare and _REFERENCE.match(value)):
        return False
    if len(value) >= 12 and worded_share(value) >= 0.8:
        return False
    return kind == STRONG or is_telling(value)


def is_telling(value: str) -> bool:
    """Whether a value shows by itself that it was drawn by lot, under whatever name it stands."""
    if len(value) < 16 or _FILE.search(value) or _TOKEN.match(value) is None:
        return False
    return looks_random(value) and mixed_share(value) > 0.5 and worded_share(value) < 0.75


def shows_password(value: str) -> bool:
    """Whether a value in a sentence or a table is a password and no word: letters, digits, and more than that."""
    kinds = (str.islower, str.isupper, str.isdigit, lambda char: not char.isalnum())
    return len(value) >= 8 and any(map(str.isdigit, value)) and sum(any(map(kind, value)) for kind in kinds) >= 3


def _is_word(value: str, *, is_bare: bool) -> bool:
    if _WORDLIKE.match(value) or (value.isalpha() and not value.isascii()) or (not is_varied(value) and len(value) > 8):
        return True
    if is_bare and (_IDENTIFIER.match(value) or _REFERENCE.match(value) or value.startswith(":")):
        return True
    return _RULES.match(value) is not None


def _is_named_alike(name: str, value: str) -> bool:
    """Whether a value only says its name once more: ``CHALLENGE_PASSWORD = "challengePassword"``."""
    return len(value) < 60 and "".join(words(name)).endswith("".join(words(value)) or " ") and value[-1:].isalpha()


def _has_blank(value: str) -> bool:
    return value.split(None, 1) != [value]

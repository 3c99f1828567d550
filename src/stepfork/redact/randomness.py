"""Whether a value looks drawn by lot, or composed of words and numbers."""

from __future__ import annotations

from stepfork.redact.pattern import pattern

_SEGMENT = pattern(r"[^-_./: ]+")
_PLAIN = pattern(r"[a-z]+|[A-Z][a-z]*|[A-Z]+|[0-9]+")
_TURN = pattern(r"[a-z][A-Z]")
_CAMEL = pattern(r"[A-Z][a-z]{2,}|[a-z]{3,}")
_CHANGE = pattern(r"[a-z](?=[A-Z0-9])|[A-Z](?=[a-z0-9])|[0-9](?=[A-Za-z])")


def looks_random(value: str) -> bool:
    """Whether `value` looks drawn by lot and not composed of words and numbers.

    Random are: letters and digits mixed within a segment, or (where no digit was drawn) frequent changes between
    lower and upper case. Not random: ``token-based-auth-2024``, ``fw_internal_testing``, ``xxxxxxxxxxxx``.
    """
    if not is_varied(value):
        return False
    if not any(char.isdigit() for char in value):
        return len(_TURN.findall(value)) * 8 >= len(value)
    return mixed_share(value) > 0.2


def is_varied(value: str) -> bool:
    """Whether a value is more than the same few characters again and again, as those of placeholders are."""
    return len(set(value)) >= 6


def mixed_share(value: str) -> float:
    """Which part of a value's segments are neither words nor numbers, 0 to 1."""
    segments = _SEGMENT.findall(value)
    mixed = sum(len(segment) for segment in segments if not _PLAIN.fullmatch(segment))
    return mixed / max(1, sum(map(len, segments)))


def change_share(value: str) -> float:
    """How often a character is of another kind (lower case, upper case, digit) than the one after it, 0 to 1: about 0.6
    of letters and digits that were drawn by lot, 0.47 of hexadecimal digits, 0.3 of words in camel case."""
    return len(_CHANGE.findall(value)) / max(1, len(value) - 1)


def is_mixed(value: str) -> bool:
    """Whether a value has lower and upper case and digits, one after the other as no name in camel case has them."""
    kinds = (str.islower, str.isupper, str.isdigit)
    if not all(any(map(kind, value)) for kind in kinds) or not looks_random(value):
        return False
    return change_share(value) >= 0.35 and worded_share(value) < 0.7


def worded_share(value: str) -> float:
    """Which part of a value in both cases stands in runs such as words in camel case are made of, 0 to 1: about 0.3 of
    letters and digits that were drawn by lot. 0 where there is one case only."""
    if value in (value.lower(), value.upper()):
        return 0.0
    return sum(map(len, _CAMEL.findall(value))) / len(value)

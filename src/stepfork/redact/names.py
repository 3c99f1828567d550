"""Names that introduce a secret: members, headers, parameters, variables, flags.

A name is read as its words (``x-api-key``, ``OPENAI_API_KEY`` and ``SecretAccessKey`` alike), and what counts is its
last word together with the one before. `strength` says how much a value must show to be taken for a secret.
"""

from __future__ import annotations

from stepfork.redact.pattern import pattern
from stepfork.redact.vocabulary import (
    ABOUT,
    IDENTIFYING,
    KEYS,
    NO_TOKENS,
    PASS,
    PASSWORDS,
    SERVICES,
    TOGETHER,
    TOKENS,
    TWO_WORDS,
    WEAK_KEYS,
    WHOSE,
)

OWN = "own"
"""A name that a project calls secret: the value is one whatever it looks like, unless it is a template."""
PASSWORD = "password"  # noqa: S105 (a kind of name)
"""The value is a secret whatever it looks like, unless it is an ordinary word."""
STRONG = "strong"
"""The value is a secret when it has letters and digits, eight characters or more."""
WEAK = "weak"
"""The value is a secret when it also looks random and has sixteen characters or more."""


def words(name: str) -> list[str]:
    """The words of a name in lower case: ``ocp-apim-SubscriptionKey`` is ocp, apim, subscription, key."""
    found: list[str] = []
    start, before = 0, ""
    for index, char in enumerate(name + " "):
        kind = _kind(char)
        if kind != before:
            if before == "upper" and kind == "lower":  # the last capital begins the next word: APIKey is API, Key
                if index - 1 > start:
                    found.append(name[start : index - 1].lower())
                start = index - 1
            else:
                if before:
                    found.append(name[start:index].lower())
                start = index
            before = kind
    return found


def _kind(char: str) -> str:
    if not char.isascii() or not char.isalnum():
        return ""
    return "digit" if char.isdigit() else "upper" if char.isupper() else "lower"


def strength(name: str) -> str | None:
    """`PASSWORD`, `STRONG` or `WEAK` for a name that introduces a secret, None for any other.

    Where words follow that say whose the secret is, or which (see `qualified`), it is `WEAK`.
    """
    if len(name) > 100 or "::" in name:  # ``AWS::ApiGateway::ApiKey`` is a type
        return None
    if name not in _seen:
        if len(_seen) > 10_000:
            _seen.clear()
        kind = _strength(words(name))
        _seen[name] = WEAK if kind is None and qualified(name) else kind
    return _seen[name]


_seen: dict[str, str | None] = {}
"""The same few names stand in every event of every stream."""


def _strength(parts: list[str]) -> str | None:
    parts = _without_numbers(parts)
    if not parts:
        return None
    last, before = parts[-1], parts[-2] if len(parts) > 1 else ""
    if _is_password(last, before):
        return PASSWORD
    if last in ("authorization", "secret", "psk") or last.endswith(TOGETHER):
        return STRONG
    if f"{before}-{last}" in TWO_WORDS:
        return PASSWORD if last == "phrase" else STRONG
    if last.endswith("s") and last[:-1] in ("key", "token", "secret", "apikey", "passwd", "password"):
        kind = (
            _strength([*parts[:-1], last[:-1]]) if last != "tokens" or before in TOKENS or before in SERVICES else None
        )
        return WEAK if kind else None  # of several values each must show that it is one
    if last == "key":
        return _key_strength(before)
    if last == "token":
        return None if before in NO_TOKENS else STRONG if before in TOKENS or before in SERVICES else WEAK
    return WEAK if last in ("credential", "credentials", "auth", "dsn", "pwd", "pat", "jwt") else None


def _without_numbers(parts: list[str]) -> list[str]:
    end = len(parts)
    while end > 1 and parts[end - 1].isdigit():
        end -= 1
    return parts[:end]


def _is_password(last: str, before: str) -> bool:
    if last in PASS:
        return bool(before) and before not in ("old", "bypass")
    if last in PASSWORDS or last.endswith(("password", "passwd", "passphrase")):
        return True
    return last.endswith("pass") and last.startswith(WHOSE)


def _key_strength(before: str) -> str | None:
    if before in KEYS or before in SERVICES:
        return STRONG
    return WEAK if before in WEAK_KEYS else None


def is_identifying(name: str) -> bool:
    """Whether a name says that a long value under it is an id, a hash or the place in a list, and no credential."""
    if name not in _identifying:
        if len(_identifying) > 10_000:
            _identifying.clear()
        parts = _without_numbers(words(name)) if len(name) <= 100 else []
        last, before = (parts or [""])[-1], parts[-2] if len(parts) > 1 else ""
        _identifying[name] = last in IDENTIFYING or (last in ("token", "tokens") and before in NO_TOKENS)
    return _identifying[name]


_identifying: dict[str, bool] = {}

_ENVIRONMENT = tuple(
    "KEY TOKEN SECRET PASSWORD _PASS _PWD PASSWD CREDENTIALS CREDENTIAL DSN AUTH".split()  # noqa: SIM905
)
_PATHS = frozenset(("PWD", "OLDPWD"))


def is_secret_variable(name: str) -> bool:
    """Whether an environment variable of this name holds a secret (its last word says so, and it is no path)."""
    upper = name.upper()
    return upper.endswith(_ENVIRONMENT) and upper not in _PATHS and not upper.endswith("_ASKPASS")


def qualified(name: str) -> str | None:
    """The strength of what a variable's name begins with, where words follow that say whose secret it is or which:
    ``AWS_BEARER_TOKEN_BEDROCK``, ``OPENAI_API_KEY_PROD``. None for ``…_TOKEN_URL`` and for a name of another kind."""
    parts = words(name)
    for end in range(len(parts) - 1, 0, -1):
        kind = _strength(parts[:end])
        if kind is not None:
            return None if ABOUT.intersection(parts[end:]) else kind
    return None


PARAMETERS = frozenset(
    "key apikey token accesstoken accesskey subscriptionkey clientsecret sig signature secret password".split()  # noqa: SIM905
)


def is_secret_parameter(name: str) -> bool:
    """Whether a query parameter of this name holds a secret, whatever its value looks like."""
    joined = "".join(words(name))
    return joined in PARAMETERS or joined.endswith(("apikey", "subscriptionkey", "amzsignature", "googsignature"))


_introducing: dict[str, bool] = {}


def introduces(name: str) -> bool:
    """Whether a name introduces a secret anywhere: as a name of a strength, or as a query parameter."""
    known = _introducing.get(name)
    if known is None:
        if len(_introducing) > 10_000:
            _introducing.clear()
        known = _introducing[name] = strength(name) is not None or is_secret_parameter(name)
    return known


FLAG_WORDS = ("key", "token", "secret", "password", "passwd", "pass", "auth", "credential")
_NO_FLAG = pattern(
    r"author|keyboard|keyword|keymap|keyframe|monkey|tokeniz|passthrough|pass-through|compass|bypass"
    r"|(?:max|min|num|total|input|output|completion|prompt|budget)[-_a-z]*tokens?\Z|tokens\Z|(?:^|-)no-"
)


def is_secret_flag(flag: str) -> bool:
    """Whether a command-line flag (its dashes aside) takes a secret; flags of one letter never do."""
    name = flag.lstrip("-").lower()
    return len(name) > 1 and any(word in name for word in FLAG_WORDS) and not _NO_FLAG.search(name)

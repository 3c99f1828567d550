"""Values made up for what this run has not shown yet: well-formed, unique, the same for the same seed.

What is stored of an id is its prefix alone, so alphabet and length are what the prefix's owner uses. Each made-up value
fits the rules of normalisation, so that it is known again wherever the program writes it.
"""

from __future__ import annotations

import base64
import string
from collections.abc import Callable
from functools import cache
from itertools import count

from stepfork.canonical.names import name_of
from stepfork.normalize import rules
from stepfork.normalize.own import NO_OWN, OwnRules
from stepfork.normalize.placeholders import PERSONAL, read
from stepfork.replay import own_values, personal_values
from stepfork.replay.identities import STRICT

_ALPHABET = string.digits + string.ascii_uppercase + string.ascii_lowercase
_Body = Callable[[str], str]
"""Makes what follows a prefix from 64 random hex digits."""


def _letters(count: int, head: str = "") -> _Body:
    """`head`, then letters of both cases and digits."""

    def make(digits: str) -> str:
        number, made = int(digits, 16), ""
        while len(made) < count:
            number, at = divmod(number, len(_ALPHABET))
            made += _ALPHABET[at]
        return head + made

    return make


def _hex(count: int) -> _Body:
    return lambda digits: digits[:count]


def _uuid(digits: str) -> str:
    """A random UUID, version 4 (RFC 9562)."""
    variant = "89ab"[int(digits[16], 16) % 4]
    return f"{digits[:8]}-{digits[8:12]}-4{digits[13:16]}-{variant}{digits[17:20]}-{digits[20:32]}"


def _numbered_uuid(digits: str) -> str:
    return f"{_uuid(digits)}-0"


def _dated(digits: str) -> str:
    """OpenRouter: seconds since 1970, then the id."""
    return f"17{int(digits, 16) % 10**8:08d}-{_letters(20)(digits)}"


_ANTHROPIC = _letters(22, "01")
_OPENAI = _letters(24)
_ITEM = _hex(48)
_BODIES: dict[str, _Body] = {
    "": _uuid,
    "chatcmpl-": _letters(29),
    **dict.fromkeys(
        (
            "resp_", "msg_", "fc_", "rs_", "ws_", "fs_", "ci_", "ig_", "cu_", "mcp_", "mcpl_", "mcpr_", "ctc_",
            "lsh_", "conv_", "item_", "cntr_", "cfile_",
        ),
        _ITEM,
    ),
    **dict.fromkeys(
        (
            "toolu_", "srvtoolu_", "mcptoolu_", "toolu_bdrk_", "toolu_vrtx_", "msg_bdrk_", "msg_vrtx_", "msgbatch_",
            "container_", "compl_",
        ),
        _ANTHROPIC,
    ),
    **dict.fromkeys(("req_", "trace_", "chat-", "chatcmpl-tool-", "pyd_ai_", "group_"), _hex(32)),
    "span_": _hex(24),
    "tooluse_": _letters(22),
    "gen-": _dated,
    **dict.fromkeys(("call_0_", "lc_", "lc_run--"), _uuid),
    **dict.fromkeys(("run-", "run--"), _numbered_uuid),
}  # fmt: skip
_OF_MESSAGES: dict[str, _Body] = {"msg_": _ANTHROPIC, "req_": _letters(20, "011C")}
"""What Anthropic's API spells otherwise than OpenAI's."""


class Inventor:
    """Makes values from a seed; never one of those that `taken` knows.

    `name` is the seed of addresses and persons, which people read in what a program prints: they are the same in each
    run. Ids are not, since a program may keep those of its last run. `own` has the project's patterns of ids.
    """

    def __init__(self, seed: str, taken: Callable[[str, str], bool], *, name: str = "", own: OwnRules = NO_OWN) -> None:
        self._seed = seed
        self._name = name
        self._taken = taken
        self._own = own
        self._own_body = cache(self._fitting)

    def make(self, kind: str, name: str, prefix: str = "", api: str = "") -> str:
        """A value of a kind for the placeholder `name`; an id begins with its `prefix`."""
        at = 0
        while True:
            digits = _digits(self._name if kind in STRICT else self._seed, kind, name, str(at))
            if kind in PERSONAL:
                made = personal_values.made_up(kind, _number_in(name), digits, at)
            else:
                made = self._own_id(digits, prefix) or _made(kind, digits, prefix, api)
            if not self._taken(kind, made) and (not prefix or self._fits(prefix, made) or at > 99):
                return made
            at += 1

    def number(self, name: str) -> str:
        """A number for the placeholder `name` of an id that is one."""
        made = (own_values.number(_digits(self._seed, "id", name, str(at))) for at in count())
        return next(value for value in made if not self._taken("id", value))

    def _fits(self, prefix: str, made: str) -> bool:
        return bool((self._own.prefixes.get(prefix) or rules.ID).fullmatch(made))

    def _own_id(self, digits: str, prefix: str) -> str:
        """An id of the project's own whose pattern begins with `prefix`; empty where there is none."""
        body = self._own_body(prefix)
        return prefix + body(digits) if body else ""

    def _fitting(self, prefix: str) -> _Body | None:
        pattern = self._own.prefixes.get(prefix)
        return own_values.fitting(pattern, prefix, _uuid) if pattern else None


def _number_in(name: str) -> int:
    found = read(name)
    return found.number or 0 if found else 0


def fingerprint(seed: str) -> str:
    """What follows ``fp_``."""
    return _digits(seed, "fingerprint")[:10]


def boundary(seed: str) -> str:
    """The boundary of a multipart body (RFC 2046: up to 70 characters)."""
    return "stepfork-" + _digits(seed, "boundary")[:32]


def _digits(*words: str) -> str:
    return name_of("\0".join(words).encode("utf-8", "replace"))


def _made(kind: str, digits: str, prefix: str, api: str) -> str:
    if kind == "email":
        return f"person-{digits[:8]}@example.com"  # RFC 2606: nobody's
    if kind == "device":
        return digits
    if kind == "opaque":
        return base64.b64encode(bytes.fromhex(digits) * 3).decode()
    if kind != "id":
        return _uuid(digits)
    body = (_OF_MESSAGES.get(prefix) if api == "messages" else None) or _BODIES.get(prefix, _OPENAI)
    return prefix + body(digits)

"""Values in which no rule can find anything, told at the price of one pass over their JSON text.

What a program records by the thousand are small values without secrets: reading each text of each by its place costs
twenty times as much as writing them in JSON does.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from stepfork.providers.logprobs import HOLDERS, may_have_tokens
from stepfork.redact.across import Across
from stepfork.redact.encoded import may_be_encoded
from stepfork.redact.secrets import Secrets
from stepfork.rewrite.text import ROW_MEMBERS


def is_clear(value: dict[str, Any], secrets: Secrets, finds: Callable[[str], object]) -> bool:
    """Whether nothing of `value` is a secret, as its members' names and places say too. `finds` says what the rules
    find in one text.

    Where it takes more than the text of the whole to tell (documents in texts, what is encoded, tokens) it is not said
    to be.
    """
    try:
        data = msgspec.json.encode(value)
        text = data.decode()
    except (ValueError, TypeError, RecursionError):  # half characters have no such text
        return False
    if may_have_tokens(text) or secrets.may_stand_in(text):
        return False
    if secrets.matcher.personal is not None and secrets.prefilter.may_have_pieces(data):
        return False
    return _is_flat(value, secrets, finds)


def _is_flat(value: Any, secrets: Secrets, finds: Callable[[str], object]) -> bool:
    """Whether its texts hold no others, and those that stand in a row spell nothing together."""
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, str):
            if "{" in one or "[" in one or may_be_encoded(one):
                return False
        elif isinstance(one, dict):
            if not HOLDERS.isdisjoint(one):
                return False
            waiting += one
            waiting += one.values()
        elif isinstance(one, list):
            if len(one) > 1 and not _is_clear_row(one, secrets, finds):
                return False
            waiting += one
    return True


def _is_clear_row(items: list[Any], secrets: Secrets, finds: Callable[[str], object]) -> bool:
    if any(isinstance(item, dict) and any(name in item for name in ROW_MEMBERS) for item in items):
        return False
    texts = [item for item in items if isinstance(item, str)]
    return len(texts) < 2 or not finds(Across(texts, secrets.matcher).text)

"""Personal data are found in a file at any depth of JSON text and however it is escaped, and a capture leaves none."""

from __future__ import annotations

import json
from urllib.parse import quote

from hypothesis import given, settings
from hypothesis import strategies as st

from stepfork.normalize.known import Context
from stepfork.normalize.normalize import normalize_exchange
from stepfork.redact.rules import CLASSES, Rules
from stepfork.redact.scan import scan_bytes
from stepfork.redact.secrets import Secrets
from tests.unit.normalize.scripted import exchange

NAMES = ("Ada Lovelace", "Zoë Müller")
SECRETS = Secrets({}, Rules(personal=CLASSES, names=NAMES)).with_personal
CONTEXT = Context(1, 2, personal=CLASSES, names=NAMES)
VALUES = {
    "phone number": ("+44 20 7946 0958", "020 7946 0958", "(415) 555-0123", "+442079460958"),
    "payment card": ("4111 1111" + " 1111 1111", "41111111" + "11111111"),
    "IBAN": ("GB82 WEST" + " 1234 5698 7654 32", "DE893704" + "00440532013000"),
    "name 1": ("Ada Lovelace", "LOVELACE, ADA"),
    "name 2": ("Zoë Müller", "müller, zoë"),
}
values = st.sampled_from([(rule, value) for rule, found in VALUES.items() for value in found])
edges = st.sampled_from(["", "\n", "\t", '"', "<b>", " said ", "\\ ", "ö ", "/ ", "(", "; "])


def spelled(text: str, depth: int, how: str) -> str:
    for _ in range(depth):
        text = json.dumps({"k": [text]}, ensure_ascii=how != "plain")
    return text


@settings(max_examples=150, deadline=None)
@given(values, st.tuples(edges, edges), st.integers(0, 3), st.sampled_from(["plain", "ascii"]), st.booleans())
def test_a_value_is_found_and_replaced_at_any_depth(found, beside, depth, how, in_url):
    (rule, value), (before, after) = found, beside
    text = f"https://x.example/?q={quote(value)}&b=1" if in_url else f"{before}{value}{after}"
    document = spelled(text, depth, how)
    data = json.dumps({"messages": [{"role": "user", "content": document}]}, ensure_ascii=how == "ascii")
    assert rule in {item.rule for item in scan_bytes(data.encode(), SECRETS)}
    assert rule in {item.rule for item in scan_bytes(document.encode(), SECRETS)}
    sent = exchange("chat_completions", {"messages": [{"role": "user", "content": document}]}, {})
    made = json.dumps(normalize_exchange(sent, CONTEXT).request.body.value)
    assert scan_bytes(made.encode(), SECRETS) == []

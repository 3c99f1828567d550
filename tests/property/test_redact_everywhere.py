from __future__ import annotations

import base64
import itertools
import json
import urllib.parse
from typing import Any

from hypothesis import HealthCheck, assume, example, given, settings
from hypothesis import strategies as st

from stepfork.errors import ScanError
from stepfork.redact.matcher import Matcher
from stepfork.redact.redactor import Redactor, redact_text
from stepfork.redact.scan import scan_bytes, scan_text
from stepfork.redact.secrets import Secrets
from stepfork.redact.span import Span, merge
from stepfork.rewrite.events import rewrite_events
from stepfork.rewrite.place import Place
from stepfork.rewrite.text import rewrite_text
from stepfork.rewrite.value import rewrite_value
from tests.unit.redact.samples import EVERY, HEX32, OPENAI, PASSWORD

NONE = Secrets({})
MATCHER: Matcher = NONE.matcher
plain = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
values = st.text(
    st.characters(min_codepoint=33, max_codepoint=0x2FF, exclude_categories=["Cs", "Cc"]), min_size=8, max_size=40
)
awkward = st.text(st.sampled_from(" \"\\/%&+=\n$'é密aZ9"), min_size=8, max_size=20).filter(
    lambda text: len(text.strip()) >= 8
)
relaxed = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def known(value: str) -> Secrets:
    return Secrets.collect({"A_SECRET": value}, {})


@relaxed
@given(values | awkward, plain, plain, st.integers(0, 3))
def test_no_known_value_survives_any_depth_of_json(value: str, left: str, right: str, depth: int) -> None:
    text = f"{left} {value} {right}"
    for level in range(depth):
        text = json.dumps({"k": [text]} if level % 2 else text, ensure_ascii=bool(level % 2))
    secrets = known(value)
    made = redact_text(text, secrets)
    assert value not in made
    assert value not in _decoded_all(made)
    document = json.loads(json.dumps({"a": {"b": text}}))
    redacted = rewrite_value(document, Place(()), Redactor(secrets))
    assert value not in _decoded_all(redacted)
    assert rewrite_value(redacted, Place(()), Redactor(secrets)) == redacted


def _decoded_all(value: Any) -> str:
    """Every string of a document, JSON in JSON included, one after another."""
    if isinstance(value, str):
        try:
            inner = json.loads(value)
        except ValueError:
            return value
        return value if not isinstance(inner, dict | list | str) else _decoded_all(inner)
    if isinstance(value, dict):
        return "\n\n".join(f"{key}\n\n{_decoded_all(item)}" for key, item in value.items())
    if isinstance(value, list):
        return "\n\n".join(map(_decoded_all, value))
    return ""


@relaxed
@given(values, st.sampled_from(["quote", "quote_plus", "lower", "base64", "urlsafe", "inside base64", "key"]), plain)
def test_no_known_value_survives_an_encoding(value: str, encoding: str, around: str) -> None:
    raw = value.encode()
    spelled = {
        "quote": urllib.parse.quote(value, safe=""),
        "quote_plus": urllib.parse.quote_plus(value),
        "lower": urllib.parse.quote(value).replace("%C", "%c"),
        "base64": base64.b64encode(raw).decode(),
        "urlsafe": base64.urlsafe_b64encode(raw).decode(),
        "inside base64": base64.b64encode(b"us:" + raw + b"!").decode(),
        "key": value,
    }[encoding]
    assume(spelled not in around)
    document = {spelled: 1} if encoding == "key" else {"x": f"{around}|{spelled}|{around}"}
    made = json.dumps(rewrite_value(document, Place(()), Redactor(known(value))), ensure_ascii=False)
    assert spelled not in made


@relaxed
@given(values | awkward | st.sampled_from(EVERY), st.lists(st.integers(1, 9), min_size=1, max_size=12), plain)
def test_no_secret_survives_being_split_into_deltas(value: str, cuts: list[int], around: str) -> None:
    text = f"{around} {value} {around}"
    deltas, at = [], 0
    while at < len(text):
        deltas.append(text[at : at + cuts[len(deltas) % len(cuts)]])
        at += len(deltas[-1])
    chunks = [{"choices": [{"index": 0, "delta": {"content": delta}}]} for delta in deltas]
    events = [*(f"data: {json.dumps(chunk)}" for chunk in chunks), "data: [DONE]"]
    made = rewrite_events(events, Place(()), Redactor(known(value)))
    pieces = [json.loads(event[6:])["choices"][0]["delta"]["content"] for event in made[:-1]]
    assert len(made) == len(events)
    assert value not in "".join(pieces)
    assert rewrite_events(made, Place(()), Redactor(known(value))) == made


pieces = st.sampled_from(
    [
        *EVERY,
        OPENAI,
        HEX32,
        PASSWORD,
        "password=",
        "api_key: ",
        '"token": "',
        "://u:",
        "@host",
        "Bearer ",
        "Basic ",
        "[redacted]",
        "\\n",
        "\\",
        '"',
        "'",
        " ",
        ".",
        "%2F",
        "%",
        "[",
        "]",
        "key",
        "-----BEGIN ",
        "=",
        ":",
        "&",
        "\n",
        "sk-",
        "{",
        "}",
        "a1B2c3D4e5F6",
    ]
)
mixtures = st.lists(pieces | plain, max_size=8).map("".join)


@settings(max_examples=300, deadline=None)
@given(mixtures)
def test_redacting_twice_changes_nothing(text: str) -> None:
    once = redact_text(text, NONE)
    assert redact_text(once, NONE) == once


@settings(max_examples=300, deadline=None)
@given(mixtures)
def test_a_text_that_the_prefilter_calls_clean_holds_nothing(text: str) -> None:
    for form in (text, json.dumps({"a": text}), json.dumps([json.dumps(text)], ensure_ascii=False)):
        if not NONE.prefilter.may_hold_secret(form):
            redactor = Redactor(NONE)
            rewrite_text(form, Place(()), redactor)
            assert redactor.findings == ()


@relaxed
@given(
    st.dictionaries(plain, plain | st.integers() | st.booleans() | st.none() | st.lists(plain, max_size=3), max_size=6)
)
def test_json_stays_json_and_every_other_leaf_stays_equal(document: dict[str, Any]) -> None:
    assume(not any(MATCHER.find(text) for text in [*document, json.dumps(document)]))
    dirty = {**document, "the-secret-one": f"x {OPENAI} y"}
    made = json.loads(rewrite_text(json.dumps(dirty), Place(()), Redactor(NONE)))
    assert made == {**document, "the-secret-one": "x [redacted] y"}


@relaxed
@given(
    st.binary(max_size=200) | mixtures.map(lambda text: text.encode("utf-8", "surrogatepass")),
    st.sampled_from(["a.json", "b.yaml", ".env", ""]),
)
def test_any_bytes_are_scanned_or_refused(data: bytes, name: str) -> None:
    try:
        found = scan_bytes(data, NONE, name)
    except ScanError:
        return
    assert all(item.where == name for item in found)


@relaxed
@given(mixtures)
@example("pass" + "word=Basic 000000")
@example("api-key: token 1234567")
def test_a_finding_of_a_scan_is_a_change_of_the_redactor(text: str) -> None:
    form = json.dumps({"a": text})
    changed = rewrite_text(form, Place(()), Redactor(NONE)) != form
    assert bool(scan_text(form, NONE)) == changed


@given(st.lists(st.tuples(st.integers(0, 50), st.integers(1, 20), st.sampled_from("abc")), max_size=8), st.randoms())
def test_merged_spans_are_disjoint_cover_all_and_do_not_depend_on_order(
    items: list[tuple[int, int, str]], random: Any
) -> None:
    spans = [Span(start, start + length, rule) for start, length, rule in items]
    merged = merge(spans)
    shuffled = list(spans)
    random.shuffle(shuffled)
    assert repr(merge(shuffled)) == repr(merged)
    covered = {index for span in spans for index in range(span.start, span.end)}
    assert {index for span in merged for index in range(span.start, span.end)} == covered
    assert all(one.end <= two.start for one, two in itertools.pairwise(merged))

from __future__ import annotations

import itertools
import json
from typing import Any

import msgspec
from hypothesis import HealthCheck, assume, example, given, settings
from hypothesis import strategies as st

from stepfork.canonical.order import order_of
from stepfork.errors import ScanError
from stepfork.redact.matcher import Matcher
from stepfork.redact.redactor import Redactor, redact_run, redact_text
from stepfork.redact.scan import scan_bytes, scan_text
from stepfork.redact.secrets import Secrets
from stepfork.redact.span import Span, merge
from stepfork.rewrite.place import Place
from stepfork.rewrite.text import rewrite_text
from stepfork.trace.body import EventsBody, JsonBody, TextBody
from tests.property.leaks import PLACES, SPELLINGS, SPREADS, everything, run_of
from tests.property.provider_bodies import APIS, places, replaced, requests
from tests.unit.redact.samples import EVERY, GITHUB, HEX32, OPENAI, PASSWORD, SLACK

NONE = Secrets({})
MATCHER: Matcher = NONE.matcher
plain = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
values = st.text(
    st.characters(min_codepoint=33, max_codepoint=0x2FF, exclude_categories=["Cs", "Cc"]), min_size=8, max_size=40
)
awkward = st.text(st.sampled_from(" \"\\/%&+=\n$'é密aZ9"), min_size=8, max_size=20).filter(
    lambda text: len(text.strip()) >= 8
)
words = [
    "lettersonlysecret",
    "v6\"fu2\\gbC pä$$Zm&l'<x>/+=%é",
    "correct horse battery",
    "aB3$dE6!",
    "one aaaa bbb\ntwo cc dd",
]
ending = [secret for secret in EVERY if secret != SLACK]
"""Those that end where a form or a URL goes on: Slack's may hold the signs of either."""
relaxed = settings(
    max_examples=60 * (settings().max_examples // 100), deadline=None, suppress_health_check=[HealthCheck.too_slow]
)


def known(value: str) -> Secrets:
    return Secrets.collect({"A_SECRET": value}, {})


around = st.sampled_from(["", "see", "the value is", "é –"])


@relaxed
@given(values | awkward, st.sampled_from(sorted(SPELLINGS)), st.sampled_from(sorted(PLACES)), around, around)
def test_no_known_value_survives_in_any_place_and_spelling(
    value: str, spelling: str, place: str, left: str, right: str
) -> None:
    assume(len(value.strip()) >= 8)
    spelled = SPELLINGS[spelling](value)
    secrets = known(value)
    made, findings = redact_run(PLACES[place](f"{left} {spelled} {right}"), secrets)
    assert spelled not in everything(made)
    assert value not in everything(made)
    assert findings
    assert redact_run(made, secrets) == (made, ())


@relaxed
@given(st.sampled_from([*ending, *words]), st.sampled_from(sorted(SPELLINGS)), st.sampled_from(sorted(PLACES)), around)
def test_all_else_stays_as_it_is(value: str, spelling: str, place: str, left: str) -> None:
    made, _ = redact_run(PLACES[place](f"{left} {SPELLINGS[spelling](value)} and so on"), known(value))
    assert made in [PLACES[place](f"{left} {marked} and so on") for marked in _marked(spelling)]


def _marked(spelling: str) -> list[str]:
    """What may stand where a value stood: some spellings say more than the value, and some texts are read inside."""
    found = {
        "basic": "Basic [redacted]",
        "password of a url": "https://ann:[redacted]@host.example/",
        "percent in html": "?a=1&amp;b=[redacted]",
        "base64 of json": SPELLINGS["base64 of json"]("[redacted]"),
    }.get(spelling, "[redacted]")
    return [found, "[redacted]"]


@relaxed
@given(st.sampled_from(ending), st.sampled_from(sorted(PLACES)), around, around)
def test_no_shape_survives_in_any_place(value: str, place: str, left: str, right: str) -> None:
    made, findings = redact_run(PLACES[place](f"{left} {value} {right}"), NONE)
    assert made == PLACES[place](f"{left} [redacted] {right}")
    assert findings
    assert redact_run(made, NONE) == (made, ())


@relaxed
@given(
    values | awkward | st.sampled_from(EVERY),
    st.sampled_from(sorted(SPREADS)),
    st.lists(st.integers(1, 9), min_size=1, max_size=12),
    around,
)
def test_no_secret_survives_being_spread_over_pieces(value: str, spread: str, cuts: list[int], left: str) -> None:
    value = value.strip("\r\n")
    assume(len(value.strip()) >= 8)
    secrets = known(value)
    pieces = _cut(f"{left} {value} {left}", cuts)
    run = SPREADS[spread](pieces)
    made, findings = redact_run(run, secrets)
    assert made == SPREADS[spread](_redacted(pieces, len(left) + 1, len(value)))
    assert findings
    assert redact_run(made, secrets) == (made, ())


def _cut(text: str, cuts: list[int]) -> list[str]:
    pieces, at = [], 0
    while at < len(text):
        pieces.append(text[at : at + cuts[len(pieces) % len(cuts)]])
        at += len(pieces[-1])
    return pieces


def _redacted(pieces: list[str], start: int, length: int) -> list[str]:
    """The pieces without the secret that begins at `start`: the marker in the first that it touches."""
    made, at, marker = [], 0, "[redacted]"
    for piece in pieces:
        begin, end = (min(max(edge - at, 0), len(piece)) for edge in (start, start + length))
        made.append(piece[:begin] + (marker if begin < end else "") + piece[end:])
        marker = "" if begin < end else marker
        at += len(piece)
    return made


@relaxed
@given(st.sampled_from(APIS).flatmap(requests), st.data(), st.sampled_from([*words[:2], OPENAI]))
def test_in_any_body_one_string_changes_and_nothing_else(body: dict[str, Any], data: st.DataObject, value: str) -> None:
    strings = [path for path in places(body) if isinstance(_at(body, path), str)]
    assume(strings and redact_run(run_of(JsonBody(body)), NONE)[0] == run_of(JsonBody(body)))
    path = data.draw(st.sampled_from(strings))
    dirty, clean = (replaced(body, path, f"it is {said}.") for said in (value, "[redacted]"))
    secrets = known(value)
    for make in (
        lambda document: run_of(_json_of(document)),
        lambda document: run_of(TextBody(json.dumps(document))),
        lambda document: run_of(response=EventsBody((f"data: {json.dumps(document)}", "data: [DONE]", ""))),
        lambda document: run_of(response=TextBody(f'{{"n": 1}}\n{json.dumps(document)}\n')),
        lambda document: run_of(JsonBody({"inner": json.dumps({"inner": json.dumps(document)})})),
    ):
        made, findings = redact_run(make(dirty), secrets)
        assert made == make(clean)
        assert len(findings) == 1


def _at(document: Any, path: tuple[Any, ...]) -> Any:
    for step in path:
        document = document[step]
    return document


def _json_of(document: Any) -> JsonBody:
    return JsonBody(document, order_of(document))


@settings(max_examples=5, deadline=None)
@given(st.permutations(sorted(PLACES)), st.randoms())
def test_the_order_of_things_makes_no_difference(places: list[str], random: Any) -> None:
    values = {f"V{index}_SECRET": f"lettersOnlyOr{index}" for index in range(len(places))}
    runs = [PLACES[place](f"see {value} and {GITHUB}") for place, value in zip(places, values.values(), strict=True)]
    whole = msgspec.structs.replace(runs[0], exchanges=tuple(run.exchanges[0] for run in runs))
    shuffled = list(values.items())
    random.shuffle(shuffled)
    secrets = Secrets.collect(values, {})
    assert redact_run(whole, Secrets.collect(dict(shuffled), {})) == redact_run(whole, secrets)
    alone = tuple(redact_run(run, secrets)[0].exchanges[0] for run in runs)
    assert redact_run(whole, secrets)[0].exchanges == alone


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
@given(values | awkward | st.sampled_from(words), st.sampled_from(sorted(SPELLINGS)), around)
def test_a_text_that_the_prefilter_calls_clean_holds_no_known_value(value: str, spelling: str, left: str) -> None:
    assume(len(value.strip()) >= 8)
    secrets = known(value)
    text = f"{left} {SPELLINGS[spelling](value)} and so on"
    for form in (text, json.dumps({"a": text}), json.dumps([json.dumps(text)], ensure_ascii=False)):
        assert secrets.prefilter.may_hold_secret(form)


@relaxed
@given(
    st.dictionaries(plain, plain | st.integers() | st.booleans() | st.none() | st.lists(plain, max_size=3), max_size=6)
)
def test_json_stays_json_and_every_other_leaf_stays_equal(document: dict[str, Any]) -> None:
    clean = json.dumps(document)
    assume(rewrite_text(clean, Place(()), Redactor(NONE)) == clean)
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

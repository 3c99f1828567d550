"""Tokens that are found by the sign inside them: a prefix that is too short to be looked for, and of no known service.

Of ``re_…``, ``pat….…`` and their like, the prefix stands in every second text, so that not it is looked for but the
sign with a run of letters and digits after it. A token of a service that no table names is told by its words
(``acme_live_…``, ``acme-secret-…``), or by a long body of both cases and digits that only a lottery writes.
"""

from __future__ import annotations

from stepfork.redact.names import is_identifying
from stepfork.redact.pattern import pattern
from stepfork.redact.randomness import change_share, is_mixed, looks_random, worded_share
from stepfork.redact.shape import LONGEST_LED
from stepfork.redact.shaped import shape_at, stands_alone
from stepfork.redact.span import Span
from stepfork.redact.table import SHAPES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from stepfork.redact.shape import Shape

RULE = "unknown token"

_SHORTEST_BODY, _TELLING, _LONGEST_BODY = 20, 32, 300
"""Characters of an unknown token after its words: where those tell of a credential, where they tell little."""

_IDS = "".join(
    rf"(?<!\b{word}_)"
    for word in ("call", "msg", "resp", "fc", "rs", "toolu", "req", "run", "span", "trace", "file", "step")
)
"""Words of ids that stand in every trace."""
_NUMBER = r"(?:(?<=[\s,:\[][0-9]\.)|(?<=[\s,:\[]-[0-9]\.))[0-9]{16,}[,\]}\s]"
"""What follows the point of a number such as -0.8412306427955627, with what stands before it."""
SIGNS = (
    rf"_(?=[A-Za-z0-9]{{20}}|[0-9a-f]{{8}}-[0-9a-f]{{4}}-){_IDS}",
    r"-(?=[A-Za-z0-9]{20}|[0-9a-f]{12}:[0-9a-f]{32}|[0-9a-f]{8}-[0-9a-f]{8}(?![0-9a-f-]))(?<!\bchatcmpl-)(?<!\b00-)",
    r"\.(?=[A-Za-z0-9]{16}|[0-9a-f]{8}-[0-9a-f]{4}-|[A-Za-z0-9_-]{6,7}\.[A-Za-z0-9_-]{27}|[A-Za-z0-9_-]{6}:[A-Za-z0-9_-]{40})"
    rf"(?!{_NUMBER})",
)
"""Each is a literal character, which is found at the speed of memory, with what must follow it."""
_IN_TEXT = tuple(pattern(sign) for sign in SIGNS)

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-"
HEAD = 80
"""So many characters before a sign may belong to a token."""
_TAIL = pattern(r"[A-Za-z0-9_-]+")
WORD = r"(?:[A-Za-z][a-z]{0,14}[0-9]{0,2}|[A-Z]{2,8}|[a-z][a-z0-9]{1,3})(?=[-_])"
_WORD = pattern(WORD)
_FILE = pattern(r"\.[a-z]{2,5}\b")


def _set(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


_CREDENTIAL = _set(
    "secret sk pat key apikey api token tok oat at rt live prod production test sandbox stg staging dev admin root "
    "auth access refresh private priv sat uat svc service bot webhook whsec signing password pass pwd session bearer "
    "testsk"
)
"""Words of a prefix that say that a credential follows."""
_WEAK = _set("api at rt live prod production test sandbox stg staging dev admin root session service bot webhook svc")
"""Those that other things than credentials are called by as well: their body must be mixed, or very long."""
_OTHER = _set(
    "public pub publishable cache idempotency idem partition primary foreign sort row hash dedupe group cursor page "
    "next id ids uuid sha sha1 sha256 sha384 sha512 md5 nonce etag integrity digest checksum fingerprint cs trace span "
    "chatcmpl cmpl call gen msg resp run thread asst file batch item req image img asset chunk blob node build commit "
    "encrypted signature sig"
)
"""Words of a prefix that say that something else follows."""


LED: dict[str, tuple[Shape, ...]] = {}
"""Prefixes that a sign ends, with the shapes that they begin."""
for _shape in SHAPES:
    for _prefix in _shape.prefixes:
        if _prefix not in _shape.anchors:
            LED[_prefix] = (*LED.get(_prefix, ()), _shape)


def tokens_in(text: str, name: str | None = None) -> Iterator[Span]:
    """The credentials of a text that are found by a sign inside them; `name` is that of the member that holds it."""
    if len(text) < _SHORTEST_BODY:
        return
    for sign in _IN_TEXT:
        for match in sign.finditer(text):
            at = match.start()
            for shape, start in _led(text, at):
                span = shape_at(shape, text, start)
                if span is not None:
                    yield span
            span = unknown_at(text, at)
            if span is not None and not (span.start == 0 and name is not None and is_identifying(name)):
                yield span


def _led(text: str, at: int) -> Iterator[tuple[Shape, int]]:
    """The shapes of which a prefix ends with the sign at `at`, and where the prefix begins."""
    for size in range(1, min(LONGEST_LED, at + 1) + 1):
        for shape in LED.get(text[at + 1 - size : at + 1], ()):
            yield shape, at + 1 - size


def unknown_at(text: str, at: int, *, escaped: bool = False) -> Span | None:
    """The token of no known service of which a sign stands at `at`."""
    if text[at] == ".":
        return None
    head = text[max(0, at - HEAD) : at]
    start = at - len(head) + len(head.rstrip(LETTERS))
    end = _TAIL.match(text, at).end()  # type: ignore[union-attr]
    while text[end - 1] in "-_":
        end -= 1
    spelled = escaped and text[start - 1 : start] in ("\\", "%")
    if spelled:  # what an escape begins with is a part of no word in what the text stands for
        firsts = (start, start + 1, start + 2, start + 5)
        return next((Span(first, end, RULE) for first in firsts if _is_token(text, first, at, end)), None)
    return Span(start, end, RULE) if stands_alone(text, start) and _is_token(text, start, at, end) else None


def _is_token(text: str, start: int, at: int, end: int) -> bool:
    body, words = start, []
    while (match := _WORD.match(text, body, at + 1)) is not None:
        words.append(match.group().lower())
        body = match.end() + 1
    if not words or len(words) > 5 or is_other(words) or end - body > _LONGEST_BODY:
        return False
    said = _CREDENTIAL.intersection(words)
    if not said and (text[start - 1 : start] in ("/", ".") or all(map(_VERSION.match, words))):
        return False
    if text[end : end + 1] in ("+", "/") or (text[end : end + 1] == "=" and said <= _WEAK) or _FILE.match(text, end):
        return False
    if not _is_body(text[body:end], words, said):
        return False
    named = _NAMED.search(text, max(0, start - 70), start)
    return named is None or not is_identifying(named.group(1))


_VERSION = pattern(r"v?[0-9]*\Z|[a-z]\Z")
_NAMED = pattern(r"""([A-Za-z][\w.-]{0,60})["']{0,2}\s{0,3}[:=]\s{0,3}["']?\Z""")
_ID = pattern(r"01[A-Za-z0-9]{22,24}\Z")
"""How ids are built that are numbered by time, such as those of keys."""
_NAME = pattern(r"(?i)key|token|secret|password|credential|auth|value")
"""How the body of a token does not begin, but a name does that stands before a value in one stream of texts."""


def is_other(words: list[str]) -> bool:
    """Whether the words of a prefix say that something else than a credential follows."""
    return not _OTHER.isdisjoint(words) or ("pk" in words and "secret" not in words)


def _is_body(body: str, words: list[str], said: frozenset[str]) -> bool:
    """Whether what follows the words of a prefix was drawn by lot; `said` are those that tell of a credential."""
    if len(body) < _SHORTEST_BODY or _ID.match(body) or _NAME.match(body):
        return False
    longest = max(body.replace("_", "-").split("-"), key=len)
    if is_mixed(body):
        if not said <= _WEAK:
            return True
        if said:
            return len(longest) >= 16 and is_mixed(longest)
        whole = longest == body or sum(map(len, words)) >= _LONG_PREFIX
        return whole and len(body) >= _TELLING and is_mixed(longest) and worded_share(body) < 0.62
    if not said or said == {"key"} or body not in (body.lower(), body.upper()):
        return False  # ``deps_key_…`` with a hash is the key of a cache
    if said <= _WEAK:
        return len(body) >= _TELLING and looks_random(body) and set(body.lower()) <= _HEX
    return len(body) >= 24 and looks_random(body) and change_share(body) >= 0.25


_HEX = frozenset("0123456789abcdef-")
_LONG_PREFIX = 5
"""Letters of a prefix that base64 hardly begins with by chance, a sign after them."""

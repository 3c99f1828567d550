"""What a shape of a credential is: a few literals that must stand in a text, and the pattern that must follow."""

from __future__ import annotations

from stepfork.redact.pattern import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    Piece = str | tuple[str, int]

ALNUM = "A-Za-z0-9"
WORD = "A-Za-z0-9_-"
HEX = "0-9a-f"
BASE64 = "A-Za-z0-9+/"
UPPER = "A-Z0-9"
LOWER = "a-z0-9"

_FILL = "k7Qx2Vb9Zt4Lm8Rw3Hd6Nc5Jf1Pg0Ys"
_UUID = "3f9a1c7e-5b2d-4e8f-9a6c-1d7b3e5f2a9c"
UUID = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"


class Shape:
    """One kind of credential.

    `anchors` are literals of which one stands in every credential of the kind; `pattern` begins with each of them, so
    that it is only tried where an anchor was found, and `before` must match what stands to its left. Where one of the
    two has a group, the group is the secret and what stands around it stays. `needs` says what the secret must show to
    be no ordinary word: ``"digit"`` (a digit, and looks random), ``"random"`` (see `looks_random`) or nothing.
    `example` and `counter` are pieces of a made-up credential and of a text that only resembles one: `joined`, the
    first is found and the second is not. A piece is a text, or an alphabet and a number of characters of it.
    """

    __slots__ = ("anchors", "before", "counter", "example", "name", "needs", "pattern", "service")

    def __init__(
        self,
        name: str,
        service: str,
        anchors: tuple[str, ...],
        pattern: str,
        *,
        example: tuple[Piece, ...],
        counter: tuple[Piece, ...],
        needs: str = "random",
        before: str = "",
    ) -> None:
        self.name = name
        self.service = service
        self.anchors = anchors
        self.pattern = pattern
        self.example = example
        self.counter = counter
        self.needs = needs
        self.before = before


def prefixed(  # noqa: PLR0917 (a row of a table)
    name: str,
    service: str,
    prefix: str | tuple[str, ...],
    alphabet: str,
    low: int,
    high: int = 0,
    *,
    end: str = "",
    needs: str = "random",
) -> Shape:
    """A literal prefix, then `low` to `high` characters of `alphabet` (no upper bound where `high` is 0).

    `end` is a pattern that the body may be followed by. The example is built from these; the counter-example is one
    character short.
    """
    prefixes = (prefix,) if isinstance(prefix, str) else prefix
    body = f"[{alphabet}]{{{low},{high or ''}}}"
    bound = "(?![A-Za-z0-9])" if high else ""
    start = "|".join(map(_literally, prefixes))
    return Shape(
        name,
        service,
        prefixes,
        f"(?:{start}){body}{bound}{end}",
        example=(prefixes[0], (alphabet, low)),
        counter=(prefixes[0], (alphabet, low - 1)),
        needs=needs,
    )


def with_uuid(name: str, service: str, prefix: str | tuple[str, ...]) -> Shape:
    """A literal prefix, then a UUID."""
    prefixes = (prefix,) if isinstance(prefix, str) else prefix
    start = "|".join(map(_literally, prefixes))
    return Shape(
        name,
        service,
        prefixes,
        f"(?:{start}){UUID}",
        example=(prefixes[0], _UUID),
        counter=(prefixes[0], _UUID[:-1]),
        needs="digit",
    )


def _literally(text: str) -> str:
    """A pattern of that very text; what `re.escape` does, without loading it."""
    return "".join(char if char.isalnum() or char in "-_ " else f"\\{char}" for char in text)


def joined(pieces: tuple[Piece, ...]) -> str:
    """The text that pieces of an example spell: the repository holds no credential in one piece, made up or not."""
    return "".join(piece if isinstance(piece, str) else _fill(*piece) for piece in pieces)


def _fill(alphabet: str, length: int) -> str:
    """`length` characters of `alphabet` in a fixed order that looks like nothing in particular."""
    allowed = pattern(f"[{alphabet}]").findall(_FILL)
    return "".join(allowed[index % len(allowed)] for index in range(length))


_SEGMENT = pattern(r"[^-_./: ]+")
_PLAIN = pattern(r"[a-z]+|[A-Z][a-z]*|[A-Z]+|[0-9]+")
_TURN = pattern(r"[a-z][A-Z]")


def looks_random(value: str) -> bool:
    """Whether `value` looks drawn by lot and not composed of words and numbers.

    Random are: letters and digits mixed within a segment, or (where no digit was drawn) frequent changes between
    lower and upper case. Not random: ``token-based-auth-2024``, ``fw_internal_testing``, ``xxxxxxxxxxxx``.
    """
    if len(set(value)) < 6:
        return False
    if not any(char.isdigit() for char in value):
        return len(_TURN.findall(value)) * 8 >= len(value)
    return mixed_share(value) > 0.2


def mixed_share(value: str) -> float:
    """Which part of a value's segments are neither words nor numbers, 0 to 1."""
    segments = _SEGMENT.findall(value)
    mixed = sum(len(segment) for segment in segments if not _PLAIN.fullmatch(segment))
    return mixed / max(1, sum(map(len, segments)))

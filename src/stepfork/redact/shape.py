"""What a shape of a credential is: a few literals that must stand in a text, and what must follow and lead them."""

from __future__ import annotations

from stepfork.redact import notation

TYPE_CHECKING = False
if TYPE_CHECKING:
    Piece = str | tuple[str, int]


LONGEST_LED = 5
"""Characters of a prefix that is found by the sign at its end."""
_SIGNS = ("_", "-", ".")
_RUNS = ("alnum", "hex", "Hex", "HEX", "lower", "upper", "digit")


def _is_led(prefix: str, body: str) -> bool:
    """Whether the sign is looked for: a prefix is short and ends with one, and twenty letters or digits follow, or a
    UUID."""
    if prefix in _SIGNS:
        return True
    alphabet, _, size = body[1:].partition(" ")
    is_run = alphabet in _RUNS and size[:2].isdigit() and size[:2] >= "20"
    is_uuid = body.startswith("{uuid}") and prefix[-1] != "-"
    return (is_run or is_uuid) and len(prefix) <= LONGEST_LED and prefix[-1] in _SIGNS


class Shape:
    """One kind of credential.

    `prefixes` are literals (in a text with blanks between them) of which one stands in every credential of the kind;
    `body` is the form (see `stepfork.redact.notation`) of what follows one and `lead` of what stands to its left.
    `anchors` are the prefixes that are looked for: none where they are short and it is their sign that is looked for
    (see `stepfork.redact.tokens`). `needs` says what the secret must show to be no ordinary word: ``"random"`` (see
    `looks_random`), ``"digit"`` (that, and a digit), ``"mixed"`` (see `is_mixed`), ``"varied"`` (see `is_varied`),
    ``"value"`` (that it is no word and no template) or nothing.
    """

    __slots__ = ("_source", "anchors", "body", "lead", "name", "needs", "prefixes", "service")

    def __init__(  # noqa: PLR0917 (a row of a table)
        self, name: str, service: str, prefixes: str | tuple[str, ...], body: str, needs: str = "random", lead: str = ""
    ) -> None:
        self.name = name
        self.service = service
        self.prefixes = tuple(prefixes.split(" ")) if isinstance(prefixes, str) else prefixes
        self.anchors = tuple(prefix for prefix in self.prefixes if not _is_led(prefix, body))
        self.body = body
        self.needs = needs
        self.lead = lead
        self._source = ""

    @property
    def pattern(self) -> str:
        """The regular expression of a credential from its prefix on. A group, here or in `before`, is the secret."""
        if not self._source:
            start = "|".join(map(notation.literally, self.prefixes))
            self._source = (
                f"(?:{start}){notation.source(self.body) if self.body else notation.end_of(self.prefixes[0])}"
            )
        return self._source

    @property
    def before(self) -> str:
        """The regular expression of what stands to the left of a prefix."""
        return notation.source(self.lead, bounded=False)

    @property
    def has_lead(self) -> bool:
        """Whether something must stand to the left of a prefix."""
        return bool(self.lead)

    @property
    def has_quotes(self) -> bool:
        """Whether a quote may be a part of a credential of the kind."""
        return '"' in self.pattern or "'" in self.pattern

    @property
    def spans_lines(self) -> bool:
        """Whether a credential of the kind may have white space in it."""
        return False

    @property
    def example(self) -> str:
        """A made-up credential of the kind."""
        return notation.example(self.lead) + self.prefixes[0] + notation.example(self.body)

    @property
    def counter(self) -> str:
        """A text that only resembles one: it is a character short."""
        if "{" in self.body:
            return notation.example(self.lead) + self.prefixes[0] + notation.example(self.body, short=True)
        return notation.example(self.lead, short=True) + self.prefixes[0] + self.body

    @property
    def shown(self) -> str:
        """The form as the documentation has it."""
        return f"{self.lead}{self.prefixes[0]}{self.body}"


class Expression(Shape):
    """A kind whose regular expressions are written out; its example and counter-example are given in pieces, each a
    text, or an alphabet and a number of characters of it."""

    __slots__ = ("_before", "_counter", "_example", "_pattern", "_shown")

    def __init__(
        self,
        name: str,
        service: str,
        anchors: tuple[str, ...],
        pattern: str,
        *,
        shown: str,
        example: tuple[Piece, ...],
        counter: tuple[Piece, ...],
        needs: str = "random",
        before: str = "",
    ) -> None:
        super().__init__(name, service, anchors, "", needs)
        self._pattern = pattern
        self._before = before
        self._example = example
        self._counter = counter
        self._shown = shown

    @property
    def pattern(self) -> str:
        """As it was given."""
        return self._pattern

    @property
    def before(self) -> str:
        """As it was given."""
        return self._before

    @property
    def has_lead(self) -> bool:
        """As it was given."""
        return bool(self._before)

    @property
    def spans_lines(self) -> bool:
        """Whether its pattern has white space in it."""
        return "\\s" in self._pattern

    @property
    def example(self) -> str:
        """Its pieces joined."""
        return _joined(self._example)

    @property
    def counter(self) -> str:
        """Its pieces joined."""
        return _joined(self._counter)

    @property
    def shown(self) -> str:
        """As it was given."""
        return self._shown


def _joined(pieces: tuple[Piece, ...]) -> str:
    return "".join(
        piece if isinstance(piece, str) else notation.fill(notation.ALPHABETS[piece[0]], piece[1]) for piece in pieces
    )

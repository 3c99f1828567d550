"""The redactor: what the rewrite engine asks about each piece of a run, and what is found on the way."""

from __future__ import annotations

from stepfork.providers.logprobs import may_have_tokens
from stepfork.redact.across import Across
from stepfork.redact.command import command_secrets
from stepfork.redact.cookies import cookie_secrets, is_cookie_name
from stepfork.redact.finding import Paths
from stepfork.redact.inside import Inside
from stepfork.redact.marker import MARKER
from stepfork.redact.named import RULE, is_named_secret
from stepfork.redact.names import introduces, is_identifying
from stepfork.redact.pairs import containers, named_in
from stepfork.redact.query import query_secrets
from stepfork.redact.span import Span, merge
from stepfork.rewrite.concatenated import documents_edits, documents_in
from stepfork.rewrite.place import Edit, Place, Rewriter, apply_edits
from stepfork.rewrite.series import spelled_in_pieces

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from stepfork.redact.finding import Finding
    from stepfork.redact.secrets import Secrets
    from stepfork.rewrite.concatenated import Found
    from stepfork.trace.fixture import Run


def redact_run(run: Run, secrets: Secrets) -> tuple[Run, tuple[Finding, ...]]:
    """`run` without its secrets, and what was found where. Redacting twice changes nothing."""
    whole, redactor = Redactor(secrets.with_personal), Redactor(secrets)
    redacted = redacted_by(run, whole, redactor)
    return redacted, tuple(dict.fromkeys((*whole.findings, *redactor.findings)))


def redacted_by(run: Run, whole: Redactor, redactor: Redactor) -> Run:
    """`run` as `redactor` wants it; `whole` is asked about what is given no pseudonyms, commands and bytes."""
    from stepfork.redact.bodies import rewrite_bytes
    from stepfork.rewrite.run import rewrite_run, rewrite_source

    return rewrite_run(rewrite_bytes(rewrite_source(run, whole), whole), redactor)


def redact_text(text: str, secrets: Secrets) -> str:
    """`text` without its secrets: for every message that is shown, and every name."""
    return apply_edits(text, _edits(secrets.with_personal.matcher.find(text)))


def redact_command(command: Sequence[str], secrets: Secrets) -> tuple[str, ...]:
    """The words of a command as a fixture holds them: for every place where a command is shown."""
    return Redactor(secrets.with_personal).command(tuple(command))


_MOST_REMEMBERED = 16 << 20
"""Texts without a secret are remembered until they have so many characters."""


class Redactor(Rewriter):
    """Replaces every secret by the marker and remembers where one stood."""

    reads_across = True

    def __init__(self, secrets: Secrets) -> None:
        self._secrets = secrets
        self._matcher = secrets.matcher
        self._numbers = secrets.known.numbers
        self._documents = secrets.known.documents
        self._clean: set[str] = set()
        self._remembered = 0
        self._paths = Paths(lambda name: bool(self._find(name)))
        self._found: dict[Finding, None] = {}
        self._in_stream: list[Finding] | None = None
        self.inside = Inside()
        self._beside: dict[tuple[tuple[str | int, ...], tuple[str | int, ...]], str] = {}

    @property
    def unread(self) -> tuple[tuple[str, str], ...]:
        """Where something stands that could not be read, and why."""
        return tuple(self.inside.unread)

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What was found so far, in the order in which it was met, each rule once a place."""
        return tuple(self._found)

    def document(self, value: Any, place: Place) -> None:
        """Remembers which texts another text beside them names, and how bodies are coded."""
        for path, container in containers(value):
            for inner, name in named_in(container, place.path + path, self._introduces, self._matcher.names.holds):
                self._beside[place.part, place.path + path + inner] = name
            self.inside.note(path, container, place)

    def _introduces(self, name: str) -> bool:
        return introduces(name) or is_cookie_name(name) or self._matcher.names.holds(name)

    def keeps(self, value: dict[str, Any]) -> bool:
        """Whether no rule can find anything in a value."""
        from stepfork.redact.clear import is_clear

        return is_clear(value, self._secrets, self._find)

    def takes_whole(self, text: str) -> bool:
        """Where a known value is JSON text: it is no document then, but a secret."""
        return bool(self._documents) and text.strip() in self._documents

    def text(self, text: str, place: Place) -> Sequence[Edit]:
        """Edits of a text: the whole of it where its name says that it is a secret, else what any rule finds."""
        key = self._beside.get((place.part, place.path), place.key)
        if self._is_named(text, place):
            return self._noted(text, [Span(0, len(text), RULE)], self._paths.path(place))
        if is_event_stream(text):
            return self._stream(text, place)
        documents = documents_in(text)
        if documents and not any(known in text for known in self._documents):
            return documents_edits(text, documents, place, self) if self._is_worth(text, documents) else ()
        inside = self.inside.edits(text, place, self._for_encoded, self._paths)
        spans = [span for span in self._find(text, key) if not any(_overlap(span, edit) for edit in inside)]
        if key is not None and is_cookie_name(key):
            spans = merge([*spans, *cookie_secrets(text)])
        query = _query_start(text, place)
        if query is not None:
            spans = merge([*spans, *query_secrets(text, query, self._matcher.names)])
        return [*inside, *self._noted(text, spans, self._paths.path(place))] if spans else inside

    def _is_worth(self, text: str, documents: Sequence[Found]) -> bool:
        """Whether documents, which a tool may have answered by the thousand, are worth reading one by one."""
        return (
            self._secrets.may_stand_in(text)
            or may_have_tokens(text)
            or any(self._find(spelled) for spelled in spelled_in_pieces(value for _, _, value in documents))
        )

    def _is_named(self, value: str, place: Place) -> bool:
        """Whether the name of a value, or what stands beside it, says that it is a secret."""
        beside = self._beside.get((place.part, place.path))
        key, above = (place.key, place.path) if beside is None else (beside, (beside,))
        return (key is not None and is_named_secret(key, value)) or self._matcher.names.covers(above, value)

    def _for_encoded(self) -> Redactor:
        """Who reads what stands encoded: it is given no pseudonyms, so personal data in it go with the secrets."""
        secrets = self._secrets.with_personal
        if secrets is self._secrets:
            return self
        made = type(self)(secrets)
        made.inside, made._found, made._in_stream = self.inside, self._found, self._in_stream
        return made

    def key(self, text: str, place: Place) -> Sequence[Edit]:
        """Edits of a member's name."""
        spans = self._find(text)
        return self._noted(text, spans, self._paths.key_path(place, text)) if spans else ()

    def number(self, value: int | float, place: Place) -> Any:
        """The marker where a number spells a known value, or what the project calls secret."""
        text = str(value)
        rule = None
        if self._numbers:
            rule = next((rule for digits, rule in self._numbers.items() if digits in text), None)
        if (isinstance(value, int) and self._is_named(text, place)) or self._matcher.names.covers(place.path, text):
            rule = RULE
        for span in self._matcher.patterns.find(text):
            rule = span.rule
        personal = self._matcher.personal
        found = personal.number(value, place.key) if personal is not None and rule is None else None
        if personal is not None and found is not None:
            rule = personal.rule(found)
        if rule is None:
            return value
        self._noted(text, [Span(0, len(text), rule)], self._paths.path(place))
        return MARKER

    def command(self, arguments: tuple[str, ...]) -> tuple[str, ...]:
        """The command line, argument by argument."""
        made = []
        found = command_secrets(arguments, self._matcher.names)
        for index, (argument, spans) in enumerate(zip(arguments, found, strict=True)):
            place = Place(("source",), ("command", index))
            kept = [span for span in spans if MARKER not in argument[span.start : span.end]]
            merged = merge([*kept, *self._matcher.find(argument)])
            made.append(apply_edits(argument, self._noted(argument, merged, self._paths.path(place))))
        return tuple(made)

    def _find(self, text: str, name: str | None = None) -> list[Span]:
        """What the matcher finds. Calls of one run repeat their texts, and events their words."""
        if name is not None and self._matcher.personal is not None and self._matcher.personal.is_telling(name):
            return self._matcher.find(text, name)
        if text in self._clean:
            return []
        if name is not None and is_identifying(name):
            return self._matcher.find(text, name)
        spans = self._matcher.find(text)
        if not spans:
            self._remembered += len(text) + 100
            if self._remembered > _MOST_REMEMBERED:
                self._clean.clear()
                self._remembered = len(text)
            self._clean.add(text)
        return spans

    def across(self, texts: Sequence[str], place_of: Callable[[int], Place]) -> Sequence[Sequence[Edit]]:
        """Edits of what several texts spell out together."""
        read = Across(texts, self._matcher)
        if not self._find(read.text):
            return ()
        edits: dict[int, list[Edit]] = {}
        for span in read.spans():
            shares = list(read.shares(span, MARKER))
            if self._noted(read.text, [span], self._paths.path(place_of(shares[0][0]))):
                for number, edit in shares:
                    edits.setdefault(number, []).append(edit)
        return [edits.get(number, []) for number in range(len(texts))] if edits else ()

    def _stream(self, text: str, place: Place) -> list[Edit]:
        """An event stream that is stored as text: its deltas are joined as those of a stream that is stored as one."""
        from stepfork.rewrite.events import event_edits
        from stepfork.trace.stream import cut_events

        events, separator = cut_events(text)
        found = event_edits(events, place, self)
        edits: list[Edit] = []
        cursor = 0
        for index, event in enumerate(events):
            edits += [Edit(cursor + edit.start, cursor + edit.end, edit.text) for edit in found.get(index, ())]
            cursor += len(event) + len(separator)
        return edits

    def stream_begins(self) -> None:
        """From here on findings wait for the place at which each begins."""
        self._in_stream = []

    def stream_ends(self, places: Sequence[Place]) -> None:
        """Each finding belongs to one edit; where a rule renamed members of an object, only the stream is known."""
        waiting, self._in_stream = self._in_stream or [], None
        exact = len(waiting) == len(places)
        for index, item in enumerate(waiting):
            self._found.setdefault(item.moved(self._paths.path(places[index])) if exact else item)

    def _noted(self, text: str, spans: Sequence[Span], path: str) -> list[Edit]:
        for span in spans:
            finding = self._secrets.finding(span.rule, path, text[span.start : span.end])
            if self._in_stream is None:
                self._found.setdefault(finding)
            else:
                self._in_stream.append(finding)
        return _edits(spans)


def _overlap(span: Span, edit: Edit) -> bool:
    return span.start < edit.end and edit.start < span.end


def _edits(spans: Sequence[Span]) -> list[Edit]:
    return [Edit(span.start, span.end, MARKER) for span in spans]


def _query_start(text: str, place: Place) -> int | None:
    """Where the query begins in a text that is an exchange's path or query; None for every other text."""
    if not place.path or place.path[-1] not in ("path", "query") or not _in_request(place):
        return None
    if place.path[-1] == "query":
        return 0
    mark = text.find("?")
    return None if mark < 0 else mark + 1


def _in_request(place: Place) -> bool:
    above = place.part + place.path[:-1]
    return bool(above) and above[-1] == "request"


def is_event_stream(text: str) -> bool:
    """Whether a text is a stream of server-sent events."""
    return text.startswith(("data:", "event:", "id:", ":")) and (
        "\ndata:" in text or "\rdata:" in text or text.startswith("data:")
    )

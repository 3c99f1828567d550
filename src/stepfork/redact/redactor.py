"""The redactor: what the rewrite engine asks about each piece of a run, and what is found on the way."""

from __future__ import annotations

from stepfork.redact.command import command_secrets
from stepfork.redact.finding import Paths
from stepfork.redact.marker import MARKER
from stepfork.redact.named import RULE, is_named_secret
from stepfork.redact.names import introduces
from stepfork.redact.pairs import named_beside
from stepfork.redact.query import query_secrets
from stepfork.redact.span import Span, merge
from stepfork.rewrite.place import Edit, Place, Rewriter, apply_edits

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from stepfork.redact.finding import Finding
    from stepfork.redact.secrets import Secrets
    from stepfork.trace.fixture import Run


def redact_run(run: Run, secrets: Secrets) -> tuple[Run, tuple[Finding, ...]]:
    """`run` without its secrets, and what was found where. Redacting twice changes nothing."""
    from stepfork.redact.bodies import rewrite_bytes
    from stepfork.rewrite.run import rewrite_run

    redactor = Redactor(secrets)
    redacted = rewrite_run(rewrite_bytes(run, redactor), redactor)
    return redacted, redactor.findings


def redact_text(text: str, secrets: Secrets) -> str:
    """`text` without its secrets: for every message that is shown, and every name."""
    return apply_edits(text, _edits(secrets.matcher.find(text)))


def redact_command(command: Sequence[str], secrets: Secrets) -> tuple[str, ...]:
    """The words of a command as a fixture holds them: for every place where a command is shown."""
    return Redactor(secrets).command(tuple(command))


class Redactor(Rewriter):
    """Replaces every secret by the marker and remembers where one stood."""

    def __init__(self, secrets: Secrets) -> None:
        self._secrets = secrets
        self._matcher = secrets.matcher
        self._numbers = secrets.known.numbers
        self._paths = Paths(lambda name: bool(self._matcher.find(name)))
        self._found: dict[Finding, None] = {}
        self._in_stream: list[Finding] | None = None
        self._beside: dict[tuple[tuple[str | int, ...], tuple[str | int, ...]], str] = {}

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What was found so far, in the order in which it was met, each rule once a place."""
        return tuple(self._found)

    def document(self, value: Any, place: Place) -> None:
        """Remembers which texts another text beside them names."""
        for path, name in named_beside(value, self._introduces):
            self._beside[place.part, place.path + path] = name

    def _introduces(self, name: str) -> bool:
        return introduces(name) or self._matcher.names.holds(name)

    def text(self, text: str, place: Place) -> Sequence[Edit]:
        """Edits of a text: the whole of it where its name says that it is a secret, else what any rule finds."""
        beside = self._beside.get((place.part, place.path))
        key, above = (place.key, place.path) if beside is None else (beside, (beside,))
        if (key is not None and is_named_secret(key, text)) or self._matcher.names.covers(above, text):
            return self._noted(text, [Span(0, len(text), RULE)], self._paths.path(place))
        if is_event_stream(text):
            return self._stream(text, place)
        spans = self._matcher.find(text)
        query = _query_start(text, place)
        if query is not None:
            spans = merge([*spans, *query_secrets(text, query, self._matcher.names)])
        return self._noted(text, spans, self._paths.path(place)) if spans else ()

    def key(self, text: str, place: Place) -> Sequence[Edit]:
        """Edits of a member's name."""
        spans = self._matcher.find(text)
        return self._noted(text, spans, self._paths.key_path(place, text)) if spans else ()

    def number(self, value: int | float, place: Place) -> Any:
        """The marker where a number spells a known value, or what the project calls secret."""
        text = str(value)
        rule = self._numbers.get(text) if self._numbers else None
        if self._matcher.names.covers(place.path, text):
            rule = RULE
        for span in self._matcher.patterns.find(text):
            rule = span.rule
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

    def _stream(self, text: str, place: Place) -> list[Edit]:
        """An event stream that is stored as text: its deltas are joined as those of a stream that is stored as one."""
        from stepfork.rewrite.events import rewrite_events
        from stepfork.trace.stream import cut_events

        events, separator = cut_events(text)
        edits: list[Edit] = []
        cursor = 0
        for old, new in zip(events, rewrite_events(events, place, self), strict=True):
            if old != new:
                edits.append(_difference(old, new, cursor))
            cursor += len(old) + len(separator)
        return edits

    def stream_begins(self) -> None:
        """From here on findings wait for the event in which each begins."""
        self._in_stream = []

    def stream_ends(self, events: Sequence[int]) -> None:
        """Each finding belongs to one edit; where a rule renamed members of an object, only the stream is known."""
        waiting, self._in_stream = self._in_stream or [], None
        exact = len(waiting) == len(events)
        for index, item in enumerate(waiting):
            path = f"{item.path.partition(' (event ')[0]} (event {events[index]})" if exact else item.path
            self._found.setdefault(item.moved(path))

    def _noted(self, text: str, spans: Sequence[Span], path: str) -> list[Edit]:
        for span in spans:
            finding = self._secrets.finding(span.rule, path, text[span.start : span.end])
            if self._in_stream is None:
                self._found.setdefault(finding)
            else:
                self._in_stream.append(finding)
        return _edits(spans)


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


def _difference(old: str, new: str, start: int) -> Edit:
    """The one edit that makes `new` of `old`: what the two share at either end stays."""
    head = 0
    while head < min(len(old), len(new)) and old[head] == new[head]:
        head += 1
    tail = 0
    while tail < min(len(old), len(new)) - head and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    return Edit(start + head, start + len(old) - tail, new[head : len(new) - tail])

"""The redactor of files that are there already: what a project accepts stays."""

from __future__ import annotations

from stepfork.redact.file_redactor import streams_in
from stepfork.redact.finding import digest_of
from stepfork.redact.redactor import Redactor
from stepfork.rewrite.events import rewrite_events
from stepfork.rewrite.place import Edit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from stepfork.redact.secrets import Secrets
    from stepfork.redact.span import Span
    from stepfork.rewrite.place import Place


class FixRedactor(Redactor):
    """Redacts each finding but those that the project accepts."""

    def __init__(self, secrets: Secrets) -> None:
        super().__init__(secrets)
        self._accepted = {(one.rule, one.digest) for one in secrets.rules.accepted}
        self._events: dict[tuple[str | int, ...], Sequence[str]] = {}
        self._stays = False

    def read_streams(self, document: Any, place: Place) -> None:
        """Redact the streams of a document with their deltas joined, before its texts are asked for one by one."""
        for path, events in streams_in(document).items():
            self._events[path] = rewrite_events(events, place.child(*path), self)

    def text(self, text: str, place: Place) -> Sequence[Edit]:
        """As that of any redactor; of an event what its stream makes of it."""
        made = self._events.get(place.path[:-1])
        if made is not None and isinstance(place.path[-1], int):
            new = made[place.path[-1]]
            return [] if new == text else [Edit(0, len(text), new)]
        return super().text(text, place)

    def number(self, value: int | float, place: Place) -> Any:
        """The marker where a number is a secret that is not accepted."""
        self._stays = False
        made = super().number(value, place)
        return value if self._stays else made

    def _noted(self, text: str, spans: Sequence[Span], path: str) -> list[Edit]:
        kept = spans
        if self._accepted:
            kept = [span for span in spans if not self._accepts(span.rule, text[span.start : span.end])]
        self._stays = not kept
        return super()._noted(text, kept, path)

    def edits_of(self, text: str, spans: Sequence[Span]) -> list[Edit]:
        """The edits of secrets that were found in another way."""
        return self._noted(text, spans, "")

    def _accepts(self, rule: str, value: str) -> bool:
        return (rule, digest_of(value)) in self._accepted

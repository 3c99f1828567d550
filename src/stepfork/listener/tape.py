"""Everything that one capture has seen, in order of arrival."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress

import msgspec

from stepfork.listener.call_log import CallLog
from stepfork.listener.conclude import conclude
from stepfork.listener.limits import Limits
from stepfork.listener.problem import Problem, ProblemKind
from stepfork.listener.transcript import Transcript
from stepfork.listener.witness import Witness
from stepfork.trace.call import Call
from stepfork.trace.recorded import Recorded
from stepfork.trace.span import Span


class Progress(msgspec.Struct, frozen=True):
    """What has come in so far, and for how many calls nothing has come back yet."""

    exchanges: int
    spans: int
    waiting: int = 0


class Heard(msgspec.Struct, frozen=True):
    """What a listener heard. ``notices`` are hints that fail nothing; ``calls`` stand in order of their beginning."""

    exchanges: tuple[Recorded, ...]
    spans: tuple[Span, ...]
    problems: tuple[Problem, ...]
    notices: tuple[str, ...]
    calls: tuple[Call, ...] = ()


class Tape:
    """Written by the listener's event loop alone; read once the listener is closed. `witness` is told meanwhile."""

    def __init__(
        self,
        limits: Limits,
        on_progress: Callable[[Progress], None] | None = None,
        log: CallLog | None = None,
    ) -> None:
        self.limits = limits
        self.log = log or CallLog()
        self.witness: Witness | None = None
        self._on_progress = on_progress
        self._began = time.time_ns() - time.monotonic_ns()
        self._transcripts: list[Transcript] = []
        self._calls = 0
        self._waiting: set[Transcript] = set()
        self._exports: list[list[Span]] = []
        self._span_count = 0
        self._problems: list[Problem] = []
        self._kept = 0

    def now_ns(self) -> int:
        """Unix nanoseconds that never run backwards."""
        return self._began + time.monotonic_ns()

    def call(self, *, provider: str, api: str, method: str, path: str, query: str, connection: int) -> Transcript:
        """The transcript of a call that has just arrived."""
        transcript = Transcript(
            self._calls,
            provider=provider,
            api=api,
            method=method,
            path=path,
            query=query,
            arrived_ns=self.now_ns(),
            connection=connection,
        )
        self._calls += 1
        self._transcripts.append(transcript)
        self._waiting.add(transcript)
        self._tell()
        if self.witness is not None:
            with suppress(Exception):
                self.witness.arrived(transcript.index, provider, path)
        return transcript

    def forget(self, transcript: Transcript) -> None:
        """Leaves out a call that was refused here and never went on."""
        self._transcripts.remove(transcript)
        self._waiting.discard(transcript)

    def asked(self, transcript: Transcript, piece: bytes) -> None:
        """Keeps a piece of a request body."""
        if self._room_for(len(piece)):
            transcript.request_body += piece

    def answered(self, transcript: Transcript, piece: bytes) -> None:
        """Keeps a piece of a response body, as far as the limits go. To be told before the client has it."""
        if transcript in self._waiting:
            self._waiting.remove(transcript)
            self._tell()
        room = self.limits.response_bytes - transcript.response_size
        if self._room_for(min(len(piece), room)):
            transcript.keep(piece, room)
        else:
            transcript.cut = True

    def holds(self, size: int) -> bool:
        """Whether an export of `size` decoded bytes still fits; it is counted if it does."""
        return self._room_for(size)

    def export(self) -> list[Span]:
        """A place for the spans of an export, in order of arrival."""
        place: list[Span] = []
        self._exports.append(place)
        return place

    def put(self, place: list[Span], spans: list[Span]) -> int:
        """Puts decoded spans in their place, as many as the limit allows; how many were left out."""
        room = self.limits.spans - self._span_count
        taken = spans[: max(room, 0)]
        place.extend(taken)
        self._span_count += len(taken)
        if len(taken) < len(spans):
            self.problem("limit", f"more than {self.limits.spans} spans were exported")
        self._tell()
        return len(spans) - len(taken)

    def problem(self, kind: ProblemKind, text: str) -> None:
        """Notes what keeps the run from becoming a fixture, once."""
        problem = Problem(kind, text)
        if problem not in self._problems:
            self._problems.append(problem)

    def running(self) -> list[Transcript]:
        """The calls that are not over."""
        return [transcript for transcript in self._transcripts if transcript.ending is None]

    def heard(self) -> Heard:
        """All of it as values. To be asked once, when nothing comes in any more."""
        room = self.limits.capture_bytes
        exchanges: list[Recorded] = []
        problems: list[Problem] = []
        notices: list[str] = []
        for transcript in self._transcripts:
            done = conclude(transcript, self.limits, max(room, 0))
            room -= done.size
            exchanges.append(done.recorded)
            problems.extend(done.problems)
            if done.notice:
                notices.append(done.notice)
        problems.extend(self._problems)
        spans = tuple(span for place in self._exports for span in place)
        return Heard(tuple(exchanges), spans, tuple(problems), tuple(notices), self.log.calls())

    def _room_for(self, size: int) -> bool:
        if self._kept + size <= self.limits.capture_bytes:
            self._kept += size
            return True
        self.problem("limit", f"the run is larger than the {self.limits.capture_bytes >> 20} MiB that a capture holds")
        return False

    def _tell(self) -> None:
        if self._on_progress is not None:
            self._waiting = {transcript for transcript in self._waiting if transcript.ending is None}
            with suppress(Exception):  # a screen that is gone is no reason to fail the agent's call
                self._on_progress(Progress(len(self._transcripts), self._span_count, len(self._waiting)))

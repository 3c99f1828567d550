"""The journal of a recording, on disk: a line for each event, written before the recorded program goes on.

It is there for a process that is killed. Lines are handed to the system and not waited for (a kill loses none of them,
a power failure may), and redacted with what is known of secrets by then: the fixture, made at the end of the run with
all that is known, takes the journal's place.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from stepfork.errors import StoreError
from stepfork.instrument.journal_exchange import exchanged_line, lost_line
from stepfork.instrument.journal_form import (
    ArrivedLine,
    BegunLine,
    EndedLine,
    ExchangedLine,
    Header,
    InputLine,
    Line,
    OutputLine,
    OverLine,
)
from stepfork.instrument.journal_repeats import Cut, Repeats, names_in
from stepfork.instrument.plain import plain
from stepfork.redact.redactor import Redactor
from stepfork.redact.secrets import Secrets
from stepfork.rewrite.place import Place
from stepfork.rewrite.value import rewrite_value
from stepfork.store.files import temporary_beside, write_new
from stepfork.trace.body import JsonBody, JsonValue
from stepfork.trace.call import Asked, Call, Outcome
from stepfork.trace.recorded import Recorded

_APPEND = os.O_WRONLY | os.O_APPEND | getattr(os, "O_BINARY", 0)
_LOST = "<not journalled>"
"""What stands for a value that could not be redacted or written."""


class Journal:
    """The journal at `path`, which must not exist; readable by its owner alone. A `stepfork.listener.witness.Witness`,
    thread-safe.

    `secrets` is asked at each event what is known by then. `notice` says, once it is closed, why the journal may not be
    whole; ``is_empty`` whether it has no event. Making one raises StoreError; nothing else here raises, and what cannot
    be written is not: the run goes on.
    """

    def __init__(self, path: Path, header: Header, secrets: Callable[[], Secrets]) -> None:
        self.notice: str | None = None
        self._path = path
        self._secrets = secrets
        self._repeats = Repeats()
        self._lock = threading.RLock()
        self._left_out: set[int] = set()
        self._lines: set[int] = set()
        """Those that calls were told to be made on, as long as they are not over."""
        self._over: set[int] = set()
        self._is_broken = False
        self.is_empty = True
        self._process = os.getpid()
        self._descriptor = self._made(header)

    def _made(self, header: Header) -> int:
        temporary = temporary_beside(self._path)
        try:
            try:
                write_new(temporary, b"", 0o600)
                descriptor = os.open(temporary, _APPEND)
                try:
                    _append(descriptor, msgspec.json.encode(header) + b"\n")
                finally:
                    os.close(descriptor)
                temporary.rename(self._path)  # a journal has its first line from the beginning
            finally:
                temporary.unlink(missing_ok=True)
            return os.open(self._path, _APPEND)
        except OSError as error:
            raise StoreError(f"no journal can be written ({error.strerror})", where=str(self._path)) from None

    def begun(self, call: Call) -> None:
        """A call has begun."""
        if call.parent in self._left_out:  # what is read back has every parent that it names
            call = msgspec.structs.replace(call, parent=None)
        cut = self._cut("call", call.asked.arguments)
        line = BegunLine(call, cut.kept)
        if cut.kept:
            asked = msgspec.structs.replace(call.asked, arguments=cut.value)
            line = BegunLine(msgspec.structs.replace(call, asked=asked), cut.kept)
        written = self._write(line) or (self._write(BegunLine(call)) if cut.kept else None)
        if written is None:
            self._left_out.add(call.number)
            return
        with self._lock:
            self._lines.update(line for line, _ in call.forks if line not in self._over)
        if isinstance(written, BegunLine):
            self._note(cut, written.call.asked.arguments, call.number)

    def ended(self, call: Call) -> None:
        """A call has ended: it has an outcome."""
        if call.ended is None or call.ended_ns is None or call.outcome is None or call.number in self._left_out:
            return
        self._write(EndedLine(call.number, call.ended, call.ended_ns, call.outcome))

    def over(self, line: int, count: int) -> None:
        """A line of control had been waited for at that count of events; 0: it was not. What is read back has a call on
        every line that it names."""
        with self._lock:
            if not count or line not in self._lines:
                return
            self._lines.remove(line)
            self._over.add(line)
        self._write(OverLine(line, count))

    def arrived(self, index: int, provider: str, path: str) -> None:
        """A model call over HTTP has come in."""
        self._write(ArrivedLine(index, provider, path))

    def exchanged(self, index: int, recorded: Recorded) -> None:
        """A model call over HTTP is over, as far as is known."""
        body = recorded.exchange.request.body
        cut = self._cut("exchange", body.value) if isinstance(body, JsonBody) else Cut(None)
        try:
            line = exchanged_line(index, recorded, cut, self._known())
        except Exception as error:  # not even its text can be told
            self._lose(type(error).__name__)
            line, cut = lost_line(index, recorded), Cut(None)
        if self._append(msgspec.json.encode(line)) and isinstance(line.request, dict):
            self._note(cut, line.request.get("json"), index)

    def input(self, value: JsonValue) -> None:
        """The program said what the run's input is."""
        self._write(InputLine(value))

    def output(self, value: JsonValue) -> None:
        """The program said what the run's output is."""
        self._write(OutputLine(value))

    def close(self) -> None:
        """Nothing more is written. To be called once, whatever became of the journal."""
        with self._lock:
            descriptor, self._descriptor = self._descriptor, -1
            if descriptor < 0:
                return
            try:
                if not os.path.samestat(os.fstat(descriptor), self._path.stat()):
                    self._lose("another file is in its place")
            except OSError as error:
                self._lose(error.strerror or type(error).__name__)
            finally:
                os.close(descriptor)

    def _lose(self, why: str) -> None:
        if self.notice is None:
            self.notice = f"the journal of the recording is not whole ({why}); a kill would have lost what it lacks"

    def _cut(self, kind: str, value: Any) -> Cut:
        """What is not to be repeated; all of it is, where a name on the way may be a secret."""
        with suppress(Exception), self._lock:
            cut = self._repeats.cut(kind, value)
            if not self._known().may_stand_in(" ".join(names_in(cut))):
                return cut
        return Cut(value)

    def _note(self, cut: Cut, written: Any, number: int) -> None:
        with suppress(Exception), self._lock:
            self._repeats.note(cut, written, number)

    def _known(self) -> Secrets:
        return self._secrets().with_personal

    def _write(self, line: Line) -> Line | None:
        """The line as it is there, redacted; None where it is not."""
        try:
            written, data = self._encoded(line)
        except Exception as error:  # the program has all but used up its stack, or its memory
            self._lose(type(error).__name__)
            return None
        return written if self._append(data) else None

    def _append(self, data: bytes) -> bool:
        with self._lock:
            if self._descriptor < 0 or self._is_broken or os.getpid() != self._process:
                return False
            try:
                _append(self._descriptor, data + b"\n")
            except OSError as error:  # half a line may be there, which nothing may follow
                self._is_broken = True
                self._lose(error.strerror or type(error).__name__)
                return False
            self.is_empty = False
            return True

    def _encoded(self, line: Line) -> tuple[Line, bytes]:
        """The line, redacted; without its values where that cannot be done."""
        secrets = self._known()
        for form in (_as_it_is, plain, _lost):
            try:
                formed = _with_values(line, form)
                data = msgspec.json.encode(formed)
                if secrets.may_stand_in(data.decode()):
                    formed = _with_values(formed, partial(_redacted, Redactor(secrets)))
                    data = msgspec.json.encode(formed)
            except Exception:
                if form is _lost:
                    raise
            else:
                return formed, data
        raise AssertionError


def _append(descriptor: int, data: bytes) -> None:
    """In one call: lines of several threads, and what a kill leaves of them, are whole."""
    written = os.write(descriptor, data)
    while written < len(data):
        written += os.write(descriptor, memoryview(data)[written:])


def _as_it_is(value: Any) -> Any:
    return value


def _lost(_value: Any) -> str:
    return _LOST


def _redacted(redactor: Redactor, value: Any) -> Any:
    return rewrite_value(value, Place(("call",)), redactor)


def _with_values(line: Line, form: Callable[[Any], Any]) -> Line:
    """`line` with `form` of each value, and each text, that the program gave."""
    if isinstance(line, InputLine | OutputLine):
        return msgspec.structs.replace(line, value=form(line.value))
    if isinstance(line, ArrivedLine):
        return msgspec.structs.replace(line, path=form(line.path))
    if isinstance(line, ExchangedLine | OverLine):  # the one is redacted as it is made, the other has no value
        return line
    if isinstance(line, EndedLine):
        return msgspec.structs.replace(line, outcome=_outcome(line.outcome, form))
    return msgspec.structs.replace(line, call=msgspec.structs.replace(line.call, asked=_asked(line.call.asked, form)))


def _asked(asked: Asked, form: Callable[[Any], Any]) -> Asked:
    model = None if asked.model is None else form(asked.model)
    return msgspec.structs.replace(asked, name=form(asked.name), arguments=form(asked.arguments), model=model)


def _outcome(outcome: Outcome, form: Callable[[Any], Any]) -> Outcome:
    error = outcome.error
    if error is not None:
        error = msgspec.structs.replace(error, type=form(error.type), message=form(error.message))
    result = outcome.result if outcome.result is msgspec.UNSET else form(outcome.result)
    raised = outcome.raised if outcome.raised is msgspec.UNSET else form(outcome.raised)
    return msgspec.structs.replace(outcome, result=result, error=error, raised=raised)

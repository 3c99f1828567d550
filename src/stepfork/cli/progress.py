"""One line on a terminal that counts calls as they come; nothing where nobody watches."""

from __future__ import annotations

from types import TracebackType
from typing import TYPE_CHECKING, Self, TextIO

from stepfork.cli.console import counted, err
from stepfork.cli.escape import escape

if TYPE_CHECKING:
    from stepfork.capture.record import Progress


class CallCounter:
    """Says what begins (`verb`) and where calls are sent, then counts them in place."""

    def __init__(self, name: str, stream: TextIO, *, quiet: bool, verb: str = "recording") -> None:
        self._name = name
        self._verb = verb
        self._stream = stream
        self._quiet = quiet
        self._shown = 0
        self._started = False

    def update(self, progress: Progress) -> None:
        """Called as calls and spans arrive, from any thread."""
        if self._quiet:
            return
        if not self._started:
            self._started = True
            err(f"{self._verb} {escape(self._name)}   {escape(progress.routes)}   spans → listener")
        if self._stream.isatty() and (progress.calls or progress.spans):
            text = f"  {counted(progress.calls, 'model call')}, {counted(progress.spans, 'span')}"
            # The cursor goes back, so that what the command prints replaces the count and does not follow it.
            self._stream.write(f"\r{text.ljust(self._shown)}\r")
            self._stream.flush()
            self._shown = len(text)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        if self._shown:
            self._stream.write(f"\r{' ' * self._shown}\r")
            self._stream.flush()

"""One line on a terminal that counts calls while a model is waited for; nothing where nobody watches."""

from __future__ import annotations

from types import TracebackType
from typing import TYPE_CHECKING, Self, TextIO

from stepfork.cli.console import counted, err
from stepfork.cli.escape import escape

if TYPE_CHECKING:
    from stepfork.capture.record import Progress

_BETWEEN = "   "
"""What stands between two routes."""


class CallCounter:
    """Says what begins (`verb`) and where calls are sent, then counts them in place.

    The command writes to the same terminal, so the count stands there only while the command is likely to be silent:
    from a request to the first piece of its answer.
    """

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
            err(self._first(progress.routes))
        if not self._stream.isatty():
            return
        if progress.waiting:
            self._show(f"  {counted(progress.calls, 'model call')}, {counted(progress.spans, 'span')}")
        else:
            self._clear()

    def _first(self, routes: str) -> str:
        """What begins, and each place that calls go to; on a terminal where these are too many, below one another."""
        from stepfork.cli.render.columns import fold_list

        return fold_list(
            f"{self._verb} {escape(self._name)}", [*escape(routes).split(_BETWEEN), "spans → listener"], self._stream
        )

    def _show(self, text: str) -> None:
        # The cursor goes back, so that what the command prints replaces the count and does not follow it.
        self._stream.write(f"\r{text.ljust(self._shown)}\r")
        self._stream.flush()
        self._shown = len(text)

    def _clear(self) -> None:
        if self._shown:
            self._show("")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        self._clear()

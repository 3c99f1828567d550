"""Which tools a recorded answer may ask a program for: those that somebody listed, and those that the program itself
has declared to be instrumented, whose bodies do not run.

What a fixture says of its tools is asked before anything runs (`replay/executes.py`), and it may be forged: a tool that
it calls instrumented need not be. So the last word is said when an answer is about to be given, of the answer as it is
given.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator

from stepfork.providers.apis import OPAQUE
from stepfork.providers.calls import bare_tool
from stepfork.providers.lines import clean_line
from stepfork.replay.asked import asked_tools
from stepfork.replay.report import CallMiss
from stepfork.trace.body import JsonBody, JsonValue
from stepfork.trace.exchange import Exchange, Request, Response


class Permitted:
    """What one replay permits. `listed` are the tools that may run, or that a route answers; `here` are those that this
    process has declared, where the program runs in it. `how` says what is to be done about another one; with `only`, no
    other ones than those are refused. ``misses`` are the answers that were not given, one for each tool. Thread-safe
    where one caller asks at a time."""

    def __init__(
        self,
        listed: Collection[str] = (),
        here: Callable[[], Collection[str]] = frozenset,
        how: str = "list it with --executes (in a test: in EXECUTES) if it may run",
        only: Collection[str] | None = None,
    ) -> None:
        self._only = only
        self._listed = {bare_tool(name) for name in listed}
        self._here = here
        self._how = how
        self._declared: set[str] = set()
        self.misses: list[CallMiss] = []

    def declare(self, name: str) -> None:
        """A process of the run has a tool of that name, and it is instrumented."""
        self._declared.add(bare_tool(name))

    def refusal(self, exchange: Exchange, after: int) -> CallMiss | None:
        """Why the answer of an exchange is not given, None where it may be. `after` is how many calls over HTTP had
        come in."""
        return self._of(asked_tools(exchange), after)

    def refusal_of(self, result: JsonValue, after: int) -> CallMiss | None:
        """The same of the result of a model call that went over no wire."""
        return self._of(
            asked_tools(Exchange("", OPAQUE, Request("POST", "/"), Response(200, body=JsonBody(result)))), after
        )

    def _of(self, asked: Iterator[str], after: int) -> CallMiss | None:
        names = dict.fromkeys(bare_tool(name) for name in asked)
        unknown = [name for name in names if name not in self._listed and name not in self._declared]
        if self._only is not None:
            unknown = [name for name in unknown if name in self._only]
        if not unknown:
            return None
        here = {bare_tool(name) for name in self._here()}
        tool = next((name for name in unknown if name not in here), None)
        if tool is None:
            return None
        miss = CallMiss(clean_line(tool), 1, "closed", why=f"{WHY}: put trace_tool on it, or {self._how}", after=after)
        if not any(told.tool == miss.tool for told in self.misses):
            self.misses.append(miss)
        return miss


WHY = (
    "a recorded answer asks for it and was not given, since this program has declared no instrumented tool of that name"
)

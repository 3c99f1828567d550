"""The contracts of a test, written as a chain: each link is a new value, and each knows whether it was evaluated."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from stepfork.contracts.evaluate import evaluate
from stepfork.contracts.json_form import contract_from_json, contract_to_json
from stepfork.contracts.naming import named
from stepfork.contracts.results import Results
from stepfork.contracts.spec import (
    Contract,
    ContractResult,
    CostUnder,
    OutputSchema,
    ToolCalledBefore,
    ToolCardinality,
    Trajectory,
    TrajectoryMode,
)
from stepfork.errors import ManifestError, UsageError
from stepfork.trace.body import JsonValue
from stepfork.trace.step import Trace


class ExpectChain:
    """What is expected of a trace. Building checks nothing but the contracts themselves; `results` evaluates.

    ``on_build`` is told of each link, so that one that was built and never evaluated can fail its test: evaluating a
    link evaluates those that it was built from, never those that were built from it.
    """

    def __init__(
        self,
        trace: Trace,
        contracts: Sequence[Contract] = (),
        *,
        on_build: Callable[[ExpectChain], None] | None = None,
        _before: ExpectChain | None = None,
    ) -> None:
        self.trace = trace
        self.contracts: tuple[Contract, ...] = named(contracts)
        self._on_build = on_build
        self._before = _before
        self._evaluated = False
        if on_build is not None:
            on_build(self)

    @property
    def evaluated(self) -> bool:
        """Whether somebody looked at the results of this link, or of one built from it."""
        return self._evaluated

    @property
    def before(self) -> ExpectChain | None:
        """The link that this one continues, None for the first."""
        return self._before

    def trajectory(self, tools: Sequence[str], mode: TrajectoryMode = "superset") -> ExpectChain:
        """Expect these tools to be called; see `stepfork.contracts.spec.TrajectoryMode`."""
        if isinstance(tools, str):
            raise UsageError("trajectory takes a list of tools", fix=f"write [{tools!r}]")
        if mode not in ("exact", "superset", "subset", "unordered"):
            raise UsageError(
                "trajectory knows no such mode", where=repr(mode), fix="one of exact, superset, subset, unordered"
            )
        return self.holding(Trajectory(tuple(tools), mode))

    def tool_called_before(self, first: str, then: str) -> ExpectChain:
        """Expect the first call of `first` before the first call of `then`."""
        return self.holding(ToolCalledBefore(first, then))

    def tool_cardinality(self, tool: str, *, per: str, at_most: int) -> ExpectChain:
        """Expect at most `at_most` calls of `tool` for each value of its argument `per`."""
        return self.holding(ToolCardinality(tool, per, at_most))

    def output_matches_schema(self, schema: JsonValue) -> ExpectChain:
        """Expect an output that satisfies a JSON Schema (2020-12)."""
        return self.holding(OutputSchema(schema))

    def cost_under(self, usd: float) -> ExpectChain:
        """Expect a known cost of at most `usd` US dollars."""
        return self.holding(CostUnder(usd))

    def holding(self, *contracts: Contract) -> ExpectChain:
        """The chain with more contracts, such as a fixture's own. Raises UsageError for one that says nothing."""
        for contract in contracts:
            try:
                contract_from_json(contract_to_json(contract))
            except ManifestError as error:
                raise UsageError(error.what) from None
        return ExpectChain(self.trace, (*self.contracts, *contracts), on_build=self._on_build, _before=self)

    def results(self) -> tuple[ContractResult, ...]:
        """How each contract came out, in the order of the chain. To look at one of them is to evaluate the chain.

        Raises UsageError for a chain without contracts: a test that expects nothing cannot pass.
        """
        if not self.contracts:
            raise UsageError("nothing is expected of the trace", fix="add a contract to the chain")
        return Results((evaluate(contract, self.trace) for contract in self.contracts), self._looked_at)

    def _looked_at(self) -> None:
        link: ExpectChain | None = self
        while link is not None:
            link._evaluated = True
            link = link._before

    def __bool__(self) -> bool:
        """No truth: ``assert expect(trace).…`` would pass without evaluating anything."""
        raise UsageError("a chain is neither true nor false", fix="evaluate it")

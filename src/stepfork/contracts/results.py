"""How a chain came out, as a value that cannot be taken for a verdict by accident."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Self

from stepfork.contracts.spec import ContractResult
from stepfork.errors import UsageError


class Results(tuple[ContractResult, ...]):
    """The results of a chain in its order; `looked_at` is called when somebody looks at one of them.

    They have no truth: ``assert chain.results()`` would pass whatever failed. Who asks for results and drops them has
    not evaluated anything either.
    """

    _looked_at: Callable[[], None]

    def __new__(cls, results: Iterable[ContractResult], looked_at: Callable[[], None]) -> Self:
        """The results, and whom to tell that somebody looks."""
        made = super().__new__(cls, results)
        made._looked_at = looked_at
        return made

    def __bool__(self) -> bool:
        raise UsageError("results are neither true nor false", fix="pass the chain to evaluate()")

    def __iter__(self) -> Iterator[ContractResult]:
        self._looked_at()
        return super().__iter__()

    def __getitem__(self, key: Any) -> Any:
        self._looked_at()
        return super().__getitem__(key)

    def __eq__(self, other: object) -> bool:
        self._looked_at()
        return super().__eq__(other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = tuple.__hash__

    def __contains__(self, item: object) -> bool:
        self._looked_at()
        return super().__contains__(item)

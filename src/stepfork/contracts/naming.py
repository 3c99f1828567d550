"""What a contract is called: readable, on one line, and the only one of its name in a fixture."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from stepfork.contracts.spec import Contract, CostUnder, OutputSchema, ToolCalledBefore, ToolCardinality, Trajectory

_WIDE = 64
"""Characters of a tool's or an argument's name that a contract's name repeats; providers allow no longer ones."""


def default_id(contract: Contract) -> str:
    """The name that says what `contract` is about, whatever its own ``id`` is: ``order-a-before-b``."""
    match contract:
        case Trajectory():
            return "tools-called"
        case ToolCalledBefore(first, then):
            return f"order-{_word(first)}-before-{_word(then)}"
        case ToolCardinality(tool, per):
            return f"cardinality-{_word(tool)}-per-{_word(per)}"
        case OutputSchema():
            return "output-schema"
        case CostUnder():
            return "cost-ceiling"


def named(contracts: Sequence[Contract]) -> tuple[Contract, ...]:
    """`contracts`, each with a name of its own: its ``id``, else what it is about, with ``-2`` and so on where an
    earlier one has that name. Equal contracts in equal order get equal names."""
    taken: set[str] = set()
    made: list[Contract] = []
    for contract in contracts:
        wanted = contract.id or default_id(contract)
        name, count = wanted, 1
        while name in taken:
            count += 1
            name = f"{wanted}-{count}"
        taken.add(name)
        made.append(msgspec.structs.replace(contract, id=name))
    return tuple(made)


def _word(text: str) -> str:
    """`text` without what would break a line or hide itself: a name may stand in a comment of a drafted test."""
    shown = "".join(char if char.isprintable() and not char.isspace() else "_" for char in text[: _WIDE + 1])
    return shown if len(shown) <= _WIDE else f"{shown[: _WIDE - 1]}…"

"""What the document of a trace has of instrumented steps in a form of its own: shapes once, and orders of members.

A program's model calls have few shapes between them (see ``trace/in_process``), so steps name them by their index in
the trace's ``shapes``. And what a replay gives back to the program has its members in the order in which they were.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from stepfork.canonical.encode import dumps
from stepfork.canonical.order import order_of, with_order
from stepfork.errors import CanonicalError, DamagedError
from stepfork.trace.in_process import ANSWER, ASKED, STREAMS
from stepfork.trace.wrapped import TAG

ORDERS = {"result_order": "result"}
"""Members of an instrumented step that tell the order of members of another one."""
SHAPES = {"arguments_shape": ("arguments", ASKED), "result_shape": ("result", ANSWER)}
"""Members of an instrumented step that stand for another one, which is a shape and nothing else."""
STEP_MEMBERS = (*ORDERS, *SHAPES)
"""Members of an instrumented step in a document that the step has not."""
TRACE_MEMBERS = ("shapes", "input_order")
"""Members of a trace's document that the trace has not."""


def fold(document: dict[str, Any]) -> None:
    """Take the shapes out of a document of a trace, and add its orders. The document is changed."""
    shapes: dict[bytes, int] = {}
    kept: list[Any] = []

    def number(shape: Any) -> int:
        at = shapes.setdefault(dumps(shape), len(kept))
        if at == len(kept):
            kept.append(shape)
        return at

    for step in document["steps"]:
        if step.get("instrumented"):
            for told, (name, kind) in SHAPES.items():
                value = step.get(name)
                if _is_told(value, kind) and value.keys() == {TAG, "value"}:
                    step[told] = number(step.pop(name)["value"])
                elif _is_told(value, kind) and "value" in value:
                    step[name] = _with_shapes(value, number)
            _add_orders(step, ORDERS)
    _add_orders(document, {"input_order": "input"})
    if kept:
        document["shapes"] = kept


def unfold(document: dict[str, Any]) -> dict[str, Any]:
    """The document as `fold` found it: a copy as far as it was changed. Raises DamagedError."""
    if not isinstance(document.get("steps"), list | tuple):
        return document
    made = {name: value for name, value in document.items() if name not in TRACE_MEMBERS}
    shapes = document.get("shapes", [])

    def shape(at: Any) -> Any:
        if type(at) is not int or not isinstance(shapes, list) or not 0 <= at < len(shapes):
            raise DamagedError("a step names a shape that the trace does not have")
        return shapes[at]

    made["steps"] = [_unfolded(step, shape) if isinstance(step, dict) else step for step in document["steps"]]
    _take_order(made, "input", document.get("input_order"))
    return made


def _unfolded(step: dict[str, Any], shape: Callable[[Any], Any]) -> dict[str, Any]:
    if step.get("instrumented") is not True:
        return step
    made = {name: value for name, value in step.items() if name not in STEP_MEMBERS}
    for order, name in ORDERS.items():
        _take_order(made, name, step.get(order))
    for told, (name, kind) in SHAPES.items():
        if told in step:
            if name in made:
                raise DamagedError(f"a step has its {name} twice")
            made[name] = {TAG: kind, "value": shape(step[told])}
        elif _is_told(made.get(name), kind) and "value" in made[name]:
            made[name] = _with_shapes(made[name], shape)
    return made


def _is_told(value: Any, kind: str) -> bool:
    return isinstance(value, dict) and value.get(TAG) == kind


def _with_shapes(value: dict[str, Any], made: Callable[[Any], Any]) -> dict[str, Any]:
    """A told value whose shapes are what `made` makes of them."""
    if value.get("form") not in STREAMS:
        return value | {"value": made(value["value"])}
    runs = value["value"]
    if not isinstance(runs, list) or not all(isinstance(run, list) and len(run) == 2 for run in runs):
        raise DamagedError("a step tells a stream that cannot be read")
    return value | {"value": [[count, made(shape)] for count, shape in runs]}


def _add_orders(holder: dict[str, Any], names: dict[str, str]) -> None:
    for order, name in names.items():
        told = order_of(holder[name]) if isinstance(holder.get(name), dict | list) else None
        if told is not None:
            holder[order] = told


def _take_order(holder: dict[str, Any], name: str, order: Any) -> None:
    if order is None:
        return
    if not isinstance(order, str) or name not in holder:
        raise DamagedError("a trace has an order of members and nothing that is in it")
    try:
        holder[name] = with_order(holder[name], order)
    except (CanonicalError, RecursionError):
        raise DamagedError("a trace has an order of members that does not fit") from None

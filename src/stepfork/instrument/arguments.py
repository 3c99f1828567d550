"""The arguments of a call by the names of the parameters that take them, as they were passed."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from stepfork.instrument.tagged import encode
from stepfork.trace.body import JsonValue

_RECEIVERS = {"self", "cls"}


def signature_of(function: Callable[..., Any]) -> inspect.Signature | None:
    """The parameters of `function`; None where it does not tell (some built-in functions)."""
    try:
        return inspect.signature(function)
    except (TypeError, ValueError):
        return None


def told_arguments(
    signature: inspect.Signature | None, args: Sequence[Any], kwargs: Mapping[str, Any]
) -> dict[str, JsonValue]:
    """An object of tagged values: defaults are not filled in, ``self`` and ``cls`` are left out, ``*args`` are a list
    under their name, ``**kwargs`` members among the others. Where no parameter is known, positions are called ``args``.

    Raises TypeError where the arguments do not fit the signature.
    """
    if signature is None:
        return ({"args": encode(list(args))} if args else {}) | {name: encode(item) for name, item in kwargs.items()}
    made: dict[str, JsonValue] = {}
    bound = signature.bind(*args, **kwargs)
    for index, (name, parameter) in enumerate(signature.parameters.items()):
        if name not in bound.arguments or (index == 0 and name in _RECEIVERS):
            continue
        value = bound.arguments[name]
        if parameter.kind is parameter.VAR_KEYWORD:
            made.update((key, encode(item)) for key, item in value.items())
        else:
            made[name] = encode(list(value) if parameter.kind is parameter.VAR_POSITIONAL else value)
    return made

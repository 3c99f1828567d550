"""The arguments of a call by the names of the parameters that take them, as they were passed."""

from __future__ import annotations

import functools
import inspect
import types
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from stepfork.instrument.tagged import encode_arguments
from stepfork.trace.body import JsonValue

_RECEIVERS = {"self", "cls"}


class Parameters:
    """What a function takes. Of a `functools.partial` these are the function's own, with what the partial holds."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._args: tuple[Any, ...] = ()
        self._kwargs: dict[str, Any] = {}
        while type(function) is functools.partial:
            self._args = (*function.args, *self._args)
            self._kwargs = {**function.keywords, **self._kwargs}
            function = function.func
        self._function: Any = function

    @functools.cached_property
    def _signature(self) -> inspect.Signature | None:
        """None where the function does not tell (some built-in ones)."""
        try:
            return inspect.signature(self._function)
        except Exception:
            return None

    @functools.cached_property
    def _is_exact(self) -> bool:
        """Whether the signature is the one by which Python itself decides: no decorator has claimed another's."""
        function = getattr(self._function, "__func__", self._function)
        if type(function) is not types.FunctionType:
            return False
        return not {"__wrapped__", "__signature__"} & vars(function).keys()

    def refuse(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> bool:
        """Whether Python raises TypeError for these arguments before the function runs; False where nobody knows."""
        return self._is_exact and self._bound(args, kwargs) is None

    def told(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> JsonValue:
        """An object of tagged values. Never raises.

        Defaults are not filled in; a first parameter ``self`` or ``cls`` is left out; ``*args`` are a list under their
        name, ``**kwargs`` members among the others. Where parameters are not known, ``args`` is what has no name.
        """
        bound = self._bound(args, kwargs)
        made: dict[str, Any] = {}
        if bound is None or self._signature is None:
            made, positions = {**self._kwargs, **kwargs}, [*self._args, *args]
            if positions:
                made["*args" if "args" in made else "args"] = positions
            return encode_arguments(made)
        for index, (name, parameter) in enumerate(self._signature.parameters.items()):
            if name not in bound or (index == 0 and name in _RECEIVERS):
                continue
            if parameter.kind is parameter.VAR_KEYWORD:
                # A parameter that takes positions only may have the name of a keyword that was passed.
                taken = {key: item for key, item in bound[name].items() if key in made}
                made |= {key: item for key, item in bound[name].items() if key not in taken}
                if taken:
                    made[f"**{name}"] = taken
            else:
                made[name] = list(bound[name]) if parameter.kind is parameter.VAR_POSITIONAL else bound[name]
        return encode_arguments(made)

    def _bound(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> dict[str, Any] | None:
        if self._signature is None:
            return None
        try:
            return self._signature.bind(*self._args, *args, **{**self._kwargs, **kwargs}).arguments
        except TypeError:
            return None

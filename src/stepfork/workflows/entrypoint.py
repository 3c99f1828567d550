"""The callable that a replay runs: found by the name that a person typed, and called as it was when it was recorded.

Only a module that somebody typed is imported, never one that a fixture names.
"""

from __future__ import annotations

import importlib
import inspect
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from types import ModuleType
from typing import Any

import msgspec

from stepfork.config.environment import environ
from stepfork.errors import EntrypointError, StepforkError
from stepfork.instrument.plain import message_of
from stepfork.providers.lines import clean_line
from stepfork.redact.redactor import redact_text
from stepfork.redact.secrets import Secrets
from stepfork.trace.body import JsonValue
from stepfork.workflows.running import run_to_end

_FORM = "write it as package.module:function"


class Entrypoint:
    """A callable, and the folder from which what it imports while it runs is found first."""

    def __init__(self, spec: str, function: Callable[..., Any], root: Path) -> None:
        self.spec = spec
        self.function = function
        self.root = root
        self.__wrapped__ = function

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call it, with `root` first on the path while it runs."""
        with importing_from(self.root):
            return self.function(*args, **kwargs)


def resolve_entrypoint(spec: str, root: Path) -> Entrypoint:
    """The callable that ``package.module:function`` or ``module:Class.method`` names, its module imported with `root`
    first on the path.

    Raises EntrypointError, one line and without secrets, for whatever keeps it from being had, a module that raises
    while it is imported among them. A module of that name that is imported already from elsewhere is refused.
    """
    name, colon, names = spec.partition(":")
    if not colon or not all(part.isidentifier() for part in [*name.split("."), *names.split(".")]):
        raise EntrypointError("is no name of a callable", where=_shown(spec), fix=_FORM)
    with importing_from(root):
        module = _imported(spec, name, root)
    _check_place(spec, name, module, root)
    found: Any = module
    for step, part in enumerate(names.split(".")):
        try:
            found = getattr(found, part)
        except Exception:  # a property may raise anything
            holder = ".".join([name, *names.split(".")[:step]])
            raise EntrypointError(f"{holder} has no {part!r}", where=_shown(spec)) from None
    if not callable(found):
        raise EntrypointError(f"is {_article(type(found).__name__)}, which cannot be called", where=_shown(spec))
    return Entrypoint(spec, found, root)


@contextmanager
def importing_from(root: Path) -> Iterator[None]:
    """`root` first on the path of imports."""
    first = str(root.absolute())
    sys.path.insert(0, first)
    importlib.invalidate_caches()
    try:
        yield
    finally:
        if first in sys.path:
            sys.path.remove(first)


def call_with_input(function: Callable[..., Any], given: JsonValue | msgspec.UnsetType) -> Any:
    """Call `function` with the input of a recorded run, a tagged value, and run what it returns to its end: coroutines
    are awaited, generators become lists.

    A recorded call gives its arguments; any other input is the first argument of a function that takes one. Raises
    EntrypointError where the function cannot be called so, and what the function raises.
    """
    args, kwargs = _arguments(function, given)
    try:
        _signature(function).bind(*args, **kwargs)
    except TypeError as error:
        told = clean_line(message_of(error), 200)
        lacks = "the recorded run has no input" if given is msgspec.UNSET else "it was recorded with another input"
        raise EntrypointError(f"cannot be called: {told}; {lacks}", where=_name_of(function)) from None
    except ValueError:  # a builtin without a signature
        pass
    with importing_from(function.root) if isinstance(function, Entrypoint) else nullcontext():
        return run_to_end(lambda: function(*args, **kwargs))


def _arguments(
    function: Callable[..., Any], given: JsonValue | msgspec.UnsetType
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    from stepfork.instrument.tagged import decode

    if given is msgspec.UNSET:
        return (), {}
    if isinstance(given, dict) and given.get("$py") == "call":
        args, kwargs = given.get("args", []), given.get("kwargs", {})
        return tuple(map(decode, args)), {name: decode(value) for name, value in kwargs.items()}
    return ((decode(given),) if _takes_one(function) else ()), {}


def _takes_one(function: Callable[..., Any]) -> bool:
    try:
        parameters = _signature(function).parameters.values()
    except ValueError:
        return True
    return any(parameter.kind not in (parameter.KEYWORD_ONLY, parameter.VAR_KEYWORD) for parameter in parameters)


def _signature(function: Callable[..., Any]) -> inspect.Signature:
    """Raises ValueError where there is none to be had."""
    try:
        return inspect.signature(function.function if isinstance(function, Entrypoint) else function)
    except TypeError as error:
        raise ValueError from error


def _imported(spec: str, name: str, root: Path) -> ModuleType:
    try:
        return importlib.import_module(name)
    except KeyboardInterrupt:
        raise
    except StepforkError as error:
        raise EntrypointError(f"cannot be imported: {error}", where=_shown(spec)) from None
    except ModuleNotFoundError as error:
        if error.name is not None and (name == error.name or name.startswith(f"{error.name}.")):
            for above in _above(name):
                if above in sys.modules:
                    _check_place(spec, above, sys.modules[above], root)
            raise EntrypointError(
                f"there is no module {error.name}", where=_shown(spec), fix=f"imports begin at {clean_line(str(root))}"
            ) from None
        raise _failed(spec, error) from None
    except BaseException as error:  # whatever a module's own code raises, SystemExit too
        raise _failed(spec, error) from None


def _failed(spec: str, error: BaseException) -> EntrypointError:
    """Its module raised: what it said, without the secrets that it may have said."""
    said = clean_line(redact_text(message_of(error), Secrets.collect(environ(), {})), 200)
    told = f"{type(error).__name__}: {said}" if said else type(error).__name__
    return EntrypointError(f"its import raised {told}", where=_shown(spec))


def _check_place(spec: str, name: str, module: ModuleType, root: Path) -> None:
    """Refuse a module that was imported before from another place than `root` has one of that name in."""
    wanted = root.joinpath(*name.split("."))
    there = [path for path in (wanted / "__init__.py", wanted.with_suffix(".py")) if path.is_file()]
    file = getattr(module, "__file__", None)
    if there and isinstance(file, str) and not any(_same(file, path) for path in there):
        raise EntrypointError(
            f"a module {name} is imported already, from {clean_line(file)}",
            where=_shown(spec),
            fix="give it another name",
        )


def _same(file: str, path: Path) -> bool:
    return os.path.realpath(file) == os.path.realpath(path)


def _above(name: str) -> Iterator[str]:
    """The packages that a module is in, the outermost first."""
    parts = name.split(".")
    return (".".join(parts[:count]) for count in range(1, len(parts)))


def _name_of(function: Callable[..., Any]) -> str:
    if isinstance(function, Entrypoint):
        return _shown(function.spec)
    return clean_line(getattr(function, "__qualname__", type(function).__name__))


def _article(word: str) -> str:
    return f"{'an' if word[:1].lower() in 'aeiou' else 'a'} {word}"


def _shown(spec: str) -> str:
    return clean_line(spec, 120) or "the entrypoint"

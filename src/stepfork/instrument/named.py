"""Classes by name: ``module:Qualname``, looked up among the modules that this process has loaded, never imported."""

from __future__ import annotations

import sys
from pathlib import PurePath
from types import ModuleType
from typing import Any, TypeGuard


def class_name(kind: type) -> str:
    """How a recording names a class. A script's own module has the name by which another program would import it."""
    try:
        module, name = type.__getattribute__(kind, "__module__"), type.__getattribute__(kind, "__qualname__")
    except Exception:
        module, name = "", ""
    if not isinstance(module, str) or not isinstance(name, str):
        module, name = "", ""
    if module == "__main__":
        module = _name_of_main() or module
    text = f"{module}:{name}"
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode("utf-8")


def find_class(name: Any) -> type | None:
    """The class of that name, where its module is loaded and the class says that this is its name."""
    if not isinstance(name, str):
        return None
    module_name, _, qualname = name.partition(":")
    for module in _modules(module_name):
        found = _inside(module, qualname)
        if found is not None and class_name(found) == name:
            return found
    return None


def _modules(name: str) -> list[ModuleType]:
    main = sys.modules.get("__main__")
    found = [sys.modules.get(name), main if main is not None and name == _name_of_main() else None]
    return [module for module in found if module is not None and issubclass(type(module), ModuleType)]


def _name_of_main() -> str | None:
    main = sys.modules.get("__main__")
    spec = getattr(main, "__spec__", None)
    if spec is not None and isinstance(spec.name, str):
        return spec.name.removesuffix(".__main__")
    path = getattr(main, "__file__", None)
    return PurePath(path).stem if isinstance(path, str) else None


def _inside(module: ModuleType, qualname: str) -> type | None:
    """A class by the dictionaries it stands in, so that no code of a module runs: a lazy one is loaded by being asked
    for its attributes."""
    head, bracket, _ = qualname.partition("[")
    found: Any = module
    for part in head.split("."):
        found = _own(found, part)
    if not _is_class(found):
        return None
    if not bracket:
        return found
    # A generic model whose parameters are filled in is a subclass that no module holds.
    below: list[type] = type.__subclasses__(found)
    return next((sub for sub in below if sub.__qualname__ == qualname), None)


def _own(holder: Any, name: str) -> Any:
    of: Any = ModuleType if issubclass(type(holder), ModuleType) else type if _is_class(holder) else None
    return None if of is None else of.__dict__["__dict__"].__get__(holder).get(name)


def _is_class(held: Any) -> TypeGuard[type]:
    """Asked of the object's own type: `isinstance` would ask the object, and what a module holds may be anything."""
    return issubclass(type(held), type)

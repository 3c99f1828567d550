"""The file that an entrypoint's module is in, found as an import would find it, with nothing imported."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterable, Sequence
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path


def entrypoint_source(spec: str, root: Path, above: Sequence[str] = ()) -> Path | None:
    """The source of the module of ``package.module:function``, looked for in `root`, then in the folders `above`
    (those of PYTHONPATH, say), then where this Python finds modules; None where it has no source there.

    Finders that are installed in this Python (those of editable installs) are asked; no package is imported.
    """
    importlib.invalidate_caches()
    module = spec.partition(":")[0]
    places: Sequence[str] | None = [str(root), *above, *sys.path]
    found: ModuleSpec | None = None
    name = ""
    for part in module.split("."):
        if not part or places is None:
            return None
        name = f"{name}.{part}" if name else part
        found = _find(name, places, is_first=name == part)
        if found is None:
            return None
        places = None if found.submodule_search_locations is None else [*found.submodule_search_locations]
    origin = found.origin if found is not None and found.has_location else None
    path = Path(origin) if origin is not None else None
    return path if path is not None and path.is_file() else None


def _find(name: str, places: Sequence[str], *, is_first: bool) -> ModuleSpec | None:
    try:
        found = PathFinder.find_spec(name, places)
        if found is not None or not is_first:
            return found
        return next((spec for spec in _others(name) if spec is not None), None)
    except Exception:  # a finder that somebody installed may raise anything
        return None


def _others(name: str) -> Iterable[ModuleSpec | None]:
    for finder in sys.meta_path:
        if finder is not PathFinder:
            yield finder.find_spec(name, None)

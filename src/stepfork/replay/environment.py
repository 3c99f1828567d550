"""The environment of a replayed program: turned to the listener, with keys that open nothing."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from stepfork.listener.environment import LOOPBACK, child_environment
from stepfork.listener.routes import BUILT_IN, Route
from stepfork.replay.keys import PLACEHOLDER_KEY, foreign_keys, placeholder_keys

GUARD = Path(__file__).parent / "guard"
"""The folder that ``--block-egress`` puts in front of a child's PYTHONPATH; a data folder, no package."""

_PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY")


def replay_environment(
    parent: Mapping[str, str],
    base_url: str,
    routes: Sequence[Route] = BUILT_IN,
    *,
    dotenv: Mapping[str, str] | None = None,
    block_egress: bool = False,
) -> dict[str, str]:
    """The variables for a program that is replayed by the listener at `base_url`, made of the `parent`'s.

    Beside what `child_environment` turns: keys of the providers that the routes serve become placeholders, also where
    the parent has none, and keys of other providers are left out. `dotenv` are the values of the ``.env`` that the
    program may load: loaders leave a variable alone that is set, so a key that it holds is set too, to nothing where
    it is another provider's. With `block_egress` see `_shut`.
    """
    child = child_environment(parent, base_url, routes, answered=True)
    loadable = dotenv or {}
    names = {*child, *loadable}
    served = placeholder_keys(names, [route.variable for route in routes])
    for name in foreign_keys(names, served):
        if name in loadable:
            child[name] = ""
        else:
            del child[name]
    child.update(dict.fromkeys(served, PLACEHOLDER_KEY))
    if block_egress:
        _shut(child, base_url)
    return child


def _shut(child: dict[str, str], base_url: str) -> None:
    """Denies connections that leave this machine, to programs that can be made to: Python and Node load a guard at
    their start, which they hand on to programs that they start; what obeys the proxy variables finds the listener
    there, which forwards nothing (403)."""
    child["PYTHONPATH"] = os.pathsep.join(filter(None, (str(GUARD), child.get("PYTHONPATH", ""))))
    node = str(GUARD / "block_egress.cjs").replace("\\", "\\\\").replace('"', '\\"')
    child["NODE_OPTIONS"] = f'{child.get("NODE_OPTIONS", "")} --require "{node}"'.strip()
    listener = "/".join(base_url.split("/")[:3])
    for name in _PROXIES:
        child[name] = child[name.lower()] = listener
    child["NO_PROXY"] = child["no_proxy"] = ",".join(LOOPBACK)

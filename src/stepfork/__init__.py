"""stepfork: one real agent run as a fixture in git.

    with stepfork.record("refund") as capture: ...   what the block does becomes the fixture
    with stepfork.playback("refund"): ...            the block's model calls are answered from it

Importing this loads nothing else; each name is loaded when it is first asked for.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from stepfork.workflows.playback import playback as playback
    from stepfork.workflows.record import record as record

_HOMES = {"playback": "stepfork.workflows.playback", "record": "stepfork.workflows.record"}

__all__ = ["playback", "record"]


def __getattr__(name: str) -> "Any":
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    found = globals()[name] = getattr(import_module(home), name)
    return found


def __dir__() -> "list[str]":
    return sorted({*globals(), *_HOMES})

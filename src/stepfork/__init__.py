"""stepfork: one real agent run as a fixture in git.

    with stepfork.record("refund") as capture: ...   what the block does becomes the fixture
    with stepfork.playback("refund"): ...            the block's model calls are answered from it

Importing this loads nothing else; each name is loaded when it is first asked for.
"""

__all__ = ["playback", "record"]

_HOMES = {"playback": "stepfork.workflows.playback", "record": "stepfork.workflows.record"}

TYPE_CHECKING = False
if TYPE_CHECKING:
    from stepfork.workflows.playback import playback as playback
    from stepfork.workflows.record import record as record
else:  # hidden from type checkers, to which any name would be one

    def __getattr__(name: str) -> object:
        home = _HOMES.get(name)
        if home is None:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from importlib import import_module

        found = globals()[name] = getattr(import_module(home), name)
        return found

    def __dir__() -> list[str]:
        return sorted({*globals(), *_HOMES})

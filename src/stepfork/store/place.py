"""Which folder is a store, wherever it lies and whatever it is called. Standard library only."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    import os


def is_store(folder: str | os.PathLike[str]) -> bool:
    """Whether a folder that somebody names is a store: by its name, its settings, or what it holds.

    A folder of fixtures alone is none: tests have one too. An empty store has nothing but its settings in git.
    """
    from pathlib import Path  # loaded where somebody names one alone

    root = Path(folder)
    if root.absolute().name == ".stepfork":
        return root.is_dir()
    return (root / "config.toml").is_file() or all((root / part).is_dir() for part in ("fixtures", "objects"))

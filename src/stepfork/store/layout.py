"""What a store's folder holds, and making one."""

from __future__ import annotations

from pathlib import Path

from stepfork.errors import StoreError
from stepfork.store.files import write_atomic
from stepfork.store.names import check_name
from stepfork.store.objects import object_path

STORE_NAME = ".stepfork"
CONFIG = "config.toml"
FIXTURES = "fixtures"
OBJECTS = "objects"
FAILED = "failed"
BUNDLE = ".sftrace"
"""How the name of a bundle's folder ends."""
MANIFEST = "manifest.json"
"""What makes a folder a bundle."""
JOURNAL = "journal.jsonl"
"""What a recording leaves in the folder of its bundle, until it has made one."""

ATTRIBUTES = """\
# Fixtures are bytes with a digest: no line-ending conversion, and never half of one run and half of another.
fixtures/** -text -merge diff=stepfork
objects/** -text -merge linguist-generated
"""

IGNORED = """\
/failed/
.lock
*.tmp
"""

CONFIGURATION = """\
# Settings of stepfork for this project; stepfork explains each in its documentation.
format = 1
"""

_FILES = {".gitattributes": ATTRIBUTES, ".gitignore": IGNORED, CONFIG: CONFIGURATION}


def manifest_file(name: str) -> str:
    """The path of the manifest of that name below a store. Raises UsageError for a bad name."""
    return f"{FIXTURES}/{check_name(name)}.json"


def object_file(name: str) -> str:
    """The path of an object below a store or a bundle. Raises DamagedError for what is not the name of an object."""
    return f"{OBJECTS}/{object_path(name)}"


def init_store(folder: Path) -> list[str]:
    """Make the store ``.stepfork`` in `folder`, or complete it; one line for each thing done, none the second time.

    Files that are there keep every line they have; ``config.toml`` is written only where there is none. Raises
    StoreError.
    """
    root = folder / STORE_NAME
    changes = []
    try:
        for part in (root, root / FIXTURES, root / OBJECTS):
            if not part.is_dir():
                part.mkdir(parents=True)
                changes.append(f"made {part.as_posix()}/")
        for name, text in _FILES.items():
            change = _complete(root / name, text)
            if change is not None:
                changes.append(change)
    except (OSError, UnicodeDecodeError) as error:
        raise StoreError(f"a store cannot be made ({type(error).__name__})", where=str(folder)) from None
    return changes


def _complete(path: Path, text: str) -> str | None:
    if not path.exists():
        write_atomic(path, text.encode())
        return f"wrote {path.as_posix()}"
    if path.name == CONFIG:
        return None
    present = path.read_bytes().decode()
    lines = set(present.splitlines())
    absent = [line for line in text.splitlines() if line not in lines and not line.startswith("#")]
    if not absent:
        return None
    start = present if not present or present.endswith("\n") else present + "\n"
    write_atomic(path, (start + "\n".join(absent) + "\n").encode())
    return f"added {len(absent)} lines to {path.as_posix()}"

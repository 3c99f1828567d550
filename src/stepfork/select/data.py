"""Tables of cases beside the tests (JSON, YAML, TOML, INI, CSV, plain lines) that hold the names of fixtures.

Such a file counts like a bundle that tests open: who names the file, or all files of its kind or folder, may open what
it lists. Which of its cases a test takes is not told.
"""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from stepfork.select.following import Sources

_MANY = 200


def named_in_data(sources: Sources, names: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """The files of data that hold names of fixtures as whole words, each with those names."""
    wanted = sorted(name for name in names if name and min(name) >= " ")  # no table spells a line break as it is
    if not wanted:
        return {}
    found: dict[str, tuple[str, ...]] = {}
    literal = ["".join(f"\\{char}" if char in r"\.[]{}()*+?^$|" else char for char in name) for name in wanted]
    branches = ["|".join(literal[start : start + _MANY]) for start in range(0, len(literal), _MANY)]
    around = [f"(^|[^A-Za-z0-9_-])({branch})([^A-Za-z0-9_-]|$)" for branch in branches]
    for path in sources.search_data(*around):
        data = sources.read(path) or b""
        spoken = set(re.split(rb"[\s\"'`,;:=\[\]{}()<>|]+", data))
        held = [name for name in wanted if _spellings(name) & spoken]
        if held:
            found[path] = tuple(held)
    return found


def _spellings(name: str) -> set[bytes]:
    plain = name.encode("utf-8", "surrogateescape")
    return {start + plain + end for start in (b"", b"fixtures/", b".stepfork/fixtures/") for end in (b"", b".json")}


def pattern_of_readers(paths: Iterable[str]) -> str:
    """A pattern of the lines that read all files of a kind, or all of a folder, of which ``paths`` are some."""
    endings = {path.rpartition(".")[2] for path in paths}
    folders = {path.split("/")[-2] for path in paths if "/" in path} - {"test", "tests", "testing"}
    told = [f"[*][.]({'|'.join(sorted(endings))})"]
    words = sorted(re.sub(r"[^\w-]", ".", folder) for folder in folders)
    return "|".join([*told, *([f"[\"'/]({'|'.join(words)})[\"'/*]"] if words else [])])


def because_of_data(held: Mapping[str, Iterable[str]], because: Mapping[str, str]) -> dict[str, str]:
    """The sentence for each file: what happened to the fixtures that it names."""
    told = {path: "; ".join(because.get(name, name) for name in names) for path, names in held.items()}
    return {path: f"{sentences} (named in {path})" for path, sentences in told.items()}

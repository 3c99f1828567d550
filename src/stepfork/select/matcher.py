"""Which fixtures a piece of text names: whole names only, alone, as a path, at a revision, or in a command line.

The same rules are written a second time as a pattern for searching (`search_pattern`), which finds every text that
the rules could match and some that they do not: it decides which files are worth parsing.
"""

from __future__ import annotations

import re

from stepfork.git.record import Record
from stepfork.select.shapes import HOLE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_TOKEN = re.compile(r"[^\W\d_]+|\d+")
_GLOB = re.compile(r"\*\*/|\[[^\]]*\]|[*?]+")
_REST = "[^ \"'(){},]*"
_SPECIAL = frozenset(".[]{}()*+?^$|\\")
_CONTROL = ".{1,6}"
_WORD_ENDS = "\"'`,;()[]{}"
#: The functions of stepfork that open a fixture by its name.
LOADERS = frozenset({"inspect_fixture", "playback", "replay_run"})
_OPENERS = r"(playback|inspect_fixture|replay_run|mark\.stepfork)"
#: More names than this are searched for by their first word, so that the pattern stays small.
_MANY = 60


class Hit(Record):
    """One fixture that a text names; not ``sure`` where the text has parts that are not known."""

    name: str
    sure: bool


class Matcher:
    """The fixtures looked for, by name; ``bundles`` are paths of bundles, from the root of the repository.

    ``folder`` is the name of the store's folder. With ``any_path`` every path of a fixture or bundle counts, whether
    its name is known or not: what a test may use whose fixture is gone.
    """

    def __init__(
        self, names: Iterable[str], bundles: Iterable[str] = (), folder: str = ".stepfork", *, any_path: bool = False
    ) -> None:
        self.names = frozenset(names)
        self.bundles = frozenset(bundles)
        self.folder = folder
        self.any_path = any_path
        self._parts: dict[str, list[str]] | None = None
        self._bundle_names = {path.rsplit("/", 1)[-1]: path for path in self.bundles}

    def hits(self, shape: str) -> tuple[Hit, ...]:
        """What a shape (see `shapes`) names."""
        if len(shape) < 2 and shape not in self.names:
            return ()
        text = shape.replace("\\", "/")
        if " " in text and "stepfork" in text and len(text) > len("stepfork"):
            found: dict[str, Hit] = {}
            for word in text.split():
                for part in {word, word.partition("=")[2]} - {""}:
                    found.update((hit.name, hit) for hit in self._one(part.strip(_WORD_ENDS)) if hit.sure)
            return tuple(found.values())
        return self._one(text)

    def with_part(self, text: str) -> Sequence[str]:
        """The fixtures of whose names a text is a first or a last part, at the border of a word."""
        if self._parts is None:
            self._parts = {}
            for name in sorted(self.names):
                for part in _parts_of(name):
                    self._parts.setdefault(part, []).append(name)
        return self._parts.get(text, ())

    def reads_folder(self, shape: str) -> bool:
        """Whether a shape is the store's folder or that of its fixtures, so that any fixture may be meant."""
        text = shape.replace("\\", "/").removesuffix("/" + HOLE).rstrip("/")
        ends = (self.folder + "/fixtures", "/" + self.folder + "/fixtures")
        if text == ends[0] or text.endswith(ends[1]):
            return True
        return self.folder.startswith(".") and (text == self.folder or text.endswith("/" + self.folder))

    def _one(self, text: str) -> tuple[Hit, ...]:
        if HOLE in text:
            folder, _, base = text.rpartition("/")  # below a folder that is not known the name is told all the same
            is_bundle = bool(folder) and HOLE not in base and base.endswith(".sftrace")
            if is_bundle and (base in self._bundle_names or self.any_path):
                return (Hit(self._bundle_names.get(base, text), sure=True),)
            return self._with_holes(text)
        name = self._plain(text)
        if name is not None:
            return (Hit(name, sure=True),)
        anchor = _after_fixtures(text)
        if anchor is not None and _GLOB.search(anchor):
            return self._with_holes("fixtures/" + _GLOB.sub(HOLE, anchor))
        base = text.rstrip("/").rsplit("/", 1)[-1]
        if base in self._bundle_names:
            return (Hit(self._bundle_names[base], sure=True),)
        if self.any_path and (base.endswith(".sftrace") or (anchor and f"{self.folder}/fixtures/" in text)):
            return (Hit(text, sure=True),)
        return ()

    def _plain(self, text: str) -> str | None:
        candidates = [text, text.removeprefix("./")]
        if ":" in text:
            candidates.append(text.rpartition(":")[2])
        for candidate in candidates:
            rest: str | None = candidate.rstrip("/")
            while rest:
                for form in (rest, rest.removesuffix(".json")):
                    if form in self.names:
                        return form
                rest = _after_fixtures(rest)
        return None

    def _with_holes(self, text: str) -> tuple[Hit, ...]:
        anchor = _after_fixtures(text)
        wanted = text if anchor is None else anchor
        pieces = [piece for piece in wanted.split(HOLE) if piece]
        if anchor is None and not any(char.isalnum() for piece in pieces for char in piece.removesuffix(".json")):
            return ()
        pattern = re.compile(".*".join(re.escape(piece) for piece in wanted.split(HOLE)), re.DOTALL)
        sure = HOLE not in wanted
        found = [Hit(name, sure) for name in sorted(self.names) if self._could_be(name, pattern, pieces, anchor)]
        found += [Hit(path, sure=False) for base, path in self._bundle_names.items() if _ends_with(text, base, pattern)]
        return tuple(found)

    @staticmethod
    def _could_be(name: str, pattern: re.Pattern[str], pieces: list[str], anchor: str | None) -> bool:
        forms = [name, f"{name}.json"]
        if anchor is None:
            forms += [f"/{name}", f"/{name}.json", f"fixtures/{name}", f"fixtures/{name}.json"]
            words = tokens(name)
            if not any(word in piece for word in words for piece in pieces):
                return False
        return any(pattern.fullmatch(form) for form in forms)


def _parts_of(name: str) -> set[str]:
    borders = [at for at in range(1, len(name)) if not (name[at - 1].isalnum() and name[at].isalnum())]
    parts = {part for at in borders for part in (name[:at], name[at:])}
    return {part for part in parts if any(char.isalnum() for char in part)}


def tokens(name: str) -> list[str]:
    """The words and numbers of a name."""
    return _TOKEN.findall(name) or [name]


def _ends_with(text: str, base: str, pattern: re.Pattern[str]) -> bool:
    return text.endswith("/" + base) or pattern.fullmatch(base) is not None


def _after_fixtures(text: str) -> str | None:
    at = 0 if text.startswith("fixtures/") else text.find("/fixtures/")
    if at < 0:
        return None
    return text[at:].lstrip("/").removeprefix("fixtures/")


def search_pattern(matcher: Matcher, modules: Iterable[str]) -> str:
    """`search_branches` as one expression."""
    return "|".join(search_branches(matcher, modules))


def search_branches(matcher: Matcher, modules: Iterable[str]) -> list[str]:
    """Extended regular expressions, for git and for `re` alike, one of which every file worth parsing matches.

    It finds the names themselves, texts that begin or end with one of their words and go on in a way that is computed,
    mentions of the store's folder, calls of stepfork's functions with a computed argument, and imports of test modules
    (named like ``modules``), from which a test may take a constant. It has few alternatives, since each costs time on
    every line of every test.
    """
    names = matcher.names | {path.rsplit("/", 1)[-1] for path in matcher.bundles}
    branches = _branches(names) if len(names) <= _MANY else _few_branches(names)
    branches.append(rf"({_literal(matcher.folder)}|fixtures)[/\\]*[\"'{{%*]")
    if matcher.any_path:
        branches += [_literal(matcher.folder) + "/fixtures/", r"\.sftrace", _OPENERS + r"\("]
    else:
        # Called, or known by another name: a pattern that begins with words costs least.
        branches.append(rf"{_OPENERS}(\( *([^\"' )]|$)| as )")
        branches.append(rf"[(=] *([A-Za-z_.]+\.)?{_OPENERS}([,)]|$)")
    if modules:
        branches.append(f"(from|import) .*({_any_of(modules)})")
    return branches


def _branches(names: Iterable[str]) -> list[str]:
    whole: set[str] = set()
    firsts: set[str] = set()
    middles: set[str] = set()
    ends: set[str] = set()
    for name in names:
        words = list(_TOKEN.finditer(name))
        whole |= {name, name.rsplit("/", 1)[-1]}
        if len(words) > 1:
            firsts.add(words[0][0])
            middles.update(word[0] for word in words[1:-1])
            ends.update(name[word.start() :] for word in words[1:])
    # What stands before a name costs too much to look at; what stands after it keeps refund-2 out of refund's way.
    found = [f"({_any_of(whole)})([^A-Za-z0-9_-]|$)"] if whole else []
    if firsts:
        found.append(rf"({_any_of(firsts)})({_REST}[{{%$]|{_REST}[-_./][\"']|[\"'])")
    if middles:
        found.append(rf"[}}][-_./]({_any_of(middles)})[-_./][{{]")
    if ends:
        found.append(rf"([}}]|%[sdr]|[\"'][-_./])[-_./]?({_any_of(ends)})")
    return found


def _few_branches(names: Iterable[str]) -> list[str]:
    """`_branches`, coarser: names that begin and end alike count as one, so that many names make a small pattern."""
    firsts: set[str] = set()
    lasts: set[str] = set()
    for name in names:
        words = tokens(name)
        firsts |= {words[0], tokens(name.rsplit("/", 1)[-1])[0]}
        lasts.add(words[-1])
    ends = _any_of(word for word in lasts if not word.isdigit())
    return [f"({_any_of(firsts)})", rf"([}}]|%[sdr]|[\"'][-_./]){_REST}({ends + '|' if ends else ''}[0-9])"]


def _any_of(words: Iterable[str]) -> str:
    return "|".join(_literal(word) for word in sorted(words))


def _literal(text: str) -> str:
    """``text`` as a pattern. A control character, which no pattern holds, stands in a source as some escape."""
    return "".join(_CONTROL if char < " " else f"\\{char}" if char in _SPECIAL else char for char in text)

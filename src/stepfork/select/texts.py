"""Names of fixtures in texts that are cut up, and names that are put together out of texts a module has apart."""

from __future__ import annotations

import ast
import re

from stepfork.select.shapes import HOLE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from stepfork.select.matcher import Matcher

_CUTTERS = {"split", "rsplit", "splitlines", "partition", "rpartition", "strip", "lstrip", "rstrip"} | {
    *("removeprefix", "removesuffix", "replace")
}
_BETWEEN = re.compile(r"[\s,;|=:]+")
_LONGEST = 10_000
_WORD = re.compile(r"[^\W\d_]+")


def cut_texts(node: ast.AST, names: Mapping[str, str]) -> Iterator[str]:
    """The constant texts that a call takes apart: ``"a b".split()``, ``NAMES.split(",")``, ``shlex.split("a b")``."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute) or node.func.attr not in _CUTTERS:
        return
    for part in (node.func.value, *node.args):
        if isinstance(part, ast.Constant) and isinstance(part.value, str):
            yield part.value
        elif isinstance(part, ast.Name) and part.id in names:
            yield names[part.id]


def words_of(text: str) -> list[str]:
    """The pieces of a text between blanks and signs that separate."""
    return [word for word in _BETWEEN.split(text[:_LONGEST]) if word]


def texts_in(nodes: Iterable[ast.AST]) -> Iterator[str]:
    """All constant texts below some nodes."""
    for top in nodes:
        for node in ast.walk(top):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value:
                yield node.value


class Spoken:
    """The texts of one module, asked whether a name may be put together out of them."""

    def __init__(self, tree: ast.Module, matcher: Matcher) -> None:
        self._tree = tree
        self._matcher = matcher
        self._names: frozenset[str] | None = None

    def composed(self, shape: str) -> list[str]:
        """The fixtures that a shape of holes and separating signs fits, and whose words the module has apart."""
        names = self.composable()
        if not names:
            return []
        pattern = re.compile(".*".join(re.escape(piece) for piece in shape.split(HOLE)), re.DOTALL)
        return [name for name in sorted(names) if pattern.fullmatch(name)]

    def composable(self) -> frozenset[str]:
        """The fixtures all of whose words the module has as texts that are parts of their names."""
        if self._names is None:
            self._names = self._find()
        return self._names

    def _find(self) -> frozenset[str]:
        spoken: dict[str, set[str]] = {}
        for text in set(texts_in([self._tree])):
            for name in self._matcher.with_part(text) if len(text) < 100 else ():
                spoken.setdefault(name, set()).update(_WORD.findall(text))
        return frozenset(name for name, words in spoken.items() if words.issuperset(_WORD.findall(name)))

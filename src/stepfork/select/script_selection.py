"""Which test files in JavaScript or TypeScript a change of fixtures touches, each as a whole, with its reasons."""

from __future__ import annotations

import re

from stepfork.select.matcher import Matcher, tokens
from stepfork.select.script import imported_paths, read_script
from stepfork.select.selection import SelectedTest
from stepfork.select.shapes import HOLE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from stepfork.select.changed import FixtureChanges
    from stepfork.select.script import Script
    from stepfork.select.script_layout import ScriptLayout
    from stepfork.select.selection import Sources

    Said = tuple[str, str]
    """What is to be said of a name (empty for a plain literal), and the module through which it is reached."""
    Names = dict[str, dict[str | None, Said]]
    """Path → fixture (None: it may be any) → how it is named."""


def select_scripts(
    changes: FixtureChanges,
    touched: Iterable[str],
    layout: ScriptLayout,
    sources: Sources,
    *,
    folder: str,
    everything: Sequence[str] = (),
) -> tuple[SelectedTest, ...]:
    """The test files that name a changed fixture, or that changed and name any; in order of path.

    ``touched`` are all changed paths, ``folder`` is the name of the store's folder, ``everything`` why all that use
    fixtures are taken.
    """
    reasons = {name: str(change) for name, change in changes.reasons.items()}
    known = {*sources.fixture_names(), *reasons}
    bundles = {change.name for change in changes.bundles}
    found: dict[str, dict[str, None]] = {}
    if everything:
        for path in _Scripts(layout, sources, Matcher(known, bundles, folder, any_path=True)).tests():
            found[path] = dict.fromkeys(everything)
        return _listed(found, layout)
    edited = {path for path in touched if layout.is_test(path) or layout.is_support(path)}
    if edited:
        every = _Scripts(layout, sources, Matcher(known, bundles, folder, any_path=True))
        for path in edited & every.tests().keys():
            found[path] = {f"{path} changed": None}
        for path, through in every.tests_through(edited).items():
            found.setdefault(path, {})[f"{through} changed, which names fixtures"] = None
    if reasons:
        matcher = Matcher({change.name for change in changes.fixtures}, bundles, folder)
        for path, names in _Scripts(layout, sources, matcher).tests().items():
            for name, (note, through) in names.items():
                said = note if name is None else reasons[name] + (f" ({note})" if note else "")
                found.setdefault(path, {})[said + (f", through {through}" if through else "")] = None
    return _listed(found, layout)


def names_in_scripts(layout: ScriptLayout, sources: Sources, *, folder: str) -> Names:
    """The test files that name any fixture, and which."""
    return _Scripts(layout, sources, Matcher(sources.fixture_names(), (), folder, any_path=True)).tests()


def _listed(found: dict[str, dict[str, None]], layout: ScriptLayout) -> tuple[SelectedTest, ...]:
    return tuple(SelectedTest(path, (), layout.node_id(path), tuple(found[path])) for path in sorted(found))


class _Scripts:
    """The scripts searched for the fixtures of one matcher."""

    def __init__(self, layout: ScriptLayout, sources: Sources, matcher: Matcher) -> None:
        self._layout = layout
        self._sources = sources
        self._matcher = matcher
        self._read: dict[str, Script | None] = {}

    def tests(self) -> Names:
        """The tests that name a fixture, themselves or through modules that they import."""
        reached = self._naming()
        pending = list(reached.items())
        while pending:
            path, names = pending.pop()
            for user in self._users(path):
                there = reached.setdefault(user, {})
                new = {name: (note, through or path) for name, (note, through) in names.items() if name not in there}
                there.update(new)
                if new:
                    pending.append((user, new))
        return {path: names for path, names in reached.items() if self._layout.is_test(path)}

    def tests_through(self, modules: set[str]) -> dict[str, str]:
        """The tests that use one of these modules which names a fixture, or did: test → module."""
        found: dict[str, str] = {}
        for module in sorted(modules):
            if self._layout.is_test(module):
                continue
            old = self._sources.read_old(module)
            if not self._names(self._script(module)) and not (old and self._names(read_script(old, module))):
                continue
            pending, seen = [module], {module}
            while pending:
                for user in set(self._users(pending.pop())) - seen:
                    seen.add(user)
                    pending.append(user)
            found.update((path, module) for path in seen if self._layout.is_test(path))
        return found

    def _naming(self) -> Names:
        found = {path: self._names(self._script(path)) for path in self._sources.search(*_branches(self._matcher))}
        return {path: names for path, names in found.items() if names}

    def _names(self, script: Script | None) -> dict[str | None, Said]:
        found: dict[str | None, Said] = {}
        for shape in script.texts if script is not None else ():
            shown = '"' + shape.replace(HOLE, "…")[:60] + '"'
            for hit in self._matcher.hits(shape):
                if hit.sure or hit.name not in found:
                    found[hit.name] = ("" if hit.sure else f"{shown} may name it", "")
            if self._matcher.reads_folder(shape):
                found[None] = (f"{shown} is the folder of all fixtures", "")
        return found

    def _script(self, path: str) -> Script | None:
        if path not in self._read:
            data = self._sources.read(path)
            self._read[path] = None if data is None else read_script(data, path)
        return self._read[path]

    def _users(self, path: str) -> list[str]:
        """The scripts that import a module; all tests, for one that a runner sets up every test with."""
        base = path.rsplit("/", 1)[-1]
        if "setup" in base.lower() and not self._layout.is_test(path):
            return [other for other in self._sources.under("") if self._layout.is_test(other)]
        stem = base.split(".", 1)[0]
        # A folder is imported by its name, from inside by dots.
        words = rf"\.|{_any_of({stem, *path.split('/')[-2:-1]})}" if stem == "index" else _any_of({stem})
        users: list[str] = []
        for other in self._sources.search(rf"[\"'`./]({words})"):
            script = self._script(other) if other != path else None
            if script is not None and path in imported_paths(script, other):
                users.append(other)
        return users


def _branches(matcher: Matcher) -> list[str]:
    """Extended regular expressions, for git and `re` alike, one of which every file worth reading matches."""
    names = matcher.names | {path.rsplit("/", 1)[-1] for path in matcher.bundles}
    words = {word for name in names for word in tokens(name)}
    numbers = {word for word in words if word.isdigit()}
    # A number is in every file; alone it is looked for where it begins or ends a text, if it is no name by itself.
    alone = {name for name in names if numbers.issuperset(tokens(name))}
    branches = [rf"({_any_of((matcher.folder,))}|fixtures)[/\\]*[\"'`$*?\[{{%]"]
    if words - numbers or alone:
        branches.append(_any_of((words - numbers) | alone))
    if numbers:
        branches.append(rf"[\"'`}}][^\"'`{{}}]*({_any_of(numbers)})")
    if matcher.any_path:
        branches += [_any_of((matcher.folder + "/fixtures/",)), r"\.sftrace"]
    return branches


def _any_of(words: Iterable[str]) -> str:
    return "|".join(re.sub(r"[][.{}()*+?^$|\\]", lambda found: f"\\{found[0]}", word) for word in sorted(words))

"""Which test files in JavaScript or TypeScript a change of fixtures touches, each as a whole, with its reasons."""

from __future__ import annotations

import re

from stepfork.select.matcher import Matcher, tokens
from stepfork.select.script import imported_paths, read_script
from stepfork.select.selection import SelectedTest
from stepfork.select.shapes import HOLE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from stepfork.select.changed import FixtureChanges
    from stepfork.select.following import Sources
    from stepfork.select.script import Script
    from stepfork.select.script_layout import ScriptLayout

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
        pending: Names = {path: dict(names) for path, names in reached.items()}
        while pending:
            new: Names = {}
            for user, module in self._users(pending.keys()):
                there = reached.setdefault(user, {})
                for name, (note, through) in pending[module].items():
                    if name not in there:
                        there[name] = new.setdefault(user, {})[name] = (note, through or module)
            pending = new
        return {path: names for path, names in reached.items() if self._layout.is_test(path)}

    def tests_through(self, modules: set[str]) -> dict[str, str]:
        """The tests that use one of these modules which names a fixture, or did: test → module."""
        found = {module: module for module in sorted(modules) if self._names_any(module)}
        pending = dict(found)
        while pending:
            new = {user: pending[module] for user, module in self._users(pending.keys()) if user not in found}
            found |= new
            pending = new
        return {path: module for path, module in found.items() if path != module and self._layout.is_test(path)}

    def _names_any(self, module: str) -> bool:
        """Whether a module that is no test names a fixture, or did in the state compared with."""
        if self._layout.is_test(module):
            return False
        old = self._sources.read_old(module)
        return bool(self._names(self._script(module)) or (old and self._names(read_script(old, module))))

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

    def _users(self, modules: Collection[str]) -> Iterator[tuple[str, str]]:
        """The scripts that import one of the modules, each with it; all tests, for one that sets up every test."""
        stems = {module: module.rsplit("/", 1)[-1].split(".", 1)[0] for module in modules}
        # A folder is imported by its name, from inside by dots.
        folders = [module for module, stem in stems.items() if stem == "index"]
        words = {*stems.values(), *(module.rsplit("/", 2)[-2] for module in folders if "/" in module)}
        dots = r"\.|" if folders else ""
        for user in self._sources.search(rf"[\"'`./]({dots}{_any_of(words)})") if modules else ():
            script = self._script(user)
            found = imported_paths(script, user) if script is not None else ()
            yield from ((user, module) for module in dict.fromkeys(found) if module in modules and module != user)
        for module in modules:
            if "setup" in module.rsplit("/", 1)[-1].lower() and not self._layout.is_test(module):
                yield from ((test, module) for test in self._sources.under("") if self._layout.is_test(test))


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

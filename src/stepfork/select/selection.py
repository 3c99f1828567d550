"""Which tests a change of fixtures touches, each with its reasons: from names to files to test functions."""

from __future__ import annotations

import ast
import re

from stepfork.git.command import to_bytes
from stepfork.git.record import Record
from stepfork.select.data import because_of_data, named_in_data, pattern_of_readers
from stepfork.select.following import Following, users_of_module
from stepfork.select.layout import folder_of
from stepfork.select.matcher import Matcher, search_branches, search_pattern
from stepfork.select.module import Module, ModuleReferences, parse, references_in, users_in
from stepfork.select.units import Reference

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from stepfork.select.changed import FixtureChanges
    from stepfork.select.following import Sources
    from stepfork.select.layout import Layout


Node = tuple[str, ...]
_UNREADABLE = "is no Python that can be read"


class SelectedTest(Record):
    """A test file (``node`` is empty), class or function; ``reasons`` are sentences without a full stop."""

    path: str
    node: Node
    id: str
    reasons: tuple[str, ...]


class Selection(Record):
    """The tests in order of path and place; ``everything`` is why all that use fixtures were taken (empty: not so)."""

    tests: tuple[SelectedTest, ...]
    everything: tuple[str, ...]


class Referenced(Record):
    """The fixtures that tests name. ``any``: test file → why it may name any fixture; ``broken`` says which files
    cannot be read, so that nothing is certain."""

    names: frozenset[str]
    any: Mapping[str, str]
    broken: tuple[str, ...]


class _Found:
    """Path → node → reasons. ``because`` has the sentence for a fixture's name, ``everything`` replaces them all."""

    def __init__(self, because: Mapping[str, str] | None = None, everything: Sequence[str] = ()) -> None:
        self.everything = everything
        self.nodes: dict[str, dict[Node, dict[str, None]]] = {}
        self.references: dict[Reference, str] = {}
        self.because = dict(because or {})
        self.tabled: set[str] = set()

    def add(self, path: str, node: Node, reasons: Iterable[str]) -> None:
        """A node with sentences why."""
        self.nodes.setdefault(path, {}).setdefault(node, {}).update(dict.fromkeys(self.everything or reasons))

    def add_for(self, path: str, node: Node, references: Sequence[Reference], through: str = "") -> None:
        """A node that names fixtures, itself or through another module."""
        self.references.update(dict.fromkeys(references, path))
        self.add(path, node, [self._sentence(one) + through for one in references])

    def _sentence(self, reference: Reference) -> str:
        if reference.fixture is None:
            return reference.note
        sentence = self.because.get(reference.fixture, reference.fixture)
        return f"{sentence} ({reference.note})" if reference.note else sentence


def select_tests(
    changes: FixtureChanges,
    touched: Iterable[str],
    layout: Layout,
    sources: Sources,
    *,
    folder: str,
    unsure: Sequence[str] = (),
) -> Selection:
    """The tests that reference a changed fixture, or that changed themselves and reference any.

    ``touched`` are all changed paths, ``folder`` is the name of the store's folder. ``unsure`` are reasons to take
    every test that uses fixtures, beside those that ``changes`` knows.
    """
    everything = [*unsure, *changes.unsure]
    reasons = changes.reasons
    bundles = {change.name for change in changes.bundles}
    found = _Found({name: str(change) for name, change in reasons.items()})
    paths = sorted(touched)
    tests = [path for path in paths if layout.is_test(path)]
    support = [path for path in paths if layout.is_support(path) or layout.is_data(path)]
    if not everything and (tests or support):
        every = _Search(layout, sources, Matcher({*sources.fixture_names(), *reasons}, (), folder))
        everything += every.changed_support(support) or every.changed_tests(tests, found)
        if not everything:
            every.add_going_through(support, found)
    if not everything and reasons:
        names = {change.name for change in changes.fixtures}
        everything += _Search(layout, sources, Matcher(names, bundles, folder)).run(found)
        everything += _add_by_data(layout, sources, names, folder, found) if not everything else []
    if everything:
        found = _Found(everything=everything)
        names = {*sources.fixture_names(), *(change.name for change in changes.fixtures)}
        _Search(layout, sources, Matcher(names, bundles, folder, any_path=True)).run(found)
        _add_by_data(layout, sources, names, folder, found)
    return Selection(tuple(_listed(found, layout)), tuple(dict.fromkeys(everything)))


def tests_using_fixtures(layout: Layout, sources: Sources, *, folder: str) -> int:
    """How many tests (files, where no finer part is certain) use any fixture at all."""
    found = _Found(everything=["counted"])
    names = set(sources.fixture_names())
    _Search(layout, sources, Matcher(names, (), folder, any_path=True)).run(found)
    _add_by_data(layout, sources, names, folder, found)
    return len(list(_listed(found, layout)))


def referenced_fixtures(layout: Layout, sources: Sources, *, folder: str) -> Referenced:
    """Which fixtures any test references, itself or through modules beside it; what it may name counts too."""
    found = _Found()
    names = frozenset(sources.fixture_names())
    broken = _Search(layout, sources, Matcher(names, (), folder)).run(found)
    broken += _add_by_data(layout, sources, names, folder, found)
    return Referenced(
        names.intersection(one.fixture for one in found.references if one.fixture is not None) | found.tabled,
        {path: one.note for one, path in found.references.items() if one.fixture is None},
        tuple(broken),
    )


def _add_by_data(layout: Layout, sources: Sources, names: Iterable[str], folder: str, found: _Found) -> list[str]:
    """Add the tests that open files of data which name the fixtures; why all must be taken instead."""
    held = named_in_data(sources, names)
    if not held:
        return []
    found.because.update(because_of_data(held, found.because))
    search = _Search(layout, sources, Matcher((), held, folder))
    why = search.run(found)
    met = held.keys() & {one.fixture for one in found.references}
    if unmet := held.keys() - met:
        met |= search.add_readers(sorted(unmet), found)
    found.tabled.update(name for path in met for name in held[path])
    return why


class _Search:
    """The sources searched for the fixtures of one matcher."""

    def __init__(self, layout: Layout, sources: Sources, matcher: Matcher) -> None:
        self._layout = layout
        self._sources = sources
        self._matcher = matcher
        self._branches = search_branches(matcher, layout.module_marks())
        self._direct = re.compile(to_bytes(search_pattern(matcher, ())), re.MULTILINE)

    def run(self, found: _Found) -> list[str]:
        """Add what references the fixtures; return why all tests must be taken instead.

        A file that cannot be read is such a reason; where all are taken already, it is added as it is.
        """
        carriers: list[tuple[str, ModuleReferences]] = []
        importers: list[str] = []
        broken: list[str] = []
        for path in self._sources.search(*self._branches):
            data = self._sources.read(path)
            if data is None:
                continue
            if not self._direct.search(data):
                importers.append(path)
                continue
            module = parse(data)
            if module is None:
                broken.append(path)
                continue
            importers.append(path)
            said = self._references(module)
            if said.leads_on:
                carriers.append((path, said))
            self._add(found, path, said)
        if broken and not found.everything:
            return [f"{path} {_UNREADABLE}" for path in broken]
        for path in broken:
            if self._layout.is_test(path):
                found.add(path, (), ())
            else:  # it fails whoever imports it
                why = (Reference(None, _UNREADABLE),)
                carriers.append((path, ModuleReferences({}, {}, frozenset(), why, {})))
        self._follow(carriers, importers, found)
        return []

    def add_readers(self, data: Sequence[str], found: _Found) -> set[str]:
        """Add who reads all files of the kind or the folder of some that nobody names; return those so read."""
        read: set[str] = set()
        for path in data:
            why = (Reference(path, ""),)
            readers = [one for one in self._sources.search(pattern_of_readers([path])) if one != path]
            modules = [one for one in readers if not self._layout.is_test(one)]
            for one in set(readers) - set(modules):
                found.add_for(one, (), why)
            self._follow([(one, ModuleReferences({}, {}, frozenset(), why, {})) for one in modules], readers, found)
            read.update([path] if readers else [])
        return read

    def changed_tests(self, tests: Sequence[str], found: _Found) -> list[str]:
        """Add the changed test files that reference any fixture, directly or through a module beside them."""
        indirect: set[str] = set()
        for path in tests:
            data = self._sources.read(path)
            if data is None:
                continue
            module = parse(data)
            if module is None:
                return [f"{path} {_UNREADABLE}"]
            if self._direct.search(data) and self._references(module).nodes:
                found.add(path, (), [f"{path} changed"])
            else:
                indirect.add(path)
        if indirect:
            reached = _Found(everything=["named by a module beside it"])
            self.run(reached)
            for path in indirect & reached.nodes.keys():
                found.add(path, (), [f"{path} changed"])
        return []

    def changed_support(self, support: Sequence[str]) -> list[str]:
        """Why a changed ``conftest.py`` or helper module makes every test that uses fixtures uncertain."""
        reasons: list[str] = []
        for path in support:
            for data in (self._sources.read(path), self._sources.read_old(path)):
                if data is None or not self._direct.search(data):
                    continue
                if self._layout.is_data(path):
                    reasons.append(f"{path} changed, which names fixtures")
                    break
                module = parse(data)
                if module is None or self._references(module).nodes:
                    reasons.append(f"{path} changed, which names fixtures")
                    break
        return reasons

    def add_going_through(self, support: Sequence[str], found: _Found) -> None:
        """Add the tests that use fixtures and may go through a changed module that names none itself: below a
        ``conftest.py``, or where the module is imported, over any number of steps."""
        edited = [path for path in support if not self._layout.is_data(path) and self._differs(path)]
        if not edited:
            return
        reached = _Found(everything=["uses a fixture"])
        self.run(reached)
        for path in edited:
            users = users_of_module(path, self._layout, self._sources)
            for test in reached.nodes.keys() & users:
                for node in reached.nodes[test]:
                    found.add(test, node, [f"{path} changed, which the test may go through"])

    def _differs(self, path: str) -> bool:
        """Whether a module says something else than in the state compared with: comments do not count."""
        now, old = (parse(data or b"") for data in (self._sources.read(path), self._sources.read_old(path)))
        return now is None or old is None or ast.dump(now.tree) != ast.dump(old.tree)

    def _references(self, module: Module) -> ModuleReferences:
        return references_in(module, self._matcher, self._layout.collection, lines=self._direct)

    def _add(self, found: _Found, path: str, said: ModuleReferences, through: str = "") -> None:
        if self._layout.is_test(path):
            for node, references in said.nodes.items():
                found.add_for(path, node, references, through)

    def _follow(self, carriers: list[tuple[str, ModuleReferences]], importers: list[str], found: _Found) -> None:
        """From modules whose names lead to a fixture to the tests that use those names, until no name is new."""
        following = Following(self._layout, self._sources, importers)
        while followed := following.new_in(carriers):
            carriers = []
            for path, carrier in followed:
                if carrier.on_import and path.endswith("conftest.py"):
                    for other in self._sources.under(folder_of(path)):
                        if self._layout.is_test(other):
                            found.add_for(other, (), carrier.on_import, f", through {path}")
            for other, those in following.users(followed).items():
                module = parse(self._sources.read(other) or b"")
                if module is None:
                    found.add(other, (), [_UNREADABLE])
                    continue
                said = users_in(module, [carrier for _, carrier in those], self._layout.collection)
                for (path, _), users in zip(those, said, strict=True):
                    self._add(found, other, users, f", through {path}")
                    if users.leads_on:
                        carriers.append((other, users))


def _listed(found: _Found, layout: Layout) -> Iterable[SelectedTest]:
    """The nodes found, without those inside another one; the reasons of the inner ones go to the outer."""
    listed: dict[str, SelectedTest] = {}
    for path in sorted(found.nodes):
        nodes = found.nodes[path]
        kept: dict[Node, dict[str, None]] = {}
        for node, why in nodes.items():
            outer = next((node[:count] for count in range(len(node)) if node[:count] in nodes), node)
            kept.setdefault(outer, {}).update(why)
        for node in (node for node in nodes if node in kept):
            reasons = kept[node]
            identity = layout.node_id(path, node)
            earlier = listed.get(identity)
            listed[identity] = SelectedTest(
                path, node, identity, tuple(dict.fromkeys([*(earlier.reasons if earlier else ()), *reasons]))
            )
    return listed.values()

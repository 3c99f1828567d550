"""The narrow pathspecs reach every test file that the loose ones reach."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from stepfork.git.changes import within
from stepfork.select.beside import with_listing
from stepfork.select.collection import Collection
from stepfork.select.layout import Layout
from stepfork.select.narrow import has_path, pathspecs_of_others, pathspecs_of_tests

PREFIX = ":(top,literal)"
PARTS = st.sampled_from(["src", "tests", "a", "checks", "test_x", "пакет"])
PATHS = st.builds(
    lambda folders, name: "/".join([*folders, name]),
    st.lists(PARTS, max_size=3),
    st.sampled_from(["test_a.py", "b_test.py", "conftest.py", "names.py", "x.md", "check_a.py"]),
)


def listing(paths: list[str]) -> bytes:
    return b"".join(path.encode() + b"\0" for path in sorted(paths))


@given(st.lists(PATHS, max_size=40, unique=True), st.sampled_from(["", "src", "пакет"]), st.integers(0, 600))
def test_every_test_file_is_reached(paths: list[str], root: str, filler: int) -> None:
    layout = Layout(root, Collection(files=("test_*.py", "*_test.py", "check_*.py"), testpaths=("checks",)))
    everything = [*paths, *(f"src/deep/file{number}.md" for number in range(filler))]
    layout = with_listing(layout, listing(everything))
    specs = pathspecs_of_tests(listing(everything), layout)
    if specs == layout.pathspecs():
        return
    folders = [spec.removeprefix(PREFIX) for spec in specs]
    for path in paths:
        if layout.is_test(path) or layout.is_support(path):
            assert folders, path
            assert within(path, folders) or f":(top,glob){path.rpartition('/')[0]}/*.py".replace(")/", ")") in specs, (
                path
            )


@given(st.lists(PATHS, max_size=40, unique=True), PATHS)
def test_a_path_is_found_where_it_is_listed_and_nowhere_else(paths: list[str], other: str) -> None:
    listed = b"".join(sorted(path.encode() + b"\0" for path in paths))
    assert all(has_path(listed, path) for path in paths)
    assert has_path(listed, other) == (other in paths)
    assert not has_path(listed, "")


def test_a_folder_of_tests_is_one_spec_and_sources_are_left_out() -> None:
    paths = [f"tests/part{n}/test_{n}.py" for n in range(500)] + [f"src/m{n}.py" for n in range(5000)]
    layout = Layout("", Collection())
    assert pathspecs_of_tests(listing(paths), layout) == [f"{PREFIX}tests"]
    paths += ["src/inner/test_one.py", "test_top.py"]
    assert pathspecs_of_tests(listing(paths), layout) == [
        f"{PREFIX}src/inner",
        f"{PREFIX}test_top.py",
        f"{PREFIX}tests",
    ]


def test_scattered_tests_keep_the_patterns() -> None:
    paths = [f"src/p{n}/m{k}.py" for n in range(60) for k in range(10)] + [f"src/p{n}/test_x.py" for n in range(60)]
    paths += [f"src/p{n}/f{k}.txt" for n in range(60) for k in range(300)]
    layout = Layout("", Collection())
    assert pathspecs_of_tests(listing(paths), layout) == layout.pathspecs()


def test_no_test_at_all_reaches_nothing() -> None:
    assert pathspecs_of_tests(listing(["src/a.py"]), Layout("", Collection())) == []


def test_stores_and_bundles() -> None:
    store = "agent/.stepfork"
    own = [f"{store}/fixtures/a.json", f"{store}/objects/ab/c.json"]
    assert pathspecs_of_others(listing(own), store) == []
    assert pathspecs_of_others(listing([*own, ".stepfork/config.toml"]), store) == [":(top)*.stepfork/*"]
    assert pathspecs_of_others(listing([*own, "traces/x.sftrace/manifest.json"]), store) == [":(top)*.sftrace/*"]

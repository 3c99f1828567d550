"""What a listing of paths tells of the folders that hold tests: its bytes tell what `Layout` tells of each path."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from stepfork.select.beside import with_listing, with_tests
from stepfork.select.collection import Collection
from stepfork.select.layout import Layout, folder_of

PARTS = st.sampled_from(["src", "tests", "test", "latest", "evals", "checks", "test_x", "testing", "пакет"])
NAMES = ["test_a.py", "b_test.py", "conftest.py", "names.py", "x.md", "check_a.py", "test.py", "cases.json", "a.csv"]
PATHS = st.builds(lambda folders, name: "/".join([*folders, name]), st.lists(PARTS, max_size=3), st.sampled_from(NAMES))


def listing(paths: list[str]) -> bytes:
    return b"".join(sorted(path.encode() + b"\0" for path in paths))


@given(st.lists(PATHS, max_size=30, unique=True), st.sampled_from(["", "src", "пакет"]))
def test_the_bytes_tell_what_the_paths_tell(paths: list[str], root: str) -> None:
    layout = Layout(root, Collection(files=("test_*.py", "*_test.py", "check_*.py"), testpaths=("checks",)))
    known = with_listing(layout, listing(paths))
    tests = [path for path in paths if layout.is_test(path) and layout.usual_folder(path) is None]
    assert known.beside == {folder_of(path) for path in tests}
    assert known == with_tests(known, paths)
    for path in filter(layout.is_data, paths):
        assert any(path.startswith(spec.removeprefix(":(top)").partition("*")[0]) for spec in known.data_pathspecs())


def test_a_folder_is_one_of_tests_by_what_it_holds() -> None:
    layout = with_listing(Layout("", Collection()), listing(["evals/test_x.py", "evals/deep/a.py", "src/a.py"]))
    assert layout.is_support("evals/helpers.py")
    assert not layout.is_support("evals/deep/a.py")
    assert not layout.is_support("src/a.py")
    assert with_tests(layout, ["test_new.py"]).is_support("helpers.py")


def test_where_no_data_is_none_is_asked_for() -> None:
    layout = Layout("", Collection())
    assert with_listing(layout, listing(["tests/test_x.py", "src/a.json"])).data_pathspecs() == []
    assert with_listing(layout, listing(["tests/a/x.json"])).data_pathspecs() == [":(top)tests/*.[cijty][a-z]*"]


def test_many_folders_become_one_pattern() -> None:
    many = [f"src/p{number}/test_x.py" for number in range(40)]
    many += [f"src/p{number}/tests/a.json" for number in range(40)]
    layout = with_listing(Layout("src", Collection()), listing(many))
    assert layout.pathspecs() == [":(top)src/*.py"]
    assert len(layout.data_pathspecs()) == 1

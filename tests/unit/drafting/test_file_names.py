"""What a test's file is called: on every platform, and no two traces alike."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stepfork.drafting.file_names import MAX_BYTES, module_fault, regression_file

FORBIDDEN = '<>:"|?*\\/'


def test_a_plain_name_is_in_the_files_name_as_it_is() -> None:
    assert regression_file("failure") == "test_failure_regression.py"
    assert regression_file("inc_1042") == "test_inc_1042_regression.py"


def test_c095_a_long_name_is_cut_and_ends_with_a_digest_that_stays() -> None:
    long = regression_file("n" * 300)
    assert long == regression_file("n" * 300)
    assert len(long.encode()) < MAX_BYTES
    assert long != regression_file("n" * 301)
    assert module_fault(long) is None
    assert len(regression_file("n" * 180).encode()) < MAX_BYTES


@pytest.mark.parametrize("name", ["q?x", "a*b", "a<b>", "pipe|x", 'quote"x', "trail. ", "tab\tx", "C:\\x", "nul", "é|"])
def test_c096_what_a_platform_forbids_is_replaced_the_same_way_on_each(name: str) -> None:
    file = regression_file(name)
    assert not any(char in FORBIDDEN or ord(char) < 32 for char in file)
    assert file.startswith("test_")
    assert file.endswith("_regression.py")
    assert module_fault(file) is None


def test_c097_names_that_differ_in_what_is_replaced_have_files_of_their_own() -> None:
    names = ["a/b", "a_b", "a b", "a-b", "A_B", "a\\b", "\uff21_b"]
    assert len({regression_file(name).casefold() for name in names}) == len(names)


@given(st.text(st.characters(codec=None), max_size=250), st.text(st.characters(codec=None), max_size=250))
def test_any_two_names_have_files_that_a_file_system_without_case_tells_apart(one: str, other: str) -> None:
    files = [unicodedata.normalize("NFC", regression_file(name)).casefold() for name in (one, other)]
    assert (files[0] == files[1]) == (one == other)
    assert all(module_fault(file) is None for file in files)
    assert all(len(file.encode()) < MAX_BYTES for file in files)


@pytest.mark.parametrize(
    "file", ["case", "test.txt", ".py", "a.b.py", "x" * 220 + ".py", "a?.py", "a\n.py", " a.py", "a .py", "a\u202eb.py"]
)
def test_a_file_that_pytest_or_a_platform_could_not_have_is_told(file: str) -> None:
    assert module_fault(file) is not None


def test_files_that_people_name_are_fine() -> None:
    assert [module_fault(file) for file in ("test_x.py", "my-test.py", "Prüfung_test.py")] == [None] * 3

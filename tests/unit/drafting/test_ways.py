"""Ways between files are relative and have forward slashes, wherever they were written."""

from __future__ import annotations

from pathlib import PurePosixPath as Posix
from pathlib import PureWindowsPath as Windows

from stepfork.drafting.regression_test import RegressionTest, regression_test
from stepfork.drafting.ways import Root, root_of, way


def test_a_root_is_above_the_test_or_beside_its_folder() -> None:
    assert root_of(Posix("/p"), Posix("/p")) == Root(0, "")
    assert root_of(Posix("/p/tests/unit"), Posix("/p")) == Root(2, "")
    assert root_of(Posix("/p/tests"), Posix("/p/src/app")) == Root(1, "src/app")
    assert root_of(Posix("/p"), Posix("/p/src")) == Root(0, "src")


def test_a_way_goes_up_as_far_as_it_has_to() -> None:
    assert way(Posix("/p"), Posix("/p/traces/a.sftrace")) == "traces/a.sftrace"
    assert way(Posix("/p/src"), Posix("/p/a.sftrace")) == "../a.sftrace"
    assert way(Posix("/p"), Posix("/p")) == "."


def test_c103_on_windows_they_have_forward_slashes_too() -> None:
    root = root_of(Windows("C:\\Work\\tests"), Windows("c:\\work\\src"))
    trace = way(Windows("c:\\work\\src"), Windows("C:\\WORK\\traces\\failure.sftrace"))
    assert (root, trace) == (Root(1, "src"), "../traces/failure.sftrace")
    assert root is not None
    assert trace is not None
    text = regression_test(RegressionTest("failure", root, trace, "app:run", {"a": 1}))
    assert "\\" not in text
    assert "\r" not in text
    assert 'TRACE_PATH = ROOT / "../traces/failure.sftrace"' in text


def test_between_two_drives_there_is_no_way() -> None:
    assert way(Windows("C:\\a"), Windows("D:\\a")) is None
    assert root_of(Windows("C:\\a"), Windows("D:\\a")) is None

from __future__ import annotations

from functools import reduce

from stepfork.canonical.pointer import pointer


def test_each_step_is_escaped_as_rfc_6901_has_it() -> None:
    assert reduce(pointer, ("a/b", 0, "~", "~1"), "") == "/a~1b/0/~0/~01"
    assert pointer("/a", "") == "/a/"

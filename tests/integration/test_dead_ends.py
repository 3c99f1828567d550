"""What an error tells people to do works when they do it."""

from __future__ import annotations

import pytest
from tests.integration.conftest import Stand


@pytest.mark.parametrize("damage", ["missing", "damaged"])
def test_a_fixture_whose_object_is_gone_can_be_refreshed(stand: Stand, damage: str) -> None:
    """As after a merge of a branch that dropped an object with one that began to use it."""
    stand.capture("ask('one')")
    before = stand.files()
    path = next(stand.store.root / name for name in before if name.startswith("objects/"))
    if damage == "missing":
        path.unlink()
    else:
        path.write_bytes(path.read_bytes() + b"\n")
    assert "capture --refresh" in stand.stepfork("show", "case", code=2).err
    said = stand.stepfork("capture", "--refresh", "case", "--yes")
    assert "nothing was compared" in said.err
    assert stand.files() == before
    stand.stepfork("fsck")


def test_a_fixture_named_like_a_branch_is_told_by_its_path(stand: Stand) -> None:
    stand.git("init", "-q")
    stand.capture("ask('one')")
    assert "there is no commit yet" in stand.stepfork("diff", code=2).err
    assert "there is no commit yet" in stand.stepfork("diff", "case", code=2).err
    stand.git("add", "-A")
    stand.git("commit", "-q", "-m", "one")
    stand.git("branch", "case")
    said = stand.stepfork("diff", "case", code=2).err
    assert "write .stepfork/fixtures/case.json for the fixture" in said
    assert "no semantic change" in stand.stepfork("diff", ".stepfork/fixtures/case.json").out

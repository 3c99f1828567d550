"""Objects that are set aside are the same objects."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import pytest

from stepfork.store import cutting, encoded
from stepfork.store.bundle import read_bundle
from stepfork.store.codec import decode_fixture, encode_fixture
from stepfork.store.encoded import ASIDE, Objects

EVERYTHING = Path(__file__).parents[2] / "golden" / "everything.sftrace"


def test_large_objects_come_back_as_they_were() -> None:
    large, larger = b"a" * ASIDE, b"b" * (ASIDE + 1)
    objects = Objects({"small": b"x", "large": large})
    objects.put("larger", larger)
    objects.put("small", b"never looked at: a name has one content")
    assert dict(objects) == {"small": b"x", "large": large, "larger": larger}
    assert objects.size == 1 + len(large) + len(larger)
    assert objects["large"] == large


def test_without_a_place_for_them_they_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: Any) -> Any:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(tempfile, "TemporaryFile", full)
    assert Objects({"large": b"a" * ASIDE})["large"] == b"a" * ASIDE


def test_a_fixture_has_the_same_bytes_whatever_is_set_aside(monkeypatch: pytest.MonkeyPatch) -> None:
    fixture = read_bundle(EVERYTHING)
    at_hand = encode_fixture(fixture)
    for module in (cutting, encoded):
        monkeypatch.setattr(module, "ASIDE", 16)
    aside = encode_fixture(fixture)
    assert aside.manifest == at_hand.manifest
    assert dict(aside.objects) == dict(at_hand.objects)
    assert (aside.size, aside.files) == (at_hand.size, at_hand.files)
    assert decode_fixture(aside.manifest, aside.objects.__getitem__, where="x") == fixture

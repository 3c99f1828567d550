from __future__ import annotations

import contextlib
import os

import pytest

from stepfork.config.process import environment_turned, may_record


@pytest.mark.parametrize(
    ("ci", "allowed", "may"),
    [
        (None, None, True),
        ("", None, True),
        ("false", None, True),
        ("true", None, False),
        ("1", "0", False),
        ("1", "", False),
        ("true", "1", True),
        (None, "1", True),
    ],
)
def test_nothing_is_recorded_in_ci_unasked(
    monkeypatch: pytest.MonkeyPatch, ci: str | None, allowed: str | None, may: bool
) -> None:
    for name, value in (("CI", ci), ("STEPFORK_ALLOW_CAPTURE", allowed)):
        if value is not None:
            monkeypatch.setenv(name, value)
    assert may_record() is may


def test_each_variable_is_again_what_it_was_or_absent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KEPT", "as it was")
    monkeypatch.setenv("EMPTY", "")
    monkeypatch.setenv("GONE", "for a while")
    monkeypatch.setenv("NO_PROXY", "intra.example")
    monkeypatch.delenv("ABSENT", raising=False)
    before = dict(os.environ)
    turned = {**before, "EMPTY": "full", "ABSENT": "there", "NO_PROXY": "intra.example,127.0.0.1"}
    del turned["GONE"]
    with contextlib.suppress(KeyError), environment_turned(turned):
        assert dict(os.environ) == turned
        os.environ["ABSENT"] = "changed by the block"
        del os.environ["EMPTY"]
        raise KeyError
    assert dict(os.environ) == before


def test_other_variables_that_are_set_meanwhile_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SET_BY_BLOCK", "before")
    with environment_turned({**os.environ, "TURNED": "1"}):
        os.environ["SET_BY_BLOCK"] = "after"
    assert os.environ["SET_BY_BLOCK"] == "after"
    assert "TURNED" not in os.environ

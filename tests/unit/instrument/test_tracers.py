from __future__ import annotations

import sys
from types import SimpleNamespace

import pytest

from stepfork.instrument.tracers import flush_tracers


def loaded(monkeypatch: pytest.MonkeyPatch, provider: object) -> None:
    monkeypatch.setitem(sys.modules, "opentelemetry.trace", SimpleNamespace(get_tracer_provider=lambda: provider))


def test_where_the_application_loaded_none_nothing_is_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "opentelemetry.trace", raising=False)
    assert flush_tracers() is None
    assert "opentelemetry.trace" not in sys.modules


def test_a_provider_without_a_flush_has_nothing_to_flush(monkeypatch: pytest.MonkeyPatch) -> None:
    loaded(monkeypatch, object())
    assert flush_tracers() is None


@pytest.mark.parametrize(("answer", "fault"), [(True, None), (None, None), (False, "did not finish")])
def test_what_a_provider_answers(monkeypatch: pytest.MonkeyPatch, answer: object, fault: str | None) -> None:
    loaded(monkeypatch, SimpleNamespace(force_flush=lambda: answer))
    assert flush_tracers() == fault


def test_what_a_provider_raises_is_named_and_not_quoted(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> None:
        raise RuntimeError("secret")

    loaded(monkeypatch, SimpleNamespace(force_flush=fail))
    assert flush_tracers() == "raised RuntimeError"

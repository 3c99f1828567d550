from __future__ import annotations

from stepfork.listener.limits import MIB, Limits


def test_the_limits_are_those_of_the_manual() -> None:
    assert Limits() == Limits(
        requests_at_once=64,
        request_bytes=32 * MIB,
        response_bytes=32 * MIB,
        capture_bytes=512 * MIB,
        spans=20_000,
        idle_seconds=30.0,
    )

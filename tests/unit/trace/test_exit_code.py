from __future__ import annotations

import pytest

from stepfork.trace.exit_code import told_exit_code


@pytest.mark.parametrize(
    ("code", "told"),
    [
        (0, "0"),
        (1, "1"),
        (128, "128"),
        (137, "137 (ended by SIGKILL)"),
        (143, "143 (ended by SIGTERM)"),
        (255, "255"),
        (-1, "-1"),
        (1 << 70, "1180591620717411303424"),
        (None, "None"),
    ],
)
def test_a_signal_is_named(code: int | None, told: str) -> None:
    assert told_exit_code(code) == told

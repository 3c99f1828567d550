"""Commands that end as nobody foresaw, those among them that typer does not start."""

from __future__ import annotations

import pytest

from stepfork.cli import check_redaction, main, select

QUICK = {"check-redaction": check_redaction, "select": select}
ENDINGS = [
    (KeyboardInterrupt(), 130, "interrupted"),
    (ValueError("sesame"), 2, "internal error, ValueError at "),
    (RecursionError("sesame"), 2, "internal error, RecursionError at "),
]


@pytest.mark.parametrize("name", QUICK)
def test_a_quick_command_ends_in_one_line_too(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for failure, code, said in ENDINGS:

        def fail(_: list[str], failure: BaseException = failure) -> int:
            raise failure

        monkeypatch.setattr(QUICK[name], "main", fail)
        assert main.main([name, "x"]) == code
        shown = capsys.readouterr()
        assert shown.out == ""
        assert shown.err.startswith(f"stepfork {name}: {said}")
        assert shown.err.count("\n") == 1
        assert "sesame" not in shown.err

"""What a fixture may be called."""

from __future__ import annotations

import pytest

from stepfork.errors import UsageError
from stepfork.store.layout import manifest_file
from stepfork.store.names import check_name, twin


@pytest.mark.parametrize(
    "name",
    [
        "refund",
        "inc-1042",
        "a/b/c",
        "v1.2",
        "_x",
        "Ä",
        "возврат/заказ",
        "日本語",
        "हिन्दी",
        "a" * 200,
        "é" * 100,
        "console",
        "9",
    ],
)
def test_good_names(name: str) -> None:
    assert check_name(name) == name
    assert manifest_file(name) == f"fixtures/{name}.json"


@pytest.mark.parametrize(
    "name",
    [
        *(
            "",
            "/",
            "a/",
            "/a",
            "a//b",
            ".",
            "..",
            "a/..",
            "../../evil",
            "a/../b",
            "./a",
            ".hidden",
            "a/.b",
            "-x",
            "a/-x",
        ),
        *(
            "/abs/x",
            "C:\\x",
            "C:x",
            "a\\b",
            "a b",
            "a:b",
            "a*",
            "a?",
            'a"b',
            "a<b",
            "a|b",
            "a\n",
            "a\0",
            "a\u202e",
            "a\u2215b",
        ),
        *("a.", "a./b", "con", "CON", "nul.txt", "a/aux", "com1", "LPT9.x", "COM¹", "conin$", "x.json/y", "x.JSON/y"),
        *("a" * 201, "é" * 101, "e\u0301", "\ud800", "👍", "a'b", "$HOME", "~"),
    ],
)
def test_bad_names(name: str) -> None:
    with pytest.raises(UsageError) as caught:
        check_name(name)
    assert str(caught.value).isascii()
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "others", "expected"),
    [
        ("refund", ["Refund"], "Refund"),
        ("refund", ["refund", "refunds"], None),
        ("a/x", ["A/y"], "A/y"),
        ("a/x", ["a/y", "b/A"], None),
        ("a", ["A/b"], None),
        ("straße", ["STRASSE"], "STRASSE"),
        ("Ä", ["ä"], "ä"),
    ],
)
def test_names_that_some_file_systems_cannot_tell_apart(name: str, others: list[str], expected: str | None) -> None:
    assert twin(name, others) == expected

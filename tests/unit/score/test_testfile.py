"""What is read of a generated test, and what is refused: with one line, whatever stands in the file."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from stepfork.errors import StepforkError
from stepfork.score.testfile import MAX_BYTES, TestFile, read_test

HEAD = "from pathlib import Path\n\nfrom stepfork.export.runtime import run_regression_case\n\n"
TRACE = 'TRACE_PATH = Path(__file__).resolve().parent / "a.sftrace"\n'
CALL = """

def test_stepfork_regression_a() -> None:
    run_regression_case(
        trace_path=TRACE_PATH,
        entrypoint=ENTRYPOINT,
        expectation=EXPECTATION,
        has_expectation=HAS_EXPECTATION,
        trajectory=TRAJECTORY_EXPECTATION,
    )
"""


def source(expectation: str = "EXPECTATION = 1", *, trace: str = TRACE, has: str = "True", more: str = "") -> str:
    rest = f'ENTRYPOINT = "m:f"\n{expectation}\nHAS_EXPECTATION = {has}\nTRAJECTORY_EXPECTATION = None\n{more}'
    return HEAD + trace + rest + CALL


def read(folder: Path, text: str | bytes, bundle: Path | None = None) -> TestFile:
    path = folder / "test_a.py"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_test(path, bundle=bundle)


def refused(folder: Path, text: str | bytes) -> str:
    with pytest.raises(StepforkError) as told:
        read(folder, text)
    assert told.value.exit_code == 2
    assert "\n" not in str(told.value)
    return str(told.value)


@pytest.mark.parametrize(
    ("literal", "value"),
    [
        ("None", None),
        ("True", True),
        ("-1", -1),
        ("+2", 2),
        ("-0.5", -0.5),
        ("1e16", 1e16),
        ("(1, 2)", [1, 2]),
        ("()", []),
        ("{}", {}),
        ('("a "\n    "b")', "a b"),
        ("r'\\d'", r"\d"),
        ('"""three"""', "three"),
        ('{"a": [None, True, {"b": "…"}],  # why\n}', {"a": [None, True, {"b": "…"}]}),
        ("0xFFFFFFFFFFFFFFFF", 2**64 - 1),
        ("-9223372036854775808", -(2**63)),
        ('"\\ud83d\\U0001f600"[0:0]', ...),
    ],
)
def test_literals_are_read_as_the_json_values_that_they_are(literal: str, value: object, tmp_path: Path) -> None:
    if value is ...:
        assert "is not a literal" in refused(tmp_path, source(f"EXPECTATION = {literal}"))
        return
    for form in (f"EXPECTATION = {literal}", f"EXPECTATION: object = {literal}"):
        read_back = read(tmp_path, source(form)).expectation
        assert read_back == value
        assert type(read_back) is type(value)


def test_a_json_null_is_an_expectation_and_without_the_flag_there_is_none(tmp_path: Path) -> None:
    assert read(tmp_path, source("EXPECTATION = None")).expectation is None
    assert read(tmp_path, source("EXPECTATION: None = None")).expectation is None
    none = read(tmp_path, source("EXPECTATION = None", has="False"))
    assert none.expectation is msgspec.UNSET
    assert none.trajectory is msgspec.UNSET


@pytest.mark.parametrize(
    ("literal", "says"),
    [
        ("1 + 1", "is not a literal"),
        ("f'a'", "is not a literal"),
        ("b'a'", "is not a literal"),
        ("1j", "is not a literal"),
        ("...", "is not a literal"),
        ("{1, 2}", "is not a literal"),
        ("dict()", "is not a literal"),
        ("-True", "is not a literal"),
        ("- -1", "is not a literal"),
        ("other", "is not a literal"),
        ("{1: 2}", "a key that is not a text"),
        ("{**{}}", "a key that is not a text"),
        ("[*()]", "is not a literal"),
        ('{"a": 1, "a": 2}', "a key twice"),
        ("1e999", "not finite"),
        ("-1e999", "not finite"),
        (f"{2**64}", "64 bits"),
        (f"{-(2**63) - 1}", "64 bits"),
        ("1" * 5000, "not valid Python"),
        ("0x" + "f" * 5000, "64 bits"),
        ('"\\ud800"', "half a character"),
        ('{"\\udfff": 1}', "half a character"),
    ],
)
def test_what_is_no_json_literal_is_refused_with_its_line(literal: str, says: str, tmp_path: Path) -> None:
    told = refused(tmp_path, source(f"EXPECTATION = {literal}"))
    assert says in told
    assert "test_a.py:7" in told


@pytest.mark.parametrize(
    ("expression", "way"),
    [
        ('Path(__file__).resolve().parent / "a.sftrace"', "a.sftrace"),
        ('Path(__file__).resolve().parents[0] / "b" / "a.sftrace"', "b/a.sftrace"),
        ('Path(__file__).resolve().parents[1] / "fixtures/a.sftrace"', "../fixtures/a.sftrace"),
        ('ROOT / "x/a.sftrace"', "x/a.sftrace"),
        ('ROOT.joinpath(\n    "x/a.sftrace",\n)', "x/a.sftrace"),
        ('pathlib.Path(__file__).resolve().parent / "a.sftrace"', "a.sftrace"),
        ('(Path(__file__).resolve().parent / ("a" ".sftrace"))', "a.sftrace"),
    ],
)
def test_the_forms_of_paths_that_export_writes(expression: str, way: str, tmp_path: Path) -> None:
    root = "ROOT = Path(__file__).resolve().parent\n"
    made = read(tmp_path, source(trace=f"{root}TRACE_PATH = {expression}\n"))
    assert made.trace_path.resolve() == (tmp_path.resolve() / way).resolve()
    assert made.root == tmp_path.resolve()


@pytest.mark.parametrize(
    "expression",
    [
        '"a.sftrace"',
        'Path("a.sftrace")',
        'Path(__file__).parent / "a.sftrace"',
        'Path(__file__).resolve().parents[99] / "a"',
        'Path(__file__).resolve().parents[-1] / "a"',
        'Path(__file__).resolve().parents[True] / "a"',
        "Path(__file__).resolve().parent / name",
        'Path(__file__).resolve(strict=True).parent / "a"',
        'Path(__file__, "b").resolve().parent / "a"',
        'ELSE / "a"',
        'Path(__file__).resolve().parent / "a\\0b"',
        'Path(__file__).resolve().parent + "a"',
        "__import__('os').system('touch pwned')",
        "",
    ],
)
def test_any_other_path_is_refused_unless_a_bundle_is_named(expression: str, tmp_path: Path) -> None:
    text = source(trace=f"TRACE_PATH = {expression}\n" if expression else "")
    told = refused(tmp_path, text)
    assert "--bundle" in told or not expression
    assert read(tmp_path, text, bundle=Path("other.sftrace")).trace_path == Path("other.sftrace")
    assert not [*tmp_path.glob("pwned")]


@pytest.mark.parametrize(
    "more",
    [
        "EXPECTATION = 2",
        "EXPECTATION: int = 2",
        'EXPECTATION["a"] = 2',
        "EXPECTATION.update(a=2)",
        "EXPECTATION += 1",
        "del EXPECTATION",
        "HAS_EXPECTATION = False",
        "if True:\n    EXPECTATION = 2",
        "for EXPECTATION in []: pass",
        "with open('x') as EXPECTATION: pass",
        "other = EXPECTATION",
        "from m import EXPECTATION",
        "from m import x as TRACE_PATH",
        "from m import *",
        "import EXPECTATION.sub",
        "def EXPECTATION(): pass",
        "def f(ENTRYPOINT): pass",
        "def f():\n    global EXPECTATION\n    EXPECTATION = 2",
        "(EXPECTATION := 2)",
        "try: pass\nexcept E as EXPECTATION: pass",
        "match 1:\n    case EXPECTATION: pass",
    ],
)
def test_a_value_that_is_not_what_the_test_asserts_in_the_end_is_refused(more: str, tmp_path: Path) -> None:
    refused(tmp_path, source("EXPECTATION = {}", more=more + "\n"))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("expectation=EXPECTATION,", "expectation={},"),
        ("expectation=EXPECTATION,", ""),
        ("has_expectation=HAS_EXPECTATION,", "has_expectation=False,"),
        ("trajectory=TRAJECTORY_EXPECTATION,", ""),
        ("trajectory=TRAJECTORY_EXPECTATION,", "**more,"),
        ("trace_path=TRACE_PATH,", "trace_path=ENTRYPOINT,"),
        ("run_regression_case(\n        trace_path", "print(\n        trace_path"),
    ],
)
def test_a_call_that_hands_on_something_else_is_refused(old: str, new: str, tmp_path: Path) -> None:
    text = source()
    assert old in text
    refused(tmp_path, text.replace(old, new))


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "no test that stepfork export wrote"),
        ("def test_other(): pass\n", "no test that stepfork export wrote"),
        ("def broken(:\n", "not valid Python"),
        (b"\xff\xfe", "not UTF-8"),
        (b"# \xe9\n", "not UTF-8"),
        ("x = 1\0", "Python"),
        ("EXPECTATION = " + "[" * 5000 + "]" * 5000, "Python"),
        ("EXPECTATION = " + "-" * 100_000 + "1", "Python"),
        ("EXPECTATION = " + "x." * 50_000 + "x", ""),
        ("EXPECTATION = " + "1+" * 50_000 + "1", ""),
        (b"# -*- coding: nothing -*-\n", "Python"),
    ],
    ids=range(11),
)
def test_other_files_are_told_in_one_line(text: str | bytes, says: str, tmp_path: Path) -> None:
    assert says in refused(tmp_path, text)


def test_deep_values_are_read_or_refused(tmp_path: Path) -> None:
    for depth in (90, 199):
        value = read(tmp_path, source(f"EXPECTATION = {'[' * depth}{']' * depth}")).expectation
        assert repr(value) == "[" * depth + "]" * depth
    deep = '{"a": ' * 150 + "1" + "}" * 150
    assert read(tmp_path, source(f"EXPECTATION = {deep}")).expectation is not None


def test_files_that_are_none(tmp_path: Path) -> None:
    huge = tmp_path / "huge.py"
    with huge.open("wb") as file:
        file.truncate(MAX_BYTES + 1)
    for path, says in ((huge, "larger than"), (tmp_path, "not a file"), (tmp_path / "none.py", "no such test")):
        with pytest.raises(StepforkError, match=says):
            read_test(path)
    with pytest.raises(StepforkError, match="NUL"):
        read_test(Path("a\0b"))


def test_a_byte_order_mark_and_odd_escapes_are_no_matter(tmp_path: Path) -> None:
    assert read(tmp_path, b"\xef\xbb\xbf" + source("EXPECTATION = '\\d'").encode()).expectation == "\\d"

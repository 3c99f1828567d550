"""Texts of JavaScript and TypeScript: what is one, what only looks like one, and what its neighbours make of it."""

from __future__ import annotations

import pytest

from stepfork.select.collection import Collection
from stepfork.select.script import imported_paths, read_script
from stepfork.select.script_layout import ScriptLayout
from stepfork.select.shapes import HOLE

H = HOLE


def texts(source: str, path: str = "a.test.tsx") -> set[str]:
    return set(read_script(source.encode(), path).texts)


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("load('one'); load(\"two\"); load(`three`)", {"one", "two", "three"}),
        ("'it\\'s' + x; \"a\\\nb\"; '\\x41\\u0042\\u{43}'", {"it's" + H, "ab", "ABC"}),
        ("// 'no'\n/* 'no'\n'no' */ 'yes' // \"no\"", {"yes"}),
        ("#!/usr/bin/env node 'no'\n'yes'", {"yes"}),
        ("`a-${b}-c`; `${x}`; `\\`${`in-${y}`}`", {f"a-{H}-c", H, f"in-{H}", f"`{H}"}),
        ("`${ {a: '}'} }-x` + 'y'", {"}", f"{H}-xy"}),
        ("'a-' + 'b'; 'c-' + d; e + '-f'; g + '-h-' + i", {"a-b", f"c-{H}", f"{H}-f", f"{H}-h-{H}"}),
        ("const r = /['\"`]/g; load('yes')", {"yes"}),
        ("x.replace(/[/'\"]\\//, 'yes'); return /'/.test(y) ? 'a' : 'b'", {"yes", "a", "b"}),
        ("a / b / 'yes'; c++ / 'also'; (d) / 2; [e][0] / 'too'", {"yes", "also", "too"}),
        ("const o = {} / 'yes' / 2; if (o) {}\n/'no'/.test('also')", {"yes", "also"}),
        ("path.join('x', 'y', z, '/w.json'); resolve(dir, `q`)", {f"x/y/{H}/w.json", f"{H}/q"}),
        ("join('x', y + '.json'); join(f('z'))", {"x", f"{H}.json", "z"}),
        ("({ 'key': 1, ['other']: 2 }); type T = 'lit' | \"also\"", {"key", "other", "lit", "also"}),
    ],
)
def test_texts_of_code(source: str, found: set[str]) -> None:
    assert texts(source, "a.test.ts") == texts(source) == found


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("const e = <p id='a'>don't `stop` // http://x {load('b')} /* it's */</p>; load('c')", {"a", "b", "c"}),
        ("f(<><A b=\"x\" c={'y'} /> it's <B.C>'no'</B.C></>, 'z')", {"x", "y", "z"}),
        ("const g = <T,>(a: T) => 'x'; const h = <T extends U>(a) => 'y'", {"x", "y"}),
        ("if (a < b && c > d) load('x')", {"x"}),
        ("const t = <A /* 'no', don't */ b='x' />; load('y')", {"x", "y"}),
        ("return <p>{rows.map((r) => <li key={r}>it's {`n-${r}`}</li>)}</p>", {f"n-{H}"}),
    ],
)
def test_markup_is_told_from_code(source: str, found: set[str]) -> None:
    assert texts(source) == found


def test_types_are_no_markup_where_there_is_none() -> None:
    assert texts("const a = <string>load('x'); const b = <any>`don't`", "a.test.ts") == {"x", "don't"}


@pytest.mark.parametrize(
    "source", ["load('x", "load(`x", "`a ${load('x')", "it's; load('x')", "<p>{load('x')}", "if (a) /'/; load('x')"]
)
def test_where_the_reading_may_go_astray_whatever_stands_in_quotes_counts(source: str) -> None:
    assert "x" in texts(source)


def test_imports_are_ways_to_modules_and_no_names() -> None:
    script = read_script(
        b"import a from './refund';\nexport * from \"../up\";\nimport './effect'; const c = require('./c.js');\n"
        b"const d = await import('./d'); import data from '../.stepfork/fixtures/refund.json'; import x from 'refund';"
        b"const e = require('../fixtures/refund')",
        "web/tests/a.test.ts",
    )
    assert set(script.texts) == {"../.stepfork/fixtures/refund.json", "../fixtures/refund"}
    paths = set(imported_paths(script, "web/tests/a.test.ts"))
    assert {
        "web/tests/refund.ts",
        "web/up/index.js",
        "web/tests/effect.tsx",
        "web/tests/c.ts",
        "web/tests/d.mjs",
    } <= paths


def test_which_files_are_tests_and_which_stand_beside_them() -> None:
    layout = ScriptLayout("web", Collection())
    names = ("a.test.ts", "a.spec.jsx", "b/__tests__/x.mts", "c.test.cjs", "d.spec.tsx")
    assert all(layout.is_test(f"web/{name}") for name in names)
    others = (
        "a.ts",
        "a.test.d.ts",
        "b/__tests__/types.d.ts",
        "latest.ts",
        "node_modules/p/a.test.js",
        "a.test.py",
        "test/a.ts",
        "__tests__/a.json",
    )
    assert not any(layout.is_test(f"web/{name}") for name in others)
    assert not layout.is_test("other/a.test.ts")
    assert layout.is_support("web/test/a.ts")
    assert layout.is_support("web/src/test-utils.js")
    assert layout.is_support("web/helpers/a.ts")
    assert layout.is_support("web/__mocks__/deep/a.ts")
    assert not layout.is_support("web/src/a.ts")
    assert not layout.is_support("web/latest/a.ts")
    assert layout.node_id("web/-a.test.ts") == "./-a.test.ts"
    assert layout.has_tests(b"web/x.test.md\0web/a.spec.ts\0")
    assert not layout.has_tests(b"web/x.test.md\0other/a.spec.ts\0web/latest.ts\0")

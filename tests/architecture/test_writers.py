"""Each place of the product that writes to a disk, and why nothing unredacted goes through it.

Whoever adds one finds this table, and says it here.
"""

from __future__ import annotations

import ast

from tests.architecture.sources import SOURCE, modules_with

CALLS = {
    *("write_new", "write_atomic", "write_bundle", "write_draft", "write_drafted_test", "write_trace"),
    *(
        "write_bytes",
        "write_text",
        "put_back",
        "write_all",
        "TemporaryFile",
        "NamedTemporaryFile",
        "mkstemp",
        "mkdtemp",
    ),
    *("write_result_file", "symlink_to", "copyfile", "copytree", "prepare_bytes"),
    *("fill_bundle", "_append"),
    "write_blob",  # an object of git
    "write_once",
}
METHODS = {"write", "install"}
"""Of a store: anything else is written to with methods of these names too."""

WRITERS = {
    # the primitives: bytes that a caller below made
    "store/files.py write_atomic": {"write_new"},
    "store/objects.py _write": {"write_new"},
    "store/store.py check_writable": {"write_new"},  # an empty file
    "store/store.py install": {"write_new", "write_all"},  # what its callers encoded
    "store/store.py write": {"install"},
    "store/store.py put_back": {"write_all"},
    "store/once.py write_once": {"write_new"},
    "store/store.py _publish": {"write_new", "write_atomic"},
    "store/bundle.py _made": {"write_all", "write_new"},
    "store/bundle.py _fill": {"write_all", "write_atomic"},
    "store/bundle.py fill_bundle": {"write_bundle"},
    "store/encoded.py _set_aside": {"TemporaryFile"},  # an object of a fixture that was redacted
    "store/drafts.py write_draft": {"write_bundle", "fill_bundle"},
    # words of this program alone
    "store/layout.py _complete": {"write_atomic"},
    "workflows/init_git.py _add_hook": {"write_atomic"},
    # runs: `make_fixture` redacts before anything else, problems too; refresh, --reuse, record and --output end there
    "workflows/make_fixture.py _kept": {"write_bundle", "fill_bundle", "write"},
    # the journal of a recording: a header of words that its maker redacted; each line is redacted as it is encoded
    "instrument/journal.py _made": {"write_new", "_append"},
    "instrument/journal.py _write": {"_append"},
    "instrument/journal.py exchanged": {"_append"},  # `exchanged_line` redacts
    "instrument/journal.py _append": {"_append"},
    "workflows/make_fixture.py _with_test": {"write_drafted_test"},
    "workflows/make_fixture.py _kept_draft": {"write_draft"},
    "workflows/draft_test.py _write_once": {"write_once"},  # drafted of a fixture that was redacted
    # an exported test: the user's own words, paths, and expectations in which a secret is refused; nothing of the run
    "workflows/export.py _write": {"write_once", "write_atomic"},
    # spans: `run_of_spans` redacts
    "workflows/trace.py write_trace": {"write_atomic"},
    "cli/trace.py convert": {"write_trace"},
    # fixtures from elsewhere: `clean_copy`, and `objects_with_secrets` for objects that have a name
    "workflows/maintenance.py pack": {"write_bundle"},
    "workflows/maintenance.py unpack": {"write"},
    "workflows/maintenance.py resolve": {"install"},
    "workflows/restore.py restore": {"put_back"},
    # check-redaction --fix, which redacts
    "workflows/fix_files.py prepare": {"write_new"},
    "workflows/staged_changes.py put": {"write_blob"},
    "workflows/fix_stores.py _write_fixture": {"install"},
    "workflows/fix_stores.py _write_bundle": {"write_bundle"},
    # results, made of redacted runs and redacted again where they are rendered
    "cli/destinations.py write_result_file": {"write_atomic"},
    "cli/capture_report.py tell": {"write_result_file"},
    "cli/replay.py _tell": {"write_result_file"},
    "cli/frozen.py _tell": {"write_result_file"},
    "cli/diff.py _tell": {"write_result_file"},
    # that a call was refused, from a process of a replay to the replay: words of this program, without the call's name
    "instrument/elsewhere.py tell_refusal": {"open"},
    # what became of tests, to the runner alone; its receipts, which are redacted and hold no payload
    "pytest_plugin/results.py pytest_sessionfinish": {"write_text"},
    "workflows/receipt.py check_receipt_path": {"write_new"},  # an empty file
    "workflows/receipt.py write_receipt": {"write_atomic"},
    # words of another program's command line: ids of tests, which are paths and names in the user's own files
    "cli/select_run.py _handed_over": {"write_bytes"},
}


def test_every_writer_is_in_the_table() -> None:
    found: dict[str, set[str]] = {}
    for path, tree in modules_with(CALLS | METHODS | {"open"}):
        for function in ast.walk(tree):
            if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
                names = set(_written(function, in_store=path.parts[-2] == "store"))
                if names:
                    found[f"{path.relative_to(SOURCE).as_posix()} {function.name}"] = names
    assert found == WRITERS


def _written(function: ast.AST, *, in_store: bool) -> set[str]:
    """What writes, of all that the function calls. `self` is a store where stores are defined."""
    stores = ("store", "self") if in_store else ("store",)
    names: set[str] = set()
    for node in ast.walk(function):
        if not isinstance(node, ast.Call):
            continue
        called = node.func
        if isinstance(called, ast.Name) and called.id in CALLS:
            names.add(called.id)
        elif isinstance(called, ast.Attribute):
            of_store = isinstance(called.value, ast.Name) and called.value.id in stores
            if called.attr in CALLS or (called.attr in METHODS and of_store):
                names.add(called.attr)
        if _opens_to_write(node):
            names.add("open")
    return names


def _opens_to_write(node: ast.Call) -> bool:
    named = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
    given = [*node.args, *(one.value for one in node.keywords)]
    modes = [item.value for item in given if isinstance(item, ast.Constant) and isinstance(item.value, str)]
    return named == "open" and any(len(mode) < 4 and mode.strip("bt+") in ("w", "a", "x") for mode in modes)

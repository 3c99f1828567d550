"""What a test's file is called, so that every platform has it, pytest imports it, and no two traces share one."""

from __future__ import annotations

import hashlib

from stepfork.drafting.drafted_test import word_of

MAX_BYTES = 200
"""Bytes of a file's name; longer ones are cut."""

_DIGEST = 8


def regression_file(name: str) -> str:
    """Such as ``test_failure_regression.py``, of the trace `name`.

    A name in which anything had to be replaced or cut (``a/b``, ``A b``, 300 characters) ends with a digest of it: what
    differs in such characters only stays apart, on file systems without case too.
    """
    word = word_of(name)
    start, end = "test_", "_regression.py"
    if word == name and len(f"{start}{word}{end}".encode()) < MAX_BYTES:
        return f"{start}{word}{end}"
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGEST]
    room = MAX_BYTES - 1 - len(start) - len(end) - len(digest) - 1
    cut = word.encode()[:room].decode(errors="ignore").strip("_")
    return f"{start}{cut}_{digest}{end}" if cut else f"{start}{digest}{end}"


def module_fault(file: str) -> str | None:
    """Why pytest could not import a file of that name; None where it can."""
    stem, dot, suffix = file.rpartition(".")
    if not dot or suffix != "py" or not stem:
        return "a test's file ends with .py"
    if "." in stem:
        return "a test's file has no dot before .py: Python would look for a package"
    if len(file.encode("utf-8", "surrogatepass")) > MAX_BYTES:
        return f"a file's name has {MAX_BYTES} bytes at most"
    if any(char in '<>:"|?*\\' or not char.isprintable() for char in file) or stem != stem.strip(" "):
        return "a file's name has no control character and none of < > : \" | ? * \\, which some platforms forbid"
    return None

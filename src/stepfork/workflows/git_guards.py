"""What git is told to run: shell functions around stepfork, never the bare name of a program.

A configured driver whose program is missing ends ``git diff`` with 128 and hides the files that follow. So stepfork is
looked for on the PATH that git has at that moment; where it is not found, fails or takes too long, git shows what it
shows without it, and the function never says no. ``timeout``, where there is one, ends a stepfork that does not even
start; stepfork has a clock of its own. A text is taken whole before it is shown, so that half of one never is, and its
full stop keeps the shell from cutting empty lines at the end.
"""

from __future__ import annotations

_WAIT = (
    'w() { if command -v timeout >/dev/null 2>&1; then timeout "${STEPFORK_GIT_SECONDS:-10}" "$@"; else "$@"; fi; }; '
)

TEXTCONV = _WAIT + (
    'f() { if t=$(w stepfork textconv --or-nothing -- "$1" 2>/dev/null && echo .); then printf %s "${t%.}";'
    ' else cat -- "$1"; fi || :; }; f'
)
"""``diff.stepfork.textconv``: a file of which git wants the text."""

COMMAND = _WAIT + (
    'f() { if [ -n "$GIT_EXTERNAL_DIFF" ]; then eval "$GIT_EXTERNAL_DIFF \\"\\$@\\""; return; fi;'
    ' if t=$(w stepfork git-diff -- "$@" 2>/dev/null && echo .); then printf %s "${t%.}";'
    ' elif [ $# -lt 7 ]; then printf "* Unmerged path %s\\n" "$1";'
    ' else git diff --no-index --no-ext-diff --no-textconv -- "$2" "$5"; fi || :; }; f'
)
"""``diff.stepfork.command``: what git gives an external diff. One that the environment names, as ``git difftool`` does,
is asked instead, and its exit code is its own: git itself would prefer this one."""

HOOK = """\
#!/bin/sh
# Made by stepfork init --hook: no commit holds a secret.
exec stepfork check-redaction
"""
"""The pre-commit hook. It fails where stepfork is missing: what was not looked at is not clean."""

"""No line is a command to a build."""

from __future__ import annotations

import pytest

from stepfork.cli.render.builds import no_command


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("::error::x", r"\x3a:error::x"),
        ("   ::add-mask::x", r"   \x3a:add-mask::x"),
        ("a ::error::x", "a ::error::x"),
        ("a ##[error]x", r"a ##\x5berror]x"),
        ("##vso[task.setvariable variable=PATH]x ##[group]", r"##vso\x5btask.setvariable variable=PATH]x ##\x5bgroup]"),
        ("###teamcity[x]", r"###teamcity\x5bx]"),
        ("## a heading [1]", "## a heading [1]"),
        ("std::vector", "std::vector"),
    ],
)
def test_what_a_runner_acts_on_is_spelled_out(line: str, shown: str) -> None:
    assert no_command(line) == shown

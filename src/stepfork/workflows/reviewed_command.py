"""The one command that a test may run: what people reviewed, provided that the fixture was recorded from just that.

A fixture is a file that a pull request can change, so nothing that it says is ever run.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from stepfork.errors import UsageError
from stepfork.normalize.known import Context, restore
from stepfork.normalize.placeholders import Placeholder, parse
from stepfork.providers.lines import clean_line
from stepfork.redact.marker import MARKER
from stepfork.redact.redactor import redact_command
from stepfork.redact.rules import NO_RULES, Rules
from stepfork.redact.secrets import Secrets
from stepfork.trace.fixture import Source

_SHOWN = 1000


def reviewed_command(
    name: str, source: Source, command: Sequence[str], context: Context, rules: Rules = NO_RULES
) -> tuple[str, ...]:
    """`command` with this machine's folders and names for its placeholders, when the fixture `name` was recorded from
    that command. Raises UsageError where it was not, or where either cannot be run as it stands: a part of it was
    redacted, or is a placeholder that has no value here. `rules` are what the project redacts when one is shown."""
    if source.kind != "command" or not source.command:
        raise UsageError(
            f"fixture {name!r} was not recorded from a command, so there is none to run again",
            fix="inspect_fixture() looks at its recording",
        )
    for words in (source.command, tuple(command)):
        if any(MARKER in word for word in words):
            raise UsageError(
                f"the command of fixture {name!r} was redacted: {_shown(words, rules)}",
                fix=f"run stepfork capture --name {name} again with the secret in the environment, and edit COMMAND",
            )
        if any(stays_templated(word, context) for word in words):
            raise UsageError(
                f"the command of fixture {name!r} has a placeholder without a value here: {_shown(words, rules)}",
                fix=f"run stepfork capture --name {name} again with a command that holds on every machine",
            )
    recorded = tuple(restore(word, context) for word in source.command)
    reviewed = tuple(restore(word, context) for word in command)
    if recorded != reviewed:
        raise UsageError(
            f"fixture {name!r} was recorded from another command than COMMAND: "
            f"recorded {_shown(source.command, rules)}, COMMAND {_shown(command, rules)}",
            fix="review the difference, then edit COMMAND or capture the fixture again",
        )
    return reviewed


def stays_templated(word: str, context: Context) -> bool:
    """Whether a word of a recorded command has a placeholder that nothing here gives a value to."""
    placeholders = [str(piece) for piece in parse(word) if isinstance(piece, Placeholder)]
    return any(restore(placeholder, context) == placeholder for placeholder in placeholders)


def _shown(words: Sequence[str], rules: Rules) -> str:
    return f"`{clean_line(shlex.join(redact_command(words, Secrets({}, rules))), _SHOWN)}`"

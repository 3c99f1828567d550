"""What a test that failed shows: contracts that do not hold, a replay that did not go as recorded.

Both are made of a run that nobody redacted, so the texts are redacted here, with what the environment knows.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from stepfork.cli.escape import escape

if TYPE_CHECKING:
    from stepfork.contracts.spec import ContractResult
    from stepfork.trace.fixture import Fixture
    from stepfork.workflows.replay import ReplayResult


def contracts_failure(failed: Sequence[ContractResult], count: int, environ: Mapping[str, str], folder: Path) -> str:
    """How many of `count` contracts fail, and each on a line of its own."""
    clean = _redaction(environ, folder)
    width = max(len(result.id) for result in failed)
    names = ", ".join(result.id for result in failed)
    head = f"{len(failed)} of {count} contracts fail{'s' if len(failed) == 1 else ''}: {names}"
    lines = [f"FAIL  {result.id:{width}}   {result.explanation}" for result in failed]
    return "\n".join([escape(clean(head)), *(f"  {escape(clean(line))}" for line in lines)])


def replay_failure(
    result: ReplayResult, fixture: Fixture, environ: Mapping[str, str], folder: Path, *, stored: bool
) -> str:
    """What ``stepfork replay`` prints of a replay. `stored`: the fixture is one of the store."""
    from stepfork.cli.render.replay_text import replay_lines

    first, *others = replay_lines(result, fixture, _redaction(environ, folder), stored=stored)
    return "\n".join([re.sub(" {3,}", "   ", first), *others])  # pytest puts words of its own before the first


def _redaction(environ: Mapping[str, str], folder: Path) -> Callable[[str], str]:
    """What takes out of a text the secrets of an environment, of a folder's ``.env`` and by its project's rules."""
    from stepfork.config.environment import read_dotenv
    from stepfork.config.redaction import project_rules
    from stepfork.errors import ConfigError, UsageError
    from stepfork.redact.redactor import redact_text
    from stepfork.redact.rules import NO_RULES
    from stepfork.redact.secrets import Secrets

    dotenv, rules = {}, NO_RULES
    with suppress(ConfigError, UsageError):  # it is not what the test is about
        rules = project_rules(str(folder), environ.get("STEPFORK_DIR"))
    with suppress(ConfigError):
        dotenv = read_dotenv(str(folder))
    return partial(redact_text, secrets=Secrets.collect(environ, dotenv, rules))

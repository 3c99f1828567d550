"""A fixture that was made elsewhere or long ago, before it is written or shown: what is a secret by now goes.

A bundle comes from another project, a commit from before a rule, and either may have been edited by hand.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from stepfork.redact.finding import Finding
from stepfork.redact.fix_redactor import FixRedactor
from stepfork.redact.redactor import redacted_by
from stepfork.redact.secrets import Secrets
from stepfork.rewrite.place import Place
from stepfork.rewrite.value import rewrite_value
from stepfork.trace.body import JsonValue
from stepfork.trace.fixture import Fixture
from stepfork.workflows.checked import Checked
from stepfork.workflows.locate import Loaded


def clean_copy(fixture: Fixture, secrets: Secrets) -> tuple[Fixture, tuple[Finding, ...]]:
    """The fixture as it may be written, and what was found in it; itself where nothing was."""
    found = secrets_in(fixture, secrets)
    if found:
        from stepfork.workflows.fix_fixtures import without_secrets  # it loads what a look at a fixture has no use for

        return without_secrets(fixture, secrets), found
    return fixture, found


def secrets_in(fixture: Fixture, secrets: Secrets) -> tuple[Finding, ...]:
    """The secrets of a fixture that the project does not accept, wherever they stand."""
    redactor = FixRedactor(secrets.with_personal)
    _hidden(fixture, redactor)
    return redactor.findings


def as_shown(loaded: Loaded, secrets: Secrets) -> Fixture:
    """A fixture as it may be shown. It is read through only where one of its files may hold a secret."""
    wanted = secrets.with_personal
    if not any(wanted.may_stand_in(data.decode("utf-8", "replace")) for data in loaded.files()):
        return loaded.fixture
    return _hidden(loaded.fixture, FixRedactor(wanted))


def _hidden(fixture: Fixture, redactor: FixRedactor) -> Fixture:
    def clean(value: JsonValue, name: str) -> Any:
        return rewrite_value(value, Place((name,)), redactor)

    return Fixture(
        name=clean(fixture.name, "name"),
        run=redacted_by(fixture.run, redactor, redactor),
        contracts=tuple(clean(list(fixture.contracts), "contracts")),
        verification=clean(fixture.verification, "verification"),
        extensions=clean(fixture.extensions, "extensions"),
    )


def objects_with_secrets(objects: Mapping[str, bytes], secrets: Secrets) -> dict[str, Finding]:
    """Those of the objects that hold a secret which the project does not accept, each with the first that was found."""
    checked = Checked("git", secrets)
    for name, data in objects.items():
        checked.add(name, data)
    return {finding.where: finding for finding in reversed(checked.findings)}

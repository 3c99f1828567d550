"""Fixtures without their secrets: loaded, redacted, made byte-stable again, so that their objects get new names.

An object is named by its bytes, so none can be redacted in place: the fixture that needs it is written anew.
"""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from typing import Any, NamedTuple

from stepfork.errors import StepforkError
from stepfork.normalize.known import Context
from stepfork.normalize.normalize import normalize_run
from stepfork.redact.fix_redactor import FixRedactor
from stepfork.redact.redactor import redacted_by
from stepfork.redact.rules import Rules
from stepfork.redact.secrets import Secrets
from stepfork.rewrite.place import Place
from stepfork.rewrite.value import rewrite_value
from stepfork.store.layout import BUNDLE, FIXTURES, MANIFEST, OBJECTS, STORE_NAME
from stepfork.store.objects import object_named
from stepfork.trace.body import JsonValue
from stepfork.trace.fixture import Fixture

EDITED = "was edited by hand, and its fixture is written as it reads now"
_INSIDE = re.compile(rf"{FIXTURES}/.+\.json|{OBJECTS}/[0-9a-f]{{2}}/[0-9a-f]{{62}}\.json")


class Member(NamedTuple):
    """A file of a store or a bundle: where that is, and the path inside."""

    root: str
    inside: str
    is_bundle: bool

    @property
    def object(self) -> str | None:
        """The name of the object that it is, None for a manifest."""
        return object_named(self.inside.removeprefix(f"{OBJECTS}/")) if self.inside.startswith(f"{OBJECTS}/") else None

    @property
    def fixture(self) -> str:
        """The name of the fixture whose manifest it is."""
        return self.inside.removeprefix(f"{FIXTURES}/").removesuffix(".json")


def member_at(path: str, store: str = "") -> Member | None:
    """What a path (with forward slashes) is of a store, such as that in the folder `store`, or of a bundle; None where
    it is a file like any other."""
    parts = PurePosixPath(path).parts
    for index in range(len(parts) - 1, 0, -1):
        root, inside = str(PurePosixPath(*parts[:index])), "/".join(parts[index:])
        if root.endswith(BUNDLE) and (inside == MANIFEST or _INSIDE.fullmatch(inside)):
            return Member(root, inside, is_bundle=True)
        if (parts[index - 1] == STORE_NAME or root == store) and _INSIDE.fullmatch(inside):
            return Member(root, inside, is_bundle=False)
    return None


def without_secrets(fixture: Fixture, secrets: Secrets) -> Fixture:
    """The fixture as a capture would have made it, had its secrets been known.

    Placeholders are numbered anew, since the first of a kind may be gone; not where contracts name some by number.
    """
    names_some = "{{" in str((fixture.contracts, fixture.verification))
    whole = FixRedactor(secrets.with_personal)
    run = redacted_by(fixture.run, whole, whole if names_some else FixRedactor(secrets))

    def clean(value: JsonValue, name: str) -> Any:
        return rewrite_value(value, Place((name,)), whole)

    return Fixture(
        name=fixture.name,
        run=run if names_some else normalize_run(run, _context(secrets.rules), templated=True),
        contracts=tuple(clean(list(fixture.contracts), "contracts")),
        verification=clean(fixture.verification, "verification"),
        extensions=clean(fixture.extensions, "extensions"),
    )


def not_redacted(error: StepforkError, path: str) -> str:
    """Why the fixture that the file at `path` belongs to stays as it is."""
    where = "" if error.where is None or path.endswith(error.where) else f"{error.where}: "
    fix = "" if error.fix is None else f"; {error.fix}"
    return f"its fixture could not be redacted: {where}{error.what}{fix}"


def _context(rules: Rules) -> Context:
    """What a normaliser needs that looks for personal data, and whose run was at no time."""
    return Context(started_ns=10**20, ended_ns=-(10**20), personal=rules.personal, names=rules.names)

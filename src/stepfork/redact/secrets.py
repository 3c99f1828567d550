"""What a project's secrets are: the known values, and (by way of the matcher) every rule that needs none."""

from __future__ import annotations

from functools import cached_property

from stepfork.redact.known import Known, secrets_of
from stepfork.redact.matcher import Matcher
from stepfork.redact.prefilter import Prefilter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


class Secrets:
    """The known secret values of a run and the matcher that finds them and every shape. It never shows a value."""

    def __init__(self, values: Mapping[str, str]) -> None:
        self.known = Known(values)

    @cached_property
    def matcher(self) -> Matcher:
        """Finds the secrets of one text."""
        return Matcher(self.known)

    @cached_property
    def prefilter(self) -> Prefilter:
        """Tells whether a document is worth reading."""
        return Prefilter(self.matcher)

    @classmethod
    def collect(cls, environ: Mapping[str, str], dotenv: Mapping[str, str]) -> Secrets:
        """The secret values of the environment and of a ``.env`` file, by the rule for names of variables.

        A name that both give may have two values: each is a target.
        """
        return cls(secrets_of(dotenv) | secrets_of(environ))

    @classmethod
    def none(cls) -> Secrets:
        """No known value: shapes and named secrets alone."""
        return cls({})

    def __repr__(self) -> str:
        return f"Secrets({len(self.known.plain)} spellings)"

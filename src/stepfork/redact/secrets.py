"""What a project's secrets are: the known values, and (by way of the matcher) every rule that needs none."""

from __future__ import annotations

from stepfork.redact.known import Known, secrets_of
from stepfork.redact.matcher import Matcher
from stepfork.redact.own_names import OwnNames
from stepfork.redact.own_patterns import OwnPatterns
from stepfork.redact.prefilter import Prefilter
from stepfork.redact.rules import NO_RULES, Rules

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from stepfork.redact.finding import Finding


class Secrets:
    """The known secret values of a run (none: shapes and named secrets alone count) and the matcher that finds them
    and every shape. It never shows a value.

    `matcher` finds the secrets of one text; `prefilter` tells whether a document is worth reading. `rules` are the
    project's own. `digests` says that findings are to name their values.
    """

    __slots__ = ("_digests", "known", "matcher", "prefilter", "rules")

    def __init__(self, values: Mapping[str, str], rules: Rules = NO_RULES, *, digests: bool = False) -> None:
        self.rules = rules
        self._digests = digests
        self.known = Known(values)
        self.matcher = Matcher(self.known, OwnNames(rules.keys, rules.variables), OwnPatterns(rules.patterns))
        self.prefilter = Prefilter(self.matcher)

    @classmethod
    def collect(
        cls,
        environ: Mapping[str, str],
        dotenv: Mapping[str, str],
        rules: Rules = NO_RULES,
        *,
        digests: bool = False,
    ) -> Secrets:
        """The secret values of the environment and of a ``.env`` file, by the rule for names of variables.

        A name that both give may have two values: each is a target.
        """
        return cls(secrets_of(dotenv, rules) | secrets_of(environ, rules), rules, digests=digests)

    def finding(self, rule: str, path: str, value: str) -> Finding:
        """What is said of `value`, which stands at `path`."""
        from stepfork.redact.finding import Finding, digest_of

        return Finding(rule, path, digest=digest_of(value) if self._digests else "")

    def __repr__(self) -> str:
        return f"Secrets({len(self.known.plain)} spellings)"

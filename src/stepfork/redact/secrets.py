"""What a project's secrets are: the known values, and (by way of the matcher) every rule that needs none."""

from __future__ import annotations

from stepfork.redact.known import Known, secrets_of
from stepfork.redact.matcher import Matcher
from stepfork.redact.own_names import OwnNames
from stepfork.redact.own_patterns import OwnPatterns
from stepfork.redact.rules import NO_RULES, Rules

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from stepfork.redact.decoding import Decoded
    from stepfork.redact.finding import Finding
    from stepfork.redact.prefilter import Prefilter, Spot


class Secrets:
    """The known secret values of a run (none: shapes and named secrets alone count) and the matcher that finds them
    and every shape. It never shows a value.

    `matcher` finds the secrets of one text; `prefilter` tells whether a document is worth reading. `rules` are the
    project's own. `digests` says that findings are to name their values.
    """

    __slots__ = ("_digests", "_prefilter", "_with_personal", "_without_personal", "known", "matcher", "rules")

    def __init__(self, values: Mapping[str, str], rules: Rules = NO_RULES, *, digests: bool = False) -> None:
        self.rules = rules
        self._digests = digests
        self._prefilter: Prefilter | None = None
        self._with_personal: Secrets | None = None
        self._without_personal = self
        self.known = Known(values)
        self.matcher = Matcher(self.known, OwnNames(rules.keys, rules.variables), OwnPatterns(rules.patterns))

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

    @property
    def with_personal(self) -> Secrets:
        """These secrets and the personal data that the project asks for: for all that is not given pseudonyms."""
        if not self.rules.personal and not self.rules.names:
            return self
        if self._with_personal is None:
            from stepfork.redact.personal import Personal

            made = self._with_personal = Secrets({}, self.rules, digests=self._digests)
            made.known = self.known
            personal = Personal(self.rules.personal, self.rules.names)
            made.matcher = Matcher(self.known, self.matcher.names, self.matcher.patterns, personal)
            made._without_personal = self
            made._with_personal = made
        return self._with_personal

    @property
    def prefilter(self) -> Prefilter:
        """Made when first asked: commands that read no files but render texts need none."""
        owner = self._without_personal
        if owner._prefilter is None:
            from stepfork.redact.prefilter import Prefilter

            owner._prefilter = Prefilter(owner.matcher)
        return owner._prefilter

    def spots(self, decoded: Decoded, meanwhile: Callable[[], object] = bool) -> list[Spot] | None:
        """Where in the text of a file what is looked for may stand; None where it may stand anywhere. `meanwhile` is
        called where another process is waited for."""
        personal, data = self.matcher.personal, decoded.data
        if personal is not None and (personal.may_stand_in(decoded.text) or self.prefilter.may_have_pieces(data)):
            return None
        return None if self.prefilter.reads_all(data) else self.prefilter.spots(data, meanwhile)

    def may_stand_in(self, text: str) -> bool:
        """Whether anything that is looked for may stand in a text, however it is parsed."""
        personal = self.matcher.personal
        return self.prefilter.may_hold_secret(text) or (personal is not None and personal.may_stand_in(text))

    def finding(self, rule: str, path: str, value: str) -> Finding:
        """What is said of `value`, which stands at `path`."""
        from stepfork.redact.finding import Finding, digest_of

        return Finding(rule, path, digest=digest_of(value) if self._digests else "")

    def __repr__(self) -> str:
        return f"Secrets({len(self.known.plain)} spellings)"

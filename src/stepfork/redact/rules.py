"""What a project adds to the rules that everybody has: its own names, variables, patterns, and accepted findings."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

CLASSES = ("phone", "card", "iban")
"""Classes of personal data that `personal` may hold."""


class Accepted:
    """A finding of `rule` that is no secret: `digest` is the BLAKE3 of the value in hex, `reason` says why."""

    __slots__ = ("digest", "reason", "rule")

    def __init__(self, rule: str, digest: str, reason: str) -> None:
        self.rule = rule
        self.digest = digest
        self.reason = reason


class Rules:
    """The `[redact]` table of a project.

    `keys` are names (of a member, header, variable, query parameter or flag) whose value always goes; `variables` are
    environment variables whose value is secret although their name does not say so; `patterns` are regular expressions
    by the name of their rule; `personal` and `names` are what is asked for of personal data; `accepted` are findings
    that check-redaction lets pass.
    """

    __slots__ = ("accepted", "keys", "names", "patterns", "personal", "variables")

    def __init__(
        self,
        *,
        keys: tuple[str, ...] = (),
        variables: tuple[str, ...] = (),
        patterns: Mapping[str, str] | None = None,
        personal: tuple[str, ...] = (),
        names: tuple[str, ...] = (),
        accepted: tuple[Accepted, ...] = (),
    ) -> None:
        self.keys = keys
        self.variables = variables
        self.patterns = dict(patterns or {})
        self.personal = personal
        self.names = names
        self.accepted = accepted

    @property
    def find_more(self) -> bool:
        """Whether anything counts as secret that does not without these rules."""
        return bool(self.keys or self.variables or self.patterns)

    def judged_by(self, base: Rules, name: str) -> Rules:
        """What judges a change that may have edited these rules: all that either calls secret, and what `base`, the
        rules before the change, accepts. Where the two give one name to two patterns, that of `base` is told apart by
        `name`."""
        patterns = dict(self.patterns)
        for rule, source in base.patterns.items():
            if patterns.setdefault(rule, source) != source:
                patterns[f"{rule} ({name})"] = source
        return Rules(
            keys=_union(self.keys, base.keys),
            variables=_union(self.variables, base.variables),
            patterns=patterns,
            personal=_union(self.personal, base.personal),
            names=_union(self.names, base.names),
            accepted=base.accepted,
        )


def _union(one: tuple[str, ...], two: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*one, *two)))


NO_RULES = Rules()
"""Those of a project that adds none."""

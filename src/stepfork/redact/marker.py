"""What stands where a secret stood, and what looks like a secret but is only a stand-in for one."""

from __future__ import annotations

from stepfork.redact.pattern import pattern

MARKER = "[redacted]"
"""The replacement of every secret, whatever its kind: it has no character that JSON, a URL or a shell would escape."""

_STAND_IN = pattern(
    r"""(?xi)(?: \$\{?\w+ | \{\{ | \{[\w.!:-]*\}?$ | <[^<>]*>?$ | &(?:lt|\#x?3c|\#60); | %\( | %\w+%$ | %env\(
          | \*{3} | \.{3} | … | x{4,}$ | \[[a-z_ -]+\]$ | ![a-z_]+$
          | (?:your|my|some|the|insert|example|placeholder|changeme|replace)(?:[-_ ]|$)
          | (?:process\.env|os\.environ|os\.getenv|env\.|secrets\.|vars\.|var\.|config\.|settings\.|self\.|this\.)
          | (?:vault|env|file|ssm|arn|op|sops|keyvault|secretsmanager|doppler|ref\+\w+):[a-z/%\w] )""",
)
"""Templates, variables, references to a store of secrets, tags of YAML, placeholders, code."""

_TEMPLATE = pattern(
    r"""(?xs)\s*(?:(?:[Bb]earer|[Bb]asic|[Tt]oken)\s+)?
        (?: \$\{.*\} | \$[A-Z_][A-Z0-9_]* | \{\{.*\}\} | \{[\w.-]*\} | <[^<>]*> | %\(\w+\)s | %\w+%
          | \*+ | \.{3} | … | [xX]{4,} )\s*\Z""",
)


def is_template(value: str) -> bool:
    """Whether the whole of `value` marks the place of another; more is a stand-in where the value must convince."""
    return MARKER in value or _TEMPLATE.match(value) is not None


def is_stand_in(value: str) -> bool:
    """Whether `value` only marks the place of a secret: a template, a variable, asterisks, or the marker itself."""
    return MARKER in value or "***" in value or _STAND_IN.match(value) is not None

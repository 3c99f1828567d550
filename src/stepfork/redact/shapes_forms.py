"""Shapes that belong to no single service: tokens, keys in armour, and what stands after a scheme's name."""

from __future__ import annotations

from stepfork.redact.shape import ALNUM, BASE64, WORD, Shape

_ARMOUR = r"(?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----"
_HEADER_LINE = "-----BEGIN "

FORM_SHAPES: tuple[Shape, ...] = (
    Shape(
        "jwt",
        "JSON Web Tokens, signed or encrypted",
        ("eyJ",),
        r"eyJ[A-Za-z0-9_-]{8,}\.(?:eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*|[A-Za-z0-9_-]*\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,})",
        example=("eyJ", (ALNUM, 30), ".", "eyJ", (ALNUM, 60), ".", (WORD, 43)),
        counter=("eyJ", (ALNUM, 30), "=="),
    ),
    Shape(
        "private-key",
        "PEM, OpenSSH and PGP private keys, whole or cut short",
        ("-----BEGIN ",),
        rf"-----BEGIN {_ARMOUR}(?:(?!-----BEGIN )[\s\S]){{0,20000}}?-----END {_ARMOUR}"
        rf"|-----BEGIN {_ARMOUR}(?:\s*(?:[A-Za-z0-9+/=]{{16,}}|(?:Proc-Type|DEK-Info|Version|Comment|Hash): [^\n]*))*"
        r"(?:\s*\n[ \t]*[A-Za-z0-9+/=]{1,15}(?=\s|\Z))?",
        example=(_HEADER_LINE, "RSA PRIVATE", " KEY-----\n", (BASE64, 64), "\n-----END RSA PRIVATE", " KEY-----"),
        counter=(_HEADER_LINE, "PUBLIC", " KEY-----\n", (BASE64, 64), "\n-----END PUBLIC", " KEY-----"),
        needs="",
    ),
    Shape(
        "putty-key",
        "PuTTY private keys",
        ("Private-Lines: ",),
        r"Private-Lines: [0-9]+\s+((?:[A-Za-z0-9+/=]{16,80}\s*)+)",
        example=("Private-Lines: ", "2\n", (BASE64, 64), "\n", (BASE64, 40), "\n"),
        counter=("Private-Lines: ", "2\n"),
        needs="",
    ),
)
"""In the order in which the documentation lists them; the order has no influence on what is found."""

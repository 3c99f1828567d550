"""Shapes that belong to no single service: tokens, keys in armour, keys with a mark."""

from __future__ import annotations

from stepfork.redact.shape import Expression, Shape

_ARMOUR = r"(?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----"
_HEADER_LINE = "-----BEGIN "
_HEADERS = "(?:Proc-Type|DEK-Info|Version|Comment|Hash)"
_BASE64 = "A-Za-z0-9+/"

FORM_SHAPES: tuple[Shape, ...] = (
    Expression(
        "jwt",
        "JSON Web Tokens, signed or encrypted",
        ("eyJ",),
        r"eyJ[A-Za-z0-9_-]{8,}\.(?:eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*|[A-Za-z0-9_-]*\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,})",
        shown="eyJ{word 8+}.eyJ{word 8+}.{word 0+}",
        example=("eyJ", ("alnum", 30), ".", "eyJ", ("alnum", 60), ".", ("word", 43)),
        counter=("eyJ", ("alnum", 30), "=="),
    ),
    Shape("encoded-jwt", "JSON Web Tokens in base64", "ZXlK", "{padded 120+}"),
    Shape(
        "paseto",
        "PASETO",
        "v1.local. v2.local. v3.local. v4.local. v1.public. v2.public. v3.public. v4.public.",
        "{word 60+}[.{word 1+}]",
    ),
    Expression(
        "private-key",
        "PEM, OpenSSH and PGP private keys, whole or cut short",
        ("-----BEGIN ",),
        rf"-----BEGIN {_ARMOUR}(?:(?!-----)[\s\S]){{0,400}}?[A-Za-z0-9+/=_]{{20}}"
        rf"(?:(?!-----BEGIN )[\s\S]){{0,20000}}?-----END {_ARMOUR}"
        rf"|-----BEGIN {_ARMOUR}(?:(?:\s*(?:[A-Za-z0-9+/=]{{16,}}|{_HEADERS}: [^\n]*))+"
        r"(?:\s*\n[ \t]*[A-Za-z0-9+/=]{1,15}(?=\s|\Z))?|\s*\n[ \t]*[A-Za-z0-9+/=]{4,15}(?=\s|\Z))",
        shown="`-----BEGIN … PRIVATE KEY-----` to its end",
        example=(_HEADER_LINE, "RSA PRIVATE", " KEY-----\n", ("base64", 64), "\n-----END RSA PRIVATE", " KEY-----"),
        counter=(_HEADER_LINE, "PUBLIC", " KEY-----\n", ("base64", 64), "\n-----END PUBLIC", " KEY-----"),
        needs="",
    ),
    Expression(
        "putty-key",
        "PuTTY private keys",
        ("Private-Lines: ",),
        r"Private-Lines: [0-9]+\s+((?:[A-Za-z0-9+/=]{16,80}\s*)+)",
        shown="the lines after `Private-Lines:`",
        example=("Private-Lines: ", "2\n", ("base64", 64), "\n", ("base64", 40), "\n"),
        counter=("Private-Lines: ", "2\n"),
        needs="",
    ),
    Expression(
        "azure-key",
        "Azure storage, OpenAI, Cosmos, DevOps and others (keys with a fixed mark)",
        (
            "JQQJ99",
            "AZDO",
            "ACDb",
            "AzFu",
            "AzSe",
            "AzCa",
            "AZEG",
            "APIM",
            "AIoT",
            "+ASt",
            "+ACR",
            "+ASb",
            "+AEh",
            "+ABa",
        ),
        rf"(?:JQQJ99[A-Za-z0-9]{{10,30}}|AZDO[A-Za-z0-9]{{4}}|(?:ACDb|AzFu|AzSe|AzCa|AZEG|APIM|AIoT)[{_BASE64}_-]{{4,6}}=*"
        rf"|\+A(?:St|CR|Sb|Eh|Ba)[{_BASE64}]{{4,7}}=*)(?![A-Za-z0-9+/])",
        before=rf"[{_BASE64}_-]{{30,80}}",
        shown="{base64 30-80}, the mark, 4 to 30 characters",
        example=(("alnum", 52), "JQQJ99", ("alnum", 22)),
        counter=(("alnum", 20), "JQQJ99", ("alnum", 22)),
    ),
)
"""In the order in which the documentation lists them; the order has no influence on what is found."""

"""Made-up credentials, joined at run time: no line of this repository holds one in one piece."""

from __future__ import annotations

OPENAI = "sk-" + "proj" + "-EXAMPLE0notArealKey1abcdefghij2klmnop3"
GITHUB = "gh" + "p_" + "k7Qx2Vb9Zt4Lm8Rw3Hd6Nc5Jf1Pg0YsTu7Wa"
AWS = "AK" + "IA" + "R7HUPQ62WEQEHEXK"
SLACK = "xo" + "xb-" + "515631578536-9016711858613-" + "BmWoFe2CN2YhF6YxULA1aOf4"
JWT = ".".join(
    ("ey" + "JhbGciOiJIUzI1NiJ9", "ey" + "JzdWIiOiIxMjM0NTY3ODkwIn0", "dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U")
)
BEARER = "Q1Qvx0Yb" + "rhb6Gc9Anc3KJAQJupLOeSOT"
HEX32 = "0fa54989" + "23beb33783558d998ea0b303"
PASSWORD = "hVq!7" + "zLw#2pk"
PEM_BODY = "Mkljez3sAAT8moMEjChLVTJ6X6dkty0prHJtbhcCAMKubcxaTyCeEx7fxT3eUdI3"
PEM = "\n".join(
    ("-----BEGIN RSA PRIVATE" + " KEY-----", PEM_BODY, PEM_BODY[::-1], "-----END RSA PRIVATE" + " KEY-----")
)
EVERY = (OPENAI, GITHUB, AWS, SLACK, JWT, PEM)

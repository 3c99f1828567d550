"""The notation in which a table says what a credential looks like: ``pat{alnum 14}.{hex 64}``.

What stands in braces is an alphabet and how many characters of it (``24``, ``8-10``, ``24+``); ``{uuid}`` is a UUID.
The part in round brackets is the secret where the rest may stay, the part in square brackets may be missing. Everything
else stands for itself.
"""

from __future__ import annotations

ALPHABETS = {
    "alnum": "A-Za-z0-9",
    "word": "A-Za-z0-9_-",
    "snake": "A-Za-z0-9_",
    "kebab": "A-Za-z0-9-",
    "dotted": "A-Za-z0-9._-",
    "tilde": "A-Za-z0-9._~-",
    "letter": "A-Za-z",
    "digit": "0-9",
    "hex": "0-9a-f",
    "HEX": "0-9A-F",
    "Hex": "0-9A-Fa-f",
    "low": "a-z",
    "lower": "a-z0-9",
    "upper": "A-Z0-9",
    "base32": "A-Z2-7",
    "base64": "A-Za-z0-9+/",
    "padded": "A-Za-z0-9+/=_-",
    "query": "A-Za-z0-9%._~+/=-",
    "slashed": "A-Za-z0-9%/+-",
    "caret": "A-Za-z0-9^#+/=",
    "MNO": "MNO",
    "umr": "umr",
    "signs": "A-Za-z0-9!@#$%^&*(=+)_-",
}
"""What the names in a form stand for; ``padded`` is either base64 with its padding."""

_UUID = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
_UUID_EXAMPLE = "3f9a1c7e-5b2d-4e8f-9a6c-1d7b3e5f2a9c"
_FILL = "k7Qx2Vb9Zt4Am8Rw3Hd6Nc5Jf1Cg0Es"
_END = "(?![A-Za-z0-9])"


def source(form: str, *, bounded: bool = True) -> str:
    """The regular expression of a form. Where its last part has a greatest length, no letter or digit may follow,
    unless it is not `bounded`."""
    made: list[str] = []
    ends = False
    for kind, text in pieces(form):
        if kind == "sized":
            made.append(_sized(text))
            ends = not text.endswith("+")
        elif kind == "mark":
            made.append({"[": "(?:", "]": ")?"}.get(text, text))
        else:
            made.append(literally(text))
            ends = bool(end_of(text))
    return "".join(made) + (_END if bounded and ends else "")


def end_of(text: str) -> str:
    """What must hold after a literal: a word does not go on."""
    return _END if text[-1:].isalnum() else ""


def _sized(text: str) -> str:
    if text == "uuid":
        return _UUID
    name, low, high = measure(text)
    length = f"{low}" if low == high else f"{low},{high or ''}"
    return f"[{ALPHABETS[name]}]{{{length}}}"


def measure(text: str) -> tuple[str, int, int]:
    """Alphabet, least and greatest length (0: none) of what stands in braces."""
    name, _, size = text.partition(" ")
    low, dash, high = size.rstrip("+").partition("-")
    return name, int(low), 0 if size.endswith("+") else int(high) if dash else int(low)


def pieces(form: str) -> list[tuple[str, str]]:
    """``("literal", …)``, ``("sized", …)`` for what stands in braces, ``("mark", …)`` for brackets, in order."""
    found: list[tuple[str, str]] = []
    start = index = 0
    while index <= len(form):
        char = form[index : index + 1]
        if char in "{()[]":  # the empty text after the last character, too
            if index > start:
                found.append(("literal", form[start:index]))
            start = index + 1
            if char == "{":
                start = form.index("}", index) + 1
                found.append(("sized", form[index + 1 : start - 1]))
            elif char:
                found.append(("mark", char))
            index = start
            if not char:
                break
        else:
            index += 1
    return found


def literally(text: str) -> str:
    """A pattern of that very text; what `re.escape` does, without loading it."""
    return "".join(char if char.isalnum() or char in "-_ /:=@" else f"\\{char}" for char in text)


def example(form: str, *, short: bool = False) -> str:
    """A made-up credential of this form, of the least length; `short`: one character less, so that it is none.

    Made when asked for: the repository holds no credential in one piece.
    """
    made: list[str] = []
    places: list[int] = []
    optional = False
    for kind, text in pieces(form):
        if kind == "mark":
            optional = text == "[" or (optional and text != "]")
        elif not optional:
            if kind == "sized":
                places.append(len(made))
            made.append(text if kind == "literal" else _filled(text))
    if short:
        made[places[-1]] = made[places[-1]][:-1]
    return "".join(made)


def _filled(text: str) -> str:
    if text == "uuid":
        return _UUID_EXAMPLE
    name, low, _ = measure(text)
    return fill(ALPHABETS[name], low)


def fill(alphabet: str, length: int) -> str:
    """`length` characters of `alphabet` in a fixed order that looks like nothing in particular."""
    allowed = [char for char in _FILL if _within(char, alphabet)]
    return "".join(allowed[index % len(allowed)] for index in range(length))


def _within(char: str, alphabet: str) -> bool:
    """Whether a letter or digit is of an alphabet that is written in ranges and single characters."""
    return char in alphabet.replace("-", "") or any(
        alphabet[at + 1] == "-" and alphabet[at] <= char <= alphabet[at + 2] for at in range(len(alphabet) - 2)
    )

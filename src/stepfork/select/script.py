"""What a JavaScript or TypeScript file names: its texts, as shapes, and the modules beside it that it imports."""

from __future__ import annotations

import re

from stepfork.git.record import Record
from stepfork.select.script_tokens import tokens_of
from stepfork.select.shapes import HOLE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from stepfork.select.script_tokens import Token

_JOINERS = {"join", "resolve"}
_IMPORTERS = {"import", "require", "from"}
_SEGMENT = re.compile(r"[^\"'`\n]+")
_HOLES = re.compile(r"\$\{[^{}]*\}")
#: A call with more tokens than this is not read as a path put together.
_LONG = 60
#: What TypeScript calls a file whose import says ``.js``, and what a bundler adds.
ENDINGS = (".ts", ".tsx", ".js", ".jsx", ".mts", ".cts", ".mjs", ".cjs")


class Script(Record):
    """``texts`` are shapes (see `shapes`); ``imports`` are specifiers that begin with a dot."""

    texts: tuple[str, ...]
    imports: tuple[str, ...]


def read_script(data: bytes, path: str) -> Script:
    """The script in a file; what is no UTF-8 is replaced."""
    source = data.decode("utf-8-sig", "replace")
    tokens = tokens_of(source, markup=not path.endswith(("ts",)))
    texts: dict[str, None] = {}
    imports: dict[str, None] = {}
    for one in tokens.lists:
        for shape, is_import in _shapes(one):
            if is_import and shape.startswith("."):
                imports[shape] = None
            if not is_import or "fixtures/" in shape or shape.endswith((".json", ".sftrace")):
                texts[shape] = None
    if tokens.astray:  # whatever stands between two quotes
        texts.update(dict.fromkeys(_HOLES.sub(HOLE, segment) for segment in _SEGMENT.findall(source)))
    return Script(tuple(texts), tuple(imports))


def imported_paths(script: Script, path: str) -> Iterator[str]:
    """The paths that the imports of the script at ``path`` may mean, from the same root."""
    for one in script.imports:
        parts = path.split("/")[:-1]
        for part in one.split("/"):
            if part == ".." and parts:
                parts.pop()
            elif part not in ("", ".", ".."):
                parts.append(part)
        place = "/".join(parts)
        stem = re.sub(r"\.[cm]?jsx?$", "", place)
        yield place
        for base in dict.fromkeys((place, stem)):
            yield from (base + ending for ending in ENDINGS)
        yield from (f"{place}/index{ending}" for ending in ENDINGS)


def _shapes(tokens: Sequence[Token]) -> Iterator[tuple[str, bool]]:
    """Each text with its neighbours (sums, and arguments that are put together as a path), and whether it is what an
    import names."""
    at = 0
    while at < len(tokens):
        kind, value = tokens[at]
        if kind == "word" and value in _JOINERS:
            joined = _joined(tokens, at)
            if joined is not None:
                shape, at = joined
                yield shape, False
                continue
        if kind == "text":
            end, shape = _sum(tokens, at)
            yield shape, shape == value and _is_import(tokens, at)
            at = end
        else:
            at += 1


def _is_sign(tokens: Sequence[Token], at: int, value: str) -> bool:
    return 0 <= at < len(tokens) and tokens[at] == ("sign", value)


def _sum(tokens: Sequence[Token], at: int) -> tuple[int, str]:
    """Where the sum of texts that begins here ends, and its shape."""
    parts = [HOLE] if _is_sign(tokens, at - 1, "+") else []
    while True:
        parts.append(tokens[at][1])
        at += 1
        if not _is_sign(tokens, at, "+"):
            return at, "".join(parts)
        if at + 1 < len(tokens) and tokens[at + 1][0] == "text":
            at += 1
        else:
            return at, "".join([*parts, HOLE])


def _is_import(tokens: Sequence[Token], at: int) -> bool:
    before = at - 2 if _is_sign(tokens, at - 1, "(") else at - 1
    return before >= 0 and tokens[before][0] == "word" and tokens[before][1] in _IMPORTERS


def _joined(tokens: Sequence[Token], at: int) -> tuple[str, int] | None:
    """``join("a", b, "c")`` as a path, and where it ends; None where an argument is more than a text or a name."""
    if not _is_sign(tokens, at + 1, "("):
        return None
    parts: list[str] = []
    argument: list[Token] = []
    for place in range(at + 2, min(len(tokens), at + _LONG)):
        kind, value = tokens[place]
        if kind == "sign" and value in ",)":
            if len(argument) > 1 and any(one[0] == "text" for one in argument):
                return None
            if argument:
                parts.append(argument[0][1] if argument[0][0] == "text" else HOLE)
            argument = []
            if value == ")":
                return "/".join(part.strip("/") if number else part.rstrip("/") for number, part in enumerate(parts)), (
                    place + 1
                )
        elif kind == "sign" and value in "({[;":
            return None
        else:
            argument.append(tokens[place])
    return None

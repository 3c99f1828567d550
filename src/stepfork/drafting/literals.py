"""JSON values as Python source that a formatter leaves as it is, whatever the line length that it is set to.

What fits into `WIDTH` columns stands on one line. What does not is exploded, one item a line with a comma after the
last, which formatters keep at every width.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from stepfork.trace.body import JsonValue

WIDTH = 88
"""Columns of a line: the default of the usual formatters."""

WIDEST = 120
"""Columns up to which a text is not cut into pieces: a formatter that is set to so many would join them again."""

_ESCAPES = {"\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}


def string(text: str) -> str:
    """`text` as a string literal: double quotes, unless single ones save an escape; all that does not print escaped."""
    quote = "'" if text.count('"') > text.count("'") else '"'
    return quote + "".join(f"\\{char}" if char == quote else _character(char) for char in text) + quote


def printable(text: str) -> str:
    """`text` for a comment: one line, with all that does not print spelled out."""
    return "".join(char if char.isprintable() else _character(char) for char in text)


def assigned(head: str, value: JsonValue, tail: str = "", *, indent: int = 0) -> Iterator[str]:
    """The lines of ``{head}{value}{tail}``, such as ``COMMAND = ["python", "agent.py"]``, each indented."""
    space = " " * indent
    line = f"{space}{head}{_one_line(value)}{tail}"
    if _widest(line) <= WIDTH or not value or not isinstance(value, list | tuple | dict | str):
        yield line
    elif isinstance(value, dict):
        yield f"{space}{head}{{"
        for key, member in value.items():
            yield from assigned(f"{string(key)}: ", member, ",", indent=indent + 4)
        yield f"{space}}}{tail}"
    elif isinstance(value, str):
        yield from [line] if _narrowest(line) <= WIDEST else _pieces(head, value, tail, indent)
    else:
        yield f"{space}{head}["
        for item in value:
            yield from assigned("", item, ",", indent=indent + 4)
        yield f"{space}]{tail}"


def called(head: str, arguments: Sequence[tuple[str, JsonValue]], *, indent: int = 0) -> Iterator[str]:
    """The lines of a call, such as ``.tool_cardinality("refund", per="id", at_most=1)``. An argument is its keyword
    with ``=``, or nothing, and its value."""
    space = " " * indent
    line = f"{space}{head}({', '.join(f'{word}{_one_line(value)}' for word, value in arguments)})"
    if _widest(line) <= WIDTH:
        yield line
        return
    yield f"{space}{head}("
    for word, value in arguments:
        yield from assigned(word, value, ",", indent=indent + 4)
    yield f"{space})"


def path_called(head: str, way: str) -> Iterator[str]:
    """The lines of a call with one relative path. A long one is cut behind its slashes alone: who looks for a
    file's name in a test finds it whole."""
    pieces: list[str] = []
    for step in (f"{step}/" for step in way.split("/")):
        if pieces and _widest(" " * 8 + string(pieces[-1] + step)) <= WIDTH:
            pieces[-1] += step
        else:
            pieces.append(step)
    pieces[-1] = pieces[-1].removesuffix("/")
    if len(pieces) == 1 or _narrowest(f"    {string(way)},") <= WIDEST:
        yield from [f"{head}(", f"    {string(way)},", ")"]
        return
    yield from [f"{head}(", "    (", *(f"        {string(piece)}" for piece in pieces), "    ),", ")"]


def _one_line(value: JsonValue) -> str:
    if isinstance(value, str):
        return string(value)
    if isinstance(value, dict):
        return "{" + ", ".join(f"{string(key)}: {_one_line(member)}" for key, member in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_one_line, value)) + "]"
    return repr(value).replace("e+", "e")


def _pieces(head: str, text: str, tail: str, indent: int) -> Iterator[str]:
    """A long text as several literals, which Python joins, in parentheses."""
    yield f"{' ' * indent}{head}("
    space = " " * (indent + 4)
    piece = ""
    for char in text:
        if _widest(space + string(piece + char)) > WIDTH and len(piece) > 20:
            yield space + string(piece)
            piece = ""
        piece += char
    yield space + string(piece)
    yield f"{' ' * indent}){tail}"


def _character(char: str) -> str:
    if char in _ESCAPES:
        return _ESCAPES[char]
    if char.isprintable():
        return char
    code = ord(char)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _widest(line: str) -> int:
    """The most columns that a line can take: some characters take two."""
    return len(line) if line.isascii() else sum(1 if char.isascii() else 2 for char in line)


def _narrowest(line: str) -> int:
    """The fewest columns: some characters take none."""
    return len(line) if line.isascii() else sum(char.isascii() for char in line)


def wrapped(text: str, *, indent: int) -> Iterable[str]:
    """`text` as the lines of a comment."""
    import textwrap

    head = " " * indent + "# "
    return textwrap.wrap(
        printable(text),
        WIDTH,
        initial_indent=head,
        subsequent_indent=head,
        break_long_words=False,
        break_on_hyphens=False,
    )

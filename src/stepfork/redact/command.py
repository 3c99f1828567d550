"""Secrets on a command line: flags, ``NAME=value``, and both inside an argument that is itself a command."""

from __future__ import annotations

from stepfork.redact.named import is_variable_secret
from stepfork.redact.names import is_secret_flag
from stepfork.redact.own_names import NO_NAMES
from stepfork.redact.pattern import pattern
from stepfork.redact.programs import RULE as OPTION
from stepfork.redact.programs import program_values, unquoted
from stepfork.redact.span import Span

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from stepfork.redact.own_names import OwnNames

FLAG = "command-line flag"
VARIABLE = "command-line variable"

_FLAG = pattern(r"(?s)(--?[A-Za-z][A-Za-z0-9_.-]*)(?:=(.*))?\Z")
_VARIABLE = pattern(r"(?s)([A-Za-z_][A-Za-z0-9_]*)=(.+)\Z")
_WORD = pattern(r"""(?s)(?:[^\s"'\\;|&<>()]|"(?:[^"\\]|\\.)*"|'[^']*'|\\.)+""")


def command_secrets(arguments: Sequence[str], own: OwnNames = NO_NAMES) -> list[list[Span]]:
    """For each argument the spans that flags and variables make secret, whatever the value's length; `own` are a
    project's own names of either.

    A flag of one letter says nothing about its value. A flag that another flag follows takes no value.
    """
    found: list[list[Span]] = [[] for _ in arguments]
    for index, start, end, rule in _values([(argument, 0) for argument in arguments], own):
        if not _is_script(arguments, index):
            found[index].append(Span(start, end, rule))
    for index, start, end in program_values(arguments):
        found[index].append(Span(start, end, OPTION))
    for index, argument in enumerate(arguments):
        if any(char.isspace() for char in argument):
            inner = [(match.group(), match.start()) for match in _WORD.finditer(argument)]
            for word, start, end, rule in _values(inner, own):
                shift = inner[word][1]
                found[index].append(Span(shift + start, shift + end, rule))
            for word, start, end in program_values([text for text, _ in inner]):
                first, last = unquoted(inner[word][0], start, end)
                found[index].append(Span(inner[word][1] + first, inner[word][1] + last, OPTION))
    return found


def _is_script(arguments: Sequence[str], index: int) -> bool:
    """Whether an argument is what ``sh -c`` or ``bash -lc`` runs, in which a value ends at a blank."""
    return (
        index > 0
        and arguments[index - 1].startswith("-")
        and arguments[index - 1][1:].isalpha()
        and (len(arguments[index - 1]) < 4 and arguments[index - 1].endswith("c"))
    )


def _values(words: Sequence[tuple[str, int]], own: OwnNames) -> Iterator[tuple[int, int, int, str]]:
    """Word, start and end in it, and rule of each secret value."""
    for index, (word, _) in enumerate(words):
        flag = _FLAG.match(word)
        if flag is not None:
            where, start, value = index, flag.start(2), flag.group(2)
            if value is None and index + 1 < len(words) and not _FLAG.match(words[index + 1][0]):
                where, start, value = index + 1, 0, words[index + 1][0]
            name = flag.group(1)
            if value and (is_secret_flag(name) or own.covers((name.lstrip("-"),), value)):
                yield where, start, start + len(value), FLAG
            continue
        variable = _VARIABLE.match(word)
        if variable is None:
            continue
        name, value = variable.groups()
        if is_variable_secret(name, value) or own.covers((name,), value):
            yield index, variable.start(2), variable.end(2), VARIABLE

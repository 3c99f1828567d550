"""JavaScript and TypeScript read as far as it takes to tell texts from comments, regular expressions and markup.

One pass, in time that grows with the length alone; nothing raises. What stands inside ``${…}``, and inside the braces
of markup (JSX), is code again, in a list of tokens of its own. Where the text ends in the middle of something, or a
quote has no other end, the reading may have gone astray: the tokens then say so.
"""

from __future__ import annotations

import re

from stepfork.git.record import Record
from stepfork.select.shapes import HOLE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal

    Token = tuple[Literal["word", "text", "sign"], str]
    """A word (numbers too), a sign of one character, or a text: a string, a template with holes (see `shapes`)."""

#: What needs no second look: space, a word, a sign.
_PLAIN = re.compile(r"(\s+)|([\w$]+)|([^\s\w$\"'`/<{}])")
_STRINGS = {
    quote: re.compile(rf"{quote}([^{quote}\\\n]*(?:\\[\s\S][^{quote}\\\n]*)*)({quote})?") for quote in ("'", '"')
}
_TEMPLATE = re.compile(r"[^`\\$]*(?:(?:\\[\s\S]|\$(?!\{))[^`\\$]*)*")
_EXPRESSION = re.compile(r"/(?:[^/\\\[\n]|\\[^\n]|\[(?:[^\]\\\n]|\\[^\n])*\])+/[\w$]*")
_ELEMENT = re.compile(r"<(?:>|[A-Za-z_$][\w$.:-]*(?!\s*(?:,|extends\b)))")
_TAG = re.compile(r"[^\"'{}<>/]+")
_CHILDREN = re.compile(r"[^{<]+")
_ESCAPE = re.compile(r"\\(?:u\{([0-9a-fA-F]{1,6})\}|u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|(\r\n|[\s\S]))")
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v", "0": "\0", "\n": "", "\r\n": ""}
#: After these words a slash begins a regular expression, and ``<`` markup; after others they are signs of arithmetic.
_BEFORE_VALUE = frozenset(
    {"return", "typeof", "case", "in", "of", "delete", "void", "throw", "new", "instanceof", "do", "else", "yield"}
    | {"await", "default", "extends"}
)


class Tokens(Record):
    """Lists of tokens, one for the text itself and one for each piece of code inside a text or markup; ``astray``
    where the reading may have gone wrong, so that a text may be missing."""

    lists: tuple[tuple[Token, ...], ...]
    astray: bool


def tokens_of(source: str, *, markup: bool) -> Tokens:
    """The tokens of a script; ``markup`` where it may hold JSX."""
    reader = _Reader(source, markup=markup)
    reader.read()
    return Tokens(tuple(tuple(tokens) for tokens in reader.lists if tokens), reader.astray)


class _Code:
    """Code, up to the brace that ends it; ``open`` counts braces inside, ``line`` tokens before the present line."""

    def __init__(self) -> None:
        self.tokens: list[Token] = []
        self.open = 0
        self.line = 0

    def expects_value(self) -> bool:
        """Whether a value may begin here, rather than a sign of arithmetic."""
        if not self.tokens:
            return True
        kind, value = self.tokens[-1]
        if kind == "sign":
            if value == "}":  # of a block, if a line begins after it
                return self.line == len(self.tokens)
            doubled = value in "+-" and len(self.tokens) > 1 and self.tokens[-2] == self.tokens[-1]
            return value not in ")]" and not doubled
        return kind == "word" and value in _BEFORE_VALUE


class _Template:
    """A template, with what it had so far."""

    def __init__(self) -> None:
        self.parts: list[str] = []


class _Element:
    """An element of markup: in its first tag, or between its tags."""

    def __init__(self) -> None:
        self.in_tag = True


class _Reader:
    """The source, and what stands around the place that is read."""

    def __init__(self, source: str, *, markup: bool) -> None:
        self._source = source
        self._markup = markup
        self._at = 0
        self._dead: dict[str, int] = {}
        self._around: list[_Code | _Template | _Element] = [_Code()]
        self.lists: list[list[Token]] = []
        self.astray = False

    def read(self) -> None:
        """All of it."""
        if self._source.startswith("#!"):
            self._skip_to("\n")
        while self._at < len(self._source):
            match self._around[-1]:
                case _Code() as code:
                    self._code(code)
                case _Template() as template:
                    self._template(template)
                case _Element() as element:
                    self._tag(element) if element.in_tag else self._children()
        self.astray = self.astray or len(self._around) > 1
        self.lists += [frame.tokens for frame in self._around if isinstance(frame, _Code)]

    def _skip_to(self, end: str) -> None:
        found = self._source.find(end, self._at)
        self._at = len(self._source) if found < 0 else found + len(end)

    def _take(self, pattern: re.Pattern[str]) -> str:
        found = pattern.match(self._source, self._at)
        if found is None:
            return ""
        self._at = found.end()
        return found[0]

    def _code(self, code: _Code) -> None:
        self._plain(code)
        char = self._source[self._at : self._at + 1]
        two = self._source[self._at : self._at + 2]
        if not char:
            return
        if two == "//":
            self._skip_to("\n")
            code.line = len(code.tokens)
        elif two == "/*":
            self._at += 2
            self._skip_to("*/")
        elif char in "'\"":
            self._string(code, char)
        elif char == "`":
            self._at += 1
            self._around.append(_Template())
        elif char == "/" and two != "/>" and self._is_alive(char) and code.expects_value():
            if self._take(_EXPRESSION):
                code.tokens.append(("word", "/"))
            else:
                self._dead[char] = self._end_of_line()
        elif char == "<" and self._markup and code.expects_value() and _ELEMENT.match(self._source, self._at):
            self._open_element()
        else:
            self._sign(code, char)

    def _plain(self, code: _Code) -> None:
        source, tokens, at = self._source, code.tokens, self._at
        while found := _PLAIN.match(source, at):
            at = found.end()
            if found.lastindex == 2:
                tokens.append(("word", found[2]))
            elif found.lastindex == 3:
                tokens.append(("sign", found[3]))
            elif "\n" in found[1]:
                code.line = len(tokens)
        self._at = at

    def _sign(self, code: _Code, char: str) -> None:
        self._at += 1
        if char == "}" and not code.open and len(self._around) > 1:
            self.lists.append(code.tokens)
            self._around.pop()
            return
        code.open += (char == "{") - (char == "}" and code.open > 0)
        code.tokens.append(("sign", char))

    def _is_alive(self, char: str) -> bool:
        return self._at >= self._dead.get(char, 0)

    def _end_of_line(self) -> int:
        found = self._source.find("\n", self._at)
        return len(self._source) if found < 0 else found

    def _string(self, code: _Code, quote: str) -> None:
        found = _STRINGS[quote].match(self._source, self._at) if self._is_alive(quote) else None
        if found is not None and found[2]:
            code.tokens.append(("text", _cooked(found[1])))
            self._at = found.end()
            return
        if found is not None:
            self._dead[quote] = found.end()  # so that each line is looked through once
            self.astray = True
        self._at += 1

    def _template(self, template: _Template) -> None:
        template.parts.append(_cooked(self._take(_TEMPLATE)))
        if self._source.startswith("${", self._at):
            self._at += 2
            template.parts.append(HOLE)
            self._around.append(_Code())
        elif self._at < len(self._source):
            self._at += 1
            self._around.pop()
            self._give(("text", "".join(template.parts)))

    def _give(self, token: Token) -> None:
        code = next(frame for frame in reversed(self._around) if isinstance(frame, _Code))
        code.tokens.append(token)

    def _open_element(self) -> None:
        self._take(_ELEMENT)
        element = _Element()
        element.in_tag = self._source[self._at - 1] != ">"
        self._around.append(element)

    def _close_element(self) -> None:
        self._around.pop()
        if not isinstance(self._around[-1], _Element):
            self._give(("word", ">"))

    def _tag(self, element: _Element) -> None:
        if self._take(_TAG):
            return
        char = self._source[self._at]
        if self._source.startswith("/>", self._at):
            self._at += 2
            self._close_element()
        elif self._source.startswith("/*", self._at):
            self._skip_to("*/")
        elif char in "'\"":
            end = self._source.find(char, self._at + 1)
            end = len(self._source) if end < 0 else end
            self._give(("sign", " "))  # no neighbour of what stood before
            self._give(("text", self._source[self._at + 1 : end]))
            self._at = end + 1
        elif char == "{":
            self._at += 1
            self._around.append(_Code())
        else:
            self._at += 1
            element.in_tag = char != ">"

    def _children(self) -> None:
        if self._take(_CHILDREN):
            return
        if self._source.startswith("</", self._at):
            self._skip_to(">")
            self._close_element()
        elif self._source[self._at] == "<" and _ELEMENT.match(self._source, self._at):
            self._open_element()
        else:
            if self._source[self._at] == "{":
                self._around.append(_Code())
            self._at += 1


def _cooked(text: str) -> str:
    return _ESCAPE.sub(_unescaped, text) if "\\" in text else text


def _unescaped(found: re.Match[str]) -> str:
    number = found[1] or found[2] or found[3]
    if number:
        value = int(number, 16)
        return chr(value) if value < 0x110000 else ""
    return _ESCAPED.get(found[4], found[4])

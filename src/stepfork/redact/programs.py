"""Options of one letter that take a secret, by the program that is called: ``curl -u user:…``, ``sshpass -p …``.

A flag of one letter says nothing by itself, so that it counts only after the name of a program that is listed here.
"""

from __future__ import annotations

from stepfork.redact.judging import is_plausible
from stepfork.redact.marker import is_stand_in
from stepfork.redact.names import PASSWORD
from stepfork.redact.pattern import pattern
from stepfork.redact.span import Span

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

RULE = "option of a program"


class Program:
    """What is known of a program, or of one of its commands (`command`: a word that must stand among its arguments).

    The whole value of the options `takes` is a secret; of `attached` what is written together with them; of `user` what
    stands after `sign` in their value; of `assigns` what stands after the first ``=``.
    """

    __slots__ = ("assigns", "attached", "command", "sign", "takes", "user")

    def __init__(
        self,
        *,
        command: str = "",
        takes: tuple[str, ...] = (),
        attached: tuple[str, ...] = (),
        user: tuple[str, ...] = (),
        assigns: tuple[str, ...] = (),
        sign: str = ":",
    ) -> None:
        self.command = command
        self.takes = takes
        self.attached = attached
        self.user = user
        self.assigns = assigns
        self.sign = sign


_LOGIN = Program(command="login", takes=("-p",))
_MYSQL = Program(attached=("-p",))
_MONGO = Program(takes=("-p",))
_SQL_SERVER = Program(takes=("-P",), attached=("-P",))
_LDAP = Program(takes=("-w",))
_HTTPIE = Program(user=("-a", "--auth"))
_SEVEN_ZIP = Program(attached=("-p",))

PROGRAMS: dict[str, Program] = {
    "curl": Program(user=("-u", "--user", "-U", "--proxy-user")),
    **dict.fromkeys(("http", "https", "xh", "xhs"), _HTTPIE),
    **dict.fromkeys(("docker", "podman", "nerdctl", "buildah", "skopeo", "helm", "oras", "crane", "az"), _LOGIN),
    **dict.fromkeys(("mysql", "mysqldump", "mysqladmin", "mysqlimport", "mariadb", "mariadb-dump"), _MYSQL),
    **dict.fromkeys(("mongo", "mongosh", "mongodump", "mongorestore", "mongoimport", "mongoexport"), _MONGO),
    **dict.fromkeys(("sqlcmd", "bcp", "tsql"), _SQL_SERVER),
    **dict.fromkeys(("ldapsearch", "ldapmodify", "ldapadd", "ldapdelete", "ldapwhoami"), _LDAP),
    **dict.fromkeys(("7z", "7za", "7zz", "unrar"), _SEVEN_ZIP),
    **dict.fromkeys(("zip", "unzip"), Program(takes=("-P",))),
    "sshpass": Program(takes=("-p",), attached=("-p",)),
    "redis-cli": Program(takes=("-a",)),
    "twine": Program(takes=("-p",)),
    "openssl": Program(user=("-passin", "-passout", "-pass"), takes=("-k",), sign="pass:"),
    "smbclient": Program(user=("-U",), sign="%"),
    "lftp": Program(user=("-u",), sign=","),
    "kubectl": Program(command="secret", assigns=("--from-literal",)),
    "gh": Program(command="secret", takes=("-b", "--body")),
}
_AMBIGUOUS = ("http", "https", "az", "gh", "helm", "crane")
ANCHORS = (
    *(f"{name} " for name in PROGRAMS if name not in _AMBIGUOUS),
    *("az login ", "gh secret set ", "helm registry login ", "http -a ", "https -a "),
)
"""How a call of one of these begins in a text."""

_WORD = pattern(r"""(?:[^\s"'\\;|&<>()`]|"[^"\\\n]*"|'[^'\n]*'|\\[^\n])+""")
_CALL = pattern(r"""(?:[^\n;|&`\\]|\\\r?\n|\\.){0,600}""")


def program_at(text: str, start: int, _end: int) -> Iterator[Span]:
    """The secrets of a call of the program whose name stands at `start`."""
    if start and (text[start - 1].isalnum() or text[start - 1] in "-_."):
        return
    call = _CALL.match(text, start)
    found = list(_WORD.finditer(text, start, call.end())) if call else []
    words = [match.group() for match in found]
    for index, start_in, end_in in program_values(words):
        word, begin = words[index], found[index].start()
        first, last = unquoted(word, start_in, end_in)
        if "\\" not in word and text[begin + first - 1] != "<" and is_plausible(word[first:last], PASSWORD):
            yield Span(begin + first, begin + last, RULE)


def unquoted(word: str, first: int, last: int) -> tuple[int, int]:
    """The value without quotes around it, or around the word that it ends."""
    if word[first] in "\"'":
        first += 1
    if word[last - 1] in "\"'":
        last -= 1
    return first, last


def program_values(words: Sequence[str]) -> Iterator[tuple[int, int, int]]:
    """Number of the word, start and end in it, of each secret that an option of a listed program takes."""
    for at, word in enumerate(words):
        program = PROGRAMS.get(word.rpartition("/")[2])
        if program is not None:
            if not program.command or program.command in words[at + 1 :]:
                yield from _values(program, words, at + 1)
            return


def _values(program: Program, words: Sequence[str], begin: int) -> Iterator[tuple[int, int, int]]:
    index = begin
    while index < len(words):
        word = words[index]
        name, equals, _ = word.partition("=")
        after = len(name) + 1 if equals else 0
        option = next((one for one in program.attached if word.startswith(one) and len(word) > len(one)), "")
        if option:
            yield from _kept(words, index, len(option))
        elif name in (*program.takes, *program.user, *program.assigns):
            index += 0 if equals else 1
            if index < len(words):
                sign = "" if name in program.takes else "=" if name in program.assigns else program.sign
                first = after if equals else 0
                place = words[index].find(sign, first)
                if place >= 0:
                    yield from _kept(words, index, place + len(sign))
        index += 1


def _kept(words: Sequence[str], index: int, start: int) -> Iterator[tuple[int, int, int]]:
    value = words[index][start:].strip("\"'")
    if value and not is_stand_in(value) and value.lower() not in ("password", "pass", "secret", "token"):
        yield index, start, len(words[index])

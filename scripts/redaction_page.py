"""docs/reference/redaction.md, made from the rules themselves."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from stepfork.redact.known import MIN_LENGTH, MIN_LINE
from stepfork.redact.names import FLAG_WORDS, PARAMETERS
from stepfork.redact.notation import ALPHABETS
from stepfork.redact.programs import PROGRAMS, Program
from stepfork.redact.shape import Shape
from stepfork.redact.shapes_forms import FORM_SHAPES
from stepfork.redact.shapes_syntax import SYNTAX_SHAPES
from stepfork.redact.table import GROUPS
from stepfork.redact.vocabulary import (
    ABOUT,
    IDENTIFYING,
    KEYS,
    NO_TOKENS,
    PASS,
    PASSWORDS,
    SERVICES,
    TOGETHER,
    TOKENS,
    TWO_WORDS,
    WEAK_KEYS,
)

PAGE = Path(__file__).parents[1] / "docs" / "reference" / "redaction.md"


def _listed(words: Iterable[str]) -> str:
    return ", ".join(f"`{word.replace('-', ' ')}`" for word in sorted(words))


def _options(program: Program) -> str:
    lead = f"{program.sign}…" if len(program.sign) > 1 else f"<user>{program.sign}…"
    options = [f"`{option} …`" for option in program.takes]
    options += [f"`{option}…`" for option in program.attached]
    options += [f"`{option} {lead}`" for option in program.user]
    options += [f"`{option} <name>=…`" for option in program.assigns]
    return ", ".join(options)


def _programs() -> Iterator[str]:
    yield "| program | option |"
    yield "|---|---|"
    for program in dict.fromkeys(PROGRAMS.values()):
        called = [name for name in PROGRAMS if PROGRAMS[name] is program]
        shown = ", ".join(f"`{name} … {program.command}`" if program.command else f"`{name}`" for name in called)
        yield f"| {shown} | {_options(program)} |"


def _names() -> Iterator[str]:
    shown = "sixteen characters or more that look drawn by lot"
    mixed = "eight characters or more, letters and digits; or twenty letters that look drawn by lot"
    yield "| the name ends with | the value is a secret if it has |"
    yield "|---|---|"
    words = f"{_listed(PASSWORDS)}, one of these written together with other words, {_listed(PASS)} after another word"
    yield f"| {words} | six characters or more and is no word; or twelve words or more, of a wallet |"
    words = (
        f"`secret`, `authorization`, `psk`, {_listed(TWO_WORDS)}, or, alone or written together, {_listed(TOGETHER)}"
    )
    yield f"| {words} | {mixed} |"
    yield f"| `key` after {_listed(KEYS)}, or a service | {mixed} |"
    yield f"| `token` after {_listed(TOKENS)}, or a service | {mixed} |"
    yield f"| `key` after {_listed(WEAK_KEYS)} | {shown} |"
    words = "`token` after any other word, `credential`, `credentials`, `auth`, `dsn`, `pwd`, `pat`, `jwt`"
    yield f"| {words}, the plural of any of these, a name that goes on after one (`api_key_prod`) | {shown} |"


_NAMES, _PROGRAMS = "\n".join(_names()), "\n".join(_programs())

_HEAD = f"""\
# What is redacted

Made by `scripts/generate-docs` from the rules themselves.

Every secret becomes `[redacted]`, before anything is written. Rules read decoded text: JSON inside strings at any
depth, escapes, percent-encoding, bodies in base64 or hex, compressed or not, and the text that the deltas of a stream
spell out together ([what is read, and how deep](check-redaction.md#what-is-read)). What a rule does not
touch keeps its bytes. Where rules overlap, one marker stands for all that they cover; the result depends on the text
and the known values alone. Redacting twice changes nothing.

## Known values

The value of each variable of the environment, or of the working directory's `.env`, whose name ends in KEY, TOKEN,
SECRET, PASSWORD, \\_PASS, \\_PWD, PASSWD, CREDENTIAL, CREDENTIALS, DSN or AUTH (PWD, OLDPWD and …\\_ASKPASS are paths),
and the password of any value that is a URL with one. Where other words follow that say whose the secret is, or which
(`AWS_BEARER_TOKEN_BEDROCK`, `OPENAI_API_KEY_PROD`), the value counts if it looks like one by the rules for named
secrets below; where they say that it is something else (`TOKEN_URL`, `API_KEY_HEADER`) it does not.

Values of {MIN_LENGTH} characters or more are found as they are, escaped, percent-encoded, in HTML, in base64 at any
offset (and so inside Basic credentials), and with other line ends. A line of a value of several lines counts alone from
{MIN_LINE} characters on, if it looks random. Reported as `value of NAME`.

## Named secrets

Values that only their name gives away, as a member, a header, a variable, a query parameter, a flag or a label
(`API Key: …`, a row of a table, `The API key is …`), above the value or
[beside it](check-redaction.md#what-is-read). Reported as `named secret`. A name is read as words, so `x-api-key`,
`OPENAI_API_KEY` and `SecretAccessKey` are alike; what counts is its end, numbers aside:

{_NAMES}

Services: {_listed(SERVICES)}.

No secret stands under `token` after {_listed(NO_TOKENS)}, nor where words follow that tell something about a secret:
{_listed(ABOUT)}.

A value alone may have only a blank between its name and itself: after a flag (`--api-key …`), after `ENV`, `ARG`,
`setenv`, `setx`, `set -x`, `config set` and `configure set`, after `requirepass` and `masterauth`, and after `password`
in a `.netrc`. In an `Authorization` header and under such names the scheme stays (`Token …`, `ApiKey …`, `Splunk …`).

Left alone: counts (`max_tokens`), `cache_key`, `public_key`, `idempotency_key`, page tokens, templates (`{{{{…}}}}`,
`${{…}}`, `<…>`, `{{name}}`), references to a store (`vault:…`, `op://…`, `%env(…)%`), asterisks, placeholders
(`your-…`, `changeme`), names of variables, code that fetches a secret, types, rules of validation, regular expressions,
labels, paths, addresses, dates, and a value that only says its name once more.

In the query of an exchange's path, {_listed(PARAMETERS)} count whatever the value's
length, `-` and `_` aside, and what ends with `apikey`, `subscriptionkey` or a signature: `query parameter`. In other
texts they count if the value looks drawn by lot.

Documents of some kinds say which of their values are secrets: what stands under `data` and `stringData` of a Secret of
Kubernetes (JSON or YAML), the private members of a JSON Web Key, the value of a browser's cookie (`httpOnly` beside
it).

## Command line

The values of flags whose name has {_listed(FLAG_WORDS)} in it
(`--api-key=…`, `--api-key …`), and of `NAME=value` where that would be a secret in the environment: `command-line
flag`, `command-line variable`. A flag of one letter says nothing by itself and is recorded as it is, unless the program
is one of these (`option of a program`), on a recorded command line and in any text:

{_PROGRAMS}

## Schemes, URLs, cookies

- `bearer token`: the token of `Bearer …`, if it looks drawn by lot and has sixteen characters or more;
- `basic credentials`: the text of `Basic …`, if it decodes to a user and a password;
- `password in a URL`: the password of `scheme://<user>:<password>@<host>`, and a user without a password that looks
  drawn by lot;
- `cookie`: in `Cookie` and `Set-Cookie` the value of a cookie whose name tells of a session (`sess`, `sid`, `auth`,
  `token`, `login` and the like), if it looks drawn by lot.

## Unknown tokens

A token of a service that no table below names goes as `unknown token`, if it stands alone and begins with a word or
several: where one of them says what it is (`acme_live_…`, `acme-secret-…`, `acme_pat_…`) and twenty characters drawn by
lot follow (letters of both cases and digits; twenty-four or more where there is one case only, thirty-two where the
word is one that other things are called by as well), and under any other prefix where thirty-two characters of both
cases and digits follow, in one run unless the prefix has five letters. Left alone: prefixes of ids, hashes, caches and
public keys (`call_`, `toolu_`, `sha256-`, `cache_key_`, `pk_`), values whose name ends with {_listed(IDENTIFYING)} or
tells of a page, names in camel case, names of files, parts of base64.

## Personal data

Where a project [asks for them](../how-to/personal-data.md), telephone numbers (`phone number`), payment cards
(`payment card`), bank accounts (`IBAN`) and listed persons (`name 1`, by their place in the list) become pseudonyms in
a recording, after its secrets were taken out. What has none is redacted: the command, its folder, what stands in base64
or hex, and bodies that are no text. `check-redaction` finds them in every file.

## Shapes

A shape begins at the start of a word, has its alphabet and length, and looks random where a word could pass for it. It
is not looked for inside base64 blobs such as images. In a form, what stands in braces is an alphabet and how many
characters of it (`24`, `8-10`, `24+`); the part in round brackets is what goes where the rest stays, the part in square
brackets may be missing. A form that goes on after a literal may begin with each of the row's literals.

"""


def page() -> str:
    """The text of the page."""
    parts = [_HEAD, "| in a form | stands for |", "|---|---|"]
    parts += [
        f"| `{name}` | `{_cell(characters)}` |" for name, characters in sorted(ALPHABETS.items(), key=_by_letters)
    ]
    parts.append("| `uuid` | a UUID in lower case |")
    for title, shapes in (*GROUPS, ("Forms of no single service", FORM_SHAPES), ("Syntax", SYNTAX_SHAPES)):
        parts += ["", f"### {title}", "", "| rule | service | literals | form |", "|---|---|---|---|"]
        parts += [_row(shape) for shape in shapes]
    return "\n".join(parts).replace("\n\n\n", "\n\n") + "\n"


def _by_letters(item: tuple[str, str]) -> tuple[str, str]:
    return item[0].lower(), item[0]


def _row(shape: Shape) -> str:
    literals = ", ".join(f"`{_cell(prefix)}`" for prefix in shape.prefixes)
    shown = shape.shown if "`" in shape.shown else f"`{_cell(shape.shown)}`"
    return f"| {shape.name} | {shape.service} | {literals} | {shown} |"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")

"""docs/reference/redaction.md, made from the rules themselves."""

from __future__ import annotations

from pathlib import Path

from stepfork.redact.known import MIN_LENGTH, MIN_LINE
from stepfork.redact.notation import ALPHABETS
from stepfork.redact.shape import Shape
from stepfork.redact.shapes_forms import FORM_SHAPES
from stepfork.redact.shapes_syntax import SYNTAX_SHAPES
from stepfork.redact.table import GROUPS

PAGE = Path(__file__).parents[1] / "docs" / "reference" / "redaction.md"

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

Values that only their name gives away, as a member, a header, a variable, a query parameter or a flag, above the value
or [beside it](check-redaction.md#what-is-read). A name is read as words, so `x-api-key`, `OPENAI_API_KEY` and
`SecretAccessKey` are alike:

- `… password`, `passwd`, `passphrase`: any value of six characters or more that is no ordinary word;
- `api key`, `access key`, `subscription key`, `client secret`, `access token`, a service's name before `key` or
  `token`, `authorization` and the like: a value with letters and digits, of eight characters or more;
- `token`, `credentials`, `auth` alone: a value that also looks random, of sixteen characters or more.

Left alone: counts (`max_tokens`), `cache_key`, `public_key`, `idempotency_key`, page tokens, templates (`{{{{…}}}}`,
`${{…}}`, `<…>`), asterisks, names of variables, code that fetches a secret, types and labels. Reported as
`named secret`.

In the query of an exchange's path, `key`, `api_key`, `token`, `access_token`, `access-key`, `subscription-key`,
`client_secret`, `sig` and `signature` count whatever the value's length: `query parameter`.

## Command line

The values of flags whose name has key, token, secret, password, pass, auth or credential in it (`--api-key=…`,
`--api-key …`), and of `NAME=value` where that would be a secret in the environment: `command-line flag`,
`command-line variable`. Flags of one letter are recorded as they are: pass secrets in the environment.

## Schemes and URLs

`Bearer …` with a token that looks random (`bearer token`), `Basic …` that decodes to a user and a password
(`basic credentials`), and the password of `scheme://<user>:<password>@<host>` (`password in a URL`).

## Unknown tokens

A token of a service that no table below names goes as `unknown token`, if it stands alone and begins with a word or
several: where one of them says what it is (`acme_live_…`, `acme-secret-…`, `acme_pat_…`) and twenty characters drawn by
lot follow (letters of both cases and digits; twenty-four or more where there is one case only), and under any other
prefix where thirty-two characters of both cases and digits follow. Left alone: prefixes of ids, hashes, caches and
public keys (`call_`, `toolu_`, `sha256-`, `cache_key_`, `pk_`), names in camel case, names of files, parts of base64.

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

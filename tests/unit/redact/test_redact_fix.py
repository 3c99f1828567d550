"""Files redacted in place, by hand-picked examples: what exactly changes, and what does not."""

from __future__ import annotations

import base64
import gzip
import json

import pytest
import yaml

from stepfork.errors import ScanError
from stepfork.redact.finding import digest_of
from stepfork.redact.fix import fixed
from stepfork.redact.marker import MARKER
from stepfork.redact.rules import Accepted, Rules
from stepfork.redact.scan import scan_bytes
from stepfork.redact.secrets import Secrets
from tests.unit.redact.samples import BEARER, GITHUB, HEX32, OPENAI, PASSWORD, PEM

NONE = Secrets({})
KEY = "x-api" + "-key"


def fix(text: str, name: str = "", secrets: Secrets = NONE) -> str:
    made = fixed(text.encode(), secrets, name)
    assert scan_bytes(made, secrets, name) == []
    assert fixed(made, secrets, name) == made
    return made.decode()


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.json", '{{\r\n\t"a" : ["x {0} y" ,1.50, 1e5],\r\n "b":"\\u00e9\\/{0}" }}'),
        ("a.json", '{{"a": "{0}", "a": "again {0}"}}'),
        ("a.json", '{{"log": "{{\\"headers\\": {{\\"k\\": \\"{0}\\"}}}}", "n": null}}\n\n'),
        ("a.jsonl", '{{"a": 1}}\n\n{{"b": "{0}"}}\r\nbroken {0}\n{{"c": "\u2028{0}"}}'),
        ("a.yaml", 'a: "{0}" # {0}\nb: &x |\n  {0}\n  more\nc: *x\nd: [x, "{0}"]\n'),
        (
            "a.yaml",
            "- body: 'a long line that was folded by the one who wrote it and holds\n    {0} somewhere'\n",
        ),
        ("a.toml", '[a]\nb = "{0}"\nc = """\n{0}\n"""\n'),
        ("a.ini", "[a]\nb = {0}\n; {0}\n"),
        (".env", "A={0}\nexport B='{0}' # no\n"),
        ("a.md", "# {0}\n\n`{0}`\r\n"),
        ("a.py", "KEY = '{0}'\nprint(f\"{0}\")\n"),
    ],
)
def test_only_the_characters_of_the_secret_change(name: str, text: str) -> None:
    made = fix(text.format(OPENAI), name)
    assert made == text.format(MARKER)


def test_what_only_a_name_gives_away_goes_too() -> None:
    assert fix(json.dumps({"headers": [{"name": KEY, "value": HEX32}]}), "a.har") == json.dumps(
        {"headers": [{"name": KEY, "value": MARKER}]}
    )
    assert fix(f"password: {PASSWORD}\n", "a.yaml") == f'password: "{MARKER}"\n', "a plain scalar would be a list"
    assert fix(f"h: [x {OPENAI}, y]\np: q {OPENAI} r\n", "a.yml") == f'h: ["x {MARKER}", y]\np: q {MARKER} r\n'
    assert fix(f"h: {{{KEY}: {BEARER}}}\n", "a.yml") == f'h: {{{KEY}: "{MARKER}"}}\n'
    assert fix(f'ADMIN_PASS="two words 9"\nOTHER=1\nA_TOKEN={HEX32}\n', "x/.env.local") == (
        f'ADMIN_PASS="{MARKER}"\nOTHER=1\nA_TOKEN={MARKER}\n'
    )


def test_a_value_that_was_a_number_stays_readable() -> None:
    secrets = Secrets({"8412345678": "PIN_SECRET"})
    assert fix("a = 8412345678\nb = [1, 8412345678] # pin\n", "a.toml", secrets) == (
        f'a = "{MARKER}"\nb = [1, "{MARKER}"] # pin\n'
    )
    assert fix('{"a": 8412345678, "b": 84}', "a.json", secrets) == f'{{"a": "{MARKER}", "b": 84}}'
    assert yaml.safe_load(fix("a: 8412345678\nb: 84\n", "a.yaml", secrets)) == {"a": MARKER, "b": 84}


def test_members_that_become_one_stay_two() -> None:
    made = json.loads(fix(json.dumps({OPENAI: 1, GITHUB: 2}), "a.json"))
    assert sorted(made.values()) == [1, 2]
    made = yaml.safe_load(fix(f"{OPENAI}: 1\n{GITHUB}: 2\n", "a.yaml"))
    assert made == {MARKER: 1, f"{MARKER}#2": 2}


def test_a_stream_is_redacted_delta_by_delta() -> None:
    pieces = ("the key ", OPENAI[:9], OPENAI[9:], " it was")
    events = [f"data: {json.dumps({'choices': [{'index': 0, 'delta': {'content': piece}}]})}" for piece in pieces]
    document = {"events": [*events, "data: [DONE]"], "other": "kept"}
    made = json.loads(fix(json.dumps(document), "a.json"))
    said = [json.loads(event[6:])["choices"][0]["delta"]["content"] for event in made["events"][:-1]]
    assert said == ["the key ", MARKER, "", " it was"]
    text = "\n\n".join(document["events"]) + "\n\n"
    assert fix(text, "a.txt").count("data: ") == 5
    assert fix(json.dumps({"body": text}), "a.json").count("data: ") == 5


def test_compressed_bodies_are_packed_again() -> None:
    body = json.dumps({"api_key": HEX32, "n": [1, 2]})
    packed = base64.encodebytes(gzip.compress(body.encode())).decode()
    cassette = f"a: 1\nbody: !!binary |\n    {packed.strip().replace(chr(10), chr(10) + '    ')}\nz: 2 # end\n"
    made = fix(cassette, "c.yaml")
    assert json.loads(gzip.decompress(yaml.safe_load(made)["body"])) == {"api_key": MARKER, "n": [1, 2]}
    assert made.startswith("a: 1\nbody: !!binary |\n    H4sI")
    assert made.endswith("\nz: 2 # end\n")
    whole = gzip.compress(body.encode())
    assert json.loads(gzip.decompress(fixed(whole, NONE, "c.json.gz")))["api_key"] == MARKER


@pytest.mark.parametrize("head", [">", ">-", "|"])
def test_a_block_that_is_spelled_anew_ends_where_it_ended(head: str) -> None:
    """YAML ends a line at U+2028 too, where the lines of a file are not counted so: that block is put in quotes."""
    text = "a: {}\n  first\u2028  {} last\n\n# kept\nb: 1\n"
    made = fix(text.format(head, OPENAI), "a.yaml")
    assert made.endswith("\n\n# kept\nb: 1\n")
    assert yaml.safe_load(made) == yaml.safe_load(text.format(head, MARKER))


def test_a_private_key_in_a_block_goes_as_a_whole() -> None:
    block = PEM.replace("\n", "\n    ")
    made = fix(f"key: |\n    {block}\n    # not a comment\nnext: 1\n", "k.yaml")
    assert yaml.safe_load(made) == {"key": f"{MARKER}\n# not a comment\n", "next": 1}


@pytest.mark.parametrize("mark", [b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff", b"\xff\xfe\0\0", b""])
def test_byte_order_marks_and_encodings_stay(mark: bytes) -> None:
    encoding = {b"\xff\xfe": "utf-16-le", b"\xfe\xff": "utf-16-be", b"\xff\xfe\0\0": "utf-32-le"}.get(mark, "utf-8")
    made = fixed(mark + f"é {OPENAI}\r\n".encode(encoding), NONE, "a.txt")
    assert made == mark + f"é {MARKER}\r\n".encode(encoding)


def test_accepted_findings_stay() -> None:
    accepted = Accepted("openai-key", digest_of(OPENAI), "documented")
    secrets = Secrets({"8412345678": "PIN_SECRET"}, Rules(accepted=(accepted,)), digests=True)
    text = json.dumps({"a": OPENAI, "b": GITHUB, "c": 8412345678})
    assert json.loads(fixed(text.encode(), secrets, "a.json")) == {"a": OPENAI, "b": MARKER, "c": MARKER}
    assert fixed(f"a: {OPENAI} # {OPENAI}\n".encode(), secrets, "a.yaml") == f"a: {OPENAI} # {OPENAI}\n".encode()
    number = Accepted("value of PIN_SECRET", digest_of("8412345678"), "public")
    secrets = Secrets({"8412345678": "PIN_SECRET"}, Rules(accepted=(number,)), digests=True)
    assert fixed(b'{"c": 8412345678}', secrets, "a.json") == b'{"c": 8412345678}'


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"\x89PNG\r\n\x1a\n\0\xff" + OPENAI.encode(), "a PNG image, which cannot be redacted in place"),
        (f"x {OPENAI}".encode("utf-16-le"), "binary data, which cannot be redacted in place"),
        (b"PK\x03\x04" + OPENAI.encode(), "is a zip archive"),
        (b"caf\xe9 " + OPENAI.encode(), "is no UTF-8 text"),
    ],
)
def test_what_cannot_be_redacted_in_place_is_said(data: bytes, reason: str) -> None:
    with pytest.raises(ScanError) as raised:
        fixed(data, NONE, "file")
    assert reason in str(raised.value)
    assert OPENAI not in str(raised.value)

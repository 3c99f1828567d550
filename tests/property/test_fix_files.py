"""A file is redacted in place: it still parses, every other leaf is equal, and a second time nothing changes."""

from __future__ import annotations

import base64
import binascii
import gzip
import json
import tomllib
import zlib
from typing import Any

import yaml
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from stepfork.errors import ScanError
from stepfork.redact.fix import fixed
from stepfork.redact.marker import MARKER
from stepfork.redact.scan import scan_bytes
from stepfork.redact.secrets import Secrets
from tests.unit.redact.samples import AWS, GITHUB, OPENAI

NONE = Secrets({})
relaxed = settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.too_slow])
spaced = st.sampled_from(
    [
        *(f" {secret} " for secret in (OPENAI, GITHUB, AWS)),
        *(
            "word",
            " ",
            "\n",
            "\n\n",
            "'",
            '"',
            "\\",
            "é",
            "😀",
            "\t",
            ": ",
            " #",
            "{",
            "}",
            "[",
            "]",
            ",",
            "- ",
            '{"k": 1}',
        ),
        *(
            "\x07",
            "%",
            "&",
            "*",
            "|",
            ">",
            "?",
            "a line that is long enough to be folded by the writer somewhere here ",
        ),
    ]
)
texts = st.lists(spaced, max_size=9).map("".join)
documents = st.recursive(
    texts | st.integers() | st.booleans() | st.none(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=8,
)


def without(value: Any) -> Any:
    """The document as it should read: each secret gone, nothing else changed."""
    if isinstance(value, str):
        for secret in (OPENAI, GITHUB, AWS):
            value = value.replace(secret, MARKER)
        return value
    if isinstance(value, dict):
        made: dict[str, Any] = {}
        for key, item in value.items():
            name, count = without(key), 1
            while name in made or (name != key and name in value):
                count += 1
                name = f"{without(key)}#{count}"
            made[name] = without(item)
        return made
    return [without(item) for item in value] if isinstance(value, list) else value


def check(data: bytes, name: str) -> bytes:
    made = fixed(data, NONE, name)
    assert scan_bytes(made, NONE, name) == []
    assert fixed(made, NONE, name) == made
    if scan_bytes(data, NONE, name) == []:
        assert made == data
    return made


def renamed(value: Any) -> bool:
    """Whether two members of one object get one name, which is told apart by a number: in what order, a format says."""
    if isinstance(value, dict):
        names = [without(key) for key in value]
        return len(set(names)) < len(names) or any(map(renamed, value.values()))
    return any(map(renamed, value)) if isinstance(value, list) else False


@relaxed
@given(documents, st.sampled_from([None, 1, "\t"]), st.booleans(), st.sampled_from(["utf-8", "utf-8-sig", "utf-16"]))
def test_json(document: Any, indent: Any, ascii_only: bool, encoding: str) -> None:
    assume(not renamed(document))
    text = json.dumps({"a": document}, indent=indent, ensure_ascii=ascii_only)
    made = check(text.encode(encoding), "a.json")
    assert json.loads(made.decode(encoding)) == without({"a": document})
    assert made[:2] == text.encode(encoding)[:2]


@relaxed
@given(st.lists(documents, min_size=2, max_size=3), st.sampled_from(["\n", "\r\n"]))
def test_json_lines(lines: list[Any], end: str) -> None:
    assume(not renamed(lines))
    text = end.join(json.dumps({"a": line}) for line in lines) + end
    made = check(text.encode(), "a.jsonl").decode()
    assert [json.loads(line) for line in made.split(end)[:-1]] == [without({"a": line}) for line in lines]


@relaxed
@given(
    documents,
    st.sampled_from([gzip.compress, zlib.compress, bytes]),
    st.sampled_from([base64.b64encode, base64.encodebytes, base64.urlsafe_b64encode, binascii.hexlify]),
    st.sampled_from(["a.json", "a.yaml"]),
)
def test_encoded_bodies(document: Any, compress: Any, spell: Any, name: str) -> None:
    assume(not renamed(document))
    body = json.dumps({"body": document}, indent=1).encode()
    held = {"clean": "é", "base64_string": spell(compress(body)).decode(), "after": [1]}
    text = json.dumps(held) if name == "a.json" else yaml.safe_dump(held, allow_unicode=True)
    made = yaml.safe_load(check(text.encode(), name))
    assert {**made, "base64_string": held["base64_string"]} == held
    raw = (base64.b64decode if spell is not binascii.hexlify else binascii.unhexlify)(
        made["base64_string"].translate(str.maketrans("-_", "+/"))
    )
    unpacked = {gzip.compress: gzip.decompress, zlib.compress: zlib.decompress, bytes: bytes}[compress](raw)
    assert json.loads(unpacked) == without({"body": document})


@relaxed
@given(
    documents,
    st.sampled_from([None, "'", '"', "|", ">"]),
    st.sampled_from([20, 80, 1000]),
    st.sampled_from([True, False, None]),
    st.booleans(),
)
def test_yaml(document: Any, style: Any, width: int, flow: Any, crlf: bool) -> None:
    assume(not renamed(document))
    text = yaml.safe_dump(
        {"a": document}, default_style=style, width=width, default_flow_style=flow, allow_unicode=True
    )
    text = text.replace("\n", "\r\n") if crlf else text
    read = yaml.safe_load(text)
    made = check(text.encode(), "a.yaml").decode()
    assert yaml.safe_load(made) == without(read)
    assert made.count("\r\n") >= min(1, text.count("\r\n")) * (len(made.splitlines()) > 1)


@relaxed
@given(
    st.dictionaries(st.sampled_from(["a", "b", "API_KEY", "c-d"]), texts | st.integers(0, 9), max_size=4), st.booleans()
)
def test_toml(table: dict[str, Any], compressed: bool) -> None:
    text = "".join(f"{key} = {json.dumps(value, ensure_ascii=False)}\n" for key, value in table.items())
    try:
        read = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        assume(False)
    data = text.encode()
    if compressed:
        assert gzip.decompress(check(gzip.compress(data), "a.toml.gz")) == fixed(data, NONE, "a.toml")
    made = tomllib.loads(check(data, "a.toml").decode())
    assert made.keys() == read.keys()
    assert all(made[key] == without(value) or "API" in key for key, value in read.items())


@relaxed
@given(st.lists(spaced, max_size=12).map("".join), st.sampled_from(["a.txt", "a.md", ".env", "a.yaml", "a.log"]))
def test_any_text(text: str, name: str) -> None:
    try:
        made = check(text.encode(), name)
    except ScanError:  # YAML that would be another document
        return
    if name in ("a.txt", "a.md", "a.log"):
        assert made.decode() == without(text)

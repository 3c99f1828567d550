"""A large file is read at its spots alone: the findings are those of a reading of all of it."""

from __future__ import annotations

import base64
import gzip
import html
import json
import random
import re
import urllib.parse
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from stepfork.redact import documents, narrow, prefilter, repeats
from stepfork.redact.decoding import of_text
from stepfork.redact.rules import Rules
from stepfork.redact.secrets import Secrets
from tests.unit.redact.samples import EVERY, HEX32, OPENAI, PASSWORD

VALUES = (
    *EVERY,
    OPENAI,
    HEX32,
    PASSWORD,
    "my own/value+1",
    'quo"ted\\va1ue',
    "пароль-секрет",
    "p@5!w#d$",
    "tabs\tand\nlines9",
)
SECRETS = Secrets.collect(
    {f"V{number}_TOKEN": value for number, value in enumerate(VALUES[-5:])},
    {},
    Rules(keys=("x-acme-session",), patterns={"acme": "acme_[a-z0-9]{8}"}),
)
NAMES = (
    *(
        "api_key",
        "x-api-key",
        "password",
        "token",
        "clientSecret",
        "db pass",
        "db password",
        " secret key",
        "api keys (new)",
        "auth 2",
        "Cookie",
    ),
    *("max_tokens", "cache_key", "content", "text", "X-Acme-Session", "xAcmeSession", "name", "header", "n", "data"),
    *("encoding", "path", "query", "request", "events", "set_events", "value", "é key", 'my "key"', "token密"),
    *("choices", "delta", "done", "completion"),
)
AROUND = (
    *("", " ", "the key is ", "api_key=", "password: ", '"token": "', "Bearer ", "https://u:"),
    *("?key=", "&sig=", "\\n", "- **Password**: ", "API Key: ", "| token | ", "the password is ", "__key__ = "),
    *("ENV API_KEY ", "--token ", "`secret`: ", "<td>password</td><td>", "api\\_key: ", "set TOKEN "),
)
SPELLED = (
    urllib.parse.quote,
    lambda text: urllib.parse.quote(text, safe=""),
    urllib.parse.quote_plus,
    html.escape,
    repr,
)
STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
CHAR = re.compile(r"(?s)\\u....|\\.|.")
AFTER = ("", " ", "@host/x", '"', ".", "\n", "\\n", "&a=b", " and more", ", then")


class Maker:
    """Documents out of one source of chance."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)

    def value(self) -> str:
        value = self.chance.choice(
            (*VALUES, "acme_1a2b3c4d", "sid=" + HEX32, "true", "null", "12345678", "ab", "x" * 40)
        )
        spell = self.chance.randrange(12)
        if spell == 0:
            return urllib.parse.quote(value, safe="")
        if spell == 1 and value in VALUES[-5:]:
            return base64.b64encode(f"user:{value}".encode()).decode()
        if spell == 2:
            return value.replace("-", "\\-").replace("_", "\\_")
        return value

    def text(self, depth: int = 0) -> str:
        kind = self.chance.randrange(10)
        if kind < 3 or depth > 3:
            choice = self.chance.choice
            text = "".join(choice(AROUND) + self.value() + choice(AFTER) for _ in range(kind + 1))
            return choice(SPELLED)(text) if choice((True, False, False, False)) else text
        if kind < 5:
            return self.spelled(self.document(depth + 1))
        if kind == 5:
            return self.stream(depth)
        if kind == 6:
            return "\n".join(map(json.dumps, self.chunks()))
        if kind == 7:
            rooted = {self.chance.choice(NAMES[-4:]): 1, "n": self.text(depth + 1)}
            return self.spelled(rooted) + self.chance.choice(("", json.dumps(rooted)))
        return self.chance.choice(
            ("plain words, no more", "total_tokens: 12", "Ünïcode 密钥", "", "C:\\new\\table", "100%")
        )

    def spelled(self, document: Any) -> str:
        text = self.dumped(document)
        return STRING.sub(self.by_number, text) if self.chance.random() < 0.2 else text

    def by_number(self, string: re.Match[str]) -> str:
        """Some letters and signs of a string of JSON by their numbers."""
        share = self.chance.choice((0, 0, 0.05, 0.3))
        chars = [
            f"\\u{ord(char):04x}" if len(char) == 1 and char < "\x7f" and self.chance.random() < share else char
            for char in CHAR.findall(string.group()[1:-1])
        ]
        return '"' + "".join(chars) + '"'

    def dumped(self, document: Any) -> str:
        return json.dumps(
            document,
            ensure_ascii=self.chance.random() < 0.5,
            indent=self.chance.choice((None, None, 1)),
            separators=self.chance.choice((None, (",", ":"))),
        )

    def document(self, depth: int = 0) -> Any:
        kind = self.chance.randrange(8)
        if kind == 7:
            return self.chance.choice(KINDS)(self.value(), self.chance.choice(NAMES))
        if kind == 0 or depth > 4:
            return self.chance.choice((self.text(depth), 12, 1.5e3, 12345678, None, True))
        if kind == 1:
            return [self.chance.choice(NAMES), self.value(), self.text(depth)]
        if kind == 2:
            return {"name": self.chance.choice(NAMES), "value": self.value(), "more": self.document(depth + 1)}
        if kind == 3:
            return {self.chance.choice(NAMES): self.value(), self.value(): self.text(depth)}
        if kind == 4:
            return {"events": [f"data: {json.dumps(chunk)}" for chunk in self.chunks()]}
        if kind == 5:
            return [self.document(depth + 1) for _ in range(self.chance.randrange(4))]
        return {self.chance.choice(NAMES): self.document(depth + 1) for _ in range(self.chance.randrange(1, 5))}

    def file(self, form: str, *, is_ascii: bool) -> str:
        """The text of a file."""
        if form == "document":
            return self.spelled([self.document() for _ in range(3)])
        if form == "lines":
            return "\n".join(json.dumps(self.document(), ensure_ascii=is_ascii) for _ in range(3))
        if form == "repeated":
            rows = [self.spelled({"d": self.document()}) for _ in range(3)]
            separator = self.chance.choice(("\n", ",\n ", ",\n"))
            rows = [self.chance.choice(rows) for _ in range(8)]
            if separator == "\n":
                rows = [json.dumps(json.loads(row), ensure_ascii=is_ascii) for row in rows]
            return separator.join(rows) if separator == "\n" else "[" + separator.join(rows) + "]"
        return self.stream(1) if form == "stream" else self.text(4)

    def stream(self, depth: int) -> str:
        end = self.chance.choice(("\n\n", "\r\n\r\n"))
        events = [f"data: {self.spelled(chunk) if depth else json.dumps(chunk)}" for chunk in self.chunks()]
        events = [event.replace("\n", " ") for event in events]
        if self.chance.random() < 0.5:
            events = [f"event: message{end[: len(end) // 2]}{event}" for event in events]
        return end.join([*events, "data: [DONE]", ""])

    def chunks(self) -> Iterator[Any]:
        make = self.chance.choice(DIALECTS)
        number = self.chance.randrange(2)
        for turn in range(self.chance.choice((1, 1, 2))):
            text = self.chance.choice(AROUND) + self.value() + self.chance.choice(AFTER)
            text = self.chance.choice(("", "So: ")) + text if self.chance.random() < 0.8 else json.dumps({"k": text})
            size = self.chance.randrange(1, 9)
            yield {"type": "ping"}
            for at in range(0, len(text), size):
                chunk = make(text[at : at + size], number + turn)
                if self.chance.random() < 0.3:
                    chunk |= {"obfuscation": "Ab3" * self.chance.randrange(3), "sequence_number": at}
                yield chunk
        yield {"usage": {"total_tokens": 12}, "choices": []}


DIALECTS = (
    lambda piece, index: {"id": "c1", "choices": [{"index": index, "delta": {"content": piece}, "logprobs": None}]},
    lambda piece, index: {"choices": [{"delta": {"role": "assistant", "content": piece}, "index": index}], "id": "c"},
    lambda piece, index: {
        "choices": [{"index": 0, "delta": {"tool_calls": [{"index": index, "function": {"arguments": piece}}]}}]
    },
    lambda piece, index: {
        "type": "response.output_text.delta",
        "item_id": f"m{index}",
        "output_index": 0,
        "delta": piece,
    },
    lambda piece, index: {"type": "response.function_call_arguments.delta", "delta": piece, "output_index": index},
    lambda piece, index: {
        "type": "content_block_delta",
        "index": index,
        "delta": {"type": "text_delta", "text": piece},
    },
    lambda piece, index: {
        "type": "content_block_delta",
        "index": index,
        "delta": {"type": "input_json_delta", "partial_json": piece},
    },
    lambda piece, index: {"candidates": [{"index": index, "content": {"parts": [{"text": piece}]}}]},
    lambda piece, index: {"type": "content-delta", "index": index, "delta": {"message": {"content": {"text": piece}}}},
    lambda piece, index: {"message": {"role": "assistant", "content": piece}, "done": bool(index)},
    lambda piece, index: {"contentBlockDelta": {"contentBlockIndex": index, "delta": {"text": piece}}},
    lambda piece, index: {"token": {"id": index, "text": piece}},
    lambda piece, index: {"type": "completion", "completion": piece, "stop_reason": None},
)


KINDS = (
    lambda value, name: {"kind": "Secret", "metadata": {"name": name}, "data": {name: value, "more": value}},
    lambda value, name: {"kind": name, "stringData": {"n": value}},
    lambda value, _: {"kty": "oct", "k": value, "kid": value},
    lambda value, name: {"cookies": [{"name": "theme", "value": "dark"}, {"name": name, "value": value}]},
    lambda value, _: {"cookies": [{"value": value, "path": "/", "name": "sid"}]},
    lambda value, name: {"name": name, "value": value, "domain": ".x.example", "httpOnly": True},
    lambda value, name: {"headers": [{"value": f"{name}=1; sid={value}", "name": "Set-Cookie"}]},
    lambda value, name: {"headers": [{"name": "Cookie", "value": f"a=b; sid={value}"}, {"name": name, "value": value}]},
    lambda value, name: {"headers": {"set-cookie": [f"session_token={value}; Path=/", f"{name}={value}"]}},
    lambda value, name: {"rawHeaders": ["Host", "x.example", "Cookie", f"sid={value}; a=b", name, value]},
    lambda value, name: {"argv": ["curl", "--cookie", f"sid={value}", f"--{name}", value]},
    lambda value, _: f"curl --cookie sid={value} https://x.example",
    lambda value, name: "kind: Secret\ndata:\n  " + f"{name}: {value}\n",
    lambda value, name: {
        "headers": {"content-encoding": "gzip"},
        "body": base64.b64encode(gzip.compress(value.encode(), mtime=0)).decode(),
    },
)


@pytest.fixture(autouse=True)
def everything_is_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(documents, "_LARGE", 0)
    monkeypatch.setattr(narrow, "_SMALL", 24)
    monkeypatch.setattr(prefilter, "_REPEATING", 0)
    monkeypatch.setattr(repeats, "_LEAST", 1)


def both(text: str) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    """What is found at the spots, and what is found in all."""
    decoded = of_text(text, "a.json")
    spots = SECRETS.spots(decoded)
    quick = documents.scan(decoded, SECRETS, spots, []) if spots or spots is None else []
    full = documents.scan(decoded, SECRETS, None, [])
    return [(item.rule, item.path) for item in quick], [(item.rule, item.path) for item in full]


FORMS = ("document", "lines", "stream", "text", "repeated")


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.integers(0, 1 << 40), st.sampled_from(FORMS), st.booleans())
def test_what_is_found_at_the_spots_is_all_that_is_found(seed: int, form: str, large: bool) -> None:
    text = Maker(seed).file(form, is_ascii=large)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(prefilter, "_LARGE", 0 if large else 1 << 16)
        quick, full = both(text)
    assert quick == full, text

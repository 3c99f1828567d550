"""Every exchange in, every exchange out: what a store gives back against what was recorded, type by type.

Usage: round_trip.py CORPUS-FOLDER [RUNS-FOLDER]. This program decides and imports nothing of the product;
round_trip_store.py beside it drives the product, in a process of its own, and sees bytes and media types alone.
Exits 1 where anything is lost.

A JSON body must come back equal in value and number type, a response's members in the recorded order too; every
other body, and JSON that a value cannot carry (duplicate keys, lone surrogates, NaN), byte for byte.
"""

from __future__ import annotations

import base64
import json
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

STYLES: dict[str, dict[str, Any]] = {
    "compact": {"separators": (",", ":"), "ensure_ascii": False},
    "compact-ascii": {"separators": (",", ":"), "ensure_ascii": True},
    "spaced": {"ensure_ascii": False},
    "spaced-ascii": {"ensure_ascii": True},
    "indent2": {"indent": 2, "ensure_ascii": False},
}
Sent = dict[str, Any]


def main(corpus: str, runs: str | None = None) -> int:
    equal, total = _compare("exchanges of the corpus", corpus(Path(corpus)))
    if runs:
        folders = sorted({path.parent for path in Path(runs).rglob("exchanges.jsonl")})
        figures = [_compare(folder.relative_to(runs).as_posix(), [list(_run(folder))]) for folder in folders]
        whole = sum(one == other for one, other in figures)
        print(f"whole runs: {whole}/{len(folders)}")
        return 0 if equal == total and whole == len(folders) else 1
    return 0 if equal == total else 1


def _compare(name: str, runs: Iterable[list[Sent]]) -> tuple[int, int]:
    runs = list(runs)
    command = [sys.executable, Path(__file__).with_name("round_trip_store.py")]
    feed = "".join(json.dumps(run) + "\n" for run in runs)
    done = subprocess.run(command, input=feed, stdout=subprocess.PIPE, check=True, text=True)
    back = [json.loads(line) for line in done.stdout.splitlines()]
    total = sum(map(len, runs))
    equal = 0
    for sent, got in zip(runs, back, strict=True):
        equal += sum(_equal(one, other) for one, other in zip(sent, got, strict=True))
    print(f"{name}: {equal}/{total}", flush=True)
    return equal, total


def _equal(sent: Sent, got: Sent) -> bool:
    plain = ("provider", "api", "method", "path", "query", "status", "request_type", "response_type")
    return (
        all(sent[name] == got[name] for name in plain)
        and _same_body(sent["request"], got["request"], ordered=False)
        and _same_body(sent["response"], got["response"], ordered=True)
    )


def _same_body(sent: str, got: str, *, ordered: bool) -> bool:
    if sent == got:
        return True
    one, other = (_value(base64.b64decode(data)) for data in (sent, got))
    return one is not _UNFIT and other is not _UNFIT and _same(one, other, ordered=ordered)


_UNFIT = object()


class _UnfitError(Exception):
    pass


def _value(data: bytes) -> Any:
    """The value of a JSON text, or `_UNFIT` where only the bytes say all of it."""

    def pairs(items: list[tuple[str, Any]]) -> dict[str, Any]:
        if len(dict(items)) != len(items):
            raise _UnfitError
        return dict(items)

    def constant(_name: str) -> Any:
        raise _UnfitError

    try:
        value = json.loads(data.decode(), object_pairs_hook=pairs, parse_constant=constant)
        json.dumps(value, ensure_ascii=False).encode()
    except (ValueError, _UnfitError, RecursionError):
        return _UNFIT
    return value


def _same(one: Any, other: Any, *, ordered: bool) -> bool:
    if type(one) is not type(other):
        return False
    if isinstance(one, dict):
        if (list(one) != list(other)) if ordered else (one.keys() != other.keys()):
            return False
        return all(_same(one[key], other[key], ordered=ordered) for key in one)
    if isinstance(one, list):
        return len(one) == len(other) and all(_same(a, b, ordered=ordered) for a, b in zip(one, other, strict=True))
    return repr(one) == repr(other) if isinstance(one, float) else bool(one == other)


def corpus(folder: Path) -> Iterator[list[Sent]]:
    runs: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for path in sorted(folder.glob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            record = json.loads(line)
            runs.setdefault((record["repo"], record["path"]), []).append(record)
    for records in runs.values():
        yield [_recorded(record) for record in sorted(records, key=lambda record: record["index"])]


def _recorded(record: dict[str, Any]) -> Sent:
    headers = {name.lower(): value for name, value in record["request_headers"]}
    asked = _bytes(record, "request", record["request_body"])
    return {
        "provider": record["provider"] or "unknown",
        "api": record["api"],
        "method": record["method"] or "POST",
        "path": record["url_path"] or "/",
        "query": record["query"] or "",
        "status": record["status"] if record["status"] is not None else 200,
        "request_type": headers.get("content-type", "application/json" if record["request_body"] is not None else ""),
        "response_type": record["content_type"] or "",
        "streamed": bool(record["streaming"]),
        "request": _text(asked),
        "response": _text(_bytes(record, "response", record["body"])),
    }


def _bytes(record: dict[str, Any], side: str, value: Any) -> bytes:
    """The recorded bytes; where the recorder kept the value alone, a text of it."""
    style = record[f"{side}_style"]
    if style == "none" or (value is None and style == "parsed"):
        return b""
    if style == "other" or (style == "text" and side == "request"):
        return str(record[f"{side}_text"]).encode("utf-8", "surrogatepass")
    if style == "text":
        return str(value).encode("utf-8", "surrogatepass")
    if style == "base64":
        return base64.b64decode(record["request_b64"] if side == "request" else value)
    if style == "parsed":
        text = value if isinstance(value, str) and record.get(f"{side}_kind") == "sse" else json.dumps(value)
        return text.encode("utf-8", "surrogatepass")
    end = "\n" if style.endswith("+nl") else ""
    return (json.dumps(value, **STYLES[style.removesuffix("+nl")]) + end).encode("utf-8", "surrogatepass")


def _run(folder: Path) -> Iterator[Sent]:
    for line in (folder / "exchanges.jsonl").read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        path, _, query = record["path"].partition("?")
        asked, answered = record["request_body"], record["response_body"]
        kind = {name.lower(): value for name, value in record["response_headers"].items()}.get("content-type", "")
        yield {
            "provider": record["provider"],
            "api": "",
            "method": record["method"],
            "path": path,
            "query": query,
            "status": record["status"],
            "request_type": record["request_headers"].get("content-type", ""),
            "response_type": kind,
            "streamed": isinstance(answered, str),
            "request": _text(b"" if asked is None else json.dumps(asked).encode()),
            "response": _text(
                b""
                if answered is None
                else answered.encode()
                if isinstance(answered, str)
                else json.dumps(answered, ensure_ascii=False).encode()
            ),
        }


def _text(data: bytes) -> str:
    return base64.b64encode(data).decode()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:3]))

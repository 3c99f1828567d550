"""YAML read to its scalars, in which a cassette keeps whole bodies: folded, quoted, escaped, or as binary."""

from __future__ import annotations

import binascii
import zlib

from stepfork.redact.finding import Finding
from stepfork.redact.plain import plain_text
from stepfork.redact.redactor import Redactor
from stepfork.rewrite.place import Place
from stepfork.rewrite.text import find_edits

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from stepfork.redact.secrets import Secrets

_MAX_INFLATED = 64 << 20
"""Bytes that a compressed body may grow to; a larger one is read that far."""


def scan_yaml(text: str, secrets: Secrets) -> list[Finding]:
    """The secrets of YAML documents by pointer, and by line those of comments (or of a text that is no YAML)."""
    lines = plain_text(text, secrets)
    redactor = Redactor(secrets)
    try:
        for number, node in enumerate(_compose(text)):
            _walk(node, Place((), (f"document {number + 1}",) if number else ()), redactor)
    except (ValueError, RecursionError):  # no YAML: YAMLError is wrapped by `_compose`
        return lines + [item for item in redactor.findings if item.rule not in {line.rule for line in lines}]
    found = list(redactor.findings)
    rules = {item.rule for item in found}
    return found + [line for line in lines if line.rule not in rules]


def _compose(text: str) -> list[Any]:
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        return list(yaml.compose_all(text, Loader=loader))
    except yaml.YAMLError:
        raise ValueError("no YAML") from None


def _walk(root: Any, place: Place, redactor: Redactor) -> None:
    """Every scalar once: an alias is the node that it names."""
    waiting: list[tuple[Any, Place]] = [(root, place)]
    seen: set[int] = set()
    while waiting:
        node, here = waiting.pop()
        if node is None or id(node) in seen:
            continue
        seen.add(id(node))
        if node.id == "mapping":
            for key, value in reversed(node.value):
                name = key.value if key.id == "scalar" else "?"
                if key.id == "scalar":
                    redactor.key(name, here)
                else:
                    waiting.append((key, here.child(name)))
                waiting.append((value, here.child(name)))
        elif node.id == "sequence":
            waiting += [(item, here.child(index)) for index, item in reversed(list(enumerate(node.value)))]
        else:
            find_edits(_text(node), here, redactor)


def _text(node: Any) -> str:
    """The text of a scalar; that of a binary one is what its bytes hold, inflated where they are compressed."""
    value: str = node.value
    if not node.tag.endswith("binary"):
        return value
    try:
        data = binascii.a2b_base64(value)
    except binascii.Error:
        return value
    if data[:2] == b"\x1f\x8b":
        try:
            data = zlib.decompressobj(31).decompress(data, _MAX_INFLATED)
        except zlib.error:
            return value
    return data.decode("utf-8", "surrogateescape")

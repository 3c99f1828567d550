"""YAML read to its scalars, in which a cassette keeps whole bodies: folded, quoted, escaped, or as binary."""

from __future__ import annotations

from stepfork.redact.plain import plain_text
from stepfork.redact.redactor import Redactor
from stepfork.redact.yaml_nodes import compose, name_of, same, value_of
from stepfork.redact.yaml_scalars import properties_end, quoted, respelled
from stepfork.rewrite.place import Edit, Place, apply_edits
from stepfork.rewrite.text import find_edits

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from stepfork.redact.finding import Finding
    from stepfork.redact.secrets import Secrets
    from stepfork.redact.span import Span


class _Edited:
    """A scalar that changes: where it stands in the file without its tag and anchor, and the edits of its value."""

    __slots__ = ("edits", "in_flow", "node", "start", "stop")

    def __init__(self, node: Any, text: str, edits: Sequence[Edit], *, in_flow: bool) -> None:
        self.node = node
        self.stop: int = node.end_mark.index
        self.start: int = node.start_mark.index + properties_end(text[node.start_mark.index : self.stop])
        self.edits = edits
        self.in_flow = in_flow

    def respelled(self, text: str) -> str:
        """The scalar with its edits made where they stand."""
        raw, style = text[self.start : self.stop], self.node.style or ""
        return respelled(raw, style, self.node.value, self.edits, in_flow=self.in_flow)

    def quoted(self, text: str) -> str:
        """The scalar with its edits made, spelled anew."""
        return quoted(apply_edits(self.node.value, self.edits), text[self.start : self.stop])


class YamlFile:
    """The documents of a YAML file and what of them is secret. Raises ValueError for a text that is no YAML.

    `edited` are the scalars that hold secrets; `loose` are secrets that stand elsewhere, in comments say.
    """

    def __init__(self, text: str, secrets: Secrets, redactor: Redactor) -> None:
        self.text = text
        self.roots = compose(text)
        self.edited: list[_Edited] = []
        for number, root in enumerate(self.roots):
            self._read(root, Place((), (f"document {number + 1}",) if number else ()), redactor)
        covered = [(item.node.start_mark.index, item.stop) for item in self.edited]
        self.loose: list[Span] = [
            span
            for span in secrets.matcher.find(text)
            if not any(span.start < stop and start < span.end for start, stop in covered)
        ]

    def _read(self, root: Any, place: Place, redactor: Redactor) -> None:
        """Every scalar once: an alias is the node that it names."""
        redactor.document(value_of(root), place)
        waiting: list[tuple[Any, Place, bool]] = [(root, place, False)]
        seen: set[int] = set()
        while waiting:
            node, here, in_flow = waiting.pop()
            if node is None or id(node) in seen:
                continue
            seen.add(id(node))
            in_flow = in_flow or (node.id != "scalar" and bool(node.flow_style))
            if node.id == "mapping":
                self._read_keys(node, here, redactor, in_flow=in_flow)
                for key, value in reversed(node.value):
                    name = name_of(key)
                    if key.id != "scalar":
                        waiting.append((key, here.child(name), in_flow))
                    waiting.append((value, here.child(name), in_flow))
            elif node.id == "sequence":
                items = list(enumerate(node.value))
                waiting += [(item, here.child(index), in_flow) for index, item in reversed(items)]
            else:
                if node.tag.endswith("binary"):
                    redactor.inside.is_binary(here)
                edits = find_edits(node.value, here, redactor)
                if edits:
                    self.edited.append(_Edited(node, self.text, edits, in_flow=in_flow))

    def _read_keys(self, node: Any, here: Place, redactor: Redactor, *, in_flow: bool) -> None:
        """Names of one mapping that would become one stay apart, by a number."""
        taken = {key.value for key, _ in node.value if key.id == "scalar"}
        for key, _ in node.value:
            edits = redactor.key(key.value, here) if key.id == "scalar" else ()
            if edits:
                name, count = apply_edits(key.value, edits), 1
                made = name
                while made in taken:
                    count += 1
                    made = f"{name}#{count}"
                taken.add(made)
                whole = [Edit(0, len(key.value), made)]
                self.edited.append(_Edited(key, self.text, whole if made != name else edits, in_flow=in_flow))

    def redacted(self, loose: Sequence[Edit]) -> str:
        """The text without its secrets; `loose` are the edits of those that stand elsewhere. Raises ValueError where
        that would be another document."""
        try:
            return self._checked(
                [*loose, *(Edit(item.start, item.stop, item.respelled(self.text)) for item in self.edited)]
            )
        except ValueError:
            return self._checked(
                [*loose, *(Edit(item.start, item.stop, item.quoted(self.text)) for item in self.edited)]
            )

    def _checked(self, edits: list[Edit]) -> str:
        """The text with edits made, if that is the same document but for them."""
        made = apply_edits(self.text, edits)
        wanted = {id(item.node): apply_edits(item.node.value, item.edits) for item in self.edited}
        if not all(same(old, new, wanted) for old, new in zip(self.roots, compose(made), strict=True)):
            raise ValueError("another document")
        return made


def scan_yaml(text: str, secrets: Secrets, unread: list[tuple[str, str]]) -> list[Finding]:
    """The secrets of YAML documents by pointer, and by line those of comments (or of a text that is no YAML)."""
    redactor = Redactor(secrets)
    try:
        file = YamlFile(text, secrets, redactor)
    except (ValueError, RecursionError):
        return plain_text(text, secrets, unread)
    unread += redactor.unread
    lines = [
        secrets.finding(span.rule, f"line {text.count(chr(10), 0, span.start) + 1}", text[span.start : span.end])
        for span in file.loose
    ]
    return [*redactor.findings, *lines]

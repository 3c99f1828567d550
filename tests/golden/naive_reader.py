"""A second reader of bundles, written from docs/reference/format.md alone: the plain values of every exchange."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

_INLINE = {"chat_completions": "messages", "responses": "input"}


class NaiveBundle:
    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
        self.requests: list[Any] = []
        self.responses: list[Any] = []
        conversations: list[list[Any]] = []
        prompts: list[tuple[str | None, str | None]] = []
        for entry in self.manifest["exchanges"]:
            base = entry.get("base")
            before = (None, None) if base is None else prompts[base]
            prompt = (entry.get("system", before[0]), entry.get("tools", before[1]))
            document = self._plain(self._object(entry["object"]))
            kept = [] if base is None else conversations[base][: entry.get("keep", len(conversations[base]))]
            messages = kept + document.get("messages", [])
            self.requests.append(self._request(document, messages, prompt))
            self.responses.append(document.get("response"))
            conversations.append(messages)
            prompts.append(prompt)
        self.trace = self._plain(self._object(self.manifest["trace"]))

    def asked(self, step: dict[str, Any]) -> Any:
        """The tagged arguments of an instrumented step."""
        if "arguments" in step:
            return step["arguments"]
        return self._wrapped(self.requests[step["exchange"]], step.get("arguments_shape"))

    def answered(self, step: dict[str, Any], events: list[str]) -> Any:
        """The tagged result of an instrumented step; `events` are those of its exchange."""
        told = step.get("result")
        if "result" not in step and "exchange" in step:
            body = self.responses[step["exchange"]]
            return "\n\n".join(events) if body is None else self._wrapped(body, step.get("result_shape"))
        if not isinstance(told, dict) or told.get("$py") != "answer":
            return told
        rows = [shape for count, shape in told["value"] for _ in range(count)]
        data = [json.loads(event.rpartition("data: ")[2]) for event in events[: len(rows)]]
        items = [self._wrapped(item, row) for item, row in zip(data, rows, strict=True)]
        return {"$py": "stream", "value": items, **told.get("stream", {})}

    def _wrapped(self, value: Any, shape: int | None) -> Any:
        holder = {"": json.loads(json.dumps(value))}
        for path, kind, name, *members in reversed(self.trace["shapes"][shape] if shape is not None else []):
            above: Any = holder
            *way, last = ["", *path]
            for step in way:
                above = above[step]
            inner = above[last]
            for unset in members[0].get("unset", []) if members else []:
                inner.setdefault(unset, None)
            tag = {"$py": kind, "value": inner, **(members[0] if members else {})}
            above[last] = tag if name is None else {**tag, "type": name}
        return holder[""]

    def _request(self, document: Any, messages: list[Any], prompt: tuple[str | None, str | None]) -> Any:
        body = document.get("request")
        if not isinstance(body, dict):
            return body
        parts = {name: document[name] for name in ("system", "tools") if name in document}
        for name, found in zip(("system", "tools"), prompt, strict=True):
            if found is not None:
                parts[name] = self._plain(self._object(found))
        body = dict(body)
        if "tools" in parts:
            body["tools"] = parts["tools"]
        if document["api"] == "chat_completions":
            messages = parts.get("system", []) + messages
        elif "system" in parts:
            body["instructions" if document["api"] == "responses" else "system"] = parts["system"]
        if "messages" in document:
            body[_INLINE.get(document["api"], "messages")] = messages
        return body

    def _object(self, name: str) -> Any:
        path = self._folder / "objects" / name[:2] / f"{name[2:]}.json"
        return json.loads(path.read_text(encoding="utf-8"))

    def _plain(self, value: Any) -> Any:
        if isinstance(value, list):
            return [self._plain(item) for item in value]
        if not isinstance(value, dict):
            return value
        if len(value) == 1:
            key, item = next(iter(value.items()))
            if key == "$stepfork:object":
                return self._object(item)
            if key == "$stepfork:join":
                return "".join(self._plain(piece) for piece in item)
            if key == "$stepfork:value":
                return self._pointed(item)
            if key.startswith("$$") and key.lstrip("$").startswith("stepfork:"):
                return {key[1:]: self._plain(item)}
        return {key: self._plain(item) for key, item in value.items()}

    def _pointed(self, path: list[Any]) -> Any:
        index, side, *steps = path
        value = (self.requests if side == "request" else self.responses)[index]
        for step in steps:
            value = json.loads(value) if step is None else value[step]
        return value

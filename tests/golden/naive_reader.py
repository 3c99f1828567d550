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

"""Which kind of document a text is: its text and its file's name tell."""

from __future__ import annotations

from stepfork.rewrite.json_text import is_json_text

JSON, JSON_LINES, YAML, VARIABLES, TEXT = "json", "json lines", "yaml", "variables", "text"


def kind_of(text: str, name: str) -> str:
    """JSON, JSON lines, YAML (by the name alone), variables such as those of ``.env``, or text of no form."""
    head = text[:4096].lstrip("\ufeff \t\r\n")
    if head.startswith(("{", "[", '"')):
        if is_json_text(text):
            return JSON
        first = next((line for line in text.splitlines() if line.strip()), "")
        if is_json_text(first):
            return JSON_LINES
    lower = name.lower()
    if lower.endswith((".yaml", ".yml")):
        return YAML
    base = lower.rpartition("/")[2]
    return VARIABLES if base.startswith(".env") or base.endswith((".env", ".envrc")) else TEXT

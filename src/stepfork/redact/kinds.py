"""Which kind of document a text is: its text and its file's name tell."""

from __future__ import annotations

JSON, JSON_LINES, YAML, VARIABLES, TEXT = "json", "json lines", "yaml", "variables", "text"


def kind_of(text: str, name: str) -> str:
    """JSON, JSON lines, YAML (by the name alone), variables such as those of ``.env``, or text of no form."""
    head = text[:4096].lstrip("\ufeff \t\r\n")
    if head.startswith(("{", "[", '"')):
        from stepfork.rewrite.json_text import is_json_text

        if is_json_text(text):
            return JSON
        if is_json_text(text.lstrip("\ufeff \t\r\n").partition("\n")[0]):
            return JSON_LINES
    lower = name.lower()
    if lower.endswith((".yaml", ".yml")):
        return YAML
    return VARIABLES if is_variables(name) else TEXT


def is_variables(name: str) -> bool:
    """Whether a file of that name holds variables, of which any may be a secret by its name."""
    base = name.lower().rpartition("/")[2]
    return base.startswith(".env") or base.endswith((".env", ".envrc"))

"""The published schemas are schemas, and each can be used alone."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

import stepfork

SCHEMAS = sorted((Path(stepfork.__file__).parent / "schemas").glob("*.json"))


@pytest.mark.parametrize("path", SCHEMAS, ids=lambda path: path.name)
def test_a_schema_is_valid_and_has_a_name(path: Path) -> None:
    schema = json.loads(path.read_text(encoding="utf-8"))
    Draft202012Validator.check_schema(schema)
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert schema["title"].startswith("stepfork ")


def test_the_capture_schema_holds_the_diff_schema() -> None:
    capture, diff = (
        json.loads(next(path for path in SCHEMAS if path.name == f"{name}.schema.json").read_text(encoding="utf-8"))
        for name in ("capture", "diff")
    )
    assert capture["$defs"]["diff"] == diff
    validator = Draft202012Validator(capture["$defs"]["capture"]["properties"]["diff"] | {"$defs": capture["$defs"]})
    validator.validate({"changed": False, "exchanges": [], "fixtures": []})
    assert not validator.is_valid({"changed": "no", "exchanges": [], "fixtures": []})


def test_the_replay_schema_speaks_of_differences_as_the_diff_schema_does() -> None:
    replay, diff = (
        json.loads(next(path for path in SCHEMAS if path.name == f"{name}.schema.json").read_text(encoding="utf-8"))
        for name in ("replay", "diff")
    )
    shared = replay["$defs"].keys() & diff["$defs"].keys()
    assert shared == {"index", "itemChange", "lines", "fields", "message"}
    assert all(replay["$defs"][name] == diff["$defs"][name] for name in shared)
    parts = replay["$defs"]["miss"]["properties"]["difference"]["properties"]
    assert all(part == diff["$defs"]["exchange"]["properties"][name] for name, part in parts.items())


def test_the_capture_schema_speaks_of_reasons_as_the_placeholders_schema_does() -> None:
    capture, placeholders = (
        json.loads(next(path for path in SCHEMAS if path.name == f"{name}.schema.json").read_text(encoding="utf-8"))
        for name in ("capture", "placeholders")
    )
    shared = capture["$defs"].keys() & placeholders["$defs"].keys()
    assert shared == {"reason", "places"}
    assert all(capture["$defs"][name] == placeholders["$defs"][name] for name in shared)

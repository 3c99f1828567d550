"""The lines of config.toml that would make a miss a hit: only what a rule can say, and only where it is enough."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import msgspec

from stepfork.config.normalize import volatile_lines
from stepfork.diff.json_diff import json_diff
from stepfork.diff.leaves import leaves
from stepfork.diff.own_rules import rules_for
from stepfork.diff.renaming import masked
from stepfork.diff.units import RequestForm, read_json
from stepfork.diff.values import RequestDiff
from stepfork.normalize.request_key import KeyRules
from stepfork.providers.calls import bare_tool
from stepfork.providers.normal_form import NormalRequest
from stepfork.trace.body import JsonValue

_WHOLE = ""
_INDEX = re.compile(r"/[0-9]+(?=/|\Z)")


def absorbing(difference: RequestDiff, old: RequestForm, new: RequestForm, rules: KeyRules) -> KeyRules | None:
    """`rules` with what would leave out all that differs, None where no rule could: where anything but fields of
    tools' results differs."""
    if difference != RequestDiff(tool_results=difference.tool_results):
        return None
    found: defaultdict[str, dict[str, None]] = defaultdict(dict)
    for change in difference.tool_results:
        before, after = change.at
        if change.change != "changed" or not change.label or before is None or after is None:
            return None
        results = read_json(old.units[before].text), read_json(new.units[after].text)
        # Of a result that is no JSON, a rule can only name the whole.
        pointers = [_WHOLE] if None in results else list(_pointers(*results))
        if not pointers:
            return None
        name = change.label if change.label in rules.tools else bare_tool(change.label)
        found[name].update(dict.fromkeys(pointers))
    if not found:
        return None
    tools = {name: tuple(dict.fromkeys([*rules.tools.get(name, ()), *_folded(found[name])])) for name in found}
    return KeyRules({**rules.tools, **tools})


def own_rules(old: NormalRequest, new: NormalRequest) -> dict[str, tuple[str, ...]]:
    """The rules of a project's own that would make placeholders of all that two requests differ in; none where anything
    does not look made up. Ids, times and addresses, which are placeholders already, differ in their numbers alone."""
    found = leaves(msgspec.to_builtins(old), msgspec.to_builtins(new))
    return rules_for(leaf for leaf in found if masked_value(leaf.old) != masked_value(leaf.new))


def masked_value(value: Any) -> Any:
    """A text without the numbers of its placeholders; any other value as it is."""
    return masked(value) if isinstance(value, str) else value


def config_lines(rules: KeyRules, before: KeyRules) -> tuple[str, ...]:
    """The tables of config.toml that say what `rules` have and `before` has not."""
    changed = {name: pointers for name, pointers in rules.tools.items() if before.tools.get(name) != pointers}
    return tuple(volatile_lines(changed))


def _pointers(old: JsonValue, new: JsonValue, above: str = "") -> Iterator[str]:
    """What differs between two results, by its pointer, which goes on inside a text that is JSON itself."""
    for change in json_diff(old, new):
        if change.change == "changed" and isinstance(change.old, str) and isinstance(change.new, str):
            inside = read_json(change.old), read_json(change.new)
            if None not in inside:
                yield from _pointers(*inside, above + change.path)
                continue
        yield above + change.path


def _folded(pointers: dict[str, None]) -> list[str]:
    """The same member of several items is one pointer."""
    groups: defaultdict[str, list[str]] = defaultdict(list)
    for path in pointers:
        groups[_INDEX.sub("/*", path)].append(path)
    return [star if len(paths) > 1 else paths[0] for star, paths in groups.items()]

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from stepfork.canonical.encode import dumps
from stepfork.providers.split import RequestParts, join_request, split_request

UNSET = msgspec.UNSET


def test_chat_keeps_the_leading_run_of_system_messages_apart() -> None:
    system = [{"role": "system", "content": "a"}, {"role": "developer", "content": "b"}]
    later = [{"role": "user", "content": "c"}, {"role": "system", "content": "d"}]
    body = {"model": "m", "messages": [*system, *later], "tools": [{"type": "function"}]}
    assert split_request("chat_completions", body) == RequestParts(
        rest={"model": "m"}, system=system, tools=[{"type": "function"}], messages=later
    )


def test_chat_without_a_leading_system_message_has_no_system() -> None:
    parts = split_request("chat_completions", {"messages": [{"role": "user"}]})
    assert parts.system is UNSET


def test_responses_and_messages() -> None:
    assert split_request("responses", {"instructions": "s", "input": [{"role": "user"}]}) == RequestParts(
        rest={}, system="s", messages=[{"role": "user"}]
    )
    assert split_request("messages", {"system": [], "messages": []}) == RequestParts(rest={}, system=[], messages=[])


@pytest.mark.parametrize(
    ("api", "body"),
    [
        ("chat_completions", {"messages": None, "tools": None}),
        ("chat_completions", {"messages": "hi"}),
        ("chat_completions", {"messages": [{"role": "system"}, "hi"]}),
        ("chat_completions", {"system": "not ours", "input": []}),
        ("responses", {"input": "hi", "instructions": None}),
        ("responses", {"input": {"role": "user"}, "instructions": ["a"]}),
        ("messages", {"system": None, "messages": {}}),
        ("messages", {"system": {"type": "text"}}),
    ],
)
def test_what_has_another_type_stays_in_the_rest(api: str, body: dict[str, Any]) -> None:
    assert split_request(api, body) == RequestParts(rest=body)


@pytest.mark.parametrize("api", ["chat_completions", "responses", "messages", "other"])
@pytest.mark.parametrize("name", ["messages", "input", "tools", "system", "instructions"])
def test_absent_null_and_empty_survive(api: str, name: str) -> None:
    bodies: list[dict[str, Any]] = [{}, {name: None}, {name: []}, {name: ""}, {name: [{"role": "system"}]}]
    for body in bodies:
        before = dumps(body)
        assert dumps(join_request(api, split_request(api, body))) == before
        assert dumps(body) == before


def test_a_role_that_is_no_text_is_no_system_message() -> None:
    body = {"messages": [{"role": ["system"]}, {"role": None}, {}]}
    assert split_request("chat_completions", body).system is UNSET

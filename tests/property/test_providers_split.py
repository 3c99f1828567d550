from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET

from stepfork.canonical.encode import dumps
from stepfork.providers.split import join_request, places_in, split_request
from tests.property.provider_bodies import APIS, objects, requests


@given(st.data(), st.sampled_from([*APIS, "other"]))
def test_parts_join_to_the_body_that_they_came_from(data: st.DataObject, api: str) -> None:
    body: dict[str, Any] = data.draw(requests(api) if api in APIS else objects)
    before = dumps(body)
    assert dumps(join_request(api, split_request(api, body))) == before
    assert dumps(body) == before


@given(st.data(), st.sampled_from([*APIS, "other"]))
def test_each_part_stands_where_it_is_said_to(data: st.DataObject, api: str) -> None:
    body: dict[str, Any] = data.draw(requests(api) if api in APIS else objects)
    parts = split_request(api, body)
    at = places_in(api, parts)
    for index, message in enumerate([] if parts.messages is UNSET else parts.messages, at.first_message):
        assert body[at.messages][index] is message
    if parts.system is not UNSET:
        held = body[at.system]
        assert (held[: at.first_message] if api == "chat_completions" else held) == parts.system

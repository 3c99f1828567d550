from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from stepfork.canonical.encode import dumps
from stepfork.providers.split import join_request, split_request
from tests.property.provider_bodies import APIS, objects, requests


@given(st.data(), st.sampled_from([*APIS, "other"]))
def test_parts_join_to_the_body_that_they_came_from(data: st.DataObject, api: str) -> None:
    body: dict[str, Any] = data.draw(requests(api) if api in APIS else objects)
    before = dumps(body)
    assert dumps(join_request(api, split_request(api, body))) == before
    assert dumps(body) == before

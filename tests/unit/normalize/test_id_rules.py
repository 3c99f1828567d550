import pytest

from stepfork.normalize import rules
from stepfork.normalize.matching import Matcher
from stepfork.normalize.prefixes import PREFIXES
from stepfork.normalize.told import Told, is_distinctive

HEX48 = "0479f4e0a46052c3841f31f5237b1103b5fea9c5f65b9c6d"
UUID = "716077ee-e829-4b61-ace2-2c2e56f5f989"


def ids(text, *told):
    known = Told()
    for value in told:
        known.add("id", value)
    return [text[span.start : span.end] for span in Matcher(None, known).spans(text) if span.kind == "id"]


@pytest.mark.parametrize(
    "value",
    [
        "chatcmpl-NPSxwygvV6OFXpHkzNX3rAdBxQ76R",
        f"chatcmpl-{UUID}",
        "chatcmpl-tool-7e03ea39417447e9a1fe7cd391b16476",
        f"resp_{HEX48}",
        f"rs_{HEX48}",
        f"fc_{HEX48}",
        f"msg_{HEX48}",
        "msg_01EIbLa3MxEMSrFq2R6O4BH9",
        "msg_bdrk_01FGEZnKNgjbRv5m4joDoq3D",
        "call_8OxUBi3JKAu9g2sPuhwfZtz4",
        "toolu_01u94pCetnIKOAnGSWJRvOzr",
        "toolu_vrtx_01EDzXjPQZSVnEzttRY98wyT",
        "srvtoolu_01P9KoHAS2PSorMZSSjLfQ5N",
        "tooluse_NNGMsYVgTrqw-WCl_WbNX1",
        "req_011Ca7jT9AHpgXgdv8igm4z9",
        "req_01j6y8ybhffz1r327rjcy7ygra",
        "gen-1764528171-KeQY0wiSpLsWxbDkZ8aT",
        "pyd_ai_0f10f8b659c3c1050f10f8b659c3c105",
        f"lc_run--{UUID}",
        f"run--{UUID}-0",
        f"run-{UUID}-0",
        "trace_db0186bb863d426e9e4486699cb8418a",
        "file-U6Ke78qu8nkANsrCrjoYBr",
    ],
)
def test_generated_ids_are_found_whole_and_only_whole(value):
    assert ids(value) == [value]
    assert ids(f"ToolCall(id='{value}', n=1)") == [value]
    assert ids(f'see {value}, "{value}".') == [value, value]
    assert ids(f"x{value}") == []
    assert ids(f"{value}x_more") == []
    assert PREFIXES.of(value)
    assert value.startswith(PREFIXES.of(value))


@pytest.mark.parametrize(
    "text",
    [
        "claude-sonnet-4-5-20250929",
        "gpt-4.1-2025-04-14",
        "ft:gpt-4o-mini-2024-07-18:acme::9x8Y7z6W",
        "1.2.20240101",
        "2024-11-05-XL",
        "O-1042",
        "ORD-20261130-00017",
        "a94a8fe5ccb19ba61c4c0873d391e987982fbbd3",
        UUID,
        "call_the_customer_at_5pm",
        "call_customerservice24",
        "call_LookupCustomerOrderDetail",
        "run_20261130184254123456",
        "run_tests_2",
        "file-2024-11-05",
        "item_12345678901234567890",
        "step_1",
        "msg_count_per_day_2024",
        "req_size_bytes_1048576",
        "thread_pool_executor_8",
        "batch_size_128",
        "https://example.com/item_1/call_2",
        "c" * 5000,
        "A1b2" * 400,
    ],
)
def test_data_is_never_an_id(text):
    assert ids(text) == []


def test_a_told_value_is_an_id_wherever_it_is_a_whole_token():
    told = ("get_weather_mvsbdckzn39c", "tju3qkc9")
    assert ids("used get_weather_mvsbdckzn39c and (tju3qkc9)", *told) == ["get_weather_mvsbdckzn39c", "tju3qkc9"]
    assert ids("tju3qkc9x", *told) == []


@pytest.mark.parametrize("value", ["tju3qkc9", UUID, "final_result_5ey6n45w0dgv", "call_8OxUBi3JKAu9g2sPuhwfZtz4"])
def test_random_values_can_be_told_from_words(value):
    assert is_distinctive(value)


def test_a_random_id_without_a_digit_can_be_told_from_words():
    assert is_distinctive("call_" + "qGHsIdUCafjCKifbtTFzABcd")


@pytest.mark.parametrize("value", ["", "1", "call_1", "search-1", "order-123", "json-tool-id", "lookup_order", "DE"])
def test_what_people_write_is_not_looked_for_in_text(value):
    assert not is_distinctive(value)


def test_no_prefix_hides_another():
    assert PREFIXES.of("chatcmpl-tool-x") == PREFIXES.before("a chatcmpl-tool-", 16) == "chatcmpl-tool-"
    assert len(set(rules.ID_PREFIXES)) == len(rules.ID_PREFIXES)

"""Placeholders of two sides, paired."""

from __future__ import annotations

from stepfork.diff.renaming import Renaming, map_texts, masked, without_times
from stepfork.providers.calls import ToolCall


def test_numbers_shifted_by_an_insertion_are_no_difference() -> None:
    renaming = Renaming()
    renaming.learn("refund call_{{id_5}} to {{email_1}}", "refund call_{{id_7}} to {{email_2}}")
    assert renaming.text("call_{{id_7}} for {{email_2}}") == "call_{{id_5}} for {{email_1}}"


def test_what_only_the_new_side_has_gets_a_free_number() -> None:
    renaming = Renaming()
    renaming.known("{{id_5}} {{id_6}}")
    renaming.learn("a {{id_5}}", "a {{id_6}}")
    assert renaming.text("{{id_6}} {{id_5}} {{id_5}}") == "{{id_5}} {{id_7}} {{id_7}}"


def test_a_name_is_paired_once() -> None:
    renaming = Renaming()
    renaming.learn("from {{id_1}} to {{id_2}}", "from {{id_1}} to {{id_2}}")
    renaming.learn("from {{id_1}} to {{id_2}}", "from {{id_2}} to {{id_1}}")
    assert renaming.text("from {{id_2}} to {{id_1}}") == "from {{id_2}} to {{id_1}}"


def test_two_unknown_names_that_traded_places_stay_apart() -> None:
    renaming = Renaming()
    renaming.learn("from {{id_1}} to {{id_2}}", "from {{id_2}} to {{id_1}}")
    assert renaming.text("from {{id_2}} to {{id_1}}") == "from {{id_2}} to {{id_1}}"


def test_names_are_learnt_from_the_common_lines_of_an_edited_text() -> None:
    renaming = Renaming()
    renaming.learn("order {{id_1}}\nplease refund {{id_2}}", "hello\norder {{id_3}}\nplease do refund {{id_4}} now")
    assert renaming.text("{{id_3}} {{id_4}}") == "{{id_1}} {{id_2}}"


def test_kinds_never_mix_and_literals_are_left_alone() -> None:
    renaming = Renaming()
    renaming.learn("{{id_1}}", "{{email_1}}")
    assert renaming.text("{{!id_3}} {{name_1}} {{email_1}}") == "{{!id_3}} {{name_1}} {{email_1}}"
    assert masked("{{!id_3}} {{item_4}} {{id_3}}") == "{{!id_3}} {{item_4}} {{id}}"


def test_times_have_no_identity_but_keep_their_shape() -> None:
    assert without_times("{{timestamp_3}} {{timestamp_4:YYYY-MM-DD}}") == "{{timestamp}} {{timestamp:YYYY-MM-DD}}"


def test_texts_are_mapped_inside_structs_and_keys_and_nothing_else_is_copied() -> None:
    value = {"{{id_1}}": [ToolCall("call_{{id_1}}", "name", "{}")], "plain": [1, 2.0, None, True]}
    made = map_texts(value, lambda text: text.replace("{{id_1}}", "{{id_2}}"))
    assert made == {"{{id_2}}": [ToolCall("call_{{id_2}}", "name", "{}")], "plain": [1, 2.0, None, True]}
    assert made["plain"] is value["plain"]
    assert map_texts(value["plain"], str.upper) is value["plain"]

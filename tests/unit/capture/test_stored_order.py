from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stepfork.capture.order import Node, arrange, order_calls
from stepfork.trace.body import JsonBody, TextBody
from stepfork.trace.exchange import Exchange, Request, Response
from stepfork.trace.recorded import Recorded
from tests.unit.capture.run_samples import MS, asked, call, key, recorded, result, said, user


def texts(calls: Sequence[Recorded]) -> list[str]:
    """What the exchanges answered, in stored order; the status of those that failed."""
    ordered = order_calls(calls, key)
    return [call.answer.text or str(call.exchange.response.status) for call in ordered.calls]


def talk(name: str, turns: int, start: int, step: int = 10, length: int = 5) -> list[Recorded]:
    """A conversation without any ids that link: each request repeats what was said."""
    messages = [user(f"{name}?")]
    calls = []
    for turn in range(turns):
        answer = said(f"{name}{turn}")
        at = start + step * turn
        calls.append(recorded([*messages], answer, start=at, end=at + length, name=f"chatcmpl-{name}{turn}"))
        messages += [answer, user("Go on.")]
    return calls


def test_a_run_in_which_nothing_overlapped_stands_in_order_of_arrival() -> None:
    calls = [*talk("z", 2, 0), *talk("a", 2, 30), *talk("m", 1, 60)]
    assert texts(calls) == ["z0", "z1", "a0", "a1", "m0"]
    assert texts(calls[::-1]) == ["z0", "z1", "a0", "a1", "m0"]


def test_chains_that_overlapped_are_kept_whole_and_sorted_by_content() -> None:
    calls = [*talk("z", 3, 0), *talk("a", 3, 3)]
    assert texts(calls) == ["a0", "a1", "a2", "z0", "z1", "z2"]
    assert texts([*talk("a", 3, 0), *talk("z", 3, 3)]) == texts(calls)


def test_chains_overlap_even_where_no_two_calls_were_in_flight_at_once() -> None:
    assert texts([*talk("z", 2, 0, step=20), *talk("a", 2, 10, step=20)]) == ["a0", "a1", "z0", "z1"]


def test_one_pair_that_overlapped_puts_all_chains_in_order_of_content() -> None:
    """A pool of workers: whether the last one began before another ended is luck."""
    apart = [*talk("c", 2, 0), *talk("b", 2, 4), *talk("a", 2, 90)]
    close = [*talk("c", 2, 0), *talk("b", 2, 4), *talk("a", 2, 12)]
    assert texts(apart) == texts(close) == ["a0", "a1", "b0", "b1", "c0", "c1"]


def test_equal_requests_are_told_apart_by_their_answers() -> None:
    first, second = [recorded([user("Pick one.")], said(text), start=0, name=f"chatcmpl-{text}") for text in ("x", "b")]
    assert texts([first, second]) == texts([second, first]) == ["b", "x"]


def test_equal_openings_are_gone_on_from_by_their_own_answers() -> None:
    def one(text: str, start: int) -> list[Recorded]:
        opening = [user("Pick one.")]
        return [
            recorded(opening, said(text), start=start, name=f"chatcmpl-{text}0"),
            recorded(
                [*opening, said(text), user("Why?")],
                said(f"{text} is best"),
                start=start + 20,
                name=f"chatcmpl-{text}1",
            ),
        ]

    for a, b in ((0, 3), (3, 0)):
        assert texts([*one("x", a), *one("b", b)]) == ["b", "b is best", "x", "x is best"]


def test_equal_conversations_are_two_chains_not_one_with_branches() -> None:
    once, again = talk("a", 3, 0), talk("a", 3, 4)
    links = order_calls([*once, *again], key).links
    assert links.parents == [None, 0, 1, None, 3, 4]


def test_an_id_that_the_response_only_repeats_links_nothing() -> None:
    """Responses sends the id of a stored prompt back with every answer."""

    def one(text: str, start: int) -> Recorded:
        asked_for = {"model": "m", "prompt": {"id": "pmpt_1"}, "input": text}
        answer = {"id": f"resp_{text}", "status": "completed", "output": [], "prompt": {"id": "pmpt_1"}}
        exchange = Exchange(
            "openai",
            "responses",
            Request("POST", "/responses", "", "application/json", JsonBody(asked_for)),
            Response(200, "application/json", {}, JsonBody(answer)),
        )
        return Recorded(exchange, start * MS, (start + 5) * MS, 0)

    assert order_calls([one("a", 0), one("b", 10)], key).links.parents == [None, None]


def test_attempts_stand_before_the_answer_that_they_led_to() -> None:
    def one(name: str, start: int) -> list[Recorded]:
        question = [user(f"{name}?")]
        return [
            recorded(question, start=start, status=429),
            recorded(question, start=start + 10, status=503),
            recorded(question, said(name), start=start + 20, name=f"chatcmpl-{name}"),
        ]

    assert texts([*one("z", 0), *one("a", 3)]) == ["429", "503", "a", "429", "503", "z"]


def test_the_same_request_asked_twice_on_purpose_is_two_chains() -> None:
    calls = [
        recorded([user("Roll.")], said(f"{n}"), start=10 * i, name=f"chatcmpl-{n}") for i, n in enumerate((6, 1, 4))
    ]
    assert texts(calls) == ["6", "1", "4"]


def test_an_answer_that_was_edited_still_continues_its_conversation() -> None:
    calls = talk("a", 1, 0) + talk("z", 2, 2)
    edited = recorded([user("a?"), said("a0, more or less"), user("Go on.")], said("a1"), start=20, name="chatcmpl-x")
    assert texts([*calls, edited]) == ["a0", "a1", "z0", "z1"]


def delegation(start: int, shift: int) -> list[Recorded]:
    task = "Look up the refund policy of the shop."
    handed = asked(call("research", {"task": task}, "call_1"))
    found = "Refunds are possible within thirty days."
    return [
        recorded([user("Policy?")], handed, start=start, name="chatcmpl-1"),
        recorded([user(task)], said("Looking into the shop's own pages."), start=start + 10, name="chatcmpl-2"),
        recorded(
            [user(task), said("Looking into the shop's own pages."), user("Go on.")],
            said(found),
            start=start + 20,
            name="chatcmpl-3",
        ),
        recorded(
            [user("Policy?"), handed, result("call_1", found)],
            said("Thirty days."),
            start=start + 30 + shift,
            name="chatcmpl-4",
        ),
    ]


def test_a_delegated_conversation_stands_where_it_was_delegated() -> None:
    inside = ["200", "Looking into the shop's own pages.", "Refunds are possible within thirty days.", "Thirty days."]
    assert texts(delegation(0, 0)) == inside
    beside = [*delegation(0, 40), *talk("zz", 2, 5)]
    assert [text for text in texts(beside) if not text.startswith("zz")] == inside


def test_a_summary_waits_for_what_it_summarises() -> None:
    reports = {name: f"The report on {name} is rather long." for name in ("c", "a", "b")}

    def run(starts: Sequence[int]) -> list[Recorded]:
        parts = [
            recorded([user(f"Report on {name}.")], said(text), start=start, end=start + 30, name=f"chatcmpl-{name}")
            for (name, text), start in zip(reports.items(), starts, strict=True)
        ]
        joined = "\n".join(["Summarise:", *reports.values()])
        return [*parts, recorded([user(joined)], said("All is well."), start=60, name="chatcmpl-s")]

    expected = [reports["a"], reports["b"], reports["c"], "All is well."]
    for starts in ((0, 3, 6), (6, 0, 3), (3, 6, 0)):
        assert texts(run(starts)) == expected


def test_the_call_of_a_tools_service_stands_where_its_answer_is_given_to_the_model() -> None:
    weather = '{"city": "Oslo", "degrees": 4, "sky": "clear"}'
    look = call("get_weather", {"city": "Oslo"}, "call_1")
    opening = [user("Weather in Oslo?")]
    service = Exchange("weather", "opaque", Request("GET", "/now"), Response(200, body=TextBody(weather)))
    calls = [
        recorded(opening, asked(look), start=0, name="chatcmpl-a"),
        Recorded(service, 10 * MS, 15 * MS, 0),
        recorded([*opening, asked(look), result("call_1", weather)], said("Clear."), start=20, name="chatcmpl-b"),
    ]
    ordered = order_calls(calls, lambda exchange: b"\xff" if exchange.api == "opaque" else key(exchange))
    assert [each.exchange.api for each in ordered.calls] == ["chat_completions", "opaque", "chat_completions"]


def test_agents_that_answer_one_another_stand_in_the_order_of_their_words() -> None:
    lines = [f"This is the considered opinion number {i}." for i in range(6)]
    sides: tuple[list[Any], list[Any]] = ([], [])
    calls = []
    heard = "Begin the discussion."
    for turn, line in enumerate(lines):
        side = sides[turn % 2]
        side.append(user(heard))
        calls.append(
            recorded(
                [{"role": "system", "content": f"You are {turn % 2}."}, *side],
                said(line),
                start=10 * turn,
                name=f"chatcmpl-{turn}",
            )
        )
        side.append(said(line))
        heard = line
    assert texts(calls) == lines


def test_branches_of_one_conversation_are_sorted_like_chains() -> None:
    opening = [user("Draft?"), said("draft"), user("Now as a poem.")]

    def run(first: int, second: int) -> list[str]:
        poems = [
            recorded([*opening[:2], user(text)], said(text), start=start, end=start + 10, name=f"chatcmpl-{text}")
            for text, start in (("poem", first), ("letter", second))
        ]
        return texts([recorded(opening[:1], said("draft"), start=0, name="chatcmpl-d"), *poems])

    assert run(20, 25) == run(25, 20) == ["draft", "letter", "poem"]
    assert run(20, 40) == ["draft", "poem", "letter"]


def test_ids_link_calls_of_other_apis_too() -> None:
    def one(name: str, start: int) -> list[Recorded]:
        made = Exchange(
            "openai",
            "other",
            Request("POST", "/batches", "", "application/json", JsonBody({"input": name})),
            Response(200, "application/json", {}, JsonBody({"id": f"batch_{name}", "status": "new"})),
        )
        asked_for = Exchange(
            "openai",
            "other",
            Request("POST", "/batches/wait", "", "application/json", JsonBody({"batch": {"id": f"batch_{name}"}})),
            Response(200, "application/json", {}, JsonBody({"status": f"done {name}"})),
        )
        return [
            Recorded(made, start * MS, (start + 5) * MS, 0),
            Recorded(asked_for, (start + 20) * MS, (start + 25) * MS, 0),
        ]

    ordered = order_calls([*one("z", 0), *one("a", 3)], key)
    assert [call.exchange.request.path for call in ordered.calls] == ["/batches", "/batches/wait"] * 2
    assert ordered.links.parents == [None, 0, None, 2]


@pytest.mark.parametrize("length", [5, 50])
def test_calls_that_a_client_makes_aside_stand_first_whether_or_not_they_overlapped_the_run(length: int) -> None:
    system = [{"type": "text", "text": "x-anthropic-billing-header: cc_version=2; cc_entrypoint=sdk-py;"}]
    titled = {"type": "json_schema", "schema": {"type": "object", "properties": {"title": {"type": "string"}}}}
    title = JsonBody({"system": system, "messages": [user("a?")], "output_config": {"format": titled}})
    asides = [
        ("other", Request("HEAD", "/api/hello"), Response(200)),
        (
            "messages",
            Request("POST", "/v1/messages", "", "application/json", title),
            Response(
                200, "application/json", {}, JsonBody({"type": "message", "content": [{"type": "text", "text": "T"}]})
            ),
        ),
    ]
    made = [
        Recorded(Exchange("anthropic", api, asked_for, given), at * MS, (at + length) * MS, 0)
        for at, (api, asked_for, given) in enumerate(asides)
    ]
    ordered = order_calls([*talk("a", 2, 10), *made], key)
    paths = [call.exchange.request.path for call in ordered.calls]
    assert sorted(paths[:2]) == ["/api/hello", "/v1/messages"]
    assert [call.answer.text for call in ordered.calls[2:]] == ["a0", "a1"]
    assert paths == [call.exchange.request.path for call in order_calls([*made[::-1], *talk("a", 2, 60)], key).calls]


@pytest.mark.parametrize("make", [list, lambda: talk("a", 1, 0)])
def test_small_runs(make: Callable[[], list[Recorded]]) -> None:
    assert len(order_calls(make(), key).exchanges) == len(make())


def test_a_long_conversation_and_many_short_ones() -> None:
    assert texts(talk("a", 60, 0)) == [f"a{turn}" for turn in range(60)]
    many = [one for i in range(300) for one in talk(f"{i:03}", 1, i % 7)]
    assert texts(many) == [f"{i:03}0" for i in range(300)]


def test_pools_of_workers_give_one_order_however_the_jobs_fall() -> None:
    """Twelve jobs on three workers, each of a few calls, some with attempts that fail."""

    def run(seed: int) -> list[Recorded]:
        chance = random.Random(seed)
        free = [0.0, 0.0, 0.0]
        calls: list[Recorded] = []
        for job in chance.sample(range(12), 12):
            worker = free.index(min(free))
            at = free[worker]
            messages = [user(f"Job {job // 3}")]
            for turn in range(1 + job % 3):
                at += chance.uniform(0, 4)
                if job == 5 and turn == 1:
                    calls.append(recorded([*messages], start=int(at), status=429))
                    at += 10
                length = chance.randint(2, 20)
                answer = said(f"job {job} turn {turn}")
                calls.append(
                    recorded(
                        [*messages], answer, start=int(at), end=int(at) + length, name=f"chatcmpl-{seed}-{job}-{turn}"
                    )
                )
                at += length
                messages += [answer, user("Go on.")]
            free[worker] = at
        return sorted(calls, key=lambda one: one.arrived_ns)

    assert len({tuple(texts(run(seed))) for seed in range(30)}) == 1


NODES = st.lists(
    st.tuples(
        st.integers(0, 30),
        st.integers(0, 9),
        st.integers(-1, 12),
        st.sets(st.integers(0, 12), max_size=3),
        st.binary(max_size=1),
    ),
    max_size=13,
)


@settings(max_examples=200)
@given(NODES)
def test_any_links_give_an_order_of_all_nodes_parents_first(
    drawn: list[tuple[int, int, int, set[int], bytes]],
) -> None:
    nodes = [
        Node(
            start=start,
            end=start + length,
            parent=parent if 0 <= parent < index else None,
            needs=frozenset(need for need in needs if need < index),
            blind=(content,),
            exact=(content,),
        )
        for index, (start, length, parent, needs, content) in enumerate(drawn)
    ]
    order = arrange(nodes)
    assert sorted(order) == list(range(len(nodes)))
    place = {index: at for at, index in enumerate(order)}
    assert all(node.parent is None or place[node.parent] < place[index] for index, node in enumerate(nodes))
    assert all(place[need] < place[index] for index, node in enumerate(nodes) for need in node.needs)

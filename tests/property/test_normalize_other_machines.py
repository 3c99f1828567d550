"""A run on another machine, on another day, with other ids: the same bytes, whatever the framework."""

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stepfork.normalize.normalize import normalize_run
from tests.unit.normalize.framework_runs import RUNS
from tests.unit.normalize.scripted import World, chat_run, messages_run, responses_run

seeds = st.integers(0, 2**32)
machines = st.fixed_dictionaries(
    {
        "home": st.from_regex(r"/(home|Users|srv/ci)/[a-z]{4,6}[0-9]{2}", fullmatch=True),
        "port": st.integers(1024, 65535),
        "host": st.from_regex(r"[a-z]{4,8}-[0-9]{3}", fullmatch=True),
        "tmp": st.sampled_from(["/tmp", "/var/tmp/agents", "/private/var/folders/x1/y2z3/T"]),
    }
)
ALL = (*RUNS, chat_run, responses_run, messages_run)


@pytest.mark.parametrize("make", ALL, ids=lambda make: make.__name__)
@settings(max_examples=12, deadline=None)
@given(one=seeds, two=seeds, machine=machines)
def test_runs_on_two_machines_are_equal(make, one, two, machine):
    first, second = World(one), World(two, **machine)
    made = [normalize_run(make(world), world.context()) for world in (first, second)]
    assert msgspec.json.encode(made[0]) == msgspec.json.encode(made[1])


@pytest.mark.parametrize("make", RUNS, ids=lambda make: make.__name__)
@settings(max_examples=4, deadline=None)
@given(seed=seeds)
def test_a_normalised_run_stays_as_it_is(make, seed):
    world = World(seed)
    once = normalize_run(make(world), world.context())
    assert normalize_run(once, world.context(), templated=True) == once

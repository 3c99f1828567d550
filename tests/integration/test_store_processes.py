"""Several processes at one store, and processes that are killed."""

from __future__ import annotations

import json
import random
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from stepfork.store.codec import encode_fixture
from stepfork.store.fsck import fsck_store
from stepfork.store.layout import init_store
from stepfork.store.store import Store
from tests.unit.store.sample_runs import conversation, fixture_of

ROOT = Path(__file__).parents[2]

WRITER = """
import sys
from pathlib import Path
from stepfork.errors import BusyError
from stepfork.store.store import Store
from tests.unit.store.sample_runs import conversation, fixture_of
root, number, rounds = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
store = Store(root)
lost = 0
for turn in range(rounds):
    store.write(fixture_of(conversation(3, size=40 + turn), f"own-{number}"))
    store.write(fixture_of(conversation(2, size=40 + number), "shared"))
    assert store.read(f"own-{number}").run.exchanges
    assert store.read("shared").run.exchanges
    try:
        store.write(fixture_of(conversation(1, size=50 + number), f"race-{turn}"), must_not_exist=True)
    except BusyError:
        lost += 1
print(lost)
"""

LOOP = """
import sys
from pathlib import Path
from stepfork.store.store import Store
from tests.unit.store.sample_runs import conversation, fixture_of
store = Store(Path(sys.argv[1]))
print("ready", flush=True)
number = 0
while True:
    number += 1
    store.write(fixture_of(conversation(12, size=40 + number % 50), "killed"))
"""


@pytest.fixture
def store(tmp_path: Path) -> Store:
    init_store(tmp_path)
    return Store(tmp_path / ".stepfork")


def start(program: str, *words: object) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", program, *map(str, words)]
    return subprocess.Popen(
        command, cwd=ROOT, env={"PYTHONPATH": f"{ROOT}/src", "PATH": ""}, stdout=subprocess.PIPE, text=True
    )


def test_eight_writers_at_once_lose_nothing(store: Store) -> None:
    processes = [start(WRITER, store.root, number, 4) for number in range(8)]
    lost = [int(process.communicate()[0]) for process in processes]
    assert [process.returncode for process in processes] == [0] * 8
    assert sum(lost) == 4 * 7  # each race has one winner, and every loser is told
    assert store.names() == sorted([*(f"own-{n}" for n in range(8)), *(f"race-{n}" for n in range(4)), "shared"])
    for number in range(8):
        assert store.read(f"own-{number}") == fixture_of(conversation(3, size=43), f"own-{number}")
    assert fsck_store(store).findings == ()
    reached = {name for fixture in store.names() for name in json.loads(store.manifest(fixture))["objects"]}
    assert set(store.objects.names()) == reached
    assert not list(store.root.rglob("*.tmp"))


def test_a_killed_writer_leaves_the_old_fixture_or_the_new_one(store: Store) -> None:
    store.write(fixture_of(conversation(12, size=40), "killed"))
    good = [fixture_of(conversation(12, size=40 + number), "killed") for number in range(50)]
    chance = random.Random(1042)
    for _ in range(25):
        with start(LOOP, store.root) as process:
            assert process.stdout is not None
            process.stdout.readline()
            try:
                process.wait(chance.uniform(0, 0.05))
            except subprocess.TimeoutExpired:
                process.send_signal(signal.SIGKILL)
        assert store.read("killed") in good
        assert fsck_store(store).findings == ()
    store.write(good[7])
    assert set(store.objects.names()) == encode_fixture(good[7]).objects.keys()
    assert not list(store.root.rglob("*.tmp"))

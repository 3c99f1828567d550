"""A recording made over real HTTP, and a listener that answers from it."""

from __future__ import annotations

import contextlib
import http.client
import time
from collections.abc import Callable, Iterator, Sequence

import msgspec

from stepfork.listener.server import Listener
from stepfork.normalize.known import Context
from stepfork.normalize.normalize import normalize_run
from stepfork.normalize.request_key import NO_RULES, KeyRules
from stepfork.redact.redactor import redact_run
from stepfork.redact.secrets import Secrets
from stepfork.replay.forwarder import ReplayForwarder
from stepfork.replay.player import Player
from stepfork.trace.exchange import Exchange
from stepfork.trace.fixture import Fixture, Run, Source
from stepfork.trace.step import Trace
from tests.integration.wire import Script, listening, model_server


def here(listener: Listener | None = None) -> Context:
    """The context of a run that is now."""
    now = time.time_ns()
    context = Context(now - 10**9, now + 10**9, cwd="/srv/agents/shop", home="/home/mkowalski", user="mkowalski")
    if listener is None:
        return context
    return msgspec.structs.replace(context, listener=listener.address, token=listener.token)


def recorded(program: Callable[[str], object], script: Script) -> Fixture:
    """The fixture of a program that is given the listener's base URL, against a model that answers as `script`."""
    with model_server(script) as model, listening(model.url) as listener:
        program(listener.base_url)
    heard = listener.heard()
    assert heard.problems == ()
    return fixture_of([seen.exchange for seen in heard.exchanges], here(listener))


def fixture_of(exchanges: Sequence[Exchange], context: Context) -> Fixture:
    run = Run(Source("command", True, ("python", "agent.py")), Trace("exchanges", ()), tuple(exchanges))
    return Fixture("case", normalize_run(redact_run(run, Secrets({}))[0], context))


def send(
    base: str, body: bytes = b"", *, method: str = "POST", path: str = "/openai/v1/chat/completions", **headers: str
) -> tuple[int, dict[str, str], bytes]:
    """One call on a connection of its own: status, headers (lower case), body."""
    address, _, token = base.removeprefix("http://").partition("/")
    connection = http.client.HTTPConnection(address, timeout=20)
    try:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        connection.request(method, f"/{token}{path}", body or None, {"Content-Type": "application/json", **named})
        response = connection.getresponse()
        return response.status, {name.lower(): value for name, value in response.getheaders()}, response.read()
    finally:
        connection.close()


@contextlib.contextmanager
def replaying(
    fixture: Fixture, rules: KeyRules = NO_RULES, *, problems: tuple[str, ...] = ()
) -> Iterator[tuple[str, Player]]:
    """The base URL of a listener that answers from a fixture, and its player."""
    player = Player(fixture, context=here(), secrets=Secrets({}), rules=rules)
    with Listener(ReplayForwarder(player)) as listener:
        player.listens_at(listener.address, listener.token)
        yield listener.base_url, player
    found = tuple(problem.kind for problem in listener.heard().problems)
    assert found == problems, found

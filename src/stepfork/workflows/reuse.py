"""capture --refresh --reuse: the old recording answers as far as it goes."""

from __future__ import annotations

from stepfork.listener.forwarding import Forwarder
from stepfork.normalize.known import Context
from stepfork.normalize.request_key import KeyRules
from stepfork.redact.secrets import Secrets
from stepfork.replay.player import Player
from stepfork.replay.reuse import ReuseForwarder
from stepfork.trace.fixture import Fixture


class Reuse:
    """A fixture that answers the calls of a new run until the first one that it does not hold (see
    `stepfork.capture.record.Before`). `context` and `secrets` are those of the new run."""

    def __init__(self, fixture: Fixture, *, context: Context, secrets: Secrets, rules: KeyRules) -> None:
        self._player = Player(fixture, context=context, secrets=secrets, rules=rules)
        self._forwarder: ReuseForwarder | None = None

    @property
    def reused(self) -> int:
        """How many calls the recording answered."""
        return self._forwarder.reused if self._forwarder is not None else 0

    def listens_at(self, base_url: str) -> None:
        """The new run finds its listener there, and answers name it so."""
        address, _, token = base_url.removeprefix("http://").partition("/")
        self._player.listens_at(address, token)

    def forwarder(self, live: Forwarder) -> Forwarder:
        """The recording first, then `live`."""
        self._forwarder = ReuseForwarder(self._player, live)
        return self._forwarder

"""A recording as far as it goes, the network after that."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import msgspec

from stepfork.listener.forwarding import Answer, Call, Forwarder
from stepfork.replay.forwarder import RecordedAnswer
from stepfork.replay.incoming import request_of, whole_body
from stepfork.replay.player import Player
from stepfork.replay.report import Miss


class ReuseForwarder:
    """Answers from a recording until a call misses; that one and all later ones go live. ``reused`` counts the calls
    that were answered from the recording."""

    def __init__(self, player: Player, live: Forwarder) -> None:
        self._player = player
        self._live = live
        self._is_live = False
        self._calls = 0
        self.reused = 0

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[None]:
        """What live calls need."""
        async with self._live.opened():
            yield

    @asynccontextmanager
    async def send(self, call: Call) -> AsyncIterator[Answer]:
        """The recorded answer, or a live one."""
        if not self._is_live:
            body = await whole_body(call)
            call = msgspec.structs.replace(call, body=body, length=len(body))
        if not self._is_live:
            number = self._calls
            self._calls += 1
            found = self._player.answer(call.provider, call.api, request_of(call, body), call=number)
            if not isinstance(found, Miss):
                self.reused += 1
                yield RecordedAnswer(found, call.method)
                return
            self._is_live = True
        async with self._live.send(call) as answer:
            yield answer

"""What a replay did not ask for."""

from __future__ import annotations

from collections.abc import Iterator

from stepfork.normalize.optional import is_optional
from stepfork.providers.apis import label
from stepfork.providers.lines import clean_line
from stepfork.providers.summary import says
from stepfork.replay.recorded import Recorded
from stepfork.replay.report import Unused


def unused_of(recorded: Recorded) -> Iterator[Unused]:
    """The exchanges that answered nothing, in stored order."""
    for index, exchange in enumerate(recorded.exchanges):
        if not recorded.used[index]:
            count = len(recorded.readings[index].form.messages)
            told = clean_line(" ".join(says(exchange, count - 1)))
            yield Unused(index, label(exchange), told, is_optional(exchange))

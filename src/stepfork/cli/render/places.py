"""Where something stands in a run, said for people."""

from __future__ import annotations

import re

_EXCHANGE = re.compile(
    r"/exchanges/([0-9]+)/(request|response)(?:/body|/headers/([^/ ]+)|/(path|query|content_type))?(?=[/ ]|$)"
)
_COMMAND = re.compile(r"/source/command/([0-9]+)")


def place_words(path: str) -> str:
    """A path into a run (`/exchanges/2/response/body/id`) as people say it (`exchange 2 response /id`)."""
    found = _EXCHANGE.match(path)
    if found:
        index, side, header, line = found.groups()
        rest = path[found.end() :]
        what = f" header {header}" if header else f" {line.replace('_', ' ')}" if line else ""
        return f"exchange {index} {side}{what}{'' if rest[:1] in ('', ' ') else ' '}{rest}"
    found = _COMMAND.match(path)
    if found:
        return f"command, argument {found[1]}{path[found.end() :]}"
    return f"trace {path.removeprefix('/trace')}" if path.startswith("/trace/") else path

"""The scripted model of `examples/refund_agent`, with what Claude Code asks for besides.

Claude Code knocks (HEAD), counts tokens, has a title made for the session, and loads the tools of MCP servers only when
the model looks for them with its own tool `ToolSearch`.
"""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar

EXAMPLE = Path(__file__).parents[2] / "examples" / "refund_agent"
sys.path.insert(0, str(EXAMPLE))

import model_server as example  # noqa: E402
from model import messages  # noqa: E402
from model.script import Said, bare, tokens  # noqa: E402

WANTED = "lookup_order"


def answer(request: dict[str, Any]) -> dict[str, Any] | Iterator[str]:
    """The script's turn, or what Claude Code's own requests want."""
    offered = [tool["name"] for tool in request.get("tools") or []]
    said = messages.heard(request)
    if not offered:
        said = Said(json.dumps({"title": "Refund an order"}), [])
    elif WANTED not in map(bare, offered) and "ToolSearch" in offered:
        said = Said("", [("ToolSearch", {"query": "lookup_order issue_refund notify_customer", "max_results": 5})])
    return messages.spell(request, said)


class Handler(example.Handler):
    """Answers HEAD and token counts too."""

    answers: ClassVar[dict[str, Any]] = {
        **example.ANSWERS,
        "/messages": answer,
        "/messages/count_tokens": lambda request: {"id": "", "input_tokens": tokens(request)},
    }

    def do_HEAD(self) -> None:  # noqa: N802 (the base class's name)
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()


@contextmanager
def served() -> Iterator[str]:
    """The address of a running server: ``http://127.0.0.1:PORT``."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()

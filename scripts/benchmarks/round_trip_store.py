"""The product's half of round_trip.py: a run a line in, the same run as a store gives it back out.

Exchanges go through reading a body, encoding, a store on disk, decoding and writing a body; an empty `api` is looked
up. Bodies are base64.
"""

from __future__ import annotations

import base64
import json
import sys
import tempfile
from pathlib import Path
from typing import Any

from stepfork.providers.apis import api_of
from stepfork.store.layout import init_store
from stepfork.store.store import Store
from stepfork.trace.exchange import Exchange, Request, Response
from stepfork.trace.fixture import Fixture, Run, Source
from stepfork.trace.step import Trace
from stepfork.trace.wire import body_bytes, read_body


def main() -> None:
    with tempfile.TemporaryDirectory() as scratch:
        init_store(Path(scratch))
        store = Store(Path(scratch) / ".stepfork")
        for number, line in enumerate(sys.stdin):
            sent = json.loads(line)
            run = Run(Source("command", True), Trace("exchanges", ()), tuple(map(_exchange, sent)))
            store.write(Fixture(f"run-{number}", run))
            back = store.read(f"run-{number}").run.exchanges
            rows = [_row(exchange, one["api"]) for exchange, one in zip(back, sent, strict=True)]
            print(json.dumps(rows), flush=True)


def _exchange(sent: dict[str, Any]) -> Exchange:
    asked, answered = (base64.b64decode(sent[side]) for side in ("request", "response"))
    api = sent["api"] or api_of(sent["provider"], sent["method"], sent["path"])
    request = Request(
        sent["method"], sent["path"], sent["query"], sent["request_type"], read_body(asked, sent["request_type"])
    )
    body = read_body(answered, sent["response_type"], streamed=sent["streamed"])
    return Exchange(sent["provider"], api, request, Response(sent["status"], sent["response_type"], {}, body))


def _row(exchange: Exchange, api: str) -> dict[str, Any]:
    request, response = exchange.request, exchange.response
    return {
        "provider": exchange.provider,
        "api": api and exchange.api,
        "method": request.method,
        "path": request.path,
        "query": request.query,
        "status": response.status,
        "request_type": request.content_type,
        "response_type": response.content_type,
        "request": base64.b64encode(body_bytes(request.body)).decode(),
        "response": base64.b64encode(body_bytes(response.body)).decode(),
    }


if __name__ == "__main__":
    main()

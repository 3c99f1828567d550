"""A replay opens no connection but to its own listener, whatever the environment holds."""

from __future__ import annotations

import socketserver
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from tests.integration.stand import Stand

REAL = {
    "OPENAI_API_KEY": "sk-proj-" + "4fT0aKq93LmZx81VbN7cQ2wE",
    "ANTHROPIC_API_KEY": "sk-ant-api" + "03-9dLwQ2mN8rTz61XcVb04kYpH",
    "ANTHROPIC_AUTH_TOKEN": "sk-ant-oat" + "01-7hJkP3sD9fGq82ZxCv15nMbL",
    "GEMINI_API_KEY": "AIza" + "SyD3kF9qL1mN7pR5tV8wX2zB4cE6gH0jK",
}

AGENT = """
print({name: os.environ.get(name, "").startswith(("sk-", "AIza")) for name in sys.argv[2:]})
def shown(answer):
    return json.loads(answer).get("error", {}).get("type", "answered")
print(shown(ask("hello")), shown(ask(sys.argv[1])))
said = [{"role": "user", "content": sys.argv[1]}]
print(shown(call({"model": "m", "max_tokens": 9, "messages": said}, "/v1/messages")))
"""


@pytest.fixture
def trap() -> Iterator[tuple[str, list[Any]]]:
    """The address of a server that nothing may reach, and who did."""
    came: list[Any] = []

    class Handler(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            came.append(self.client_address)

    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}", came
        server.shutdown()
        thread.join()


@pytest.mark.parametrize("options", [(), ("--block-egress",)], ids=["", "egress blocked"])
def test_c092_a_miss_is_the_result_and_nothing_goes_out(
    stand: Stand, trap: tuple[str, list[Any]], monkeypatch: pytest.MonkeyPatch, options: tuple[str, ...]
) -> None:
    """Base URLs, proxies and a collector that lead elsewhere, keys that look real: one request hits, two miss."""
    stand.agent(AGENT)
    stand.stepfork("capture", "--name", "case", "--", "python", "agent.py", "world", code=1)  # no answer of Anthropic's
    asked = len(stand.model.asked)
    url, came = trap
    for name, value in REAL.items():
        monkeypatch.setenv(name, value)
    for name in ("OPENAI_BASE_URL", "ANTHROPIC_BASE_URL", "OTEL_EXPORTER_OTLP_ENDPOINT"):
        monkeypatch.setenv(name, url)
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.setenv(name, url)
    monkeypatch.delenv("NO_PROXY", raising=False)
    said = stand.stepfork("replay", "case", "--no-live", *options, "--", "python", "agent.py", "moon", *REAL, code=1)
    keys, *turns = said.out.splitlines()
    assert keys == str(dict.fromkeys(REAL, False))
    assert turns == ["answered stepfork_replay_miss", "stepfork_replay_miss"]
    assert "case: miss at model call 2 of 3 " in said.err
    assert "also missed        model call 3 of 3: message 0 (user)" in said.err
    assert came == []
    assert len(stand.model.asked) == asked
    assert not any(value in said.out + said.err for value in REAL.values())

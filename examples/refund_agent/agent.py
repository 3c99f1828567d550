"""A refund agent: looks an order up, refunds it, tells the customer, answers.

    python agent.py [--api chat|responses|messages] [--stream] ["Please refund order O-1042."]

It reads OPENAI_BASE_URL or ANTHROPIC_BASE_URL as the SDKs do, and its system prompt from prompt.md.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from apis import APIS, Conversation
from spans import agent_span, model_span, provider, say_turn, tool_span
from tools import FUNCTIONS

HERE = Path(__file__).parent


def run(conversation: Conversation) -> str:
    """Let the model call tools until it answers."""
    with agent_span("refund_agent"):
        while True:
            with model_span(conversation.system, conversation.model) as span:
                turn = conversation.ask()
                say_turn(span, turn)
            if not turn.calls:
                return turn.text
            conversation.give([(key, call_tool(key, name, arguments)) for key, name, arguments in turn.calls])


def call_tool(call_id: str, name: str, arguments: str) -> str:
    """The result of one tool call, as JSON text."""
    with tool_span(call_id, name, arguments) as span:
        result = json.dumps(FUNCTIONS[name](**json.loads(arguments)))
        span.set_attribute("gen_ai.tool.call.result", result)
    return result


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("task", nargs="?", default="Please refund order O-1042.")
    parser.add_argument("--api", choices=APIS, default="chat")
    parser.add_argument("--stream", action="store_true")
    parser.add_argument("--prompt", type=Path, default=HERE / "prompt.md")
    options = parser.parse_args()
    prompt = options.prompt.read_text(encoding="utf-8")
    print(run(APIS[options.api](prompt, options.task, stream=options.stream)))
    provider.shutdown()


if __name__ == "__main__":
    main()

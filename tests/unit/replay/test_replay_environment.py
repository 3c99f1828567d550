"""What a replayed program finds in its environment."""

from __future__ import annotations

import os

from stepfork.listener.routes import BUILT_IN, Route
from stepfork.redact.redactor import redact_text
from stepfork.redact.secrets import Secrets
from stepfork.replay.environment import GUARD, replay_environment
from stepfork.replay.keys import PLACEHOLDER_KEY, PROVIDER_KEYS

URL = "http://127.0.0.1:4321/token"
REAL = "sk-" + "real-looking-1234567890"


def test_an_sdk_finds_a_key_where_the_parent_has_none() -> None:
    child = replay_environment({}, URL)
    assert child["OPENAI_API_KEY"] == child["ANTHROPIC_API_KEY"] == PLACEHOLDER_KEY
    assert child["OPENAI_BASE_URL"] == f"{URL}/openai/v1"


def test_no_key_of_any_model_provider_goes_on() -> None:
    every = {name: REAL for names in PROVIDER_KEYS.values() for name in names}
    child = replay_environment({**every, "OPENAI_WEBHOOK_SECRET": REAL, "STRIPE_KEY": "the shop's own"}, URL)
    assert REAL not in child.values()
    assert {name for name in every if name in child} == {
        "ANTHROPIC_API_KEY",
        "ANTHROPIC_AUTH_TOKEN",
        "ANTHROPIC_FOUNDRY_API_KEY",
        "CLAUDE_CODE_OAUTH_TOKEN",
        "OPENAI_API_KEY",
        "OPENAI_ADMIN_KEY",
    }
    assert child["STRIPE_KEY"] == "the shop's own"


def test_a_dotenv_file_brings_no_key_back() -> None:
    dotenv = {"OPENAI_API_KEY": REAL, "ANTHROPIC_AUTH_TOKEN": REAL, "GEMINI_API_KEY": REAL, "SHOP_KEY": "tools need it"}
    child = replay_environment({"MISTRAL_API_KEY": REAL}, URL, dotenv=dotenv)
    assert child["OPENAI_API_KEY"] == child["ANTHROPIC_AUTH_TOKEN"] == PLACEHOLDER_KEY
    assert child["GEMINI_API_KEY"] == ""
    assert "MISTRAL_API_KEY" not in child
    assert "SHOP_KEY" not in child


def test_a_route_of_the_project_gets_a_placeholder_for_its_provider() -> None:
    routes = (
        *BUILT_IN,
        Route.custom("azure", "AZURE_OPENAI_ENDPOINT", "openai"),
        Route.custom("gemini", "GOOGLE_GEMINI_BASE_URL", "opaque"),
        Route.custom("shop", "SHOP_API_URL", "opaque"),
    )
    parent = {"GEMINI_API_KEY": REAL, "AZURE_OPENAI_AD_TOKEN": REAL, "SHOP_PASSWORD": REAL, "GROQ_API_KEY": REAL}
    child = replay_environment(parent, URL, routes)
    names = ("GEMINI_API_KEY", "AZURE_OPENAI_AD_TOKEN", "AZURE_OPENAI_API_KEY", "SHOP_PASSWORD", "SHOP_API_KEY")
    assert {child[name] for name in names} == {PLACEHOLDER_KEY}
    assert "GROQ_API_KEY" not in child


def test_the_placeholder_is_redacted_where_a_program_shows_it() -> None:
    secrets = Secrets.collect(replay_environment({}, URL), {})
    assert (
        redact_text(f"the key is {PLACEHOLDER_KEY}, a placeholder", secrets) == "the key is [redacted], a placeholder"
    )


def test_blocking_egress_keeps_what_the_parent_had() -> None:
    parent = {"PYTHONPATH": "lib", "NODE_OPTIONS": "--no-warnings", "NO_PROXY": "*", "https_proxy": "http://proxy:3128"}
    child = replay_environment(parent, URL, block_egress=True)
    assert child["PYTHONPATH"].split(os.pathsep) == [str(GUARD), "lib"]
    assert child["NODE_OPTIONS"].startswith("--no-warnings --require ")
    assert child["HTTPS_PROXY"] == child["https_proxy"] == child["ALL_PROXY"] == "http://127.0.0.1:4321"
    assert child["NO_PROXY"] == child["no_proxy"] == "127.0.0.1,localhost,::1"
    alone = replay_environment({}, URL, block_egress=True)
    assert alone["PYTHONPATH"] == str(GUARD)  # an empty entry would be the working directory


def test_without_it_the_parents_proxies_stay_for_tools() -> None:
    child = replay_environment({"HTTPS_PROXY": "http://proxy:3128"}, URL)
    assert child["HTTPS_PROXY"] == "http://proxy:3128"
    assert "127.0.0.1" in child["NO_PROXY"]
    assert "PYTHONPATH" not in child

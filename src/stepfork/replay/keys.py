"""Keys of model providers in the environment of a replayed program, as data and one rule.

A provider whose calls the listener answers needs a key that opens nothing, since SDKs refuse to start without one. The
key of any other provider has no business in a replay: a call to it would go live. ``docs/reference/replay.md`` lists
both.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from stepfork.redact.names import is_secret_variable, qualified

PLACEHOLDER_KEY = "stepfork-replay-" + "7c1e94b0d2a8-no-key"
"""Stands where a key stood. It is nobody's, no word of it alone is looked for, and the whole never stands in a prompt:
it is redacted there as the real key was in the recording."""

PROVIDER_KEYS: dict[str, tuple[str, ...]] = {
    "AI21": ("AI21_API_KEY",),
    "AI_GATEWAY": ("AI_GATEWAY_API_KEY",),
    "ANTHROPIC": ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN"),
    "AZURE": (
        "AZURE_OPENAI_API_KEY", "AZURE_OPENAI_KEY", "AZURE_OPENAI_AD_TOKEN", "AZURE_API_KEY", "AZURE_AI_API_KEY",
        "AZURE_INFERENCE_CREDENTIAL", "AZURE_INFERENCE_KEY", "ANTHROPIC_FOUNDRY_API_KEY",
    ),
    "BEDROCK": ("AWS_BEARER_TOKEN_BEDROCK",),
    "CEREBRAS": ("CEREBRAS_API_KEY",),
    "COHERE": ("COHERE_API_KEY", "CO_API_KEY"),
    "DASHSCOPE": ("DASHSCOPE_API_KEY", "QWEN_API_KEY"),
    "DEEPINFRA": ("DEEPINFRA_API_KEY", "DEEPINFRA_API_TOKEN"),
    "DEEPSEEK": ("DEEPSEEK_API_KEY",),
    "FIREWORKS": ("FIREWORKS_API_KEY", "FIREWORKS_AI_API_KEY"),
    "GEMINI": ("GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_GENAI_API_KEY", "GOOGLE_GENERATIVE_AI_API_KEY"),
    "GITHUB_MODELS": ("GITHUB_MODELS_TOKEN", "GITHUB_MODELS_API_KEY"),
    "GROQ": ("GROQ_API_KEY",),
    "HF": ("HF_TOKEN", "HUGGINGFACE_API_KEY", "HUGGINGFACEHUB_API_TOKEN", "HUGGING_FACE_HUB_TOKEN"),
    "HYPERBOLIC": ("HYPERBOLIC_API_KEY",),
    "LITELLM": ("LITELLM_API_KEY", "LITELLM_MASTER_KEY"),
    "MISTRAL": ("MISTRAL_API_KEY", "CODESTRAL_API_KEY"),
    "MOONSHOT": ("MOONSHOT_API_KEY", "KIMI_API_KEY"),
    "NVIDIA": ("NVIDIA_API_KEY", "NGC_API_KEY"),
    "OPENAI": ("OPENAI_API_KEY", "OPENAI_ADMIN_KEY"),
    "OPENROUTER": ("OPENROUTER_API_KEY",),
    "PERPLEXITY": ("PERPLEXITY_API_KEY", "PPLX_API_KEY", "PERPLEXITYAI_API_KEY"),
    "REPLICATE": ("REPLICATE_API_TOKEN", "REPLICATE_API_KEY"),
    "SAMBANOVA": ("SAMBANOVA_API_KEY",),
    "TOGETHER": ("TOGETHER_API_KEY", "TOGETHERAI_API_KEY", "TOGETHER_AI_API_KEY"),
    "VOYAGE": ("VOYAGE_API_KEY",),
    "WATSONX": ("WATSONX_API_KEY", "WATSONX_APIKEY", "WATSONX_TOKEN"),
    "XAI": ("XAI_API_KEY", "GROK_API_KEY"),
    "ZAI": ("ZAI_API_KEY", "ZHIPUAI_API_KEY", "BIGMODEL_API_KEY"),
}  # fmt: skip
"""Variables that hold a model provider's key, below a word that stands in the variable of the provider's address
(``GOOGLE_GEMINI_BASE_URL``). Keys of a whole cloud (``AWS_SECRET_ACCESS_KEY``) are not among them: tools need those."""

_ENDINGS = (
    "_API_BASE_URL", "_BASE_URL", "_ENDPOINT_URL", "_API_ENDPOINT", "_API_BASE", "_API_URL", "_API_HOST", "_ENDPOINT",
    "_ADDRESS", "_BASE", "_HOST", "_URL", "_URI",
)  # fmt: skip
_ALL = frozenset(name for names in PROVIDER_KEYS.values() for name in names)


def placeholder_keys(names: Collection[str], variables: Iterable[str]) -> frozenset[str]:
    """The variables that get the placeholder: of each route that is served, all keys among `names`, and the one that
    its SDK most likely asks for.

    `names` are the variables that there are; `variables` those that lead to the routes (``OPENAI_BASE_URL``). A key is
    a route's where it begins as the route's variable does (``OPENAI_``), or is listed for a provider whose word
    stands in that variable.
    """
    found: set[str] = set()
    for variable in variables:
        stem = _stem(variable)
        listed = [name for word, keys in PROVIDER_KEYS.items() if f"_{word}_" in f"_{stem}_" for name in keys]
        found.update(name for name in names if name in listed or (_begins(name, stem) and _is_key(name)))
        if stem:
            found.add(f"{stem}_API_KEY")
    return frozenset(found)


def foreign_keys(names: Iterable[str], served: Collection[str]) -> frozenset[str]:
    """The listed keys among `names` that are of no route that is served."""
    return frozenset(name for name in names if name in _ALL and name not in served)


def _stem(variable: str) -> str:
    ending = next((ending for ending in _ENDINGS if variable.endswith(ending)), "")
    return variable.removesuffix(ending)


def _is_key(name: str) -> bool:
    return is_secret_variable(name) or qualified(name) is not None


def _begins(name: str, stem: str) -> bool:
    return bool(stem) and name.startswith(f"{stem}_")

"""Names that introduce a secret: members, headers, parameters, variables, flags.

A name is read as its words (``x-api-key``, ``OPENAI_API_KEY`` and ``SecretAccessKey`` alike), and what counts is its
last word together with the one before. `strength` says how much a value must show to be taken for a secret.
"""

from __future__ import annotations

from stepfork.redact.pattern import pattern

OWN = "own"
"""A name that a project calls secret: the value is one whatever it looks like, unless it is a template."""
PASSWORD = "password"  # noqa: S105 (a kind of name)
"""The value is a secret whatever it looks like, unless it is an ordinary word."""
STRONG = "strong"
"""The value is a secret when it has letters and digits, eight characters or more."""
WEAK = "weak"
"""The value is a secret when it also looks random and has sixteen characters or more."""


def _set(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


_PASSWORDS = _set("password passwd passphrase passcode userpassword")
_ONE_WORD = _set(
    "apikey accesskey secretkey authtoken accesstoken clientsecret apitoken apisecret privatekey "
    "subscriptionkey secretaccesskey sessiontoken authkey"
)
_KEYS = _set(
    "api access secret private subscription account auth authorization signing signature encryption "
    "master admin shared service consumer webhook deploy integration ingest ingestion bot team functions "
    "host storage license rest live production prod server app application project "
    "management write read sdk"
)
"""Words that make ``… key`` a secret; ``cache key``, ``public key`` and ``idempotency key`` are none."""
_WEAK_KEYS = _set("host storage license app application project read write team sdk")
_TOKENS = _set(
    "access auth api bearer refresh session security id bot user personal oauth oauth2 deploy admin "
    "service pat secret jwt csrf xsrf identity client app application integration webhook verification "
    "reset invite registration device push signing write read sas private login"
)
_SERVICES = _set(
    "openai anthropic claude azure mistral cohere groq gemini google vertex aws bedrock github gh gitlab "
    "slack discord telegram twilio sendgrid mailgun mailchimp stripe paypal square shopify heroku "
    "cloudflare cf vercel netlify render fly digitalocean do linode hf huggingface replicate together "
    "fireworks deepseek perplexity openrouter xai nvidia elevenlabs deepgram assemblyai cartesia voyage "
    "jina pinecone weaviate qdrant chroma milvus zilliz tavily serper serpapi exa brave firecrawl "
    "browserbase langfuse langsmith langchain wandb comet neptune helicone arize braintrust datadog dd "
    "newrelic sentry grafana honeycomb posthog segment amplitude mixpanel algolia notion linear jira "
    "atlassian asana airtable trello figma zendesk hubspot intercom salesforce dropbox npm pypi docker "
    "sonar snyk codecov circleci buildkite supabase neon planetscale mongo mongodb redis postgres mysql "
    "db database smtp vault doppler okta auth0 clerk plaid finnhub polygon alphavantage newsapi "
    "openweather openweathermap weather maps mapbox tmdb nasa fred eia ncbi"
)
_NO_TOKENS = _set(
    "next page prev previous continuation continue max min eos bos pad unk sep mask cls stop sync delta "
    "start end first last prompt completion total input output cached cache reasoning special image "
    "audio thinking budget cursor pagination token generated new num count"
)


def words(name: str) -> list[str]:
    """The words of a name in lower case: ``ocp-apim-SubscriptionKey`` is ocp, apim, subscription, key."""
    found: list[str] = []
    start, before = 0, ""
    for index, char in enumerate(name + " "):
        kind = _kind(char)
        if kind != before:
            if before == "upper" and kind == "lower":  # the last capital begins the next word: APIKey is API, Key
                if index - 1 > start:
                    found.append(name[start : index - 1].lower())
                start = index - 1
            else:
                if before:
                    found.append(name[start:index].lower())
                start = index
            before = kind
    return found


def _kind(char: str) -> str:
    if not char.isascii() or not char.isalnum():
        return ""
    return "digit" if char.isdigit() else "upper" if char.isupper() else "lower"


def strength(name: str) -> str | None:
    """`PASSWORD`, `STRONG` or `WEAK` for a name that introduces a secret, None for any other."""
    if len(name) > 100:
        return None
    if name not in _seen:
        if len(_seen) > 10_000:
            _seen.clear()
        _seen[name] = _strength(words(name))
    return _seen[name]


_seen: dict[str, str | None] = {}
"""The same few names stand in every event of every stream."""


def _strength(parts: list[str]) -> str | None:
    while len(parts) > 1 and parts[-1].isdigit():
        parts.pop()
    if not parts:
        return None
    last, before = parts[-1], parts[-2] if len(parts) > 1 else ""
    if last in _PASSWORDS or (last in ("pass", "pwd", "pw") and before and before not in ("old", "bypass")):
        return PASSWORD
    if last in _ONE_WORD or last in ("authorization", "secret", "secrets"):
        return STRONG
    if last in ("key", "keys"):
        return _key_strength(before)
    if last in ("token", "tokens"):
        return _token_strength(before, plural=last == "tokens")
    return WEAK if last in ("credential", "credentials", "auth", "dsn", "pwd", "pat", "jwt") else None


def _key_strength(before: str) -> str | None:
    if before in _WEAK_KEYS:
        return WEAK
    return STRONG if before in _KEYS or before in _SERVICES else None


def _token_strength(before: str, *, plural: bool) -> str | None:
    if before in _TOKENS or before in _SERVICES:
        return STRONG
    return None if plural or before in _NO_TOKENS else WEAK


_ENVIRONMENT = tuple(
    "KEY TOKEN SECRET PASSWORD _PASS _PWD PASSWD CREDENTIALS CREDENTIAL DSN AUTH".split()  # noqa: SIM905
)
_PATHS = frozenset(("PWD", "OLDPWD"))


def is_secret_variable(name: str) -> bool:
    """Whether an environment variable of this name holds a secret (its last word says so, and it is no path)."""
    upper = name.upper()
    return upper.endswith(_ENVIRONMENT) and upper not in _PATHS and not upper.endswith("_ASKPASS")


_ABOUT = _set(
    "algorithm audience class command count dir directory domain endpoint env expires expiry file filename folder "
    "format header help host id ids issuer length limit manager max min mode name path policy prefix provider realm "
    "region scope scopes size sock socket store tenant timeout ttl type uri url version"
)
"""Words after which a variable tells something about a secret, or where it is, and does not hold it."""


def qualified(name: str) -> str | None:
    """The strength of what a variable's name begins with, where words follow that say whose secret it is or which:
    ``AWS_BEARER_TOKEN_BEDROCK``, ``OPENAI_API_KEY_PROD``. None for ``…_TOKEN_URL`` and for a name of another kind."""
    parts = words(name)
    for end in range(len(parts) - 1, 0, -1):
        kind = _strength(parts[:end])
        if kind is not None:
            return None if _ABOUT.intersection(parts[end:]) else kind
    return None


_PARAMETERS = _set("key apikey token accesstoken accesskey subscriptionkey clientsecret sig signature secret password")


def is_secret_parameter(name: str) -> bool:
    """Whether a query parameter of this name holds a secret, whatever its value looks like."""
    joined = "".join(words(name))
    return joined in _PARAMETERS or joined.endswith(("apikey", "subscriptionkey", "amzsignature", "googsignature"))


_introducing: dict[str, bool] = {}


def introduces(name: str) -> bool:
    """Whether a name introduces a secret anywhere: as a name of a strength, or as a query parameter."""
    known = _introducing.get(name)
    if known is None:
        if len(_introducing) > 10_000:
            _introducing.clear()
        known = _introducing[name] = strength(name) is not None or is_secret_parameter(name)
    return known


_FLAG = ("key", "token", "secret", "password", "passwd", "pass", "auth", "credential")
_NO_FLAG = pattern(
    r"author|keyboard|keyword|keymap|keyframe|monkey|tokeniz|passthrough|pass-through|compass|bypass"
    r"|(?:max|min|num|total|input|output|completion|prompt|budget)[-_a-z]*tokens?\Z|tokens\Z|(?:^|-)no-"
)


def is_secret_flag(flag: str) -> bool:
    """Whether a command-line flag (its dashes aside) takes a secret; flags of one letter never do."""
    name = flag.lstrip("-").lower()
    return len(name) > 1 and any(word in name for word in _FLAG) and not _NO_FLAG.search(name)

"""The words that names of secrets are made of, and those that tell that a name is of something else."""

from __future__ import annotations


def _set(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


def _listed(listed: str) -> tuple[str, ...]:
    return tuple(listed.split())


PASSWORDS = _set(
    "password passwd passphrase passcode passwort kennwort contrasena motdepasse wachtwoord mnemonic requirepass "
    "masterauth"
)
PASS = _set("pass pwd pw")
WHOSE = _listed(
    "db user smtp ftp ssh root admin mail email my store key login master redis mongo mysql pg sql rpc wifi wlan "
    "proxy http sudo become ldap jks"
)
"""Words that are written together with ``pass``; ``compass``, ``bypass`` and ``trespass`` are none."""
TOGETHER = _listed(
    "accesskey accesstoken accountkey apikey apisecret apitoken appkey appsecret authkey authtoken bearertoken "
    "bottoken clientsecret consumersecret encryptionkey identitytoken idtoken masterkey presharedkey privatekey "
    "refreshtoken registrytoken secretkey securitytoken servicekey sessiontoken sharedkey signingkey "
    "signingsecret subscriptionkey webhooksecret"
)
"""Words that are written together: a name of one word ends with one of them."""
TWO_WORDS = _set(
    "api-hash app-certificate code-verifier oauth-verifier client-assertion device-code authorization-code auth-code "
    "pre-shared recovery-code recovery-codes backup-code backup-codes seed-phrase recovery-phrase secret-phrase"
)
"""The last two words of other names; ``api hash`` is Telegram's, ``app certificate`` Agora's."""
KEYS = _set(
    "api access secret private subscription account auth authorization signing signature encryption master admin "
    "shared service consumer webhook deploy integration ingest ingestion bot functions rest live production prod "
    "server management hmac cipher crypt crypto aes gpg pgp deployer relayer preshared cosmos openai"
)
"""Words that make ``… key`` a secret; ``cache key``, ``public key`` and ``idempotency key`` are none."""
WEAK_KEYS = _set(
    "host storage license licence app application project read write team sdk role network activation partner "
    "merchant developer dev agent user device proxy gateway provider model llm ai search speech voice vision "
    "translator language face cognitive content root connection token credential sign ssh tls ssl client recovery "
    "backup broker trading exchange payment payments cookie session database wallet make split here line box zoom "
    "daily loops rev writer render fly do together segment square linear notion comet neptune chroma replicate vertex "
    "polygon maps weather sonar brave bunny ghost coinbase lambda modal leonardo suno pika hume bland plaid clerk fal"
)
"""The same, where keys of other things are called so too, and services that are called by an ordinary word."""
TOKENS = _set(
    "access auth api bearer refresh session security id bot user personal oauth oauth2 deploy admin service pat "
    "secret jwt csrf xsrf identity client app application integration webhook verification reset invite registration "
    "device push signing write read sas private login"
)
"""Words that make ``… token`` a secret."""
SERVICES = _set(
    "openai anthropic claude azure mistral cohere groq gemini google aws bedrock github gh gitlab slack discord "
    "telegram twilio sendgrid mailgun mailchimp stripe paypal shopify heroku cloudflare cf vercel netlify "
    "digitalocean linode hf huggingface fireworks deepseek perplexity openrouter xai nvidia elevenlabs deepgram "
    "assemblyai cartesia voyage jina pinecone weaviate qdrant milvus zilliz tavily serper serpapi exa firecrawl "
    "browserbase langfuse langsmith langchain wandb helicone arize braintrust datadog dd newrelic sentry grafana "
    "honeycomb posthog amplitude mixpanel algolia jira atlassian asana airtable trello figma zendesk hubspot intercom "
    "salesforce dropbox npm pypi docker snyk codecov circleci buildkite supabase neon planetscale mongo mongodb redis "
    "postgres mysql db database smtp vault doppler okta auth0 finnhub alphavantage newsapi openweather openweathermap "
    "mapbox tmdb nasa fred eia ncbi rapidapi omdb giphy unsplash pexels shodan virustotal censys etherscan infura "
    "alchemy quicknode helius moralis binance kraken alpaca meilisearch typesense pusher ably agora livekit twitch "
    "spotify reddit twitter facebook instagram linkedin tiktok youtube vimeo vultr hetzner scaleway ovh railway koyeb "
    "fastly akamai contentful sanity strapi webflow wordpress klaviyo iterable braze onesignal pushover postmark "
    "resend brevo sparkpost mailjet mailtrap vonage nexmo plivo sinch bandwidth telnyx messagebird infobip kakao "
    "wechat razorpay adyen mollie paddle klarna braintree xendit midtrans recurly chargebee tomtom maxmind ipinfo "
    "upstash turso convex xata couchbase elastic elasticsearch opensearch kibana splunk sumologic logz rollbar "
    "bugsnag pagerduty opsgenie statuspage launchdarkly unleash flagsmith statsig growthbook retool zapier dify "
    "flowise composio daytona baseten runpod vast anyscale cerebras sambanova lepton novita hyperbolic deepinfra "
    "siliconflow moonshot zhipu dashscope qwen minimax baichuan upstage ai21 reka luma runway heygen synthesia "
    "ideogram recraft stability bfl krea gladia speechmatics playht lmnt resemble retell vapi ultravox"
)
"""Services whose name makes ``… key`` and ``… token`` a secret."""
NO_TOKENS = _set(
    "next page prev previous continuation continue max min eos bos pad unk sep mask cls stop sync delta start end "
    "first last prompt completion total input output cached cache reasoning special image audio thinking budget "
    "cursor pagination token generated new num count resume resumption change watch skip paging nextpage scroll state "
    "revision version lease forward backward consistency snapshot receipt fencing key "
    "idempotency idem starting request action update lock sequence"
)
"""Words before ``token`` that tell of a count, a page, a state or a piece of text."""
ABOUT = _set(
    "algorithm alias aliases arn at audience class command count created date digest dir directory domain enabled "
    "endpoint env error expires expiry field file filename files fingerprint folder format hash hashed header help "
    "hint host id ids index issuer label length limit manager map max message min mode name names path paths policy "
    "prefix provider realm ref reference region required reset rotation scope scopes size sock socket status store "
    "tenant timeout ttl type types updated uri uris url urls usage vault version"
)
"""Words after which a name tells something about a secret, or where it is, and does not hold it."""
IDENTIFYING = _set(
    "id ids uid uuid guid cursor cursors next prev previous page offset hash hashes sha etag etags signature digest "
    "digests checksum fingerprint integrity nonce version revision ref arn url uri path"
)
"""Words that tell of a long value that it is no credential."""

"""What is volatile, as data. ``docs/reference/placeholders.md`` is written from these tables."""

from __future__ import annotations

import re

ID_PREFIXES = (
    # OpenAI
    "chatcmpl-", "cmpl-", "resp_", "msg_", "fc_", "rs_", "call_", "ws_", "fs_", "ci_", "ig_", "cu_", "mcp_", "mcpl_",
    "mcpr_", "ctc_", "lsh_", "conv_", "item_", "req_", "thread_", "run_", "step_", "asst_", "vs_", "vsfb_", "batch_",
    "batch_req_", "ftjob-", "file-", "file_", "cntr_", "cfile_", "modr-", "sess_", "event_", "evt_", "fco_", "cuo_",
    "ctco_", "lsho_", "sh_", "sho_", "apc_", "apco_", "cmp_", "tsc_", "tso_",
    # OpenAI Agents SDK
    "trace_", "span_", "group_",
    # Anthropic, also by way of Bedrock and Vertex
    "toolu_", "srvtoolu_", "mcptoolu_", "msgbatch_", "container_", "msg_bdrk_", "msg_vrtx_", "toolu_bdrk_",
    "toolu_vrtx_", "tooluse_", "compl_",
    # gateways and local servers
    "gen-", "chatcmpl-tool-", "call_0_", "chat-", "embd-", "modelperm-",
    # frameworks
    "pyd_ai_", "lc_", "lc_run--", "run--", "run-", "aitxt-", "aiobj-", "aicall-", "msg-", "adk-",
)  # fmt: skip
"""Prefixes of generated ids; the prefix stays in front of the placeholder, the rest is templated."""

_UUID = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
UUID = re.compile(_UUID)

_ID_BODIES = (
    # Letters of both cases and a digit: order numbers, words and versions have not all three.
    r"(?=[A-Za-z0-9]*[0-9])(?=[A-Za-z0-9]*[a-z])(?=[A-Za-z0-9]*[A-Z])[A-Za-z0-9]{14,64}",
    # Hex of an even, usual width with at least one letter and one digit.
    r"(?=[0-9a-f]*[0-9])(?=[0-9a-f]*[a-f])[0-9a-f]{16,64}",
    # A UUID, numbered where a run made several messages.
    rf"{_UUID}(?:-[0-9]{{1,3}})?",
    # A ULID or TypeID in Crockford's alphabet.
    r"0[0-9a-hjkmnp-tv-z]{25}|0[0-9A-HJKMNP-TV-Z]{25}",
    # Small letters with digits in three places at least, as in a cuid.
    r"(?=(?:[a-z]*[0-9]+[a-z]+){3})[a-z0-9]{20,64}",
)
PREFIXES_BY_LENGTH = tuple(sorted(ID_PREFIXES, key=lambda prefix: (-len(prefix), prefix)))
"""The same, so that the longest that fits is found first."""

ID = re.compile(
    rf"(?P<prefix>{'|'.join(map(re.escape, PREFIXES_BY_LENGTH))})(?:{'|'.join(_ID_BODIES)})"
    # OpenRouter: seconds since 1970, then the id.
    r"|(?P<epoch>gen-)[0-9]{10}-[A-Za-z0-9]{16,32}"
    # Bedrock's alphabet has dashes and underscores.
    r"|(?P<bedrock>tooluse_)(?=[A-Za-z_-]*[0-9])[A-Za-z0-9_-]{22}"
)
"""A whole token that is a generated id: a known prefix, then enough random characters."""

ORDINARY_ID = re.compile(r"[a-z][a-z_.-]*[0-9]{0,6}|[0-9]{1,9}", re.IGNORECASE)
"""Ids that scripted servers and people write (``call_1``, ``search-1``): templated in an id field, but text that looks
the same elsewhere is data."""

WORDS = re.compile(r"(?:[a-z]{2,})?(?:[A-Z][a-z]{2,}|[A-Z]{2,}(?![a-z]))*|[A-Z]+|[a-z]+")
"""Letters that people write: words, names of functions, abbreviations."""

TOKEN = re.compile(r"[A-Za-z0-9_-]{8,}")
"""A run of characters that ids are made of; an id is templated in text only where it is a whole run."""

CLAUDE_CODE_USER = re.compile(
    rf"(?<![A-Za-z0-9_-])user_(?P<device>[0-9a-f]{{16,64}})_account_(?P<account>(?:{_UUID})?)_session_(?P<session>{_UUID})"
)
"""Claude Code's older ``metadata.user_id``; the newer one is a JSON object. An empty account is none."""

ID_FIELDS = frozenset(
    {
        "id", "call_id", "tool_call_id", "tool_use_id", "item_id", "response_id", "previous_response_id", "request_id",
        "message_id", "approval_request_id", "generation_id", "interaction_id", "log_id", "toolUseId", "responseId",
        "thread_id", "run_id", "trace_id", "logprobs_id", "requestId", "messageId", "callId", "toolCallId", "traceId",
        "generationId", "invocation_id", "session_id", "sessionId", "file_id", "container_id",
    }
)  # fmt: skip
"""Members of provider envelopes, message frames and content blocks whose value is an id, whatever it looks like."""

ID_HEADERS = frozenset(
    {"request-id", "x-request-id", "apim-request-id", "x-ms-request-id", "x-amzn-requestid", "cf-ray"}
)
"""Response headers whose value is an id."""

GENERATED = re.compile(
    rf"{_UUID}|[0-9a-f]{{32}}|(?=[0-9a-f]*[0-9])(?=[0-9a-f]*[a-f])[0-9a-f]{{16}}|0[0-9A-HJKMNP-TV-Za-hjkmnp-tv-z]{{25}}"
)
"""What an id looks like that a program made up itself."""

BOOKKEEPING_FIELDS = frozenset(
    {
        "session_id", "sessionId", "conversation_id", "conversationId", "thread_id", "threadId", "run_id", "runId",
        "trace_id", "traceId", "span_id", "spanId", "parent_span_id", "parent_run_id", "request_id", "requestId",
        "correlation_id", "correlationId", "invocation_id", "invocationId", "generation_id", "message_id",
        "prompt_cache_key",
    }
)  # fmt: skip
"""Members beside a request's prompt, and of its ``metadata``, that are ids where they look GENERATED or have a known
prefix."""

REPR_CLASSES = frozenset(
    {
        "AIMessage", "AIMessageChunk", "HumanMessage", "SystemMessage", "ToolMessage", "FunctionMessage",
        "ChatMessage", "RemoveMessage", "ModelRequest", "ModelResponse", "ToolCallPart", "ToolReturnPart",
        "RetryPromptPart", "ResponseFunctionToolCall", "ResponseOutputMessage", "ChatCompletion",
        "ChatCompletionMessage", "ChatCompletionMessageToolCall", "ChatCompletionMessageFunctionToolCall",
        "ToolUseBlock", "ToolCallItem", "ToolCallRequestEvent", "ToolCallSummaryMessage", "TextMessage", "FunctionCall",
        "FunctionExecutionResult", "ToolCall", "ToolCallResult", "AgentRunResponse", "RunResponse", "ToolExecution",
    }
)  # fmt: skip
"""Classes of frameworks whose printed values hold ids that they made up."""

REPR_NAMES = frozenset(
    {
        "id",
        "call_id",
        "tool_call_id",
        "tool_use_id",
        "run_id",
        "message_id",
        "response_id",
        "item_id",
        "session_id",
        "parent_run_id",
        "tool_id",
    }
)
"""The keywords of those ids (``AIMessage(content='', id='run--…')``)."""

ERROR_ID = re.compile(
    r"\b(?:request|trace|tracking|correlation|operation|activity|error|ray|incident)[ _-]?id\b[\"')\]]*"
    r"\s{0,2}(?:is|was|[:=#])?\s{0,2}[\"'(\[]?([A-Za-z0-9][A-Za-z0-9_-]{7,})",
    re.IGNORECASE,
)
"""What the text of an error that a service answered calls the id of the request."""

OPAQUE_FIELDS = frozenset(
    {
        "encrypted_content", "encrypted_index", "encrypted_stdout", "signature", "thought_signature",
        "thoughtSignature",
    }
)  # fmt: skip
"""Sealed values that only the provider can read, new at each call."""

ENVELOPE = frozenset(
    {
        "response", "message", "choices", "delta", "output", "item", "part", "content", "content_block", "tool_calls",
        "candidates", "parts", "functionCall", "functionResponse", "toolCall", "toolResponse", "toolUse", "toolResult",
        "error", "container", "conversation", "audio", "reasoning_details", "x_groq", "usage", "timings", "data",
        "annotations", "interaction", "outputs", "time_info", "metrics", "latency_checkpoint", "citations",
        "amazon-bedrock-invocationMetrics",
    }
)  # fmt: skip
"""Members of a response that lead to more of the provider's own fields. What stands below any other member (arguments,
inputs, results, metadata, schemas) is data."""

METADATA = frozenset({"response_metadata", "generation_info", "llm_output"})
"""Members that only frameworks write, in data too: what stands below them was in a provider's envelope."""

ANSWERS = frozenset({"chat.completion", "chat.completion.chunk", "text_completion", "response"})
"""What ``object`` is of an answer: one that stands as JSON text in data is an envelope there."""

FINGERPRINT = re.compile(r"(?<![A-Za-z0-9_])fp_([0-9a-f]{10})(?![A-Za-z0-9_])")
"""A fingerprint in any text."""

MESSAGE_FRAME = frozenset(
    {
        "tool_calls", "content", "parts", "functionCall", "functionResponse", "toolCall", "toolResponse", "toolUse",
        "toolResult", "audio", "reasoning_details", "messages",
    }
)  # fmt: skip
"""The same for a message of a request."""

CONVERSATIONS = ("contents", "chat_history", "history")
"""Members of a request that hold messages where its API is none that is known, as Gemini's and Cohere's."""

TIME_FIELDS = frozenset(
    {
        "created", "created_at", "updated_at", "started_at", "in_progress_at", "completed_at", "finished_at",
        "ended_at", "expires_at", "expired_at", "cancelled_at", "failed_at", "incomplete_at", "finalizing_at",
        "last_active_at", "createTime", "updateTime", "expireTime", "createdAt", "updatedAt", "startedAt",
        "completedAt", "expiresAt",
    }
)  # fmt: skip
"""Members of provider envelopes that hold a time, as a number or as text."""

USAGE_TIME_FIELDS = frozenset({"start_time", "end_time"})
"""The same in ``usage`` alone: elsewhere they are places in a recording."""

TIME_HEADERS = frozenset({"date", "expires", "last-modified"})

DURATION_FIELDS = frozenset(
    {
        "latency_ms", "duration_ms", "processing_ms", "elapsed_ms", "response_ms", "latency", "latency_checkpoint",
        "latencyMs", "durationMs", "invocationLatency", "firstByteLatency", "generation_time", "moderation_latency",
        # Groq, Cerebras
        "queue_time", "prompt_time", "completion_time", "total_time",
        # SambaNova
        "time_to_first_token", "total_latency", "completion_tokens_per_sec", "total_tokens_per_sec",
        "completion_tokens_after_first_per_sec", "completion_tokens_after_first_per_sec_first_ten",
        # Azure
        "engine_tbt_ms", "engine_ttft_ms", "engine_ttlt_ms", "pre_inference_ms", "service_tbt_ms", "service_ttft_ms",
        "service_ttlt_ms", "total_duration_ms", "user_visible_ttft_ms",
        # Ollama
        "total_duration", "load_duration", "prompt_eval_duration", "eval_duration",
        # llama.cpp
        "prompt_ms", "prompt_per_token_ms", "prompt_per_second", "predicted_ms", "predicted_per_token_ms",
        "predicted_per_second",
    }
)  # fmt: skip
"""Members of provider envelopes that hold a duration or a speed: they become 0."""

DURATION_HEADERS = frozenset({"openai-processing-ms", "x-envoy-upstream-service-time", "x-response-time"})

FINGERPRINT_FIELDS = frozenset({"system_fingerprint"})
"""Members of provider envelopes that name the machine that answered. They become one constant, since two calls of a run
may meet one machine or two."""

PADDING_FIELDS = frozenset({"obfuscation"})
"""Random padding of stream events (it hides the length of tokens from onlookers): it becomes empty."""

UUID_FIELDS = frozenset(
    {
        "service.instance.id", "gen_ai.conversation.id", "gen_ai.agent.call.id", "gen_ai.response.id",
        "gen_ai.tool.call.id", "session.id", "thread.id", "langfuse.session.id", "gcp.vertex.agent.session_id",
        "gcp.vertex.agent.invocation_id", "gcp.vertex.agent.event_id", "langgraph_checkpoint_ns", "checkpoint_ns",
        "checkpoint_id", "langgraph_checkpoint_id", "__pregel_task_id", "lc_run_id", "ls_run_id",
    }
)  # fmt: skip
"""Members that only frameworks write: UUIDs in their values are ids wherever they stand, in data too."""

START_FIRST = frozenset(
    {
        "created", "created_at", "started_at", "createTime", "createdAt", "startedAt", "start", "start_time",
        "startTime",
    }
)  # fmt: skip
END_LAST = frozenset(
    {
        "completed_at", "finished_at", "ended_at", "expires_at", "expired_at", "end", "end_time", "endTime",
        "cancelled_at", "failed_at", "incomplete_at", "completedAt", "expiresAt", "expireTime",
    }
)  # fmt: skip
"""Members that are numbered first and last in their object, so that every start precedes its end."""

ORDINARY_NAMES = frozenset(
    {
        "root", "admin", "administrator", "user", "users", "test", "tester", "guest", "default", "nobody",
        "system", "service", "runner", "ubuntu", "debian", "fedora", "centos", "alpine", "docker", "container",
        "node", "python", "java", "ruby", "rust", "golang", "php", "dev", "devel", "developer", "build", "builder",
        "deploy", "agent", "agents", "worker", "server", "client", "host", "localhost", "local", "app", "apps",
        "application", "web", "www", "data", "database", "db", "postgres", "mysql", "redis", "mongo", "nginx",
        "apache", "jenkins", "gitlab", "github", "git", "svn", "vagrant", "vscode", "codespace", "codespaces",
        "coder", "ec2-user", "azureuser", "opc", "home", "work", "mark", "will", "bill", "grace", "hope", "faith",
        "joy", "dawn", "rose", "lily", "ivy", "june", "april", "may", "august", "summer", "autumn", "frank",
        "rich", "art", "drew", "chase", "chip", "dean", "earl", "grant", "guy", "hunter", "jack", "jean", "josh",
        "lance", "miles", "nick", "pat", "pierce", "ray", "rob", "rusty", "skip", "stone", "sue", "victor", "wade",
        "ward", "woody",
    }
)  # fmt: skip
"""User and host names that are words as well: templated only where the place says that a name is meant."""

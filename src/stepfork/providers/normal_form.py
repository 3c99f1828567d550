"""The one form in which requests of all APIs are compared."""

from __future__ import annotations

import msgspec

from stepfork.providers.calls import ToolCall, ToolResult
from stepfork.trace.body import JsonValue


class NormalMessage(msgspec.Struct, frozen=True):
    """One message of a conversation, or one item of a Responses ``input``.

    ``text`` is all of its text, the texts of several blocks joined by an empty line. ``extra`` is an object that holds
    whatever the other fields do not say, empty for a plain message. Its members:

    - ``content``: the shape of the content where it is neither a string nor a lone text block: for each block its type
      where the other fields say the rest, ``{"text": …}`` for a text block with more members, ``{"tool_use": …}`` and
      ``{"tool_result": …}`` for what those blocks hold besides, ``{"part": …}`` for any other block, whole; and last
      ``{"lines": […]}`` (line ends in each text) where the joined text alone does not say where a block ends
    - ``tool_calls``, ``function_call``, ``call``, ``result``: what calls and results hold besides, by ``rest`` (more
      members) and ``missing`` (members that should be there)
    - ``role``: a role that is no text; ``rest``: more members of the message; ``item``: an item of another kind, whole
    """

    role: str
    text: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    tool_results: tuple[ToolResult, ...] = ()
    extra: JsonValue = {}


class NormalRequest(msgspec.Struct, frozen=True):
    """A request. ``params`` are the body's members that are no prompt and no tools, ``model`` apart.

    ``tools`` maps a tool's name to its description and ``parameters`` (Messages: ``input_schema``), or to
    ``{"tool": …}``, the whole tool, where it is of another kind. ``other`` holds what the other fields do not say:
    ``system``, ``tools`` and ``messages`` (the shape of those where it is not plain, ``[]`` for an empty list),
    ``body`` (where it is no JSON object, or the API is not known), ``method``, ``path`` and ``query`` (where the API
    does not say them).
    """

    model: str | None = None
    params: dict[str, JsonValue] = {}
    system: tuple[str, ...] = ()
    tools: dict[str, JsonValue] = {}
    messages: tuple[NormalMessage, ...] = ()
    other: dict[str, JsonValue] = {}

"""What Claude Code tells the model of the machine and the day, taken out of a request before its key is computed.

Claude Code (and so the Claude Agent SDK) writes its surroundings into each request: a list under ``# Environment``, the
date, the state of the git repository, the tokens that are left. They stand in sections of its own: in its system
prompt, in messages of role ``system``, and in ``<system-reminder>`` texts of the user's turns. Only lines of known form
in those sections are taken out. Every other line counts: instructions, project memory, an application's own prompt,
and results of tools whatever they hold, since these are data that the agent saw.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any, Literal

import msgspec

from stepfork.trace.body import JsonBody
from stepfork.trace.exchange import Exchange

Part = Literal["prompt", "message", "reminder"]
"""Where a text stands: in the system prompt (where an application's own text may stand too), in a message of role
system (all of it Claude Code's), or in a reminder (where project memory may stand too)."""

_BILLING = "x-anthropic-billing-header:"
_IDENTITIES = (
    _BILLING,
    "You are Claude Code, Anthropic's official CLI",
    "You are a Claude agent, built on Anthropic's Claude Agent SDK",
)
_OPENS = re.compile(r"^<system-reminder>", re.MULTILINE)
_CLOSES = "</system-reminder>"

_INVOKED = "You have been invoked in the following environment:"
_USEFUL = "Here is useful information about the environment you are running in:"
_SURROUNDINGS = re.compile(
    r"( *(?:- )?(?:Primary working directory|Working directory|Additional working directories|Is a git repository"
    r"|Is directory a git repo|Platform|Shell|OS Version|Today's date):)"
)
_FOLDERS = re.compile(r" *(?:- )?Additional working directories:")
_FOLDER = re.compile(r" *- (?:[/~]|[A-Za-z]:\\|\{\{)")
# Names of models are short: a line that repeats a beginning without an end must not be read to its end each time.
_MODEL = re.compile(
    r"You are powered by the model(?: named [^\n]{1,200}?\. The exact model ID is)? [^\n ]{1,200}\.(?=\s|\Z)"
)
_CUTOFF = re.compile(r"Assistant knowledge cutoff is [^\n.]{1,100}\.")
_DATE = re.compile(r"Today's date is (?:now )?[0-9]{4}[-/][0-9]{2}[-/][0-9]{2}\.?\Z")
_TOKENS = re.compile(r"<total_tokens>[^<>\n]*</total_tokens>")
_GIT = "gitStatus: This is the git status"
_GIT_VALUES = re.compile(r"(Current branch:|Main branch \([^)]*\):|Git user:)")
_GIT_LISTS = ("Status:", "Recent commits:")


def without_surroundings(exchange: Exchange) -> Exchange:
    """`exchange` without what differs between two machines or days; itself where its request is not Claude Code's."""
    body = exchange.request.body
    if not isinstance(body, JsonBody) or not is_claude_codes(exchange):
        return exchange
    value = dict(body.value)
    value["system"] = [_with_text(block, _of_prompt) for block in value["system"]]
    if isinstance(value.get("messages"), list):
        value["messages"] = [_message(message) for message in value["messages"]]
    request = msgspec.structs.replace(exchange.request, body=JsonBody(value))
    return msgspec.structs.replace(exchange, request=request)


def is_claude_codes(exchange: Exchange) -> bool:
    """Whether a request is one that Claude Code makes: it says so in its system prompt."""
    body = exchange.request.body
    value = body.value if isinstance(body, JsonBody) and exchange.api == "messages" else None
    system = value.get("system") if isinstance(value, dict) else None
    return isinstance(system, list) and any(
        isinstance(block, dict) and isinstance(block.get("text"), str) and block["text"].startswith(_IDENTITIES)
        for block in system[:2]
    )


def _message(message: Any) -> Any:
    if not isinstance(message, dict) or message.get("role") not in ("system", "user"):
        return message
    edit = _of_message if message["role"] == "system" else _of_turn
    content = message.get("content")
    if isinstance(content, str):
        return message | {"content": edit(content)}
    if isinstance(content, list):
        return message | {"content": [_with_text(block, edit) for block in content]}
    return message


def _with_text(block: Any, edit: Callable[[str], str]) -> Any:
    """A text block, edited; a tool's result is a block of another kind."""
    if not isinstance(block, dict) or block.get("type") != "text" or not isinstance(block.get("text"), str):
        return block
    return block | {"text": edit(block["text"])}


def _of_prompt(text: str) -> str:
    return _BILLING if text.startswith(_BILLING) else "\n".join(_lines(text, "prompt"))


def _of_message(text: str) -> str:
    return "\n".join(_lines(text, "message"))


def _of_turn(text: str) -> str:
    if _TOKENS.fullmatch(text.strip()):
        return ""
    pieces: list[str] = []
    done = 0
    while (opens := _OPENS.search(text, done)) and (end := text.find(_CLOSES, opens.end())) >= 0:
        end += len(_CLOSES)
        pieces += (text[done : opens.start()], "\n".join(_lines(text[opens.start() : end], "reminder")))
        done = end
    return "".join(pieces) + text[done:]


def _lines(text: str, part: Part) -> Iterator[str]:
    """The lines that count, of each line what counts."""
    section, before = "", ""
    for line in text.split("\n"):
        begun = _section(line, before, part)
        kept: str | None = line
        if begun is not None:
            section = begun
        elif section == "surroundings":
            kept = _of_surroundings(line, before)
            section = "model" if not line else section
        elif section == "model":
            kept = _CUTOFF.sub("Assistant knowledge cutoff.", _MODEL.sub("You are powered by the model.", line))
        elif section in ("git", "list", *_GIT_LISTS):
            section, kept = _of_git(line, section)
        if kept and part != "prompt" and "<total_tokens>" in kept:
            kept = _TOKENS.sub("", kept) or None
        if (part == "message" or before == "# currentDate") and part != "prompt" and _DATE.match(line):
            kept = None
        if kept is not None:
            yield kept
        before = line


def _section(line: str, before: str, part: Part) -> str | None:
    """The section that a line begins; None where it goes on with the one before."""
    if line.startswith(_INVOKED) or (line == "<env>" and before.startswith(_USEFUL)):
        return "surroundings"
    if line.startswith(_GIT) or (line == "# gitStatus" and part != "prompt"):
        return "git"
    if line == "</env>":
        return "model"
    return "" if line.startswith("# ") else None


def _of_surroundings(line: str, before: str) -> str | None:
    known = _SURROUNDINGS.match(line)
    if known:
        return known[1]
    # The folders of a list of them; their number is the machine's too.
    return None if _FOLDER.match(line) and (_FOLDERS.match(before) or _FOLDER.match(before)) else line


def _of_git(line: str, section: str) -> tuple[str, str | None]:
    """The section that goes on behind a line of ``gitStatus``, and what of the line counts: nothing that git said.

    Which lines there are depends on the machine too: without a name of the user there is no such line, and an empty
    list ends with another number of empty lines. Section ``list`` is behind a list.
    """
    if line in _GIT_LISTS:
        return line, None
    if section in _GIT_LISTS:
        return (section if line else "list"), None
    if not line:
        return section, None
    if _GIT_VALUES.match(line):
        return "git", None
    return ("" if section == "list" else section), line

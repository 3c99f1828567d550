"""What a run was asked and what it answered."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import msgspec

from stepfork.capture.calls import Call
from stepfork.capture.derive import failure_of
from stepfork.capture.drafts import Draft
from stepfork.capture.links import Links
from stepfork.providers.genai import agent_of, conversation_of
from stepfork.providers.genai_values import structured
from stepfork.trace.body import JsonValue
from stepfork.trace.step import StepError

# Claude Code puts its own words to the model into the user's turn.
_OPENS, _CLOSES = "<system-reminder>", "</system-reminder>"


class Ends(msgspec.Struct, frozen=True):
    """The ends of a run; UNSET and None where nothing says them."""

    input: JsonValue | msgspec.UnsetType = msgspec.UNSET
    output: JsonValue | msgspec.UnsetType = msgspec.UNSET
    error: StepError | None = None
    agent: str | None = None
    conversation: str | None = None


def ends_of_calls(calls: Sequence[Call], links: Links) -> Ends:
    """The first text of the user and the last of the model, in the conversation that the run was about: the last one,
    unless that is a single call beside a longer one (a title, a summary of a tool's output). A single call that carries
    what several conversations answered is what they were for."""
    models = [index for index, call in enumerate(calls) if call.is_model_call]
    if not models:
        return Ends()
    roots = _roots(links)
    answered = [index for index in models if calls[index].answered]
    length = Counter(roots[index] for index in answered)
    last = answered[-1] if answered else models[-1]
    longest = max(length, key=lambda root: (length[root], -root), default=roots[last])
    gathers = len({roots[need] for need in links.needs[last] if calls[need].is_model_call}) > 1
    main = roots[last] if length[roots[last]] > 1 or length[longest] < 2 or gathers else longest
    first = models[0] if length[main] < 2 else main
    final = next((index for index in reversed(answered) if length[main] < 2 or roots[index] == main), None)
    failed = _failure(calls, links, models, roots, main)
    return Ends(
        input=next((text for text in _user_texts(calls[first]) if text), msgspec.UNSET),
        output=structured(calls[final].answer.text) if final is not None and failed is None else msgspec.UNSET,
        error=failed,
    )


def ends_of_spans(drafts: Sequence[Draft], told: Ends) -> Ends:
    """The ends of a run with spans, `drafts` being in order and `told` what its exchanges say."""
    roots = [draft for draft in drafts if draft.parent is None]
    agents = [draft for draft in drafts if draft.step.type == "agent_call"]
    failed = next((draft.step.error for draft in roots if draft.step.error is not None), None)
    asked, answered = told.input, told.output
    if asked is msgspec.UNSET:
        asked = next((text for draft in _tellers(drafts, agents) if (text := _asked(draft))), msgspec.UNSET)
    # Of several runs in a row it is the last one that answers.
    answering = [*reversed([draft for draft in agents if draft.parent is None]), *agents]
    results = (draft.step.result for draft in answering)
    final = next((result for result in results if result is not msgspec.UNSET), msgspec.UNSET)
    if final is msgspec.UNSET and answered in (msgspec.UNSET, ""):
        models = [draft for draft in reversed(drafts) if draft.step.type == "llm_call"]
        text = next((text for draft in (*answering, *models) if (text := draft.said.last_text)), "")
        final = structured(text) if text else msgspec.UNSET
    if final is not msgspec.UNSET:
        answered = final
    return Ends(
        input=asked,
        output=msgspec.UNSET if failed is not None else answered,
        error=failed,
        agent=next((name for draft in (*agents, *drafts) if (name := agent_of(draft.span))), None),
        conversation=next((name for draft in drafts if (name := conversation_of(draft.span))), None),
    )


def _roots(links: Links) -> list[int]:
    roots: list[int] = []
    for index, parent in enumerate(links.parents):
        roots.append(index if parent is None else roots[parent])
    return roots


def _failure(
    calls: Sequence[Call], links: Links, models: Sequence[int], roots: Sequence[int], main: int
) -> StepError | None:
    """Why the run's conversation ended without an answer, None where it got one."""
    repeated = set(links.repeats)
    line = [index for index in models if roots[index] == main and index not in repeated]
    call = calls[line[-1]] if line else calls[models[-1]]
    return failure_of(call)


def _user_texts(call: Call) -> list[str]:
    users = [message.text for message in call.messages if message.role == "user"]
    return [_without_reminders(text).strip() or text for text in users]


def _without_reminders(text: str) -> str:
    """`text` without what stands in reminders, and the white space behind each; one that never ends is text."""
    pieces: list[str] = []
    done = 0
    while (start := text.find(_OPENS, done)) >= 0 and (end := text.find(_CLOSES, start)) >= 0:
        pieces.append(text[done:start])
        done = end + len(_CLOSES)
        while text[done : done + 1].isspace():
            done += 1
    return "".join(pieces) + text[done:]


def _tellers(drafts: Sequence[Draft], agents: Sequence[Draft]) -> list[Draft]:
    return [*agents, *(draft for draft in drafts if draft.step.type == "llm_call")]


def _asked(draft: Draft) -> str:
    prompt = draft.span.attributes.get("user_prompt")  # Claude Code, where it is allowed to log prompts
    return prompt if isinstance(prompt, str) and prompt != "<REDACTED>" else draft.said.first_user

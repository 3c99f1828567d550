"""validate: can a fixture be read whole, and is it what this version writes of its run?"""

from __future__ import annotations

from typing import Literal

import msgspec

from stepfork.capture.instrumented import UNFINISHED
from stepfork.contracts.verification import Verification
from stepfork.errors import StepforkError
from stepfork.store.drafts import draft_causes
from stepfork.store.finding import Finding
from stepfork.store.validate import find_differences
from stepfork.trace.finding import TraceFinding
from stepfork.workflows.locate import Locator
from stepfork.workflows.verdict import findings_of

State = Literal["valid", "draft", "invalid"]


class Validated(msgspec.Struct, frozen=True):
    """What was found of one word. ``path`` is where the fixture stands, empty where it could not be found.

    ``problem`` says why it could not be read, or is not accepted: the answer is not known then, or is for ``partial``
    to ask; ``findings`` and ``differing`` are what is wrong with what was read. ``calls`` are the instrumented calls
    that had begun and the model calls over HTTP, each once where both tell of it; ``ended`` those of them that had
    ended. ``left`` is the journal that a kill left beside a whole bundle.
    """

    word: str
    state: State
    name: str = ""
    path: str = ""
    problem: str | None = None
    causes: tuple[str, ...] = ()
    steps: int = 0
    exchanges: int = 0
    calls: int = 0
    ended: int = 0
    findings: tuple[Finding, ...] = ()
    differing: tuple[TraceFinding, ...] = ()
    verification: Verification | None = None
    left: str = ""


def validate(locator: Locator, word: str, *, partial: bool) -> Validated:
    """Check the fixture that `word` names; drafts are accepted with `partial`. Whatever is wrong is in the result."""
    try:
        loaded = locator.load(locator.read_fixture(word))
        verification, judged = findings_of(loaded.fixture, where=loaded.where)
        causes = draft_causes(loaded.fixture)
        findings = find_differences(loaded.fixture, loaded.manifest, where=loaded.where, partial=partial)
    except StepforkError as error:
        return Validated(word, "invalid", problem=str(error))
    differing = tuple(one for one in judged if one.code == "verdict_differs")
    refused = bool(causes) and not partial
    if refused:
        state: State = "draft"
    else:
        state = "invalid" if findings or differing else "draft" if causes else "valid"
    run = loaded.fixture.run
    told = [step for step in run.trace.steps if step.instrumented]
    calls = len(run.exchanges) + sum(step.exchange is None for step in told)
    return Validated(
        word,
        state,
        name=loaded.fixture.name,
        path=loaded.where,
        problem=f"{word}: {_refusal(causes or ())}; --partial accepts it" if refused else None,
        causes=causes or (),
        steps=len(run.trace.steps),
        exchanges=len(run.exchanges),
        calls=calls,
        ended=calls - sum(step.error == UNFINISHED for step in told),
        findings=() if refused else tuple(findings),
        differing=() if refused else differing,
        verification=verification,
        left=loaded.left,
    )


def _refusal(causes: tuple[str, ...]) -> str:
    return f"is the draft of a failed capture ({causes[0]})" if len(causes) == 1 else "is the draft of a failed capture"

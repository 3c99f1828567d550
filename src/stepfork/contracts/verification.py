"""What a capture established about its run: the outcome, and every cause that speaks against it."""

from __future__ import annotations

from typing import Literal

import msgspec

from stepfork.contracts.spec import ContractResult
from stepfork.trace.finding import TraceFinding

Outcome = Literal["verified", "not_verified", "nothing_to_verify"]


class Verification(msgspec.Struct, frozen=True):
    """What a manifest keeps under ``verification``. ``verified`` is true for the outcome ``verified`` only.

    With ``expect_fail`` the failing contracts are ``expected_failures`` (their ids). ``causes`` are all the reasons
    why the run is not verified, one line each, what to do included.
    """

    outcome: Outcome
    verified: bool
    expect_fail: bool
    trace_check: tuple[TraceFinding, ...]
    contracts: tuple[ContractResult, ...]
    expected_failures: tuple[str, ...] = ()
    causes: tuple[str, ...] = ()

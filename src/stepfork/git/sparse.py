"""Files that a sparse checkout leaves out of the work tree: git has them, and nobody deleted them."""

from __future__ import annotations

from stepfork.git.command import to_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from stepfork.git.checkout import Checkout


def skipped_paths(checkout: Checkout, folder: str) -> frozenset[str]:
    """The paths below ``folder`` (from the root, with forward slashes) that are in the index alone."""
    answer = checkout.git.run("ls-files", "-z", "-t", "--full-name", "--", f":(top,literal){folder.strip('/')}")
    return frozenset(to_text(entry[2:]) for entry in answer.out.split(b"\0")[:-1] if entry[:2] == b"S ")

"""What one check for secrets saw, file by file."""

from __future__ import annotations

from stepfork.errors import ScanError
from stepfork.redact.magic import binary_kind
from stepfork.redact.scan import scan_bytes, scan_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from stepfork.redact.finding import Finding
    from stepfork.redact.secrets import Secrets

EMPTY = "an empty file"
DELETED = "deleted by this commit"
SUBMODULE = "a submodule, whose files are committed inside it"


class Checked:
    """`scanned` files, the `findings` in them, those that the project accepts (`accepted`, each with the reason),
    `problems` (file and reason) with files that could not be scanned, `notes` (file and remark) on files that are no
    text, and where the bytes came from: `source` is disk, store, staged or index."""

    def __init__(self, source: str, secrets: Secrets) -> None:
        self.source = source
        self.scanned = 0
        self.findings: list[Finding] = []
        self.accepted: list[tuple[Finding, str]] = []
        self.problems: list[tuple[str, str]] = []
        self.notes: list[tuple[str, str]] = []
        self._secrets = secrets
        self._reasons = {(one.rule, one.digest): one.reason for one in secrets.rules.accepted}

    def add(self, name: str, data: bytes) -> None:
        """Scan the bytes of the file called `name`."""
        self._judge(scan_name(name, self._secrets))
        try:
            unread: list[tuple[str, str]] = []
            found = scan_bytes(data, self._secrets, name, unread)
        except ScanError as error:
            self.fail(name, error.what if error.fix is None else f"{error.what}; {error.fix}")
            return
        self._judge(found)
        for place, reason in unread:
            self.fail(name, f"{place} {reason}".lstrip())
        self.scanned += not unread
        kind = binary_kind(data) if data else EMPTY
        if kind:
            self.notes.append((name, kind))

    def fail(self, name: str, reason: str) -> None:
        """Say that the file called `name` could not be scanned."""
        self.problems.append((name, reason))

    def _judge(self, found: list[Finding]) -> None:
        for item in found:
            reason = self._reasons.get((item.rule, item.digest))
            if reason is None:
                self.findings.append(item)
            else:
                self.accepted.append((item, reason))

    @property
    def places(self) -> list[Finding]:
        """The findings, one for each rule at each place, however many values stand there."""
        return list(dict.fromkeys(item.anonymous() for item in self.findings))

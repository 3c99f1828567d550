"""What a fix needs to know, whatever it redacts."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from stepfork.config.redaction import store_root
from stepfork.redact.secrets import Secrets


@dataclass(frozen=True)
class FixTask:
    """The working directory and the environment, what is looked for, and the store that the user named, if any."""

    folder: str
    environ: Mapping[str, str]
    secrets: Secrets
    store: str | None

    @property
    def wanted(self) -> Secrets:
        """What a check finds, personal data that the project asks for too; in a fixture these become pseudonyms."""
        return self.secrets.with_personal

    @property
    def store_path(self) -> str:
        """The store's folder, absolute and with forward slashes; empty where there is none."""
        root = store_root(self.folder, self.store)
        return "" if root is None else Path(os.path.abspath(root)).as_posix()  # noqa: PTH100 (links are not followed)

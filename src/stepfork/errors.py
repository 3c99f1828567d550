"""Every error that stepfork raises on purpose, drawn once.

    StepforkError              bad input or a broken promise; a command ends with exit 2
     +-- UsageError            the command line, a name or a path is not usable
     +-- ConfigError           config.toml, pyproject.toml or .env cannot be used
     +-- CanonicalError        a value has no canonical form
     +-- StoreError            the store could not do what was asked
     |    +-- NotFoundError    no fixture, bundle or object of that name
     |    +-- DamagedError     bytes that are not what their name or their manifest says
     |    +-- ManifestError    a manifest that is malformed, unmerged or too new
     |    +-- BusyError        another writer holds what this one needs
     +-- GitError              git or the repository cannot answer
     +-- OtlpError             a trace export that cannot be read
     +-- ScanError             a file that could not be scanned for secrets
     +-- CaptureError          a run that could not become a fixture; a command ends with exit 1
     +-- EntrypointError       the callable that a replay is to run cannot be had
     +-- ReplayError           a run that did not go as it was recorded; a command ends with exit 1
     |    +-- ReplayMismatchError      a call with another name or input than the recorded one
     |    +-- ReplayExhaustedError     a call more than were recorded
     |    +-- ReplayClosedError        an instrumented call that no replay can be asked about: its body does not run
     +-- RecordedDependencyError       a recorded failure whose own class cannot be had

The text of an error is one line: what is wrong, where, what to do. It never quotes the payload that it is about,
since the payload may hold a secret.
"""

from __future__ import annotations


class StepforkError(Exception):
    """What is wrong, where (file, JSON path, line) and what to do, on one line; ``exit_code`` is the command's."""

    exit_code = 2

    def __init__(self, what: str, *, where: str | None = None, fix: str | None = None) -> None:
        self.what = what
        self.where = where
        self.fix = fix
        super().__init__(what, where, fix)

    def __str__(self) -> str:
        head = f"{self.where}: {self.what}" if self.where else self.what
        return f"{head}; {self.fix}" if self.fix else head


class UsageError(StepforkError):
    """The command line, a name or a path is not usable."""


class ConfigError(StepforkError):
    """``config.toml``, ``pyproject.toml`` or ``.env`` cannot be used."""


class CanonicalError(StepforkError):
    """A value has no canonical form: the reason names the rule of ``docs/reference/format.md``."""


class StoreError(StepforkError):
    """The store could not do what was asked."""


class NotFoundError(StoreError):
    """No fixture, bundle or object of that name."""


class DamagedError(StoreError):
    """Bytes that are not what their name or their manifest says."""


class ManifestError(StoreError):
    """A manifest that is malformed, unmerged or too new."""


class BusyError(StoreError):
    """Another writer holds what this one needs."""


class GitError(StepforkError):
    """git, or the repository, cannot answer."""


class OtlpError(StepforkError):
    """A trace export that cannot be read; the receiver answers 400 with this text."""


class ScanError(StepforkError):
    """A file that could not be scanned: it is not clean, it is unknown."""


class CaptureError(StepforkError):
    """A run that could not become a fixture. The answer is no, so the exit code is 1."""

    exit_code = 1


class ReplayError(StepforkError):
    """A run that did not go as it was recorded: a miss, a call left over, another exit code. The exit code is 1."""

    exit_code = 1


class EntrypointError(StepforkError):
    """The callable that a replay is to run cannot be had: its module is not importable, or has no such name."""


class ReplayMismatchError(ReplayError):
    """An instrumented call is not the recorded one: another name or input, the first that differs."""


class ReplayExhaustedError(ReplayError):
    """An instrumented call was made after all that were recorded."""


class ReplayClosedError(ReplayError):
    """An instrumented call, during or after a replay, that is not known to be its own. Its body did not run."""


class RecordedDependencyError(StepforkError):
    """What a recorded call raised, where its own class is not loaded in this process. The exit code is 1."""

    exit_code = 1

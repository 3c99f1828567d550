"""trace check and trace convert: what spans make of a run, before or without a capture."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from stepfork.canonical.encode import dumps
from stepfork.canonical.parse import parse
from stepfork.capture.assemble import assemble
from stepfork.capture.check import check_trace
from stepfork.config.environment import read_dotenv
from stepfork.config.project import Settings
from stepfork.errors import CanonicalError, DamagedError, NotFoundError, StepforkError, UsageError
from stepfork.normalize.normalize import normalize_run
from stepfork.redact.redactor import redact_run
from stepfork.redact.secrets import Secrets
from stepfork.store.drafts import draft_causes
from stepfork.store.files import write_atomic
from stepfork.store.trace_form import read_trace, trace_document
from stepfork.trace.exchange import Exchange
from stepfork.trace.finding import TraceFinding
from stepfork.trace.fixture import Fixture, Run, Source
from stepfork.trace.step import Trace
from stepfork.workflows.locate import Locator
from stepfork.workflows.otlp_files import read_spans, recording_of_spans
from stepfork.workflows.surroundings import surroundings
from stepfork.workflows.verdict import findings_of

CheckedKind = Literal["spans", "trace", "fixture"]


@dataclass(frozen=True)
class CheckedTrace:
    """What a check found. `names` are the words that named it: all files of spans together are one run.

    `warnings` fail nothing. `problem` says why it could not be read; there is nothing else then.
    """

    names: tuple[str, ...]
    kind: CheckedKind
    steps: int = 0
    exchanges: int = 0
    findings: tuple[TraceFinding, ...] = ()
    warnings: tuple[str, ...] = ()
    problem: str | None = None

    @property
    def clean(self) -> bool:
        """Whether it was read and no finding fails it; notes and warnings may be there."""
        return self.problem is None and not any(finding.fails for finding in self.findings)


def check_words(
    words: Sequence[str], locator: Locator, environ: Mapping[str, str], settings: Settings
) -> tuple[CheckedTrace, ...]:
    """Check what each word names: a file of spans, a converted trace, or a fixture as every command takes it. What
    cannot be read is a result with a problem, and the others are checked all the same. The locator's folder is the
    working directory."""
    spans: list[str] = []
    found: list[CheckedTrace] = []
    for word in words:
        kind: CheckedKind = "fixture"
        try:
            document = _trace_in(Path(word)) if _is_other_file(word, locator) else None
            if document is not None:
                kind = "trace"
                found.append(_checked((word,), kind, _read(document, word)))
            elif _is_other_file(word, locator):
                spans.append(word)
            else:
                found.append(_checked_fixture(word, _open(word, locator)))
        except StepforkError as error:
            found.append(CheckedTrace((word,), kind, problem=str(error)))
    return (*_checked_spans(tuple(spans), locator.cwd, environ, settings), *found)


def convert(paths: Sequence[Path], environ: Mapping[str, str], cwd: Path, settings: Settings) -> bytes:
    """The trace of the run that files of spans tell, as a fixture would hold it: redacted, normalised, canonical.

    Raises UsageError for a file that cannot be read, OtlpError for one that is no trace export.
    """
    return dumps(trace_document(run_of_spans(tuple(paths), environ, cwd, settings).trace))


def write_trace(path: Path, data: bytes) -> None:
    """Put a converted trace in a file, over an older one. Raises UsageError where that cannot be."""
    try:
        write_atomic(path, data)
    except OSError as error:
        raise UsageError(f"cannot be written ({error.strerror})", where=str(path)) from None


def run_of_spans(paths: tuple[Path, ...], environ: Mapping[str, str], cwd: Path, settings: Settings) -> Run:
    """The run that all the files together tell, as ``capture --from`` makes it."""
    secrets = Secrets.collect(environ, read_dotenv(str(cwd)), settings.redact)
    recording = recording_of_spans(read_spans(paths))
    made = assemble((), recording.spans, key=_no_key)
    run, _ = redact_run(Run(Source(kind="otlp_file", replay_capable=False), made.trace), secrets)
    return normalize_run(run, surroundings(environ, cwd, recording, settings))


def _no_key(_: Exchange) -> bytes:
    return b""


def _is_other_file(word: str, locator: Locator) -> bool:
    """Whether `word` is a file that is no manifest of a store or a bundle."""
    path = locator.cwd / word
    if not path.is_file() or path.name == "manifest.json":
        return False
    return locator.store is None or locator.store.name_of_path(path) is None


def _trace_in(path: Path) -> object | None:
    """The document of a converted trace, None where the file is something else."""
    try:
        data = path.read_bytes()
        document = parse(data) if b'"trace_version"' in data else None
    except OSError as error:
        raise UsageError(f"cannot be read ({error.strerror})", where=str(path)) from None
    except CanonicalError:
        return None
    return document if isinstance(document, dict) and "trace_version" in document else None


def _read(document: object, where: str) -> Trace:
    try:
        return read_trace(document)
    except DamagedError as error:
        raise DamagedError(error.what, where=where) from None


def _open(word: str, locator: Locator) -> Fixture:
    try:
        return locator.open_word(word)
    except NotFoundError as error:
        if error.what.startswith(f"{word!r} is no "):
            raise NotFoundError(f"{word!r} is no file, fixture, bundle or REV:name", fix="name one of these") from None
        raise


def _checked(names: tuple[str, ...], kind: CheckedKind, trace: Trace) -> CheckedTrace:
    return CheckedTrace(names, kind, len(trace.steps), 0, check_trace(trace, ()))


def _checked_spans(
    words: tuple[str, ...], cwd: Path, environ: Mapping[str, str], settings: Settings
) -> Iterator[CheckedTrace]:
    if not words:
        return
    try:
        yield _checked(words, "spans", run_of_spans(tuple(map(Path, words)), environ, cwd, settings).trace)
    except StepforkError as error:
        yield CheckedTrace(words, "spans", problem=str(error))


def _checked_fixture(word: str, fixture: Fixture) -> CheckedTrace:
    """A fixture: its trace now, and what its capture found; that it is not verified is a warning."""
    verification, findings = findings_of(fixture, where=word)
    run = fixture.run
    warnings = [f"is the draft of a failed capture: {cause}" for cause in draft_causes(fixture) or ()]
    if verification is not None:
        if not verification.verified:
            said = verification.outcome.replace("_", " ")
            warnings.append(f"{said}: {'; '.join(verification.causes)}" if verification.causes else said)
    elif not warnings:
        warnings.append("its contracts were never evaluated; capture it again")
    return CheckedTrace((word,), "fixture", len(run.trace.steps), len(run.exchanges), findings, tuple(warnings))

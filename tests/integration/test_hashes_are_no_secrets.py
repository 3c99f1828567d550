"""Digests, ids and names of versions are no secrets, in whatever kind of file they stand."""

from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path

import pytest

from stepfork.cli.check_redaction import main
from stepfork.redact.finding import digest_of
from stepfork.redact.redactor import redact_text
from stepfork.redact.secrets import Secrets
from tests.integration.stand import Stand

ROOT = Path(__file__).parents[2]


def sha(kind: str, text: str = "some content") -> str:
    return hashlib.new(kind, text.encode()).hexdigest()


SRI = "uY8K3m" + "Zr0vQd5bX1/tPq7Wn2+Lc9HfJ4sGe6AaBkDiMoNjTyRzUxVwEhSgClIpFOqK" + "8e3r5T7yUiOp1A2sD4f=="
DOCUMENT = {
    "commit": sha("sha1"),
    "parents": [sha("sha1", "a"), sha("sha1", "b")[:12]],
    "tree_key": sha("sha1"),
    "sha256": sha("sha256"),
    "digest": f"sha256:{sha('sha256')}",
    "blake3": digest_of("some content"),
    "object": f"objects/{digest_of('a')[:2]}/{digest_of('a')[2:]}.json",
    "integrity": f"sha512-{SRI}",
    "traceId": sha("md5"),
    "span_id": sha("md5")[:16],
    "trace_token_id": sha("md5"),
    "public_key": sha("sha256"),
    "publicKey": f"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI{SRI[:43].replace('/', 'x').replace('+', 'y')}",
    "mapKey": "customer.address.primary-2024-11",
    "map_key": sha("md5"),
    "cache_key": sha("sha256"),
    "primary_key": "order_id_0042",
    "api_version": "2024-10-01-preview",
    "apiVersion": "rbac.authorization.k8s.io/v1",
    "api-key-version": "7",
    "etag": f'W/"{sha("md5")}"',
    "uuid": "3f9a1c7e-5b2d-4e8f-9a6c-1d7b3e5f2a9c",
    "model": "claude-sonnet-4-5-20250929",
    "max_tokens": 4096,
    "note": "<task-notification>done</task-notification> risk-adjusted-2024, ask-anthropic-2025, desk-booking-0042",
}


def in_forms(folder: Path) -> None:
    (folder / "a.json").write_text(json.dumps(DOCUMENT, indent=2))
    (folder / "nested.json").write_text(json.dumps({"content": json.dumps({"result": json.dumps(DOCUMENT)})}))
    (folder / "a.jsonl").write_text("".join(json.dumps({key: value}) + "\n" for key, value in DOCUMENT.items()))
    (folder / "a.yaml").write_text("".join(f"{key}: {json.dumps(value)}\n" for key, value in DOCUMENT.items()))
    (folder / "a.toml").write_text("".join(f"{key} = {json.dumps(value)}\n" for key, value in DOCUMENT.items()))
    (folder / "a.txt").write_text("".join(f"{key}: {value}\n" for key, value in DOCUMENT.items()))
    (folder / "a.log").write_text(f"got {DOCUMENT!r} back\n")


def test_c044_hashes_ids_and_versions_are_kept(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    in_forms(project)
    code = main(["."])
    assert (code, capsys.readouterr().out) == (0, "stepfork check-redaction: no secret in 7 files\n")
    for key, value in DOCUMENT.items():
        text = f"{key}: {value}"
        assert redact_text(text, Secrets({})) == text


def test_c044_a_store_never_trips_over_its_own_hashes(stand: Stand) -> None:
    shutil.copytree(ROOT / ".stepfork" / "fixtures", stand.store.root / "fixtures", dirs_exist_ok=True)
    shutil.copytree(ROOT / ".stepfork" / "objects", stand.store.root / "objects", dirs_exist_ok=True)
    entry = f'[[redact.accepted]]\nrule = "openai-key"\nblake3 = "{digest_of("x")}"\nreason = "made up"\n'
    (stand.store.root / "config.toml").write_text(f'{entry}[redact]\nkeys = ["x-crew-code"]\n')
    stand.capture("ask('hello')")
    stand.stepfork("pack", "case", "case.sftrace")
    said = stand.stepfork("check-redaction", ".stepfork", "case.sftrace")
    assert said.out.startswith("stepfork check-redaction: no secret in ")

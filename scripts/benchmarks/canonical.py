"""Canonical encoding and hashing, against orjson and the standard library in the same run."""

from __future__ import annotations

import hashlib
import json
import sys

import orjson
from blake3 import blake3
from bodies import bodies
from measure import Report, alternate

from stepfork.canonical.encode import dumps
from stepfork.canonical.names import name_of
from stepfork.canonical.parse import parse_encoded


def main(corpus: str | None = None) -> int:
    report = Report()
    values = bodies(corpus)
    raws = [json.dumps(value).encode() for value in values]
    options = orjson.OPT_INDENT_2 | orjson.OPT_SORT_KEYS

    def from_raw() -> None:
        for raw in raws:
            value, encoded = parse_encoded(raw)
            name_of(dumps(value) if encoded is None else encoded)

    ours, theirs, ours_raw, theirs_raw = alternate(
        7,
        lambda: [name_of(dumps(value)) for value in values],
        lambda: [blake3(orjson.dumps(value, option=options)).hexdigest() for value in values],
        from_raw,
        lambda: [hashlib.sha256(json.dumps(json.loads(r), sort_keys=True).encode()).hexdigest() for r in raws],
    )
    report.at_least("canonical encode + hash / orjson + blake3 (speed)", theirs / ours, 0.5)
    report.at_least("from raw bodies / json + sha256 (speed)", theirs_raw / ours_raw, 1)
    return report.code


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:2]))

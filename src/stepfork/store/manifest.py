"""One manifest a fixture: what a reviewer reads, and what binds the objects of one run together."""

from __future__ import annotations

import re
from typing import Any, NoReturn

import msgspec

from stepfork.canonical.encode import dumps
from stepfork.canonical.names import is_name, name_of
from stepfork.canonical.parse import parse
from stepfork.errors import CanonicalError, ManifestError, UsageError
from stepfork.store.names import check_name
from stepfork.store.personal import FEATURE
from stepfork.trace.body import JsonValue
from stepfork.trace.fixture import Source

VERSION = 1
"""The ``fixture_version`` that is written, and the newest that is read."""

FEATURES = frozenset({FEATURE})
"""What a manifest may require of this version."""

_CONFLICT = re.compile(rb"^(<{7}|>{7}|\|{7})[ \r\n]", re.MULTILINE)
_PLACE = re.compile(r" - at `([^`]*)`$")


class Entry(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """One exchange. ``base`` is the index of the earlier exchange continued, ``keep`` the number of its messages kept
    (None: all). ``system`` and ``tools`` name objects; UNSET is what the base has, None is nothing.
    """

    label: str
    object: str
    says: tuple[str, ...]
    status: int
    base: int | None = None
    keep: int | None = None
    system: str | msgspec.UnsetType | None = msgspec.UNSET
    tools: str | msgspec.UnsetType | None = msgspec.UNSET


class Manifest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A manifest as read. ``objects`` is every id reached, sorted; ``run`` binds the ids in order; ``seal`` is the
    digest of the manifest without it, so that an edit by hand is seen.
    """

    fixture_version: int
    name: str
    source: Source
    trace: str
    exchanges: tuple[Entry, ...]
    objects: tuple[str, ...]
    contracts: tuple[JsonValue, ...]
    verification: JsonValue
    world: None
    run: str
    seal: str
    requires: tuple[str, ...]
    extensions: dict[str, JsonValue]


def run_digest(trace: str, exchanges: tuple[Entry, ...]) -> str:
    """The digest over the ids and links of one run, in order."""
    rows = [[e.object, e.base, e.keep, _listed(e.system), _listed(e.tools)] for e in exchanges]
    return name_of(dumps([trace, rows]))


def write_manifest(manifest: Manifest) -> bytes:
    """The canonical bytes, with `run` and `seal` computed. Raises CanonicalError."""
    document: dict[str, Any] = msgspec.to_builtins(manifest)
    document["run"] = run_digest(manifest.trace, manifest.exchanges)
    document["seal"] = seal_of(document)
    return dumps(document)


def seal_of(document: dict[str, Any]) -> str:
    """The digest of a manifest without its seal."""
    return name_of(dumps({name: value for name, value in document.items() if name != "seal"}))


def parse_manifest(data: bytes, where: str, name: str = "NAME") -> dict[str, Any]:
    """The document of a manifest of this version. Raises ManifestError; the types are not looked at yet.

    `where` is the path to show, `name` what the path calls the fixture.
    """
    try:
        document = parse(data)
    except CanonicalError as error:
        if _CONFLICT.search(data):
            raise ManifestError(
                "unmerged conflict", where=where, fix=f"take one run whole: stepfork resolve {name} --ours|--theirs"
            ) from None
        raise ManifestError(error.what, where=where) from None
    version = document.get("fixture_version") if isinstance(document, dict) else None
    if type(version) is not int or version < 1:
        raise ManifestError("not a manifest: it has no fixture_version", where=where)
    if version > VERSION:
        raise ManifestError(
            f"fixture_version {version} is newer than {VERSION}, the newest this stepfork reads",
            where=where,
            fix="upgrade stepfork",
        )
    return dict(document)


def read_manifest(data: bytes, where: str, name: str = "NAME") -> Manifest:
    """A manifest of which all types, ids, links and the run digest are right. Raises ManifestError.

    `where` is the path to show, `name` what the path calls the fixture. The seal is not looked at: an edited manifest
    can be used, ``fsck`` reports it.
    """
    document = parse_manifest(data, where, name)
    _check_requires(document.get("requires"), where)
    try:
        manifest = msgspec.convert(document, Manifest)
        check_name(manifest.name)
        unknown = document["source"].keys() - set(Source.__struct_fields__)
    except UsageError as error:
        raise ManifestError(error.what, where=where) from None
    except (msgspec.ValidationError, OverflowError) as error:
        place = _PLACE.search(str(error))
        _refuse("a member is absent, unknown or of a wrong type", where, place[1] if place else "$")
    if unknown:
        _refuse("a member is unknown", where, "$.source")
    _check_ids(manifest, where)
    if manifest.run != run_digest(manifest.trace, manifest.exchanges):
        raise ManifestError(
            "the run digest does not fit the exchanges: this mixes two runs",
            where=where,
            fix=f"take one whole: stepfork resolve {name} --ours|--theirs, or capture --refresh",
        )
    return manifest


def _check_requires(requires: Any, where: str) -> None:
    if isinstance(requires, list):
        unknown = [item for item in requires if isinstance(item, str) and item not in FEATURES]
        if unknown:
            names = ", ".join(sorted(repr(name[:40]) for name in unknown))
            raise ManifestError(f"requires {names}, unknown to this stepfork", where=where, fix="upgrade stepfork")


def _check_ids(manifest: Manifest, where: str) -> None:
    if not is_name(manifest.trace):
        _refuse("not the name of an object", where, "$.trace")
    if not all(map(is_name, manifest.objects)) or list(manifest.objects) != sorted(set(manifest.objects)):
        _refuse("not a sorted list of object names", where, "$.objects")
    reached = set(manifest.objects)
    if manifest.trace not in reached:
        _refuse("not among objects", where, "$.trace")
    for index, entry in enumerate(manifest.exchanges):
        at = f"$.exchanges[{index}]"
        for member, name in (("object", entry.object), ("system", entry.system), ("tools", entry.tools)):
            if isinstance(name, str) and name not in reached:
                _refuse("not the name of one of its objects", where, f"{at}.{member}")
        if entry.base is not None and not 0 <= entry.base < index:
            _refuse("not an earlier exchange", where, f"{at}.base")
        if entry.keep is not None and (entry.base is None or entry.keep < 1):
            _refuse("not a number of messages of a base", where, f"{at}.keep")


def _refuse(what: str, where: str, place: str) -> NoReturn:
    raise ManifestError(f"{place}: {what}", where=where) from None


def _listed(part: str | msgspec.UnsetType | None) -> JsonValue:
    """UNSET, None and an id are three different things in the digest."""
    return "" if part is msgspec.UNSET else part

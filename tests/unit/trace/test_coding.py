from __future__ import annotations

import gzip
import random
import tracemalloc
import zlib
from types import SimpleNamespace

import pytest

from stepfork.trace import coding
from stepfork.trace.coding import CodingError, Undo

TEXT = "price 5 € 漢字 🚀 ".encode() * 3000
RAW_DEFLATE = zlib.compressobj(wbits=-15)
CODED = [
    ("", TEXT),
    ("identity", TEXT),
    ("gzip", gzip.compress(TEXT)),
    ("X-GZIP", gzip.compress(TEXT)),
    ("deflate", zlib.compress(TEXT)),
    ("deflate", RAW_DEFLATE.compress(TEXT) + RAW_DEFLATE.flush()),
    ("gzip", gzip.compress(TEXT[:7]) + gzip.compress(TEXT[7:])),
    ("gzip", gzip.compress(TEXT) + b"\0" * 8),
    ("deflate, gzip", gzip.compress(zlib.compress(TEXT))),
]


@pytest.mark.parametrize(("name", "coded"), CODED, ids=range(len(CODED)))
@pytest.mark.parametrize("size", [1, 7, 1000, 1 << 20])
def test_pieces_of_any_size_undo_to_the_same(name: str, coded: bytes, size: int) -> None:
    undoing = Undo(name, len(TEXT))
    pieces = [undoing.feed(coded[start : start + size]) for start in range(0, len(coded), size)]
    assert b"".join(pieces) == TEXT
    assert undoing.finished
    assert not undoing.over


@pytest.mark.parametrize(("name", "coded"), CODED, ids=range(len(CODED)))
@pytest.mark.parametrize("limit", [0, 1, 100, len(TEXT) - 1])
def test_nothing_over_the_limit_comes_out(name: str, coded: bytes, limit: int) -> None:
    undoing = Undo(name, limit)
    assert undoing.feed(coded) == TEXT[:limit]
    assert undoing.over
    assert undoing.feed(coded) == b""


@pytest.mark.parametrize("name", ["gzip", "deflate", "deflate, gzip"])
def test_c004_an_empty_body_undoes_to_nothing(name: str) -> None:
    undoing = Undo(name, 10)
    assert undoing.feed(b"") == b""
    assert undoing.finished
    assert not undoing.over


@pytest.mark.parametrize("name", ["gzip", "deflate"])
def test_a_body_that_breaks_off_gives_what_there_is(name: str) -> None:
    noise = random.Random(1).randbytes(100_000)
    coded = {"gzip": gzip.compress, "deflate": zlib.compress}[name](noise)
    undoing = Undo(name, len(noise))
    found = undoing.feed(coded[:50_000])
    assert 40_000 < len(found) < len(noise)
    assert noise.startswith(found)
    assert not undoing.finished


@pytest.mark.parametrize("name", ["gzip", "deflate"])
def test_what_is_not_compressed_is_an_error(name: str) -> None:
    with pytest.raises(CodingError):
        Undo(name, 100).feed(b"plain text, and long enough to be told apart from a header")


@pytest.mark.parametrize("name", ["made-up", "gzip, made-up", "gzip, gzip, gzip"])
def test_what_cannot_be_undone_is_an_error_at_once(name: str) -> None:
    with pytest.raises(CodingError):
        Undo(name, 100)


def test_c112_memory_stays_flat_whatever_is_fed() -> None:
    bomb = gzip.compress(b"0" * (64 << 20))
    tracemalloc.start()
    try:
        undoing = Undo("gzip", 1 << 20)
        assert len(undoing.feed(bomb)) == 1 << 20
        assert tracemalloc.get_traced_memory()[1] < 8 << 20
    finally:
        tracemalloc.stop()


def test_garbage_never_raises_anything_else() -> None:
    rng = random.Random(7)
    for _ in range(500):
        name = rng.choice(["gzip", "deflate", "deflate, gzip"])
        coded = bytearray(gzip.compress(TEXT[:300]) if "gzip" in name else zlib.compress(TEXT[:300]))
        for _ in range(rng.randrange(4)):
            coded[rng.randrange(len(coded))] = rng.randrange(256)
        undoing = Undo(name, 1000)
        try:
            out = undoing.feed(bytes(coded))
        except CodingError:
            continue
        assert len(out) <= 1000


class _Doubling:
    """Stands for a decoder of another package: it has no limit of its own."""

    finished = True

    def decompress(self, data: bytes) -> bytes:
        if b"!" in data:
            raise ValueError("bad data")
        return data * 1000


def test_decoders_without_a_limit_of_their_own_are_fed_in_bites(monkeypatch: pytest.MonkeyPatch) -> None:
    known = {"zz": lambda: coding._Foreign(_Doubling().decompress, lambda: True)}
    monkeypatch.setattr(coding, "_codings", lambda: known)
    assert coding.supported() == {"zz"}
    undoing = Undo("zz", 300_000)
    assert undoing.feed(b"a" * 10_000) == b"a" * 300_000
    assert undoing.over
    with pytest.raises(CodingError):
        Undo("zz", 10).feed(b"!")


def test_brotli_and_zstandard_are_supported_where_a_package_is(monkeypatch: pytest.MonkeyPatch) -> None:
    import_module = coding.importlib.import_module

    class Package:
        Decompressor = ZstdDecompressor = staticmethod(lambda: _Decoder())  # noqa: PLW0108 - named below

    class _Decoder:
        eof = True
        decompress = process = staticmethod(lambda data: data[::-1])
        is_finished = staticmethod(lambda: True)
        decompressobj = staticmethod(lambda: _Decoder())  # noqa: PLW0108

    def only(*names: str):
        def import_one(name: str):
            if name in names:
                return Package
            if name in ("brotli", "brotlicffi", "compression.zstd", "zstandard"):
                raise ImportError(name)
            return import_module(name)

        coding._codings.cache_clear()
        monkeypatch.setattr(coding.importlib, "import_module", import_one)

    try:
        only()
        assert coding.supported() == {"gzip", "x-gzip", "deflate"}
        for br, zstd in (("brotli", "compression.zstd"), ("brotlicffi", "zstandard")):
            only(br, zstd)
            assert coding.supported() == {"gzip", "x-gzip", "deflate", "br", "zstd"}
            for name in ("br", "zstd"):
                undoing = Undo(name, 10)
                assert undoing.feed(b"abc") == b"cba"
                assert undoing.finished
    finally:
        coding._codings.cache_clear()


@pytest.mark.parametrize("name", ["gzip", "x-gzip", "deflate"])
def test_a_coding_that_is_applied_has_no_time_and_is_undone_to_the_same(name: str) -> None:
    made = coding.apply(name, TEXT, like=b"x\x9c")
    assert made == coding.apply(name, TEXT, like=b"x\x9c")
    assert Undo(name, len(TEXT)).feed(made) == TEXT
    assert gzip.decompress(made) == TEXT if "gzip" in name else zlib.decompress(made) == TEXT


def test_deflate_keeps_the_form_that_it_had() -> None:
    raw = coding.apply("deflate", TEXT, like=b"\xcb\x48")
    assert zlib.decompress(raw, -15) == TEXT


@pytest.mark.parametrize(("name", "module"), [("br", "brotli"), ("br", "brotlicffi"), ("zstd", "zstandard")])
def test_a_package_that_is_there_compresses_too(name: str, module: str, monkeypatch: pytest.MonkeyPatch) -> None:
    stand_in = SimpleNamespace(compress=lambda data: b"packed:" + data)
    monkeypatch.setattr(coding, "_optional", lambda wanted: stand_in if wanted == module else None)
    assert coding.apply(name, b"text", like=b"") == b"packed:text"

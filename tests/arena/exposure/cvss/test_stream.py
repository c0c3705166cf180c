"""Reading a feed in pieces: every way in which a file can be no whole feed is one line that names it."""

from __future__ import annotations

import gzip
import json
import os
import tempfile
import threading
import tracemalloc
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.tracks.exposure.cvss import stream
from arena.tracks.exposure.cvss.feeds import NvdFeed
from arena.tracks.exposure.cvss.stream import Elements, FeedError
from tests.arena.exposure.cvss.feeds import cve, document

FEED = json.dumps(document(cve(1, "CWE-89"), cve(2, "CWE-79")), ensure_ascii=False).encode()

values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), st.text()),
    lambda inner: st.one_of(st.lists(inner), st.dictionaries(st.text(), inner)),
    max_leaves=8,
)


def read(path: Path, data: bytes) -> list[Any]:
    path.write_bytes(data)
    return list(NvdFeed(path))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "feed.json"


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b"", "empty"),
        (b" \n", "truncated"),
        (b"<!DOCTYPE html><html>503</html>", "a page of HTML"),
        (b"\n  <html>", "a page of HTML"),
        (b"PK\x03\x04rest", "a zip file"),
        (b"\x1f\x8b", "truncated gzip"),
        (b"\x1f\x8b\x08\x00broken, broken, broken", "gzip"),
        (b"\x1f\x8b\x00\x00\x00\x00\x00\x00\x00\x00", "gzip"),
        (gzip.compress(FEED, mtime=0)[:-9], "truncated gzip"),
        (gzip.compress(FEED, mtime=0)[:-8] + b"\0" * 8, "broken gzip"),
        (gzip.compress(b"", mtime=0), "truncated"),
        (FEED[:-1], "truncated"),
        (FEED[: len(FEED) // 2], "truncated"),
        (FEED + b"{}", "something follows"),
        (b"[1]", "where { is expected"),
        (b'"text"', "where { is expected"),
        (b"{}", "no list 'vulnerabilities'"),
        (b'{"format": "NVD_CVE"}', "no list 'vulnerabilities'"),
        (b'{"CVE_data_type": "CVE", "CVE_Items": []}', "older schema 1.1"),
        (b'{"CVE_Items": []}', "older schema 1.1"),
        (b'{"cveMetadata": {}}', "cve.org"),
        (b'{"error": "rate limit"}', "an error message"),
        (b'{"vulnerabilities": {}}', "where [ is expected"),
        (b'{"vulnerabilities": [], "vulnerabilities": []}', "is there twice"),
        (b'{"vulnerabilities": [{"cve": {"id": nonsense, "published": 1}}]}', "no JSON"),
        (FEED.replace(b"}, {", b"} {"), ", or ] is expected"),
        (b'{"a": ' + b"[" * 200_000, "no JSON that is read here"),
        (b'{"a": ' + b"9" * 10_000 + b"}", "no JSON that is read here"),
        (b'{"a": "\xff"}', "no UTF-8"),
        (b'{"a": "\xe2\x82', "no UTF-8"),
        ("\ufeff{}".encode("utf-16"), "no UTF-8"),
        (b"{1: 2}", "a key is no text"),
    ],
)
def test_what_is_no_feed_is_told_in_one_line(path: Path, data: bytes, told: str) -> None:
    with pytest.raises(FeedError) as caught:
        read(path, data)
    message = str(caught.value)
    assert told in message
    assert message.startswith(f"{path}: ")
    assert "\n" not in message
    assert len(message) - len(str(path)) < 250


def test_a_file_that_is_not_there_or_a_folder(path: Path, tmp_path: Path) -> None:
    for wrong in (path, tmp_path):
        with pytest.raises(FeedError, match=str(wrong)):
            list(NvdFeed(wrong))


@pytest.mark.parametrize("pack", [bytes, gzip.compress, lambda data: b"\xef\xbb\xbf" + data])
def test_plain_and_gzip_are_told_by_content(path: Path, pack: Any) -> None:
    assert [record.id for record in read(path, pack(FEED))] == ["CVE-2025-0001", "CVE-2025-0002"]


def test_a_pipe_can_be_read(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_bytes, args=(gzip.compress(FEED, mtime=0),))
    writer.start()
    assert len(list(NvdFeed(pipe))) == 2
    writer.join()


@pytest.mark.parametrize("chunk", [1, 2, 3, 7, 64])
def test_pieces_of_any_size_give_the_same(
    path: Path, chunk: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = read(path, FEED)
    monkeypatch.setattr(stream, "CHUNK", chunk)
    assert read(path, FEED) == whole


@pytest.mark.slow
@given(st.dictionaries(st.text(), values, max_size=4), st.lists(values), st.integers(1, 9))
def test_elements_are_those_of_the_list(others: Any, listed: Any, chunk: int) -> None:
    others.pop("listed", None)
    data = json.dumps({**others, "listed": listed}, ensure_ascii=True, indent=chunk % 3)
    held, stream.CHUNK = stream.CHUNK, chunk
    try:
        with tempfile.NamedTemporaryFile() as file:
            Path(file.name).write_text(data)
            elements = Elements(Path(file.name), "listed")
            assert list(elements) == listed
            assert elements.others.items() <= others.items()
            assert elements.has_list
    finally:
        stream.CHUNK = held


@given(
    st.one_of(
        st.binary(max_size=200),
        st.integers(0, len(FEED)).map(lambda end: FEED[:end]),
        st.tuples(st.integers(0, len(FEED)), st.binary(max_size=4)).map(
            lambda cut: FEED[: cut[0]] + cut[1] + FEED[cut[0] + len(cut[1]) :]
        ),
        st.binary(max_size=60).map(lambda data: b"\x1f\x8b\x08\x00" + data),
        st.integers(0, 400).map(lambda end: gzip.compress(FEED, mtime=0)[:end]),
    )
)
def test_any_bytes_are_a_feed_or_one_line(data: bytes) -> None:
    with tempfile.NamedTemporaryFile() as file:
        try:
            found = read(Path(file.name), data)
        except FeedError as error:
            assert "\n" not in str(error)
        else:
            assert data[:1] in b"{ \xef"
            assert all(record.id.startswith("CVE-") for record in found)


def test_every_cut_of_a_feed_is_told(path: Path) -> None:
    for end in range(0, len(FEED), 11):
        with pytest.raises(FeedError, match=r"truncated|empty|no UTF-8"):
            read(path, FEED[:end])


@pytest.mark.slow
def test_memory_is_that_of_one_element(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stream, "CHUNK", 2**16)
    entry = json.dumps(cve(1, "CWE-89", note="x" * 5_000))
    with path.open("w") as out:
        out.write('{"vulnerabilities": [' + entry)
        out.writelines(f",{entry}" for _ in range(4_000))
        out.write("]}")
    assert path.stat().st_size > 20 * 2**20
    tracemalloc.start()
    try:
        assert sum(1 for _ in NvdFeed(path)) == 4_001
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 4 * 2**20


def test_one_endless_element_is_refused(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stream, "MAX_ELEMENT", 10_000)
    monkeypatch.setattr(stream, "CHUNK", 1_000)
    with pytest.raises(FeedError, match="no JSON"):
        read(path, b'{"vulnerabilities": ["' + b"x" * 100_000 + b'"]}')


def test_a_file_that_unpacks_without_end_is_refused(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stream, "MAX_UNPACKED", 2**21)
    with pytest.raises(FeedError, match="bytes unpacked"):
        read(path, gzip.compress(b" " * 2**23))

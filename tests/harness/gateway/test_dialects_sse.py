"""Server-sent events out of chunks."""

from __future__ import annotations

import time

import pytest

from harness.gateway.dialects import _sse
from harness.gateway.dialects._sse import Splitter


def split(*chunks: bytes) -> list[bytes]:
    splitter = Splitter()
    return [data for chunk in chunks for data in splitter.feed(chunk)]


@pytest.mark.parametrize(
    ("stream", "events"),
    [
        (b"data: a\n\n", [b"a"]),
        (b"data:a\r\n\r\ndata:  b\r\r", [b"a", b" b"]),
        (b"\xef\xbb\xbfdata: a\n\n", [b"a"]),
        (b"event: x\nid: 5\nretry: 1\ndata: a\n\n", [b"a"]),
        (b"data: a\ndata: b\ndata\n\n", [b"a\nb\n"]),
        (b"data: a\r\ndata: b\r\n\r\n", [b"a\nb"]),
        (b": comment\n\n\n\nevent: lone\n\ndata: a\n\n", [b"a"]),
        (b"data: a\n", []),
        (b"data: \xe2\x80\xa8\x85\x0b\n\n", [b"\xe2\x80\xa8\x85\x0b"]),
        (b"database: no\n\ndata: yes\n\n", [b"yes"]),
    ],
)
def test_events(stream: bytes, events: list[bytes]) -> None:
    assert split(stream) == events
    assert split(*(bytes([byte]) for byte in stream)) == events


def test_what_is_too_long_is_dropped_and_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_sse, "MAX_EVENT", 100)
    splitter = Splitter()
    assert [d for _ in range(50) for d in splitter.feed(b"data: " + b"x" * 50)] == []
    assert len(splitter._line) <= 100
    assert list(splitter.feed(b"\n\ndata: a\n\n")) == [b"a"]
    assert splitter.dropped == 1


@pytest.mark.slow
def test_time_is_linear_in_the_stream() -> None:
    def seconds(size: int) -> float:
        start = time.process_time()
        splitter = Splitter()
        for _ in range(size):
            list(splitter.feed(b"x"))
            list(splitter.feed(b"\ndata:\n"))
        return time.process_time() - start

    seconds(2_000)
    least = {size: min(seconds(size) for _ in range(3)) for size in (8_000, 40_000)}
    assert least[40_000] < 12 * max(least[8_000], 0.005)

"""Only what the runner sealed, in its order, comes out of the pipe."""

from __future__ import annotations

import contextlib
import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.tracks.mutation.runner import wire

KEY = b"k" * wire.KEY


def written(*frames: tuple[bytes, bytes], first: int = 0, key: bytes = KEY) -> bytes:
    reading, writing = os.pipe()
    send = wire.sender(writing, key, first)
    for tag, payload in frames:
        send(tag, payload)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        return pipe.read()


@given(st.lists(st.binary(max_size=300), max_size=8), st.integers(1, 50))
def test_frames_come_out_as_they_went_in_however_they_are_cut(
    payloads: list[bytes], step: int
) -> None:
    data = written(*((wire.TEST, p) for p in payloads))
    receiver = wire.Receiver(KEY, 1 << 20)
    found = [f for i in range(0, len(data), step) for f in receiver.feed(data[i : i + step])]
    assert found == [(wire.TEST, p) for p in payloads]
    assert receiver.rest == 0


@given(st.binary(min_size=1, max_size=60), st.integers(0, 200), st.integers(1, 255))
def test_one_changed_byte_is_seen(payload: bytes, place: int, change: int) -> None:
    data = bytearray(written((wire.TEST, payload)))
    data[place % len(data)] ^= change
    receiver = wire.Receiver(KEY, 1 << 20)
    with contextlib.suppress(wire.Forged):
        assert receiver.feed(bytes(data)) == []  # a longer length: the frame never becomes whole
        assert receiver.rest == len(data)


@given(st.binary(max_size=400))
def test_other_bytes_are_never_a_frame(data: bytes) -> None:
    receiver = wire.Receiver(KEY, 1 << 20)
    with contextlib.suppress(wire.Forged):
        assert receiver.feed(data) == []


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (written((wire.TEST, b"x"), key=b"j" * wire.KEY), "seal"),
        (written((wire.TEST, b"x"), first=1), "where 0 was due"),
        (written((wire.TEST, b"x")) * 2, "where 1 was due"),
        (written((wire.TEST, b"x"), first=wire.APART), "does not run"),
        (b"\xff" * 40, "length"),
    ],
)
def test_what_is_not_in_order_is_forged(data: bytes, said: str) -> None:
    with pytest.raises(wire.Forged, match=said):
        wire.Receiver(KEY, 1 << 20).feed(data)


def test_a_test_apart_tells_once_and_only_while_it_runs() -> None:
    begin, own = written((wire.BEGIN, b'"a"')), written((wire.TEST, b"x"), first=wire.APART)
    receiver = wire.Receiver(KEY, 1 << 20, apart=True)
    assert len(receiver.feed(begin + own)) == 2
    with pytest.raises(wire.Forged, match="twice"):
        receiver.feed(own)
    late = written((wire.TEST, b"x"), first=wire.APART + 1)
    with pytest.raises(wire.Forged, match="does not run"):
        receiver.feed(late)

"""Packets of captures: both formats, and whatever else is in a file of that name."""

from __future__ import annotations

import struct
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.building.fuzzing import captures, libfuzzer
from arena.building.fuzzing.captures import are_captures, forms, frames, packets_at
from arena.building.revisions.objects import Objects
from tests.szz.conftest import Maker, history  # noqa: F401 - a fixture

LINKS = st.sampled_from([0, 1, 9, 101, 113, 276])
FRAMES = st.lists(st.binary(max_size=60), max_size=5)


def classic(order: str, link: int, packets: Sequence[bytes], magic: int = 0xA1B2C3D4) -> bytes:
    head = struct.pack(f"{order}IHHiIII", magic, 2, 4, 0, 0, 65535, link)
    return head + b"".join(struct.pack(f"{order}IIII", 1, 2, len(p), 99) + p for p in packets)


def block(order: str, kind: int, body: bytes) -> bytes:
    body += bytes(-len(body) % 4)
    length = struct.pack(f"{order}I", len(body) + 12)
    return struct.pack(f"{order}I", kind) + length + body + length


def newer(order: str, link: int, packets: Sequence[bytes], simple: bool = False) -> bytes:
    section = struct.pack(f"{order}IHHq", 0x1A2B3C4D, 1, 0, -1)
    parts = [
        block(order, 0x0A0D0D0A, section),
        block(order, 1, struct.pack(f"{order}HHI", link, 0, 0)),
    ]
    for packet in packets:
        head = struct.pack(f"{order}I", len(packet))
        if not simple:
            head = struct.pack(f"{order}5I", 0, 1, 2, len(packet), 99)
        parts.append(block(order, 3 if simple else 6, head + packet))
    return b"".join(parts)


@given(
    order=st.sampled_from("<>"),
    link=LINKS,
    packets=FRAMES,
    magic=st.sampled_from([0xA1B2C3D4, 0xA1B23C4D]),
)
def test_a_capture_gives_its_packets_in_either_format_and_order(
    order: str, link: int, packets: list[bytes], magic: int
) -> None:
    due = [(link, packet) for packet in packets]
    assert list(frames(classic(order, link, packets, magic))) == due
    assert list(frames(newer(order, link, packets))) == due
    assert list(frames(newer(order, link, packets, simple=True))) == due
    assert list(frames(newer("<", 1, [b"a"]) + newer(order, link, packets))) == [(1, b"a"), *due]


@given(
    whole=st.one_of(
        st.binary(max_size=200),
        st.builds(classic, st.sampled_from("<>"), LINKS, FRAMES),
        st.builds(newer, st.sampled_from("<>"), LINKS, FRAMES),
    ),
    at=st.integers(0, 200),
    byte=st.binary(min_size=1, max_size=4),
)
def test_no_bytes_make_it_raise_or_last(whole: bytes, at: int, byte: bytes) -> None:
    for content in (whole[:at], whole[:at] + byte + whole[at + len(byte) :]):
        found = list(frames(content))
        assert sum(len(frame) for _, frame in found) <= len(content)


@pytest.mark.parametrize(
    ("link", "frame", "due"),
    [
        (1, b"a" * 12 + b"\x08\x00IP", [b"a" * 12 + b"\x08\x00IP", b"IP"]),
        (1, b"a" * 12 + b"\x81\x00\x00\x05\x08\x00IP", [b"a" * 12 + b"\x81\x00\x00\x05\x08\x00IP", b"IP"]),
        (1, b"a" * 12 + b"\x81\x00\x00\x05" * 600 + b"\x08\x00IP", []),
        (101, b"IP", [b"IP", b"IP"]),
        (113, b"a" * 16, [b"a" * 16]),
        (0, b"", []),
        (12, bytes(3000), []),
    ],
)  # fmt: skip
def test_a_frame_and_what_it_carries(link: int, frame: bytes, due: list[bytes]) -> None:
    assert list(forms(link, frame)) == due


def test_captures_named_like_what_the_fix_changes_come_first_and_give_more(
    history: Maker,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(captures, "OF_EACH", 1)
    many = [b"IP %d" % number for number in range(5)]
    files = {
        b"tests/pcap/abc.pcap": classic("<", 101, [b"x", b"y"]),
        b"tests/pcap/raknet.pcap": classic(">", 12, many),
        b"tests/pcap/zed.pcapng": newer("<", 101, [b"z", b"x"]),
        b"tests/pcap/notes.pcap": b"no capture",
        b"README": classic("<", 101, [b"r"]),
    }
    path, ids = history(files)
    changed = ["src/protocols/raknet.c", "a/b.c"]
    assert packets_at(Objects(path), ids[0], changed) == (many, [b"x", b"z"])
    assert packets_at(Objects(path), ids[0], []) == ([], [b"x", b"IP 0", b"z"])


def test_what_else_a_fix_changes_crowds_nothing_out(
    history: Maker,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Results of tests that a fix changes are no sources, and the more alike a name the earlier."""
    monkeypatch.setattr(captures, "MAX_NEAR", 5)
    monkeypatch.setattr(captures, "OF_EACH", 1)
    files = {
        b"tests/%d_smtp.pcap" % n: classic("<", 101, [b"%d %d" % (n, i) for i in range(9)])
        for n in range(3)
    }
    own = [b"own %d" % number for number in range(4)]
    path, ids = history(
        {
            **files,
            b"tests/mail_smtp.pcap": classic("<", 101, own),
            b"tests/same.pcap": classic("<", 101, own),
            b"tests/domain.pcap": classic("<", 101, [b"d"]),
            b"tests/dns.pcap": classic("<", 101, [b"n"]),
        }
    )
    changed = ["tests/result/dns.pcap.out", "src/mail_smtp.c", "src/main.c"]
    near, others = packets_at(Objects(path), ids[0], changed)
    assert near == [*own, b"0 0"]
    assert others == [b"n", b"d"]


def test_a_simple_packet_is_as_long_as_its_interface_takes_and_a_broken_one_is_none() -> None:
    section = block("<", 0x0A0D0D0A, struct.pack("<IHHq", 0x1A2B3C4D, 1, 0, -1))
    interface = block("<", 1, struct.pack("<HHI", 101, 0, 5))
    simple = block("<", 3, struct.pack("<I", 60) + b"hello")
    broken = block("<", 6, struct.pack("<5I", 0, 1, 2, 60, 60) + b"short")
    assert list(frames(section + interface + simple + broken)) == [(101, b"hello")]


def test_a_target_whose_seeds_are_captures_gets_them_whole(
    history: Maker,  # noqa: F811
    tmp_path: Path,
) -> None:
    one, other = classic("<", 101, [b"x"]), newer(">", 101, [b"y"])
    files = {
        b"t/dns.pcap": one,
        b"t/tls.pcapng": other,
        b"t/long.pcap": one + bytes(captures.WHOLE),
    }
    path, ids = history({**files, b"t/none.cap": b"none"})
    assert packets_at(Objects(path), ids[0], ["src/dns.cc"], whole=True) == ([one], [other])
    seeds = {"a": b"", "b c": b"PK\3\4", "sample-1": one}
    for own, due in ((None, False), (one, True), (other, True)):
        for name, content in {**seeds, **({"-n": own} if own else {})}.items():
            (tmp_path / name).write_bytes(content)
        line = libfuzzer.HEADS.replace(libfuzzer.CORPUS, str(tmp_path))
        heads = subprocess.run(["sh", "-c", line], capture_output=True, check=True).stdout
        assert are_captures(heads) is due, heads
    assert not are_captures(b"od: \xff\n zz\n\n")


def test_blocks_that_hold_no_packet_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(captures, "MAX_BLOCKS", 9)
    whole = newer("<", 101, [b"x"])
    assert list(frames(whole + block("<", 5, b"") * 6 + newer("<", 101, [b"y"]))) == [(101, b"x")]


def test_of_a_large_capture_the_beginning_is_looked_at(
    history: Maker,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(captures, "MAX_CAPTURE", 64)
    files = {
        b"a.pcap": classic("<", 101, [b"x", *[b"y" * 30] * 9]),
        b"b.pcap": classic("<", 101, [b"z"]),
    }
    path, ids = history(files)
    assert packets_at(Objects(path), ids[0], []) == ([], [b"x", b"z"])

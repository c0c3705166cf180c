"""Packets out of a project's captures: what a target that takes a packet can begin with.

A dissector's tests are whole captures (pcap, pcapng), which a target that takes one packet makes nothing of,
and a packet that gets as far as a dissector is hard to guess. Formats: draft-ietf-opsawg-pcap,
draft-ietf-opsawg-pcapng, and the link types of tcpdump.org.
"""

from __future__ import annotations

import posixpath
import struct
from collections.abc import Iterator, Sequence
from itertools import islice

from arena.building.revisions.objects import Objects

ENDINGS = (".pcap", ".pcapng", ".cap")
MOST_CAPTURES, MOST_PACKETS, LONGEST = 400, 1500, 2048
OF_EACH, OF_NAMED = 6, 100
"""Packets of one capture, and of one that is named like a source that the fix changes."""
MAX_CAPTURE = 8 << 20
"""Bytes of a capture that are looked at."""
LINK = {0: 4, 1: 14, 108: 4, 113: 16, 276: 20}
"""Bytes of the link layer's header by link type; of others (raw IP) none."""
ETHERNET, TAGS = 1, (b"\x81\x00", b"\x88\xa8")
_MAGIC = {0xA1B2C3D4, 0xA1B23C4D}
_SECTION = b"\x0a\x0d\x0d\x0a"
_INTERFACE, _SIMPLE, _ENHANCED = 1, 3, 6


def captured(
    objects: Objects, commit: str, changed: Sequence[str]
) -> tuple[list[bytes], list[bytes]]:
    """Packets of the captures at a commit, each as a frame and without its link layer, each once.

    changed: paths. First those of captures named like one of them (`raknet.c`, `raknet.pcap`), then those of
    others. What is not in the repository is left out. Raises TaskError where it cannot be read.
    """
    words = {posixpath.basename(path).partition(".")[0] for path in changed}
    words = {word for word in words if len(word) > 2}
    found = {
        entry.oid: any(word in posixpath.basename(entry.path) for word in words)
        for entry in objects.entries(objects.tree_of(commit))
        if entry.path.endswith(ENDINGS) and entry.mode.startswith("100")
    }
    there = sorted(found, key=lambda oid: not found[oid])[:MOST_CAPTURES]
    lost = objects.lacking(there)
    there = [oid for oid in there if oid not in lost]
    packets: dict[bytes, bool] = {}
    for oid, (size, stream) in zip(there, objects.blobs(there), strict=True):
        content = stream.read(min(size, MAX_CAPTURE))
        for at in range(MAX_CAPTURE, size, MAX_CAPTURE):  # the rest is passed over
            stream.read(min(MAX_CAPTURE, size - at))
        if len(packets) < MOST_PACKETS:
            taken = islice(frames(content), OF_NAMED if found[oid] else OF_EACH)
            for part in (part for link, frame in taken for part in forms(link, frame)):
                packets.setdefault(part, found[oid])
    return [one for one in packets if packets[one]], [one for one in packets if not packets[one]]


def forms(link: int, frame: bytes) -> Iterator[bytes]:
    """A frame, and what it carries behind its link layer, if that is neither empty nor too long."""
    at = LINK.get(link, 0)
    while link == ETHERNET and frame[at - 2 : at] in TAGS:
        at += 4
    yield from (part for part in (frame, frame[at:]) if 0 < len(part) <= LONGEST)


def frames(content: bytes) -> Iterator[tuple[int, bytes]]:
    """(link type, frame) of each packet of a capture, as far as it is whole; nothing of what is none."""
    for order in "<>":
        if len(content) >= 24 and struct.unpack_from(f"{order}I", content)[0] in _MAGIC:
            yield from _classic(content, order)
    if content.startswith(_SECTION):
        yield from _blocks(content)


def _classic(content: bytes, order: str) -> Iterator[tuple[int, bytes]]:
    link = struct.unpack_from(f"{order}I", content, 20)[0] & 0xFFFF
    at = 24
    while at + 16 <= len(content):
        length = struct.unpack_from(f"{order}I", content, at + 8)[0]
        at += 16 + length
        if at > len(content):
            return
        yield link, content[at - length : at]


def _blocks(content: bytes) -> Iterator[tuple[int, bytes]]:
    order, links, at = "<", list[int](), 0
    while at + 12 <= len(content):
        if content[at : at + 4] == _SECTION:
            order = "<" if content[at + 8 : at + 12] == b"\x4d\x3c\x2b\x1a" else ">"
            links = []
        kind, length = struct.unpack_from(f"{order}II", content, at)
        body = content[at + 8 : at + length - 4]
        if length < 12 or at + length > len(content):
            return
        at += length
        if kind == _INTERFACE and len(body) >= 8:
            links.append(struct.unpack_from(f"{order}H", body)[0])
        elif kind == _ENHANCED and len(body) >= 20:
            number, _, _, taken = struct.unpack_from(f"{order}4I", body)
            if number < len(links):
                yield links[number], body[20 : 20 + taken]
        elif kind == _SIMPLE and len(body) >= 4 and links:
            yield links[0], body[4 : 4 + struct.unpack_from(f"{order}I", body)[0]]

"""A project's captures, and packets out of them: what a target that takes either can begin with.

A dissector's tests are whole captures (pcap, pcapng), which a target for single packets cannot use,
and a packet that gets as far as a dissector is hard to guess. Formats: draft-ietf-opsawg-pcap,
draft-ietf-opsawg-pcapng, and the link types of tcpdump.org.
"""

from __future__ import annotations

import posixpath
import re
import struct
from collections.abc import Iterator, Sequence
from itertools import islice

from arena.building.revisions.objects import Objects
from szz.paths import outside

ENDINGS = (".pcap", ".pcapng", ".cap")
MAX_CAPTURES, MAX_NEAR, MAX_PACKETS, LONGEST = 400, 1000, 1500, 2048
# Packets of one capture, and of one that is named like a source that the fix changes.
OF_EACH, OF_NAMED = 6, 100
# Bytes of a capture and blocks of it that are looked at, and tags of a frame.
MAX_CAPTURE, MAX_BLOCKS, MAX_TAGS = 8 << 20, 10_000, 4
# Bytes of the link layer's header by link type; of others (raw IP) none.
LINK = {0: 4, 1: 14, 108: 4, 113: 16, 276: 20}
ETHERNET, TAGS = 1, (b"\x81\x00", b"\x88\xa8", b"\x91\x00")
_MAGIC = {0xA1B2C3D4, 0xA1B23C4D}
_SECTION = b"\x0a\x0d\x0d\x0a"
# How a capture begins.
MAGIC_NUMBERS = frozenset(
    {_SECTION, *(struct.pack(f"{order}I", magic) for magic in _MAGIC for order in "<>")}
)
# Bytes of a capture that is a seed itself, at most.
WHOLE = 64 << 10
_INTERFACE, _SIMPLE, _ENHANCED = 1, 3, 6


def are_captures(heads: bytes) -> bool:
    """Whether files of which `heads` has the first bytes, a line of hexadecimal each, are captures."""
    # Target seeds that are captures themselves mean that the target reads whole files, not packets.
    magic_hex = {head.hex() for head in MAGIC_NUMBERS}
    return any(
        "".join(line.split()) in magic_hex for line in heads.decode("ascii", "replace").splitlines()
    )


def packets_at(
    objects: Objects, commit: str, changed: Sequence[str], whole: bool = False
) -> tuple[list[bytes], list[bytes]]:
    """Packets of the captures at a commit, each as a frame and without its link layer, each once.

    whole: the captures themselves, those of up to WHOLE bytes.

    changed: paths. First those of captures named like a source among them (`raknet.c`, `raknet.pcap`), the
    more alike the earlier, then the rest. What is not in the repository is left out. Raises TaskError
    where it cannot be read.
    """
    sources = [
        _stem(path) for path in changed if not outside(path.encode(errors="replace"), "source")
    ]
    is_near: dict[str, int] = {}
    for entry in objects.entries(objects.tree_of(commit)):
        if entry.path.endswith(ENDINGS) and entry.mode.startswith("100"):
            is_near[entry.oid] = max(
                is_near.get(entry.oid, 0), _likeness(_stem(entry.path), sources)
            )
    present = sorted(is_near, key=lambda oid: -is_near[oid])[:MAX_CAPTURES]
    missing = objects.lacking(present)
    present = [oid for oid in present if oid not in missing]
    share = max(OF_EACH, min(OF_NAMED, MAX_NEAR // max(1, sum(map(bool, is_near.values())))))
    of_each = (OF_EACH, share, OF_NAMED)
    near: dict[bytes, None] = {}
    others: dict[bytes, None] = {}
    for oid, (size, stream) in zip(present, objects.blobs(present), strict=True):
        content = stream.read(min(size, MAX_CAPTURE))
        # The stream of `git cat-file --batch` goes on with the next blob, so the rest must be read in any
        # case.
        for at in range(MAX_CAPTURE, size, MAX_CAPTURE):  # the rest is passed over
            stream.read(min(MAX_CAPTURE, size - at))
        into, max_packets = (near, MAX_NEAR) if is_near[oid] else (others, MAX_PACKETS - len(near))
        if len(into) < max_packets:
            taken = islice(frames(content), of_each[is_near[oid]])
            packets = (part for link, frame in taken for part in forms(link, frame))
            captures = [content] if size <= WHOLE and content[:4] in MAGIC_NUMBERS else []
            into.update(dict.fromkeys(captures if whole else packets))
    return list(near), [packet for packet in others if packet not in near]


def _stem(path: str) -> str:
    return posixpath.basename(path).partition(".")[0].lower()


def _likeness(capture: str, sources: Sequence[str]) -> int:
    """2 where a source has the name, 1 where a source shares a word with it, else 0.

    Example of 1: `mail_smtp.c`, `smtp-auth.pcap`.
    """
    if capture in sources:
        return 2
    words = _words(capture)
    return int(any(words & _words(source) for source in sources))


def _words(name: str) -> set[str]:
    return {word.rstrip("0123456789") for word in re.findall("[a-z0-9]{3,}", name)} - {""}


def forms(link: int, frame: bytes) -> Iterator[bytes]:
    """A frame, and what it carries behind its link layer, if that is neither empty nor too long."""
    at = LINK.get(link, 0)
    if link == ETHERNET:
        tags = range(at, at + 4 * MAX_TAGS, 4)
        at = next((place for place in tags if frame[place - 2 : place] not in TAGS), tags.stop)
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
    order, links, at = "<", list[tuple[int, int]](), 0
    for _ in range(MAX_BLOCKS):
        if at + 12 > len(content):
            return
        if content[at : at + 4] == _SECTION:
            order = "<" if content[at + 8 : at + 12] == b"\x4d\x3c\x2b\x1a" else ">"
            links = []
        kind, length = struct.unpack_from(f"{order}II", content, at)
        body = content[at + 8 : at + length - 4]
        if length < 12 or at + length > len(content):
            return
        at += length
        if kind == _INTERFACE and len(body) >= 8:
            link, _, longest = struct.unpack_from(f"{order}HHI", body)
            links.append((link, longest or len(content)))  # 0: whole packets
        elif kind == _ENHANCED and len(body) >= 20:
            number, _, _, taken = struct.unpack_from(f"{order}4I", body)
            if number < len(links) and 20 + taken <= len(body):
                yield links[number][0], body[20 : 20 + taken]
        elif kind == _SIMPLE and len(body) >= 4 and links:
            taken = min(struct.unpack_from(f"{order}I", body)[0], links[0][1])
            yield links[0][0], body[4 : 4 + taken]

"""The positive control: a deliberate memory error in the target's process must be reported.

A library (`control.c`) is loaded into the target wherever it is replayed. Switched on, it makes an error when
the program ends; so a report of it shows that the sanitizer was at work to the end, and that
the program came to its end. The two states differ in a single word of the file, not in name or environment.
"""

from __future__ import annotations

import base64
import secrets
import shlex
from dataclasses import dataclass, replace
from importlib import resources

from harness.command import Command, Limits
from harness.grade.attack import NOTHING, TMP, Attack, Preload, inside, replay
from harness.grade.environment import sandbox
from harness.grade.ports import ResultCache, digest_of
from harness.protocols import Sandbox
from harness.sandbox import archive
from harness.sandbox.base import Backend

NAME = "libarena.so"
SOURCE = "control.c"
# Of the same length at the place that is read, so that a byte replacement switches the compiled library.
OFF, ON = b"ARENA-CONTROL=OFF", b"ARENA-CONTROL=ON"
# Sizes of the block in which the error is made (`control.c`); which one is not known beforehand.
SIZE_CLASSES = 6
# MemorySanitizer comes with clang alone, so that an image for it may lack gcc.
COMPILE = "cc gcc clang"
# An optimiser could remove the error, since nothing uses what it reads.
FLAGS = "-shared -fPIC -O0 -w -fno-builtin -pthread"
# One of these is in the report of our error: the library or its function in a frame, or the location.
MARKS = (NAME.encode(), b"arena_control")
ROOM = "/tmp/.arena-control"  # noqa: S108 - a path inside the sandbox


@dataclass(frozen=True)
class Control:
    """The library for an image, switched off; empty if the image has no compiler for it."""

    library: bytes = b""

    def preload(self, size_class: int | None = None) -> Preload:
        """What loads the library: off, or with an error in a block of a size class."""
        if not self.library:
            return NOTHING
        place = f"{ROOM}/{NAME}"
        state = OFF if size_class is None else ON + b"%d" % size_class
        library = self.library.replace(OFF, state)
        return Preload({inside(place): library}, {"LD_PRELOAD": place})


def control_of(backend: Backend, image: str, cache: ResultCache) -> Control:
    """The library as the compiler of an image makes it, once for each. Raises a SandboxFault."""
    source = resources.files(__package__).joinpath(SOURCE).read_bytes()
    base = backend.resolve(image)
    key = "control:" + digest_of(backend.content_of(base).digest, source)
    fact = cache.fact(key)
    if fact is None:
        fact = {"library": base64.b64encode(_compile_control(backend, base, source)).decode()}
        cache.put_fact(key, fact)
    return Control(base64.b64decode(fact["library"]))


def is_control_reported(box: Sandbox, attack: Attack, control: Control, cache: ResultCache) -> bool:
    """Whether our error in the target, at its end on the PoC, is reported. Raises NotRun."""
    if not control.library:
        return False
    # Drawn each time: code that resets a sanitizer's records of some size does not know which will be used.
    preload = control.preload(secrets.randbelow(SIZE_CLASSES))
    _, evidence = replay(box, replace(attack, times=1), cache, False, preload)
    text = cache.blob(evidence["report"]) if "report" in evidence else b""
    return any(mark in text for mark in MARKS)


def _compile_control(backend: Backend, image: str, source: bytes) -> bytes:
    with sandbox(backend, image, Limits()) as box:
        box.put({inside(f"{ROOM}/{SOURCE}"): source}, TMP)
        line = f"for c in {COMPILE}; do $c {FLAGS} -o {shlex.quote(NAME)} {SOURCE} && exit; done"
        if not box.exec(Command(line, ROOM)).ok:
            return b""
        library = archive.unpack(box.get([NAME], ROOM)).get(NAME, b"")
    # A compiler that stores the word twice, or not as it is, leaves no safe place to switch.
    return library if library.count(OFF) == 1 else b""

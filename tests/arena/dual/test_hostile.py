"""Hostile candidates: each gets the verdict due, leaves nothing behind, and disturbs nobody after it."""

from __future__ import annotations

import os
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pytest

from arena.tracks.dual.languages.plan import Candidate, RunnerResources
from arena.tracks.dual.results import SampleResult
from arena.tracks.dual.runner.pool import ProgramRunner, ProgramRunnerFault
from arena.tracks.dual.score import ProgramScorer, Sample
from harness.grade.ports import MemoryCache
from tests.arena.dual import hostile_calls, hostile_others, hostile_places
from tests.arena.dual.hostile import HONEST, MARK, Hostile, make_tasks, security_only, within

ALL = {one.name: one for one in (*hostile_calls.ALL, *hostile_places.ALL, *hostile_others.ALL)}
HOST_SECRET = "of-the-host-7f3a91c2d4"


@dataclass(frozen=True)
class Tried:
    """What came of a hostile candidate, of the honest one after it, and what was left on the host."""

    found: SampleResult
    after: SampleResult
    told: str
    left: tuple[str, ...]
    seconds: float


def test_there_are_enough_of_them() -> None:
    assert len(ALL) == sum(
        len(room.ALL) for room in (hostile_calls, hostile_places, hostile_others)
    )
    languages = [one.language for one in ALL.values()]
    counts = [languages.count(name) for name in ("python", "javascript", "cpp")]
    assert all(count >= least for count, least in zip(counts, (45, 8, 5), strict=True)), counts


class Room:
    """A stand of one worker, in which one candidate is tried after the other."""

    def __init__(self, folder: Path) -> None:
        self.mark = f"{MARK}-{folder.name}-{os.getpid()}"
        self.tasks, self.runner, self.cache = (
            make_tasks(folder / "pack", self.mark),
            ProgramRunner(),
            Kept(),
        )
        means = RunnerResources(self.runner, folder)
        self.scorer = ProgramScorer(means, self.cache, (ProgramRunnerFault,), remember=False)
        self.listens = socket.socket(socket.AF_UNIX)
        self.listens.bind(f"\0{self.mark}")
        self.listens.listen()
        self.listens.setblocking(False)

    def close(self) -> None:
        self.listens.close()
        self.runner.close()

    def try_out(self, one: Hostile) -> Tried:
        task = self.tasks[one.shape]
        self.cache.blobs.clear()
        began = time.monotonic()
        candidate = Candidate(one.language, one.program)
        found = self.scorer.score(Sample(within(task, one), "hostile", one.language, candidate))
        seconds = time.monotonic() - began
        told = found.model_dump_json() + "".join(blob.decode() for blob in self.cache.blobs)
        honest = Candidate("python", HONEST[one.shape].encode())
        after = self.scorer.score(Sample(security_only(task), "honest", "python", honest))
        return Tried(found, after, told, tuple(self._left()), seconds)

    def _left(self) -> Iterator[str]:
        deadline = time.monotonic() + 10
        while (living := self._living()) and time.monotonic() < deadline:
            time.sleep(0.01)
        yield from (f"process {pid}" for pid in living)
        for folder in ("/tmp", "/dev/shm", "/var/tmp"):
            yield from map(str, Path(folder).glob(f"{MARK}*"))
        with suppress(BlockingIOError):
            self.listens.accept()
            yield "a connection to the host"

    def _living(self) -> list[int]:
        """Processes below this thread's worker, and any that has what only candidates are told."""
        below = [
            pid
            for worker in children(f"self/task/{threading.get_native_id()}")
            for pid in grandchildren(worker)
        ]
        return below + [
            int(p.name) for p in Path("/proc").iterdir() if p.name.isdigit() and self._marked(p)
        ]

    def _marked(self, process: Path) -> bool:
        try:
            return self.mark.encode() in (process / "environ").read_bytes()
        except OSError:
            return False


class Kept(MemoryCache):
    """Tells what was kept since it was cleared."""

    def __init__(self) -> None:
        super().__init__()
        self.blobs: list[bytes] = []

    def keep(self, content: bytes) -> str:
        self.blobs.append(content)
        return super().keep(content)


def children(task: str) -> list[int]:
    return [int(pid) for pid in Path(f"/proc/{task}/children").read_text().split()]


def grandchildren(pid: int) -> list[int]:
    return [
        child
        for task in Path(f"/proc/{pid}/task").iterdir()
        for child in children(f"{pid}/task/{task.name}")
    ]


@pytest.fixture(scope="module")
def room(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Room]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOST_SECRET", HOST_SECRET)
        room = Room(tmp_path_factory.mktemp("room"))
        yield room
        room.close()


def verdict_of(found: SampleResult, kind: str) -> tuple[str, set[str]]:
    """The verdict of the one test of a kind, and the oracles that came to it."""
    (test,) = (test for test in found.tests if test.kind == kind)
    return str(test.verdict), {one.oracle for one in test.oracles if one.verdict is test.verdict}


@pytest.mark.slow
@pytest.mark.rotating(20)
@pytest.mark.parametrize("name", ALL)
def test_the_verdict_is_the_one_due_and_nothing_is_left(room: Room, name: str) -> None:
    due, came = ALL[name], room.try_out(ALL[name])
    assert (came.found.health, came.found.state) == ("ok", due.state), came.found.why
    for kind, wanted in (("functional", due.functional), ("security", due.security)):
        verdict, oracles = verdict_of(came.found, kind)
        reasons = [(t.verdict, t.oracle, t.reason) for t in came.found.tests]
        if wanted in ("pass", "error"):
            assert verdict == wanted, reasons
        else:
            assert verdict == "fail", reasons
            assert set(wanted.split()) <= oracles, reasons
    assert due.observed in came.found.tests[0].observed
    assert came.left == ()
    assert HOST_SECRET not in came.told
    assert came.seconds < 60
    verdicts = {str(test.verdict) for test in came.after.tests}
    assert (came.after.health, verdicts) == ("ok", {"pass"}), came.after

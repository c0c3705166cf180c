"""A track for a real cluster: its attempts pay, sleep, tell which process made them, and die when told to."""

from __future__ import annotations

import os
import time
from pathlib import Path

from arena.jobs import Needs, Stage
from arena.protocols import Say, Setup
from arena.store.model import AttemptKey
from harness.grade.ports import ResultCache
from harness.grade.verdict import Health, Label, Verdict
from harness.protocols import Charge, Ended, Solution
from harness.sandbox.base import SandboxDied
from tests.arena.sweep.scripted import ScriptedTrack


class Sleeping(ScriptedTrack):
    """options: seconds that an attempt takes; log: a file with a line for each thing done; die: a task."""

    def __init__(self, setup: Setup, cache: ResultCache) -> None:
        super().__init__()
        self._options, self._cache = setup.options, cache

    def needs(self, key: AttemptKey, stage: Stage) -> Needs:
        return Needs(image=f"image-of-{key.task}")

    def solve(self, key: AttemptKey, say: Say, charge: Charge | None = None) -> Solution:
        say("agent")
        self._log("solve", key)
        if key.task == self._options.get("die"):
            raise SandboxDied("told to")
        if charge:
            charge(0.5, 0)
        time.sleep(float(self._options.get("seconds", 0)))
        return Solution(key.task.encode(), Ended.FINISHED, {"usd": 0.5}, b"", {"pid": os.getpid()})

    def grade(self, key: AttemptKey, solution: Solution, say: Say) -> Verdict:
        self._log("grade", key)
        known = self._cache.fact(f"gold:{key.task}")
        if known is None:
            self._cache.put_fact(f"gold:{key.task}", {"task": key.task})
        evidence = {"patch": solution.patch.decode(), "known": known is not None}
        return Verdict(Label.SECURE, Health.OK, "fine", evidence)

    def _log(self, what: str, key: AttemptKey) -> None:
        with Path(str(self._options["log"])).open("a") as log:
            log.write(f"{what} {key.task} {key.agent} {os.getpid()}\n")


def open_track(setup: Setup, cache: ResultCache, say: Say) -> Sleeping:
    return Sleeping(setup, cache)

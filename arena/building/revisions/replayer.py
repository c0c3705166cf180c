"""Replay a PoC against a built revision, several times, and say what that shows."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from harness.command import Limits
from harness.grade.attack import RESOURCE_KINDS, Attack, NotRun, replay
from harness.grade.building import STOPPED, run_grader_command
from harness.grade.environment import sandbox
from harness.grade.evidence import ReplayEvidence
from harness.grade.ports import ResultCache
from harness.protocols import Sandbox
from harness.sandbox.base import Backend
from parsers.crashes import Crash, alike_kinds
from szz.observation import State

# Goes up when the same replays would be read otherwise.
VERSION = "2"

# Kinds of crash that are nothing but a limit reached.
RESOURCES = ("timeout", "out-of-memory")

_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")
_PLAIN_PATH = re.compile(r"[\w./+@,:-]*/[\w./+@,:-]*")


class NotBuilt(NotRun):
    """The build ended well, but without a program of the command's name."""


@dataclass(frozen=True)
class Shown:
    """The result of replays; `replays` is the evidence, a mapping each."""

    state: State
    signature: Mapping[str, Any] | None = None
    reason: str = ""
    replays: Sequence[Mapping[str, Any]] = ()


@dataclass(frozen=True)
class Replayer:
    """Replays a PoC. `expected` is the stated crash's kind: a kind of RESOURCES is a limit reached."""

    backend: Backend
    limits: Limits
    attack: Attack
    times: int
    expected: str
    cache: ResultCache

    def replay(self, image: str) -> Shown:
        """The result of the PoC in fresh sandboxes of `image`. Raises SandboxFault."""
        crashes: list[Crash | None] = []
        replays: list[ReplayEvidence] = []
        try:
            for crash, evidence in self._replays(image):
                crashes.append(crash)
                replays.append(evidence)
                stopped = evidence["stopped"]
                # A limit is a crash only where the record says so: on a slow machine any PoC could reach it.
                if stopped and not self._looked_for(stopped):
                    which = f"replay {len(crashes)} of {self.times}"
                    return Shown("unclear", None, f"the PoC {STOPPED[stopped]} ({which})", replays)
        except NotBuilt as error:
            return Shown("unbuilt", None, str(error), replays)
        except NotRun as error:
            reason = " ".join(str(error).split())
            return Shown("unclear", None, f"PoC command cannot be run: {reason}", replays)
        return _judge_replays(crashes, replays)

    def _looked_for(self, stopped: str) -> bool:
        return self.expected in RESOURCES and RESOURCE_KINDS[stopped] == self.expected

    def _replays(self, image: str) -> Iterator[tuple[Crash | None, ReplayEvidence]]:
        """Replays in a single sandbox; after a replay that a limit ended, in a new sandbox."""
        left = self.times
        while left:
            with sandbox(self.backend, image, self.limits) as box:
                stopped = ""
                # A replay that a limit ended may have left processes or files behind.
                while left and not stopped:
                    _make_ready(box, self.attack)
                    crash, evidence = replay(box, self.attack, self.cache, trust_output=True)
                    left -= 1
                    stopped = evidence["stopped"]
                    yield crash, evidence


def target_of(command: str) -> str:
    """The program that a command starts, when it is stated as a path; "" when that is not clear."""
    try:
        words = shlex.split(command.replace("\n", " ; "))
    except ValueError:
        return ""
    first = next((word for word in words if not _ASSIGNMENT.match(word)), "")
    return first if _PLAIN_PATH.fullmatch(first) else ""


def _make_ready(box: Sandbox, attack: Attack) -> None:
    """Raises NotBuilt when the program is not there: not every command line fails without its program."""
    target = target_of(attack.command)
    if target and not run_grader_command(
        box, f"if test -x {shlex.quote(target)}; then echo there; fi", attack.workdir
    ):
        raise NotBuilt(f"the build ended well and made no {target}")


def _judge_replays(crashes: list[Crash | None], replays: Sequence[ReplayEvidence]) -> Shown:
    crashes_seen = [crash for crash in crashes if crash is not None]
    if not crashes_seen:
        return Shown("clean", replays=replays)
    # A crash that comes now and then would make a bisect go wrong by chance.
    if len(crashes_seen) < len(crashes):
        reason = f"flaky: {len(crashes_seen)} of {len(crashes)} replays crashed"
        return Shown("unclear", None, reason, replays)
    if not all(alike_kinds(crashes_seen[0].kind, crash.kind) for crash in crashes_seen):
        kinds = ", ".join(sorted({crash.kind for crash in crashes_seen}))
        return Shown("unclear", None, f"flaky: crashes of several kinds: {kinds}", replays)
    return Shown("crash", crashes_seen[0].to_json(), "", replays)

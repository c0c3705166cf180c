"""Programs written by an agent of the track `repo`: it is given an empty repository and the specification.

What it leaves in `solution.<py|js|cpp>` is the program, taken out of its patch; nothing else of it is used.
"""

from __future__ import annotations

import subprocess
import tempfile
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from arena.store.store import AttemptKey
from arena.tracks.asking import Keeper
from arena.tracks.direct import UNSPENT
from arena.tracks.dual.generate.extraction import State
from arena.tracks.dual.generate.folder import digest_of_source, file_of
from arena.tracks.dual.generate.prompts import specification
from arena.tracks.dual.tasks.pack import NAMES, DualTask
from arena.tracks.dual.tasks.schema import Language
from arena.tracks.repo.models import Models
from harness.agents import CALIBRATION, ModelUnavailable, NeverAsked
from harness.agents._make import make_agent
from harness.agents._workspace import SandboxWorkspace
from harness.command import Command, Limits, Mount
from harness.grade.environment import sandbox
from harness.grade.ports import digest_of
from harness.protocols import Agent, Budget, Ended, Job, Sandbox, Solution
from harness.sandbox.base import Backend, SandboxDied, SandboxRefused
from tasks.instruction.templates import known_prompt, wrap
from tasks.loader import Task

FORM = "1"
IMAGE = "arena/cpp"
WORKDIR = "/src/work"
TIMEOUT = 60.0
EMPTY = (
    f"mkdir -p {WORKDIR} && cd {WORKDIR} && git init -q -b main . && git -c user.name=arena "
    "-c user.email=arena@localhost commit -q --allow-empty -m Start"
)
NOTE = (
    "\n\nThe whole program is the one file `{file}` at the top of the source tree, in {language}."
)


@dataclass(frozen=True)
class Written:
    """A row of samples.jsonl with its program (b"" without one)."""

    row: dict[str, Any]
    source: bytes


@dataclass
class AgentWriter:
    """One agent with one model. Raises ValueError, UnknownName or SandboxRefused when made."""

    backend: Backend
    name: str
    model: str
    models: Models
    keeper: Keeper
    budget: Budget = field(default_factory=Budget)
    trust: bool = False
    prompt: str = "neutral"
    identity: tuple[str, ...] = ()
    """What of the model and its parameters makes a program; part of each key."""

    def __post_init__(self) -> None:
        self._lock = threading.Lock()
        agent = self._agent()
        known_prompt(self.prompt)
        if not self.backend.isolates_model_output and not self.trust:
            raise SandboxRefused(
                f"agent {self.name!r} runs what a model writes, and the {self.backend.name} sandbox does not "
                "isolate enough for that; use --sandbox docker, or --trust-agents"
            )
        if agent.asks_model:
            if not self.model:
                raise ValueError(f"agent {self.name!r} needs a model: --model NAME")
            agent.expect()
            self.models.expect(self.model)

    def write(self, task: DualTask, language: Language, sample: int) -> Written:
        """The program for one sample, from the store where it was written before.

        Raises a SandboxFault for what the machine did wrong: then there is no sample yet.
        """
        kept, _ = self._kept(task, language, sample)
        return self._written(task, language, sample, kept)

    def solution(self, task: DualTask, language: Language, sample: int) -> Solution:
        """The same as an attempt's: the program as the patch, and what it cost now. Raises as `write`."""
        kept, stored = self._kept(task, language, sample)
        written = self._written(task, language, sample, kept)
        row, blob = written.row, self.keeper.blob
        told = kept.get("trajectory")
        return Solution(
            written.source,
            Ended(kept["ended"]),
            dict(UNSPENT) if stored else kept["usage"],
            blob(told) if told else b"",
            {
                **kept.get("note", {}),
                "stored": stored,
                "state": row["state"],
                "notes": row["notes"],
            },
            {
                "tree": blob(kept["patch"]),
                **{name: blob(digest) for name, digest in kept.get("artefacts", {}).items()},
            },
        )

    def _kept(self, task: DualTask, language: Language, sample: int) -> tuple[dict[str, Any], bool]:
        """What the agent left, by digests; and whether that was known already."""
        told = self._told(task, language)
        key = digest_of(
            "dual-agent",
            FORM,
            self.name,
            self.model,
            *self.identity,
            str(self.budget),
            told,
            str(sample),
        )
        kept = self.keeper.fact(key)
        if kept is not None:
            return kept, True
        kept = self._made(task, told, sample)
        self.keeper.learn(key, kept)
        return kept, False

    def _agent(self) -> Agent:
        if self.name.partition(":")[0] in CALIBRATION:
            raise ValueError(f"--agent: {self.name!r} needs a task of the track repo")
        return make_agent(self.name, cast("Task", None))  # only the calibrating ones look at it

    def _told(self, task: DualTask, language: Language) -> str:
        note = NOTE.format(file=NAMES[language], language=language)
        return wrap(specification(task, language) + note, WORKDIR, self.prompt)

    def _made(self, task: DualTask, told: str, sample: int) -> dict[str, Any]:
        agent, model = self._agent(), None
        if agent.asks_model:
            key = AttemptKey(task.id, self.name, self.model, self.prompt, sample)
            model = self.models.access(key)
        workspace = SandboxWorkspace(self._create, WORKDIR)
        try:
            made = agent.solve(Job(workspace, told, self.budget, model))
        finally:
            workspace.close()
        self._expect_asked(made)
        return {
            "patch": self.keeper.keep(made.patch),
            "ended": str(made.ended),
            "usage": dict(made.usage),
            "trajectory": self.keeper.keep(made.trajectory) if made.trajectory else None,
            "note": dict(made.note),
            "artefacts": {name: self.keeper.keep(data) for name, data in made.artefacts.items()},
        }

    def _expect_asked(self, made: Solution) -> None:
        """What says nothing of the agent is no sample."""
        if made.ended is Ended.MODEL_UNAVAILABLE:
            raise ModelUnavailable(f"{self.model}: no call was answered")
        if self.model and made.ended is Ended.CRASHED and not made.usage.get("calls"):
            raise NeverAsked(f"{self.name} crashed unasked")

    def _create(self, mounts: Sequence[Mount] = (), least: Limits | None = None) -> Sandbox:
        limits = Limits().at_least(least) if least else Limits()
        return self.backend.create(self._image(), limits, mounts)

    def _image(self) -> str:
        """An image with an empty repository, made once."""
        base = self.backend.resolve(IMAGE)
        name = f"arena/env:{digest_of('dual-empty', base, EMPTY)[:32]}"
        with self._lock:
            if self.backend.find(name) is None:
                with sandbox(self.backend, base, Limits()) as box:
                    done = box.exec(Command(EMPTY, "/", TIMEOUT))
                    if not done.ok:
                        raise SandboxDied(f"no empty repository: {done.output[-300:]!r}")
                    box.snapshot(name, {"io.arena.task": "dual"})
        return name

    def _written(
        self, task: DualTask, language: Language, sample: int, kept: dict[str, Any]
    ) -> Written:
        source = file_in(self.keeper.blob(kept["patch"]), NAMES[language])
        suffix = Path(NAMES[language]).suffix
        row = {
            "task": task.id,
            "sample": str(sample),
            "language": language,
            "agent": self.name,
            "model": self.model,
            "prompt": self.prompt,
            "state": str(State.OK if source.strip() else State.NO_CODE),
            "notes": [f"the agent ended: {kept['ended']}"],
            "usage": kept["usage"],
            "patch": kept["patch"],
            "file": file_of(task.id, sample, suffix) if source.strip() else "",
            "sha256": digest_of_source(source) if source.strip() else "",
        }
        return Written(row, source if source.strip() else b"")


def file_in(patch: bytes, name: str) -> bytes:
    """The content that a patch against an empty tree gives a file; b"" where it gives none."""
    if not patch.strip():
        return b""
    with tempfile.TemporaryDirectory(prefix="arena-patch-") as folder:
        done = subprocess.run(
            ["git", "apply", "--whitespace=nowarn", f"--include={name}"],
            cwd=folder,
            input=patch,
            capture_output=True,
            timeout=TIMEOUT,
            env={"PATH": "/usr/bin:/bin:/usr/local/bin", "GIT_CEILING_DIRECTORIES": folder, "HOME": folder},
            check=False,
        )  # fmt: skip
        path = Path(folder, name)
        plain = done.returncode == 0 and path.is_file() and not path.is_symlink()
        return path.read_bytes() if plain else b""

"""Programs written by an agent of the track `repo`, from an empty repository and the specification.

What it leaves in `solution.<py|js|cpp>` is the program, taken out of its patch; nothing else of it is used.
"""

from __future__ import annotations

import subprocess
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

from arena.lazy import Lazy
from arena.models.attempt_models import Models, models_for
from arena.models.direct import UNSPENT
from arena.models.languages import NAMES, Language
from arena.models.program_extraction import ProgramState
from arena.protocols import Say, Setup
from arena.store.model import AttemptKey
from arena.tracks.backend import choose_backend
from arena.tracks.dual.generate.prompts import specification
from arena.tracks.dual.tasks.pack import DualTask
from harness.agents import CALIBRATION
from harness.agents._make import make_agent
from harness.agents._unasked import expect_answered, expect_asked
from harness.agents._workspace import SandboxWorkspace
from harness.command import Command, Limits, Mount
from harness.grade.environment import sandbox
from harness.grade.ports import ResultCache, digest_of
from harness.protocols import Agent, Charge, Ended, Job, Sandbox, Solution
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


class Writers:
    """The sandbox backend and the gateway are opened when they are first needed, and ended by `close`.

    pins: sampling parameters; identity: what of a model and its parameters makes a program.
    """

    def __init__(
        self,
        setup: Setup,
        cache: ResultCache,
        say: Say,
        pins: Mapping[str, Any],
        identity: Callable[[str], tuple[str, ...]],
    ) -> None:
        self._setup, self._cache, self._say = setup, cache, say
        self._pins, self._identity = {**pins, **setup.pinned}, identity
        self._backend: Lazy[Backend] = Lazy(self._sandboxes)
        self._models: Lazy[Models] = Lazy(self._open_models)
        self._lock = threading.Lock()

    def expect(self, name: str, models: Sequence[str], prompts: Sequence[str]) -> None:
        """Look for what an agent needs, before anything is spent.

        Raises ValueError, UnknownName, SandboxRefused, EngineUnavailable or NotInstalled.
        """
        agent, backend = agent_of(name), self._backend.get()
        for prompt in prompts:
            known_prompt(prompt)
        if not backend.isolates_model_output and not self._setup.trust_agents:
            raise SandboxRefused(
                f"agent {name!r} runs what a model writes, and the {backend.name} sandbox does not "
                "isolate enough for that; use --sandbox docker, or --trust-agents"
            )
        if agent.asks_model:
            for model in models:
                self._models.get().expect(model)
            agent.expect()

    def solution(
        self, key: AttemptKey, task: DualTask, language: Language, charge: Charge | None = None
    ) -> Solution:
        """The program as the patch, from the store where it was written before, and what it cost now.

        Raises a SandboxFault for what the machine did wrong: then there is no program yet.
        """
        answer, stored = self._stored_solution(key, task, language, charge)
        blob, trajectory = self._cache.blob, answer.get("trajectory")
        tree = blob(answer["patch"])
        source = file_in(tree, NAMES[language])
        facts = {
            "stored": stored,
            "state": str(ProgramState.OK if source.strip() else ProgramState.NO_CODE),
            "notes": [f"the agent ended: {answer['ended']}"],
        }
        artefacts = {name: blob(digest) for name, digest in answer.get("artefacts", {}).items()}
        return Solution(
            source if source.strip() else b"",
            Ended(answer["ended"]),
            dict(UNSPENT) if stored else answer["usage"],
            blob(trajectory) if trajectory else b"",
            {**answer.get("note", {}), **facts},
            {"tree": tree, **artefacts},
        )

    def _stored_solution(
        self, key: AttemptKey, task: DualTask, language: Language, charge: Charge | None
    ) -> tuple[dict[str, Any], bool]:
        """The agent's solution, by digests; and whether it was already in the store."""
        note = NOTE.format(file=NAMES[language], language=language)
        instruction = wrap(specification(task, language) + note, WORKDIR, key.prompt)
        # All that can change the program is in its place in the store; an answer for other caps is another
        # one.
        made_by = (key.agent, key.model, *self._identity(key.model), str(self._setup.caps))
        place = digest_of("dual-agent", FORM, *made_by, instruction, str(key.replicate))
        fact = self._cache.fact(place)
        if fact is not None:
            return fact, True
        fact = self._generate_answer(key, instruction, charge)
        self._cache.put_fact(place, fact)
        return fact, False

    def _generate_answer(
        self, key: AttemptKey, instruction: str, charge: Charge | None
    ) -> dict[str, Any]:
        agent = agent_of(key.agent)
        model = self._models.get().access(key, charge) if agent.asks_model else None
        workspace = SandboxWorkspace(self._create, WORKDIR)
        try:
            solution = agent.solve(Job(workspace, instruction, self._setup.caps, model))
        finally:
            workspace.close()
        # Before anything is stored: a failure of the model must not stand as the agent's empty answer.
        _expect_asked(key, solution)
        keep = self._cache.keep
        return {
            "patch": keep(solution.patch),
            "ended": str(solution.ended),
            "usage": dict(solution.usage),
            "trajectory": keep(solution.trajectory) if solution.trajectory else None,
            "note": dict(solution.note),
            "artefacts": {name: keep(data) for name, data in solution.artefacts.items()},
        }

    def _create(self, mounts: Sequence[Mount] = (), least: Limits | None = None) -> Sandbox:
        limits = Limits().max_limits(least) if least else Limits()
        return self._backend.get().create(self._image(), limits, mounts)

    def _image(self) -> str:
        """An image with an empty repository, built once."""
        backend = self._backend.get()
        base = backend.resolve(IMAGE)
        name = f"arena/env:{digest_of('dual-empty', backend.content_of(base).digest, EMPTY)[:32]}"
        # Several attempts start at once, and each would build the image.
        with self._lock:
            if backend.find(name) is None:
                with sandbox(backend, base, Limits()) as box:
                    done = box.exec(Command(EMPTY, "/", TIMEOUT))
                    if not done.ok:
                        raise SandboxDied(f"no empty repository: {done.output[-300:]!r}")
                    box.snapshot(name, {"io.arena.task": "dual"})
        return name

    @contextmanager
    def _sandboxes(self) -> Iterator[Backend]:
        yield choose_backend(self._setup.sandbox, self._say)

    @contextmanager
    def _open_models(self) -> Iterator[Models]:
        models = models_for(self._setup, self._cache, self._pins)
        try:
            yield models
        finally:
            models.close()

    def close(self) -> None:
        self._models.close()
        self._backend.close()


def agent_of(name: str) -> Agent:
    """An agent of the track `repo` that needs none of its tasks. Raises UnknownName or ValueError."""
    if name.partition(":")[0] in CALIBRATION:
        raise ValueError(f"agent {name!r} needs a task of the track repo")
    return make_agent(name, cast("Task", None))  # only the calibrating ones look at it


def _expect_asked(key: AttemptKey, solution: Solution) -> None:
    """What says nothing of the agent is no sample. Raises ModelUnavailable, ModelEnded or NeverAsked."""
    expect_answered(key.model, solution)
    if key.model:
        expect_asked(key.agent, solution)


def file_in(patch: bytes, name: str) -> bytes:
    """The content that a patch against an empty tree gives a file; b"" where it gives none."""
    if not patch.strip():
        return b""
    with tempfile.TemporaryDirectory(prefix="arena-patch-") as folder:
        done = subprocess.run(
            # Only this file: an agent's patch may hold links, or paths that lead out of the folder.
            ["git", "apply", "--whitespace=nowarn", f"--include={name}"],
            cwd=folder,
            input=patch,
            capture_output=True,
            timeout=TIMEOUT,
            # The ceiling keeps git from a repository above the temporary folder; HOME, from this user's
            # settings.
            env={"PATH": "/usr/bin:/bin:/usr/local/bin", "GIT_CEILING_DIRECTORIES": folder, "HOME": folder},
            check=False,
        )  # fmt: skip
        path = Path(folder, name)
        plain = done.returncode == 0 and path.is_file() and not path.is_symlink()
        return path.read_bytes() if plain else b""

"""A scripted track with a matrix of its own, and sweep files over it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from arena.protocols import Matrix, Say
from arena.store.model import AttemptKey, TaskFacts
from arena.sweep.file import Sweep, load_sweep
from harness.grade.verdict import Health, Label, Verdict
from harness.protocols import Charge, Ended, Solution
from parsers.registry import UnknownName
from tests.arena.sweep.scripted import ScriptedTrack

ASKING = ("aider", "codex")
PLAIN = ("gold", "noop")
PROMPTS = ("neutral", "reminder")
LABELS = {"gold": Label.CV, "noop": Label.NO}
FACTS = (
    TaskFacts("brook-one", "One", "c", "brook", cwes=("CWE-125", "CWE-787"), image="arena/cpp"),
    TaskFacts("brook-two", "Two", "c++", "brook", cwes=("CWE-416",), image="arena/cpp"),
    TaskFacts("lexis-one", "Three", "c", "lexis", cwes=("CWE-416",), image="other:1"),
    TaskFacts("lexis-two", "Four", "c", "lexis", cwes=("CWE-190",), image="other:1"),
)
# The same tasks, with no image to be looked for.
BARE = tuple(replace(fact, image="") for fact in FACTS)
PACK = 'schema = 1\nname = "little"\nversion = "1.0"\nlicence = "Apache-2.0"\ntrack = "repo"\n'


class MatrixTrack(ScriptedTrack):
    """aider and codex ask a model, and each of their attempts costs 0.5 USD; gold and noop do not."""

    pack_name = "little"

    def __init__(
        self,
        hook: Callable[[AttemptKey], None] = lambda key: None,
        facts: Sequence[TaskFacts] = FACTS,
    ) -> None:
        super().__init__(hook=hook)
        self._facts = facts

    def attempts(self, matrix: Matrix) -> list[AttemptKey]:
        for agent in matrix.agents:
            if agent not in (*ASKING, *PLAIN):
                raise UnknownName(f"unknown name {agent!r}; known: aider, codex, gold, noop")
            if agent in ASKING and not matrix.models:
                raise ValueError(f"agent {agent!r} needs a model: --model NAME")
        for prompt in matrix.prompts:
            if prompt not in PROMPTS and not Path(prompt).is_file():
                raise ValueError(f"unknown prompt {prompt!r}; known: neutral, reminder")
        return [
            AttemptKey(fact.task, agent, model, prompt, replicate)
            for agent in matrix.agents
            for fact in self._facts
            for model in (matrix.models if agent in ASKING else ("",))
            for prompt in (matrix.prompts or ("neutral",) if agent in ASKING else ("neutral",))
            for replicate in range(matrix.replicates)
        ]

    def describe(self, tasks: Sequence[str]) -> list[TaskFacts]:
        return [fact for fact in self._facts if fact.task in tasks]

    def solve(self, key: AttemptKey, say: Say, charge: Charge | None = None) -> Solution:
        made = super().solve(key, say, charge)
        if key.agent not in ASKING:
            return made
        usage = {"calls": 1, "usd": 0.5, "input_tokens": 100, "output_tokens": 20}
        return Solution(made.patch, Ended.FINISHED, usage)

    def grade(self, key: AttemptKey, solution: Solution, say: Say) -> Verdict:
        super().grade(key, solution, say)
        return Verdict(LABELS.get(key.agent, Label.SECURE), Health.OK, "scripted")


def make_pack(folder: Path) -> Path:
    """A folder that a sweep file can name as its pack."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "pack.toml").write_text(PACK)
    return folder


def write_sweep(folder: Path, text: str, name: str = "nightly.toml") -> Path:
    """A sweep file beside its pack `little`; `text` comes after the line that names the pack."""
    make_pack(folder / "little")
    path = folder / name
    path.write_text(f'pack = "little"\n{text}\n')
    return path


def sweep_of(folder: Path, text: str, name: str = "nightly.toml") -> Sweep:
    return load_sweep(write_sweep(folder, text, name))

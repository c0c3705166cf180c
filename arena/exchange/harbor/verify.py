"""The program of Harbor's verifier: the project's grader on the agent's work tree, in a single container.

`prepare` runs while the verifier's image is built: the repository at its start and gold's outcomes, which are
stored in the image. `grade` runs once, on the work tree in `ANSWER`, and writes the rewards. If grading was
not possible no reward is written, which Harbor reports as an error of the trial.

It is copied into the image beside the packages `harness`, `tasks`, `images`, `szz` and `parsers`.
"""

from __future__ import annotations

import json
import os
import pickle
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import IO

from harness.agents._worktree import WorkTreeUnusable, patch_between
from harness.grade import inputs
from harness.grade.decide import Cause, Spoilt, judge_spoilt_tries
from harness.grade.environment import limits_of, prepare, sandbox
from harness.grade.grader import INFRA, Grader
from harness.grade.libc import exports_of
from harness.grade.ports import MemoryCache
from harness.grade.verdict import Health, InputLabel, Label, Verdict
from harness.grade.version import GRADER_VERSION
from harness.sandbox.base import SandboxDied
from harness.sandbox.disposable import DisposableBackend
from tasks.kinds import KindFacts
from tasks.loader import Task, load_pack

HOME = Path("/opt/arena")
ANSWER = Path("/answer/repository.tar")
LOGS = Path("/logs")
REWARD, DETAILS = "verifier/reward.json", "verifier/verdict.json"
CACHE = HOME / "cache.pickle"
TRIES = 3
NOT_GRADED = 3
# The rewards by name, in the order in which they decide the label.
STEPS = ("builds", "tests", "poc", "neighbours", "sast")
# The first step that a cause says is not passed; `nothing-found` has none.
FAILED_STEP: Mapping[Cause, str] = {
    **dict.fromkeys(
        (
            Cause.EMPTY,
            Cause.REFUSED,
            Cause.NOT_APPLIED,
            Cause.NOT_BUILT,
            Cause.BUILD_BROKE_SANDBOX,
            Cause.TARGET_NOT_BUILT,
        ),
        "builds",
    ),
    **dict.fromkeys(
        (
            Cause.TESTS_NOT_BUILT,
            Cause.TESTS_TAMPERED,
            Cause.TESTS_BROKE_SANDBOX,
            Cause.TESTS_FAILED,
            Cause.TESTS_REDEFINED,
            Cause.TESTS_BY_TABLE,
            Cause.PASSES_WRONG_TESTS,
        ),
        "tests",
    ),
    **dict.fromkeys(
        (
            Cause.POC_TAMPERED,
            Cause.POC_BROKE_SANDBOX,
            Cause.CRASH,
            Cause.CRASH_CAN_HIDE,
            Cause.UNEXPECTED_STATUS,
            Cause.SANITIZER_OFF,
            Cause.DIFFERS_FROM_TESTED,
            Cause.OTHER_BUILD_CRASHES,
            Cause.SANITIZER_AVOIDED,
        ),
        "poc",
    ),
    **dict.fromkeys(
        (Cause.SIMILAR_INPUT_CRASHES, Cause.VALID_INPUT_REFUSED, Cause.WRONG_OUTPUT), "neighbours"
    ),
    **dict.fromkeys(
        (Cause.FINDING, Cause.UNBOUNDED_FUNCTION, Cause.NEW_IMPORT, Cause.NOT_SCANNED), "sast"
    ),
}
# Harbor's rewards are numbers: the six labels from 0, what an input comes to from 10.
LABEL_NUMBERS: Mapping[str, int] = {
    **{str(label): number for number, label in enumerate(Label)},
    **{str(label): number for number, label in enumerate(InputLabel, 10)},
}


def rewards(verdict: Verdict, asks: KindFacts) -> dict[str, float]:
    """The rewards by name: 1 or 0, and the label's number. asks: what the kind of task asks for.

    The steps count up to the first that is not passed; the later ones are 0, whatever they would show.
    """
    full = Label.SECURE if asks.patch else InputLabel.REPRODUCED
    named_rewards: dict[str, float] = {"reward": float(verdict.label == full)}
    if asks.input:
        shown = verdict.evidence.get("reproduce", {}).get("label")
        named_rewards["input"] = float(shown == InputLabel.REPRODUCED)
    if asks.patch:
        failed = FAILED_STEP.get(Cause(verdict.cause), "") if verdict.cause else STEPS[0]
        passed = STEPS[: STEPS.index(failed)] if failed else STEPS
        named_rewards |= {name: float(name in passed) for name in STEPS}
    named_rewards["label"] = float(LABEL_NUMBERS[str(verdict.label)])
    return named_rewards


class LeftTree:
    """The work tree that an agent left, in the form that `patch_between` reads."""

    def take_tree(self, folder: str, into: IO[bytes], limit: int) -> bool:
        """Copy the archive; False where it is empty or too large. Raises SandboxDied where there is none."""
        if not ANSWER.is_file():  # no agent can prevent it: the folder is root's
            raise SandboxDied(f"Harbor brought no {ANSWER}")
        if not 0 < ANSWER.stat().st_size <= limit:
            return False
        with ANSWER.open("rb") as source:
            while chunk := source.read(1 << 20):
                into.write(chunk)
        return True


def build(task: Task) -> None:
    """Take gold's outcomes and build what grading starts from; they stay in the image. Raises `INFRA`."""
    backend, cache = DisposableBackend(print), MemoryCache()
    backend.prepare()
    grader = Grader(backend, cache)
    environment = prepare(backend, task)
    if task.asks.input:
        inputs.targets(backend, task, environment, cache)
    if task.asks.patch:
        grader.ready(task)
        exports_of(backend, task.spec.environment.image, cache)
    grader.scanner(task)
    CACHE.write_bytes(pickle.dumps(cache))


def grade(task: Task) -> Verdict:
    """Grade the work tree and return its verdict. Raises an exception of `INFRA`."""
    backend = DisposableBackend(print)
    backend.prepare()
    cache: MemoryCache = pickle.loads(CACHE.read_bytes())  # noqa: S301 - of this image's own build
    environment = prepare(backend, task)
    with sandbox(backend, environment.image, limits_of(task)) as fresh:
        try:
            left = patch_between(LeftTree(), fresh, task.spec.environment.workdir)  # type: ignore[arg-type]
        except WorkTreeUnusable as gone:
            label = Label.NO if task.asks.patch else InputLabel.NO_OUTPUT
            return Verdict(label, Health.OK, f"no patch: {gone}", cause=Cause.EMPTY)
    grader, faults = Grader(backend, cache), list[Spoilt]()
    for _ in range(TRIES):
        try:
            return grader.grade(task, left.patch, print)
        except Spoilt as fault:
            faults.append(fault)
            print(fault)
    if (verdict := judge_spoilt_tries([fault.verdict for fault in faults])) is None:
        raise faults[-1]
    return verdict


def main() -> int:
    """`verify.py build|grade TASK`; the exit status."""
    action, name = sys.argv[1:]
    os.environ["ARENA_HOME"] = str(HOME / "home")
    os.environ["TMPDIR"] = str(HOME / "scratch")  # before `tempfile` looks: /tmp is a sandbox's
    task = load_pack(HOME / "pack").task(name)
    if action == "build":
        build(task)
        return 0
    LOGS.chmod(0o700)  # Harbor lets everybody write there, and what a patch brings will run
    # Whatever is there by now was not written by us, and Harbor would take it for the verdict.
    for old in (LOGS / "verifier").glob("reward.*"):
        old.unlink()
    try:
        verdict = grade(task)
    except INFRA as fault:
        print(f"not graded: {type(fault).__name__}: {fault}")
        return NOT_GRADED
    if verdict.label is None:
        print(f"not graded: {verdict.reason}")
        return NOT_GRADED
    facts = {**verdict.to_json(), "cause": verdict.cause, "grader_version": GRADER_VERSION}
    (LOGS / DETAILS).write_text(json.dumps(facts, indent=1, default=str))
    (LOGS / REWARD).write_text(json.dumps(rewards(verdict, task.asks)))
    print(f"{verdict.label}: {verdict.reason}")
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""Turn a script with its packages into a plan, and report the outcome of a run of it."""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from arena.tracks.dual.languages.orders import order_of, unwrap_script
from arena.tracks.dual.languages.plan import FILES, Candidate, RunnerResources, RunPlan
from arena.tracks.dual.runner.observation import ProcessEnded, RunObservation
from arena.tracks.dual.runner.order import HOME, Bind
from arena.tracks.dual.tasks.pack import DualTask
from arena.tracks.dual.tasks.schema import TestSpec
from harness.grade.ports import digest_of

SCRIPT = "/srv/run.py"
KITS = {"python": "/opt/arena/kit/python", "javascript": "/opt/arena/kit/javascript"}
# Shape -> what a script must report of a step: one of these, of this type.
OWED: dict[str, tuple[tuple[str, type | tuple[type, ...]], ...]] = {
    "function": (("value", object), ("raised", str)),
    "http": (("status", int),),
    "stdin": (("stdout", str),),
    "cli": (("exit", int), ("stdout", str)),
    "file": (("exit", int), ("stdout", str)),
}


@dataclass(frozen=True)
class Ran:
    """failed: the script did not end well. valid: it reported for each step what the shape requires."""

    failed: bool
    valid: bool
    output: str
    changed: bool = False


def plan_of(
    candidate: Candidate, script: str, packages: Sequence[str], means: RunnerResources
) -> RunPlan:
    """The plan that runs a candidate by a script. Raises KitError for packages that cannot be had."""
    file = f"{HOME}/{FILES[candidate.language]}"
    binds: tuple[Bind, ...] = ()
    env: dict[str, str] = {}
    if packages and means.install is not None:
        kit = KITS.get(candidate.language, KITS["python"])
        language = "javascript" if candidate.language == "javascript" else "python"
        binds = (Bind(str(means.install(language, packages)), kit),)
        env = (
            {"NODE_PATH": f"{kit}/node_modules"}
            if language == "javascript"
            else {"PYTHONPATH": kit}
        )
    return RunPlan(
        adapter=f"agentic {frozen(candidate, script, packages)[:16]}",
        language=candidate.language,
        shape="run",
        argv=(sys.executable, SCRIPT),
        files={file: candidate.source, SCRIPT: script.encode("utf-8", "replace")},
        binds=binds,
        env=env,
        script=True,
    )


def frozen(candidate: Candidate, script: str, packages: Sequence[str]) -> str:
    """The digest of what is frozen: candidate, script and packages."""
    return digest_of("agentic", candidate.digest, script, *sorted(packages))


def input_of(task: DualTask, test: TestSpec, candidate: Candidate, means: RunnerResources) -> str:
    """What a script reads in that test: the steps, and nothing of what is expected."""
    order = order_of(task, test, plan_of(candidate, "", (), means), coverage=False)
    return str(order.steps[0]["stdin"])


def try_plan(
    task: DualTask, test: TestSpec, candidate: Candidate, plan: RunPlan, means: RunnerResources
) -> Ran:
    """Run the plan on a test. Raises what the runner raises: a fault of the arena, not of the candidate."""
    result = means.runner.run(order_of(task, test, plan, coverage=False))
    step = result.last
    output = _summary(result)
    if step is None or step.ended is not ProcessEnded.OK or step.exit != 0:
        return Ran(True, False, output)
    # A script that repairs the program would let the repaired one pass in its place.
    if _is_changed(candidate, result):
        return Ran(True, False, f"the script changed the program, which it may not\n{output}", True)
    rows = _list(step.stdout)
    owed = OWED[task.spec.io.shape]
    valid = len(rows) == len(unwrap_script(plan, result).steps) == max(1, len(test.steps)) and all(
        any(name in item and isinstance(item[name], type_) for name, type_ in owed) for item in rows
    )
    return Ran(False, valid, output)


def _list(stdout: str) -> list[dict[str, Any]]:
    try:
        # The last line: the program may print to the same output before.
        rows = json.loads(stdout.strip().rpartition("\n")[2])
    except (ValueError, RecursionError):
        return []
    return [item for item in rows if isinstance(item, dict)] if isinstance(rows, list) else []


def _is_changed(candidate: Candidate, observation: RunObservation) -> bool:
    after = observation.after.get(f"{HOME}/{FILES[candidate.language]}")
    return after is None or after.sha256 != hashlib.sha256(candidate.source).hexdigest()


def _summary(observation: RunObservation) -> str:
    step = observation.last
    if step is None:
        return f"it was not run: {observation.ended} {observation.why}"
    how = f"ended: {step.ended}, exit status {step.exit}"
    return f"{how}\nstderr:\n{step.stderr[-3_000:]}\nstdout:\n{step.stdout[-3_000:]}"

"""What grading costs compared with the same commands typed by hand, as ratios within a run.

    .venv/bin/python scripts/bench/grading.py [--task ID ...] [--runs N] [--sandbox docker]

For each task the patch `fixed` (which goes through every step) is graded, and the same commands are run
bare, in turn, several times:

- bare      in a container that already runs, from the task's environment: apply, build, build and run the
            tests, build the fuzz target, replay the PoC, in a single shell; then Semgrep over the touched
            files with the same rules
- fast      the same, with Semgrep's experimental engine, which the grader uses because it starts faster
- scratch   the same in a container without compiled objects
- again     the same patch graded a second time

Medians of the ratios are printed, with the driver's peak memory and the start of the command line.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from harness.command import Command  # noqa: E402
from harness.grade.environment import limits_of, prepare, put_repository, sandbox  # noqa: E402
from harness.grade.grader import Grader  # noqa: E402
from harness.grade.ports import MemoryCache  # noqa: E402
from harness.protocols import Sandbox  # noqa: E402
from harness.sandbox import archive  # noqa: E402
from harness.sandbox.base import Backend  # noqa: E402
from parsers.patch import parse_patch  # noqa: E402
from parsers.registry import lookup  # noqa: E402
from tasks.loader import Task, load_pack  # noqa: E402

DEFAULT_TASKS = ("brook-include", "pixmill-tiled-pmz", "wirepack-enum-labels")


def time_bare_commands(box: Sandbox, task: Task, *engine: str) -> float:
    """Seconds of the bare commands in a started sandbox; `engine` are more flags for Semgrep."""
    spec = task.spec
    box.put({"bench/patch": task.solution("fixed"), "bench/poc": task.poc or b""}, "/tmp")
    steps = [
        "git apply --whitespace=nowarn /tmp/bench/patch",
        spec.environment.build,
        spec.tests.build or "true",
        f"{{ {spec.tests.command}; }}",
        spec.poc.build or "true",
        spec.poc.command.replace("{poc}", "/tmp/bench/poc"),
    ]
    line = " && ".join(f"( {step} )" for step in steps)
    started = time.monotonic()
    done = box.exec(Command(line, spec.environment.workdir, 600))
    seconds = time.monotonic() - started
    if not done.ok:
        raise SystemExit(f"{task.id}: by hand failed: {done.output[-500:]!r}")
    names = sorted(parse_patch(task.solution("fixed")).touched_paths)
    return seconds + semgrep(archive.unpack(box.get(names, spec.environment.workdir)), *engine)


def semgrep(files: dict[str, bytes], *engine: str) -> float:
    """Seconds of a Semgrep run over the touched files, with the built-in rules."""
    rules = ROOT / "harness/grade/sast/rules"
    with tempfile.TemporaryDirectory() as folder:
        for name, content in files.items():
            path = Path(folder, "src", name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        binary = Path(sys.executable).with_name("semgrep")
        flags = ["--metrics=off", "--disable-version-check", "--json", "--quiet", "-j", "1"]
        started = time.monotonic()
        subprocess.run(
            [binary, "scan", *engine, *flags, "--config", rules, "src"],
            cwd=folder,
            capture_output=True,
            check=False,
        )
        return time.monotonic() - started


def measure(grader: Grader, task: Task) -> dict[str, float]:
    """A round: bare, graded, graded again, from scratch, in seconds."""
    backend = grader.backend
    environment = prepare(backend, task)
    patch = task.solution("fixed")
    with sandbox(backend, environment.image, limits_of(task)) as box:
        bare = time_bare_commands(box, task)
    with sandbox(backend, environment.image, limits_of(task)) as box:
        fast = time_bare_commands(box, task, "--experimental")
    started = time.monotonic()
    verdict = grader.grade(task, patch)
    graded = time.monotonic() - started
    if verdict.label not in ("C&S", "CS"):
        raise SystemExit(f"{task.id}: fixed grades {verdict.label}: {verdict.reason}")
    grader.grade_cached(task, patch)
    started = time.monotonic()
    grader.grade_cached(task, patch)
    again = time.monotonic() - started
    with sandbox(backend, backend.resolve(task.spec.environment.image), limits_of(task)) as box:
        put_repository(box, task)
        scratch = time_bare_commands(box, task)
    return {"bare": bare, "fast": fast, "graded": graded, "again": again, "scratch": scratch}


def help_seconds() -> float:
    arena = Path(sys.executable).with_name("arena")
    started = time.monotonic()
    subprocess.run([arena, "--help"], capture_output=True, check=True)
    return time.monotonic() - started


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--task", action="append", help="tasks of the starter pack")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--sandbox", default="docker")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as home:
        os.environ.setdefault("ARENA_HOME", home)
        report(options)


def report(options: argparse.Namespace) -> None:
    backend: Backend = lookup("harness.sandbox.backends", options.sandbox)(print)
    pack = load_pack("starter")
    ratios: dict[str, list[float]] = {
        "graded/bare": [],
        "graded/fast": [],
        "scratch/graded": [],
        "again": [],
    }
    for name in options.task or DEFAULT_TASKS:
        task = pack.task(name)
        grader = Grader(backend, MemoryCache())
        measure(grader, task)  # warm-up: images, gold's outcomes, caches
        for _ in range(options.runs):
            seconds = measure(grader, task)
            ratios["graded/bare"].append(seconds["graded"] / seconds["bare"])
            ratios["graded/fast"].append(seconds["graded"] / seconds["fast"])
            ratios["scratch/graded"].append(seconds["scratch"] / seconds["graded"])
            ratios["again"].append(seconds["again"])
            print(name, {key: round(value, 3) for key, value in seconds.items()}, flush=True)
    starts = [help_seconds() for _ in range(options.runs + 1)][1:]
    summary: dict[str, Any] = {
        key: round(statistics.median(values), 3) for key, values in ratios.items()
    }
    summary["arena --help"] = round(statistics.median(starts), 3)
    summary["driver MiB"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(json.dumps(summary))


if __name__ == "__main__":
    main()

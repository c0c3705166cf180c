"""C++: built once in the runner, then called through the driver or started as a program."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from arena.tracks.dual.languages.plan import (
    FILES,
    SHAPES,
    Candidate,
    RunnerResources,
    RunPlan,
    Unusable,
)
from arena.tracks.dual.runner.drivers import call_argv, cpp
from arena.tracks.dual.runner.hooks import COVERAGE
from arena.tracks.dual.runner.observation import ProcessEnded
from arena.tracks.dual.runner.order import HOME, MIB, Bind, Order, RunLimitsSpec
from arena.tracks.dual.tasks.schema import Io
from harness.grade.ports import digest_of

PROGRAM = "/opt/arena/built/program"
WORK = "/tmp/build"  # noqa: S108 - in the place
OUT = f"{WORK}/program"
LIMITS = RunLimitsSpec(seconds=90.0, cpu=90.0, memory=2048 * MIB, disk=256 * MIB)
STATES = {"syntax-error": "does-not-compile", "import-error": "does-not-compile"}


def plan(candidate: Candidate, io: Io, means: RunnerResources) -> RunPlan:
    """Build the candidate. Raises Unusable if it does not compile or lacks the required functions."""
    file = f"{HOME}/{FILES['cpp']}"
    names = [function.name for function in io.functions]
    if names:
        try:
            build = cpp.build(file, candidate.text, names, OUT, coverage=means.coverage)
        except ValueError as error:
            raise Unusable("no-entry-point", str(error)) from error
    else:
        build = cpp.program(file, candidate.text, OUT, coverage=means.coverage)
    folder = _build_candidate(candidate, file, build, means)
    return RunPlan(
        adapter=f"cpp {'call' if names else 'program'}",
        language="cpp",
        shape=SHAPES[io.shape],
        argv=call_argv("cpp", PROGRAM, names) if names else (PROGRAM,),
        files={f"{COVERAGE}/{note.name}": note.read_bytes() for note in folder.glob("*.gcno")},
        binds=(Bind(str(folder / "program"), PROGRAM),),
        hooks=("native",),
        covered=(file,),
    )


def _build_candidate(
    candidate: Candidate, file: str, build: cpp.Build, means: RunnerResources
) -> Path:
    """The folder with the build's output, stored by content."""
    tables = (f"{path}\0{content!r}" for path, content in sorted(build.files.items()))
    place = means.built / digest_of("cpp", candidate.digest, *build.argv, *tables)[:32]
    if place.is_dir():
        return place
    files = {file: candidate.source, f"{WORK}/.keep": b"", **build.files}
    order = Order("run", build.argv, ({},), files=files, fetch=build.makes, limits=LIMITS)
    result = means.runner.run(order)
    step = result.last
    if step is None or step.ended is not ProcessEnded.OK:
        raise Unusable("does-not-compile", f"the compiler was ended: {(step or result).ended}")
    if step.exit or OUT not in result.fetched:
        failed = cpp.failure(step.stderr, candidate.text)
        why = failed["name"] or failed["text"]
        raise Unusable(STATES.get(failed["kind"], failed["kind"]), why)
    half = Path(tempfile.mkdtemp(dir=means.built, prefix="half-"))
    for path, content in result.fetched.items():
        (half / Path(path).name).write_bytes(content)
    (half / "program").chmod(0o755)
    half.chmod(0o755)
    try:
        half.rename(place)
    except OSError:
        shutil.rmtree(half)
        if not place.is_dir():
            raise
    return place


PLUGIN = plan

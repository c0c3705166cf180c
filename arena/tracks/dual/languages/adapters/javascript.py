"""JavaScript on node: called through the driver, or started as a program."""

from __future__ import annotations

from arena.tracks.dual.languages import reading
from arena.tracks.dual.languages.kits import KitError
from arena.tracks.dual.languages.plan import (
    FILES,
    SHAPES,
    Candidate,
    RunnerResources,
    RunPlan,
    Unusable,
)
from arena.tracks.dual.runner.drivers import call_argv
from arena.tracks.dual.runner.observation import ProcessEnded
from arena.tracks.dual.runner.order import HOME, Bind, Order
from arena.tracks.dual.tasks.schema import Io

# Where node looks for packages of programs in the working folder, for `require` and `import` alike.
MODULES = "/srv/node_modules"


def plan(candidate: Candidate, io: Io, means: RunnerResources) -> RunPlan:
    """Raises Unusable for a program that does not parse, or that asks for what is not to be had."""
    name = FILES["javascript"]
    if reading.is_es_module(candidate.text):
        name = name.replace(".js", ".mjs")
    file = f"{HOME}/{name}"
    binds = _kit(candidate, means)
    if io.shape == "function":
        names = [function.name for function in io.functions]
        how, argv = "call", call_argv("javascript", file, names)
    else:
        _check(candidate, file, means)
        how, argv = "program", ("node", file)
    return RunPlan(
        adapter=f"javascript {how}",
        language="javascript",
        shape=SHAPES[io.shape],
        argv=argv,
        files={file: candidate.source},
        binds=binds,
        hooks=("javascript",),
        covered=(file,),
    )


def _kit(candidate: Candidate, means: RunnerResources) -> tuple[Bind, ...]:
    missing = reading.javascript_packages(candidate.text)
    if not missing:
        return ()
    if means.install is None:
        raise Unusable("missing-dependency", ", ".join(missing))
    try:
        folder = means.install("javascript", missing)
    except KitError as error:
        raise Unusable("missing-dependency", str(error)) from error
    return (Bind(str(folder / "node_modules"), MODULES),)


def _check(candidate: Candidate, file: str, means: RunnerResources) -> None:
    """Let node parse it, in the runner. Raises Unusable with node's message for a syntax error."""
    order = Order("run", ("node", "--check", file), ({},), files={file: candidate.source})
    step = means.runner.run(order).last
    if step is not None and step.ended is ProcessEnded.OK and step.exit:
        lines = [line for line in step.stderr.splitlines() if "Error" in line]
        raise Unusable("syntax-error", (lines or ["node does not parse it"])[0][:300])


PLUGIN = plan

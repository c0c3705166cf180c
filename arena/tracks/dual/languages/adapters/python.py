"""Python: called through the driver, started as a program, or its web application served."""

from __future__ import annotations

import ast
import sys

from arena.tracks.dual.languages import reading
from arena.tracks.dual.languages.kits import KitError, distribution
from arena.tracks.dual.languages.plan import (
    FILES,
    SHAPES,
    Candidate,
    RunnerResources,
    RunPlan,
    Unusable,
)
from arena.tracks.dual.runner.drivers import AT, call_argv
from arena.tracks.dual.runner.order import HOME, Bind
from arena.tracks.dual.tasks.schema import Io
from parsers.python_syntax import parse_python

KIT = "/opt/arena/kit/python"


def plan(candidate: Candidate, io: Io, means: RunnerResources) -> RunPlan:
    """Raises Unusable for a program that does not parse, or that imports what is not to be had."""
    tree = parse_python(candidate.text)
    if isinstance(tree, str):
        raise Unusable("syntax-error", tree)
    file = f"{HOME}/{FILES['python']}"
    name, argv = _start_command(tree, io, file)
    binds, env = _kit(tree, means)
    return RunPlan(
        adapter=f"python {name}",
        language="python",
        shape=SHAPES[io.shape],
        argv=argv,
        files={file: candidate.source},
        binds=binds,
        env=env,
        hooks=("python",),
        covered=(file,),
    )


def _start_command(tree: ast.Module, io: Io, file: str) -> tuple[str, tuple[str, ...]]:
    if io.shape == "function":
        names = [function.name for function in io.functions]
        if names == [""]:
            names = [reading.entry_function(tree)]
        return "call", call_argv("python", file, names)
    app = reading.app_name(tree)
    if io.shape == "http" and app and not reading.starts_service(tree):
        return "application", (sys.executable, f"{AT}/serve.py", file, app)
    return "program", (sys.executable, file)


def _kit(tree: ast.Module, means: RunnerResources) -> tuple[tuple[Bind, ...], dict[str, str]]:
    missing = reading.missing_modules(tree)
    if not missing:
        return (), {}
    if means.install is None:
        raise Unusable("missing-dependency", ", ".join(missing))
    try:
        folder = means.install("python", [distribution(name) for name in missing])
    except KitError as error:
        raise Unusable("missing-dependency", str(error)) from error
    return (Bind(str(folder), KIT),), {"PYTHONPATH": KIT}


PLUGIN = plan

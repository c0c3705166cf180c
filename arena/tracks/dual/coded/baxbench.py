"""BaxBench's scenarios, each for the frameworks that programs may use. The files are read, not run."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from arena.models.languages import Language
from arena.tracks.dual.coded.benchmark import CodedTask, read_inside, read_text
from arena.tracks.dual.tasks.schema import Io, OracleSpec
from tasks.loader import TaskError

# Framework -> BaxBench's name of the environment, and the language.
FRAMEWORKS: Mapping[str, tuple[str, Language]] = {
    "flask": ("Python-Flask", "python"),
    "fastapi": ("Python-FastAPI", "python"),
    "express": ("JavaScript-express", "javascript"),
}
COMMON = ("cwes.py", "exploits.py", "scenarios/base.py", "scenario_files/__init__.py")
DATA = "scenario_files"
NONE = ("__init__", "base")
# The secret and the port that BaxBench gives programs (`env/python.py`, `env/base.py`).
PLACE = {"allowed": ["**"], "env": {"APP_SECRET": "supers3cret", "PORT": "5000"}}
# Memory: its 1 GiB, and that of the test beside the program.
LIMITS = {
    "seconds": 120.0,
    "start": 30.0,
    "cpu": 120.0,
    "memory": 1536,
    "processes": 256,
    "disk": 512,
}


def read_baxbench(
    source: Path, frameworks: Sequence[str] = tuple(FRAMEWORKS)
) -> tuple[list[CodedTask], dict[str, str]]:
    """A task for each scenario and framework of a checkout, and what was left out, with the reason.

    Raises TaskError where there is no scenario, and for an unknown framework.
    """
    if unknown := [name for name in frameworks if name not in FRAMEWORKS]:
        raise TaskError(f"no framework {unknown[0]!r}; known: {', '.join(FRAMEWORKS)}")
    folder = source / "src" if (source / "src").is_dir() else source
    paths = [path for path in sorted(folder.glob("scenarios/*.py")) if path.stem not in NONE]
    if not paths:
        raise TaskError(f"{source}: no file src/scenarios/*.py of BaxBench")
    lacking = [name for name in COMMON if not (folder / name).is_file()]
    if lacking:
        raise TaskError(f"{folder / lacking[0]}: missing")
    common = {name: read_text(folder, folder / name).encode() for name in COMMON}
    for path in sorted(folder.glob("env/*.py")):
        common[f"env/{path.name}"] = read_text(folder, path).encode()
    tasks, refused = [], {}
    for path in paths:
        try:
            files = {**common, f"scenarios/{path.name}": read_text(folder, path).encode()}
            files |= _data(folder, read_text(folder, path))
            tasks += [_task(path.stem, name, files) for name in frameworks]
        except TaskError as error:
            refused[_id(path.stem)] = str(error)
        except ValueError:
            refused[_id(path.stem)] = f"{path.name!r}: no name of a module"
    return tasks, refused


def _id(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")


def _data(folder: Path, text: str) -> dict[str, bytes]:
    """The files that a scenario names. Raises TaskError."""
    result = {}
    for path in sorted((folder / DATA).iterdir()):
        # Only what the scenario's text names: the data of all scenarios would be copied into each task.
        if path.suffix == ".py" or path.is_dir() or path.name not in text:
            continue
        result[f"{DATA}/{path.name}"] = read_inside(folder, path)
    return result


def _task(name: str, framework: str, files: Mapping[str, bytes]) -> CodedTask:
    environment, language = FRAMEWORKS[framework]
    return CodedTask(
        id=f"{_id(name)}-{framework}",
        origin=f"BaxBench {name} {environment}",
        oracle=OracleSpec(form="baxbench", module=f"scenarios.{name}", program=environment),
        files=files,
        io=Io(shape="http"),
        language=language,
        domain="web",
        place=PLACE,
        limits=LIMITS,
    )

"""Writes a task of the track `repo` as a task directory of Harbor (see the package)."""

from __future__ import annotations

import importlib.util
import io
import json
import shutil
import tarfile
import tempfile
from pathlib import Path, PurePosixPath
from typing import Any

from harness.command import parse_size
from harness.grade import oracle
from harness.grade.attack import options
from harness.grade.reading import GIT_ENV
from harness.grade.reference import Reference
from harness.sandbox import archive
from parsers.outcomes import Outcome
from tasks.history import materialise
from tasks.kinds import TaskKind
from tasks.loader import Task, TaskError
from tasks.plumbing import git
from tasks.seal import leaks

SCHEMA = "1.4"
TAR = "/tmp/repository.tar"  # noqa: S108 - a path inside the container
MB = 1 << 20
SLACK = 120.0
"""Seconds that the verifier has beyond all that it runs."""
LIBRARIES = ("parsers", "defusedxml")
"""What `judge.py` uses; the second only for reports in XML."""

TASK = """\
schema_version = {schema}

[task]
name = {name}
description = {title}
keywords = {keywords}

[metadata]
language = {language}
cwe = {cwe}
pack = {pack}

[agent]
timeout_sec = {agent}

[verifier]
timeout_sec = {verifier}

[environment]
build_timeout_sec = {build}
cpus = {cpus}
memory_mb = {memory}
storage_mb = {storage}
"""
SOLVE = """\
#!/bin/sh
# The developers' change with the fix: correct and secure.
set -eu
cd {workdir}
git apply --whitespace=nowarn "$(dirname "$0")/fixed.patch"
"""
TEST = """\
#!/bin/sh
# Build, the developers' tests held against gold's outcomes, and the PoC; see judge.py.
set -eu
command -v python3 >/dev/null || { echo "the image has no python3: nothing was graded"; exit 3; }
exec python3 -B "$(dirname "$0")/judge.py"
"""


def unfit(task: Task) -> str:
    """Why a task cannot be a task of Harbor, or ""."""
    if task.kind is not TaskKind.WRITE:
        return f"it is of kind {task.kind}, which Harbor's form has no judge for"
    if task.history is None:
        return "its repository is in its image only"
    if task.spec.environment.scrub or task.spec.environment.remove:
        return "its image must be scrubbed before an agent may see it"
    return "" if task.poc is not None else "its PoC is in its image only"


def write_task(task: Task, pack: str, reference: Reference, image: str, folder: Path) -> None:
    """Write the directory. image: what the Dockerfile starts from. Raises TaskError, OSError."""
    for name in ("environment", "solution", "tests/oracle", "tests/lib"):
        (folder / name).mkdir(parents=True)
    (folder / "task.toml").write_text(_toml(task, pack), "utf-8")
    (folder / "instruction.md").write_text(task.instruction, "utf-8")
    (folder / "environment/Dockerfile").write_text(_dockerfile(task, image), "utf-8")
    (folder / "solution/fixed.patch").write_bytes(task.solution("fixed"))
    _script(folder / "solution/solve.sh", SOLVE.format(workdir=task.spec.environment.workdir))
    _script(folder / "tests/test.sh", TEST)
    _repository(task, folder)
    _oracle(task, reference, folder / "tests/oracle")
    shutil.copyfile(Path(__file__).with_name("judge.py"), folder / "tests/judge.py")
    for library in LIBRARIES:
        found = importlib.util.find_spec(library)
        if found is None or not found.submodule_search_locations:
            raise TaskError(f"{library}: not installed")
        source = Path(next(iter(found.submodule_search_locations)))
        ignored = shutil.ignore_patterns("__pycache__", "*.md")
        shutil.copytree(source, folder / "tests/lib" / library, ignore=ignored)


def _script(path: Path, text: str) -> None:
    path.write_text(text, "utf-8")
    path.chmod(0o755)


def _toml(task: Task, pack: str) -> str:
    """JSON's texts, numbers and lists of texts are TOML's as well."""
    spec = task.spec
    builds = spec.environment.timeout * 3
    verifier = builds + spec.tests.timeout + 3 * spec.poc.timeout + SLACK
    values = {
        "schema": SCHEMA,
        "name": f"arena/{task.id}",
        "title": spec.title,
        "keywords": ["security", spec.weakness.language],
        "language": spec.weakness.language,
        "cwe": list(spec.weakness.cwe),
        "pack": pack,
        "agent": 1800.0,
        "verifier": verifier,
        "build": builds + SLACK,
        "cpus": max(1, round(spec.limits.cpus)),
        "memory": -(-parse_size(spec.limits.memory) // MB),
        "storage": -(-parse_size(spec.limits.disk) // MB),
    }
    return TASK.format(**{name: json.dumps(value) for name, value in values.items()})


def _dockerfile(task: Task, image: str) -> str:
    """As `harness.grade.environment` makes the image: what else is built may fail at PVIC."""
    spec = task.spec
    workdir = PurePosixPath(spec.environment.workdir)
    unpack = f"mkdir -p {workdir} && tar --no-same-owner -xf {TAR} -C {workdir.parent}"
    extra = [f"( {line}\n) || true" for line in (spec.tests.build, spec.poc.build) if line]
    lines = [f"FROM {image}", f"COPY repository.tar {TAR}", _run(unpack), f"WORKDIR {workdir}"]
    return "\n".join([*lines, *map(_run, (spec.environment.build, *extra))]) + "\n"


def _run(line: str) -> str:
    return f"RUN {json.dumps(['/bin/sh', '-c', line])}"


def _repository(task: Task, folder: Path) -> None:
    """The repository at PVIC with its past for the environment, and gold's oracle files for the tests."""
    history, spec = task.history, task.spec
    if history is None:
        raise TaskError(f"{task.id}: {unfit(task)}")
    with tempfile.TemporaryDirectory(prefix="arena-harbor-") as scratch:
        repository = Path(scratch, "repository")
        materialise(history, repository, spec.source.start)
        if found := leaks(repository, spec.source.start):
            raise TaskError(f"{task.id}: the repository is not sealed: {found[0]}")
        with (folder / "environment/repository.tar").open("w+b") as tar:
            archive.write_tree(tar, repository, PurePosixPath(spec.environment.workdir).name)
        git(repository, "apply", "--whitespace=nowarn", "-", stdin=task.solution("gold"))
        _files(repository, spec.tests.files, folder / "tests/oracle/files.tar")


def _files(repository: Path, globs: tuple[str, ...], target: Path) -> None:
    """A tar archive of the oracle's files."""
    plain = (p for p in repository.rglob("*") if p.is_file() and not p.is_symlink())
    paths = {str(path.relative_to(repository)) for path in plain}
    with tarfile.open(target, "w", format=tarfile.PAX_FORMAT) as tar:
        for path in oracle.owned_paths((p for p in paths if not p.startswith(".git/")), globs):
            content = (repository / path).read_bytes()
            member = tarfile.TarInfo(path)
            member.size = len(content)
            member.mode = (repository / path).stat().st_mode & 0o755
            tar.addfile(member, io.BytesIO(content))


def _oracle(task: Task, reference: Reference, folder: Path) -> None:
    (folder / "spec.json").write_text(json.dumps(_spec(task, reference), indent=1), "utf-8")
    (folder / "poc").write_bytes(task.poc or b"")
    for path, content in task.carried.items():
        (folder / "carried" / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / "carried" / path).write_bytes(content)


def _spec(task: Task, reference: Reference) -> dict[str, Any]:
    spec = task.spec
    return {
        "workdir": spec.environment.workdir,
        "pvic": spec.source.pvic,
        "git": GIT_ENV,
        "build": spec.environment.build,
        "build_timeout": spec.environment.timeout,
        "tests": spec.tests.command,
        "tests_build": spec.tests.build,
        "tests_timeout": spec.tests.timeout,
        "parser": spec.tests.parser,
        "report": list(spec.tests.report),
        "filter": spec.tests.filter,
        "owned": [oracle.pattern(glob) for glob in task.owned],
        "shadows": sorted(oracle.SHADOWS),
        "gold": {
            "passed": [
                n for n, seen in reference.suite["outcomes"].items() if seen == Outcome.PASSED
            ],
            "complete": reference.suite["complete"],
            "status": reference.suite["status"],
        },
        "poc": {
            "build": spec.poc.build,
            "command": spec.poc.command,
            "timeout": spec.poc.timeout,
            "env": options(spec.poc.sanitizer, "{folder}", 77),
            "trust_output": reference.poc_via == "output",
            "carried": sorted(task.carried),
        },
    }

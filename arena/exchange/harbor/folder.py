"""Writes a task of the track `repo` as a task directory of Harbor (see the package)."""

from __future__ import annotations

import importlib.util
import json
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import Any

from arena.exchange.harbor import image
from arena.exchange.harbor.readme import NOT_GRADED, readme
from arena.exchange.harbor.verify import ANSWER, HOME, LABEL_NUMBERS
from harness.agents._worktree import MAX_TREE
from harness.command import parse_size
from harness.grade.version import GRADER_VERSION
from harness.sandbox import archive
from tasks.history import materialise
from tasks.kinds import AGENT_FOLDER
from tasks.loader import Pack, Task, TaskError
from tasks.seal import leaks

SCHEMA = "1.4"
ORGANISATION = "secure-coding-arena"
AGENT_TIMEOUT_S = 1800.0
# Seconds that the verifier has beyond all that it runs.
SLACK_S = 600.0
# Memory of the scanner and of the grader itself, beside the task's own limit.
SCANNER_MB = 4096
MB = 1 << 20
# Of the PoC, its neighbours and the variants, at a second each.
MAX_REPLAYS = 200
# What `verify.py` is run with; of `tasks` without the packs that ship with the project.
PACKAGES = ("harness", "tasks", "images", "szz", "parsers")
SOLVE = """\
#!/bin/sh
# The reference answer: correct and secure.
set -eu
cd {workdir}
git apply --whitespace=nowarn "$(dirname "$0")/answer.patch"
"""
TEST = """\
#!/bin/sh
# Grades what the agent left, see verify.py; without a verdict it writes no reward.
exec {home}/venv/bin/python {home}/verify.py grade {task}
"""


def unfit(task: Task) -> str:
    """Why a task cannot be a task of Harbor, or ""."""
    if task.history is None:
        return "its repository is in its image only"
    if task.spec.environment.scrub or task.spec.environment.remove:
        return "its image must be scrubbed before an agent may see it"
    if task.poc is None:
        return "its PoC is in its image only"
    return image.lacks_image(task)


def write_task(task: Task, pack: Pack, folder: Path) -> None:
    """Write the directory. Raises TaskError, OSError."""
    for name in ("environment", "solution", "tests/pack"):
        (folder / name).mkdir(parents=True)
    workdir = task.spec.environment.workdir
    texts = {
        "task.toml": _toml({"artifacts": [str(ANSWER)], "schema_version": SCHEMA})
        + "".join(f"\n{name}\n{_toml(table)}" for name, table in _tables(task, pack)),
        "README.md": readme(task, pack.spec.name),
        "instruction.md": task.instruction,
        "environment/Dockerfile": image.agent_dockerfile(task),
        "tests/Dockerfile": image.verifier_dockerfile(task),
        "tests/requirements.txt": image.requirements(),
        "solution/solve.sh": SOLVE.format(workdir=workdir),
        "tests/test.sh": TEST.format(home=HOME, task=task.id),
    }
    for name, text in texts.items():
        (folder / name).write_text(text, "utf-8")
        (folder / name).chmod(0o755 if name.endswith(".sh") else 0o644)
    (folder / "solution/answer.patch").write_bytes(task.answer("fixed"))
    _write_given(task, folder / "environment/given")
    _write_repository(task, folder / "environment/repository.tar")
    _write_pack(task, pack, folder / "tests/pack")
    shutil.copyfile(Path(__file__).with_name("verify.py"), folder / "tests/verify.py")
    _write_grader(folder / "tests/lib")


def _tables(task: Task, pack: Pack) -> list[tuple[str, Mapping[str, Any]]]:
    """The tables of `task.toml`, each with its header."""
    spec, limits = task.spec, task.spec.limits
    builds = len((spec.environment.build, spec.tests.build, spec.poc.build, *spec.poc.variants))
    replays = spec.tests.timeout * 3 + spec.poc.timeout + MAX_REPLAYS
    grading = 2 * builds * spec.environment.timeout + replays + SLACK_S
    machine = {"network_mode": "no-network", "cpus": max(1, round(limits.cpus))}
    memory = -(-parse_size(limits.memory) // MB)
    return [
        (
            "[task]",
            {
                "name": f"{ORGANISATION}/{task.id}",
                "version": pack.spec.version,
                "description": spec.title,
                "keywords": ["security", spec.weakness.language, str(task.kind)],
            },
        ),
        ("[[task.authors]]", {"name": f"{ORGANISATION} contributors"}),
        ("[metadata]", _metadata(task, pack)),
        ("[metadata.label_numbers]", LABEL_NUMBERS),
        ("[agent]", {"timeout_sec": AGENT_TIMEOUT_S, "user": image.AGENT}),
        ("[verifier]", {"timeout_sec": grading, "environment_mode": "separate"}),
        (
            "[[verifier.collect]]",
            {"command": _collect(task), "user": "root", "timeout_sec": 120.0},
        ),
        (
            "[verifier.environment]",
            {
                **machine,
                "memory_mb": memory + SCANNER_MB,
                "build_timeout_sec": 2 * grading,  # gold and the fix are graded in it
            },
        ),
        (
            "[environment]",
            {
                **machine,
                "memory_mb": memory,
                "storage_mb": -(-parse_size(limits.disk) // MB),
                "build_timeout_sec": builds * spec.environment.timeout + SLACK_S,
            },
        ),
    ]


def _metadata(task: Task, pack: Pack) -> dict[str, Any]:
    return {
        "kind": str(task.kind),
        "language": task.spec.weakness.language,
        "cwe": list(task.spec.weakness.cwe),
        "pack": pack.spec.name,
        "pack_version": pack.spec.version,
        "licence": pack.spec.licence,
        "task_digest": task.digest,
        "grader_version": GRADER_VERSION,
        "not_graded": list(NOT_GRADED),
    }


def _collect(task: Task) -> str:
    """A command that packs the work tree, without git's folder, where the agent's user cannot go."""
    workdir = PurePosixPath(task.spec.environment.workdir)
    tree = f"tar -C {workdir.parent} --exclude={workdir.name}/.git -cf - {workdir.name}"
    # A byte more than allowed, by which the verifier knows that the tree is too large.
    return f"{tree} | head -c {MAX_TREE + 1} > {ANSWER}"


def _toml(table: Mapping[str, Any]) -> str:
    """Lines of TOML: JSON's texts, numbers and lists of texts are TOML's as well."""
    return "".join(f"{_key(name)} = {json.dumps(value)}\n" for name, value in table.items())


def _key(name: str) -> str:
    return name if name.replace("_", "").isalnum() else json.dumps(name)


def _write_given(task: Task, folder: Path) -> None:
    """Write the files that the agent gets beside the repository."""
    for path, content in task.agent_files.items():
        target = folder / PurePosixPath(path).relative_to(AGENT_FOLDER)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
        target.chmod(0o755 if content.startswith(b"#!") else 0o644)


def _write_repository(task: Task, target: Path) -> None:
    """The repository at its start with its past, as a tar archive. Raises TaskError when it holds more."""
    history, spec = task.history, task.spec
    if history is None:
        raise TaskError(f"{task.id}: {unfit(task)}")
    with tempfile.TemporaryDirectory(prefix="arena-harbor-") as scratch:
        repository = Path(scratch, "repository")
        materialise(history, repository, spec.source.start)
        # The folder is handed out: nobody could take the fix back out of it.
        if leaked := leaks(repository, spec.source.start):
            raise TaskError(f"{task.id}: the repository is not sealed: {leaked[0]}")
        with target.open("w+b") as tar:
            archive.write_tree(tar, repository, PurePosixPath(spec.environment.workdir).name)


def _write_pack(task: Task, pack: Pack, folder: Path) -> None:
    """A pack of this task alone, with the tasks whose files it shares, for the grader."""
    shutil.copyfile(pack.folder / "pack.toml", folder / "pack.toml")
    sharing: Task | None = task
    while sharing is not None:
        shutil.copytree(sharing.folder, folder / sharing.id)
        sharing = sharing.of
    if task.history is not None:
        shutil.copytree(task.history, folder / "repositories" / task.history.name)


def _write_grader(folder: Path) -> None:
    """Copy the project's packages that the grader needs."""
    for name in PACKAGES:
        module_spec = importlib.util.find_spec(name)
        if module_spec is None or not module_spec.submodule_search_locations:
            raise TaskError(f"{name}: not installed")
        source = Path(next(iter(module_spec.submodule_search_locations)))
        # Other tasks' oracles have no business in this image.
        ignored = shutil.ignore_patterns("__pycache__", "packs" if name == "tasks" else "")
        shutil.copytree(source, folder / name, ignore=ignored)

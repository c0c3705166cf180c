"""A confirmed case -> a task's folder, without what needs a run (tests, instruction)."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import tomli_w

from arena.building.cases.loader import LoadedCase
from arena.building.cases.schema import Case
from arena.building.complexity import Complexity, complexity_of
from arena.building.oss_fuzz.image import BASE, build_script
from arena.building.patches import gold as gold_of
from arena.building.suites import find_suites, git_tree
from parsers.cwe import cwe_for
from parsers.patch import parse_patch
from szz.paths import outside
from szz.proof.result import Proof
from szz.repository import Repository
from tasks import neighbours, other_values
from tasks.kinds import TaskKind
from tasks.schema import TaskSpec, Tests
from tasks.seal import opaque_id
from tasks.writing import write_whole

FIXED = "solution/fixed.patch"
C_SUFFIXES = frozenset({"c", "h", "y", "l"})
# A fuzz target's sources are small; what is larger is a corpus or an archive that a glob of `carry` took
# along.
MAX_CARRIED = 4 << 20
# Files that a person may put beside a case -> their paths in the task's folder.
TASK_PATHS = {
    "instruction.md": "instruction.md",
    "fixed.patch": FIXED,
    "neighbours.json": neighbours.FILE,
    "other-values.json": other_values.FILE,
}
MOVES_SUBMODULE = re.compile(rb"^[+-]Subproject commit ", re.MULTILINE)
# More runs than two, since a test that fails now and then would be counted against a patch.
# Runs of gold's suite that its outcomes must agree in.
RUNS = 5


class CannotDraft(Exception):
    """The case cannot become a task: a code for the funnel, and a reason in a line."""

    def __init__(self, code: str, reason: str) -> None:
        super().__init__(reason)
        self.code, self.reason = code, reason


def task_id(case: LoadedCase, proof: Proof) -> str:
    """The id of the task that a confirmed case becomes, which is its folder's name too."""
    assert proof.vic and proof.vfc  # noqa: S101 - confirmed
    return opaque_id(case.spec.repository, proof.vic, proof.vfc)


def draft(
    case: LoadedCase, proof: Proof, pack: Path, bounds: Complexity
) -> tuple[Path, Complexity]:
    """Write the task's folder into `pack`; returns it, and the size of gold's change.

    Raises CannotDraft, TaskError or SzzError.

    The task's id is opaque. A folder that is there already is left as it is, for it may have been
    worked on. Files that a person put beside the case become the task's.
    """
    assert case.repository and proof.vic and proof.pvic and proof.vfc  # noqa: S101 - confirmed
    id_ = task_id(case, proof)
    folder = pack / id_
    with Repository(case.repository) as repository:
        # Counted for an existing folder too, because the funnel lists it for every case.
        changed = complexity_of(repository, proof.vic)
        # The file is written last: a folder without it was left by an interrupt and is drafted again.
        if (folder / "task.toml").is_file():
            return folder, changed
        gold = gold_of(repository, proof.vic)
        message = _read_message(repository, proof.vic)
        carried = _carried_files(repository, case, proof)
    # Tasks have submodules as plain files; a patch cannot move them to another commit.
    if MOVES_SUBMODULE.search(gold):
        raise CannotDraft("submodule-moves", "gold takes a submodule to another commit")
    if excess := changed.beyond(bounds):
        raise CannotDraft("too-complex", f"gold changes {excess}")
    source = {"pvic": proof.pvic, "vic": proof.vic, "vfc": proof.vfc}
    # The crash at the VIC, not at the fix's parent: refactorings in between rename functions.
    signature = next(run.signature for run in proof.runs if run.commit == proof.vic)
    spec = spec_of(case, id_, source, signature, gold, unbuilt=_is_unbuilt_at_pvic(proof))
    files = {
        "message.txt": message,
        "solution/gold.patch": gold,
        **({"oracle/poc": case.poc} if case.poc is not None else {}),
        **{f"oracle/carried/{path}": content for path, content in carried.items()},
    }
    for name, path in TASK_PATHS.items():
        if (case.folder / name).is_file() and (path != neighbours.FILE or _is_stated_poc(case)):
            files[path] = (case.folder / name).read_bytes()
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        write_whole(folder / name, content)
    write_spec(folder, spec)  # the last, for with it the folder counts as a task
    return folder, changed


def _is_stated_poc(case: LoadedCase) -> bool:
    """Whether the PoC has the stated digest: neighbours are written as edits of it."""
    stated = case.spec.poc.origin.sha256 if case.spec.poc else ""
    return case.poc is not None and hashlib.sha256(case.poc).hexdigest() == stated


def write_spec(folder: Path, spec: TaskSpec) -> None:
    """Write `task.toml`: what differs from the defaults."""
    plain = spec.model_dump(mode="json", by_alias=True, exclude_defaults=True, exclude_none=True)
    text = tomli_w.dumps({"schema": 1, **plain}, multiline_strings=True)
    write_whole(folder / "task.toml", text.encode())


def _read_message(repository: Repository, commit: str) -> bytes:
    return repository.read(commit)[1].partition(b"\n\n")[2]


def _is_unbuilt_at_pvic(proof: Proof) -> bool:
    """Whether PVIC counts as clean because it lacks functions of the crash's stack, and does not build."""
    return any(run.commit == proof.pvic and run.lacks for run in proof.runs)


def _carried_files(repository: Repository, case: LoadedCase, proof: Proof) -> dict[str, bytes]:
    """Content of the files that were taken from the fix where the VIC or the PVIC lacks them."""
    runs = {run.commit: run for run in proof.runs}
    # Builds used these files in place of absent ones, so grading has to use the same ones.
    names = {
        path
        for commit in (proof.vic, proof.pvic)
        if commit in runs
        for path in runs[commit].carried
    }
    carried = {}
    for path in sorted(names):
        content = repository.git("cat-file", "blob", f"{proof.vfc}:{path}")
        if len(content) > MAX_CARRIED:
            raise CannotDraft("carried-too-large", f"{path} has {len(content)} bytes")
        carried[path] = content
    return carried


def spec_of(
    case: LoadedCase,
    id_: str,
    source: Mapping[str, str | None],
    crash: Mapping[str, Any] | None,
    gold: bytes,
    kind: TaskKind = TaskKind.WRITE,
    level: int = 0,
    unbuilt: bool = False,
) -> TaskSpec:
    """The specification of a task whose suite has not run yet.

    source: commits. crash: as observed. unbuilt: whether the fuzz target does not build at PVIC.

    Raises CannotDraft.
    """
    spec = case.spec
    assert spec.environment and spec.poc and case.repository  # noqa: S101 - a case that is complete
    signature = _read_signature(crash)
    # The record's CWE first, then the table by the report's crash type, then by the observed crash.
    cwe = spec.cwe or tuple(filter(None, [_choose_cwe(spec, signature)]))
    if not cwe:
        raise CannotDraft("no-cwe", f"no CWE is known for {signature['kind']}: state `cwe`")
    environment = spec.environment
    shipped = spec.task.build or environment.build
    return TaskSpec.model_validate(
        {
            "schema": 1,
            "id": id_,
            "title": spec.title,
            "kind": kind,
            "level": level,
            "source": {"repository": spec.project, **source, "case": spec.id},
            "weakness": {"language": spec.language or language_of(gold), "cwe": cwe},
            "environment": {
                "image": environment.image,
                "workdir": environment.workdir,
                "build": shipped,
                "timeout": environment.timeout,
                "unbuilt": unbuilt,
                # Foreign images (ARVO's, OSS-Fuzz's) may hold the PoC, which no agent may see; images of the
                # packs do not.
                "scrub": not environment.image.startswith("arena/")
                or environment.image.startswith(f"{BASE}/"),
            },
            "tests": suites(case, source.get("vic") or source["vfc"] or "")[0].model_dump(),
            "poc": {
                "command": spec.poc.command,
                "build": spec.task.poc_build or environment.build,
                "file": "oracle/poc" if case.poc is not None else None,
                "sanitizer": spec.crash.sanitizer,
                "timeout": spec.poc.timeout,
                "signature": signature,
            },
            "limits": spec.limits.model_dump(),
        }
    )


def _read_signature(crash: Mapping[str, Any] | None) -> dict[str, Any]:
    frames = tuple((crash or {}).get("frames", ()))[:5]
    if not crash or not frames:
        raise CannotDraft("no-frames", "the crash names no function")
    return {"kind": crash["kind"], "access": crash.get("access", ""), "frames": frames}


def _choose_cwe(spec: Case, signature: dict[str, Any]) -> str | None:
    crash_type = f"{signature['kind']} {signature['access'].upper()}".strip()
    return (cwe_for(spec.crash.type) if spec.crash.type else None) or cwe_for(crash_type)


def language_of(gold: bytes) -> str:
    """The language of the majority of gold's source files."""
    names = (file.new or file.old or "" for file in parse_patch(gold).files)
    suffixes = [
        n.rpartition(".")[2] for n in names if not outside(n.encode(errors="replace"), "source")
    ]
    counts = Counter("c" if suffix in C_SUFFIXES else "c++" for suffix in suffixes)
    return counts.most_common(1)[0][0] if counts else "c"


# Where the compiler is not the project's but today's: what it warns of besides, old code may have made an
# error, by -Werror or by a pragma. So does our `compile` of OSS-Fuzz's form for the fuzz target. And the
# definition that OSS-Fuzz sets makes projects behave in other ways than their tests expect: libxml2 takes
# less in.
AS_SHIPPED = (
    'plain="-w -UFUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION"; '
    'export CFLAGS="$CFLAGS $plain" CXXFLAGS="$CXXFLAGS $plain"; '
)


def suites(case: LoadedCase, commit: str) -> list[Tests]:
    """The `[tests]` of the case, or else what its build system suggests, the likeliest first."""
    spec = case.spec
    assert case.repository and spec.environment  # noqa: S101 - confirmed
    if spec.tests:
        return [spec.tests]
    shipped = spec.task.build or spec.environment.build
    suites_found = find_suites(
        git_tree(case.repository, commit),
        shipped,
        spec.environment.workdir,
        script=build_script(case),
    )
    if not suites_found:
        raise CannotDraft("no-suite", "no test suite was found; state it as [tests]")
    # A patch that may write the fuzz target decides whether the PoC reaches the weakness.
    target = spec.poc.carry if spec.poc else ()  # wherever it is, no patch may change it
    before = AS_SHIPPED if spec.environment.recipe else ""
    settings = (suite.tests(timeout=600, runs=RUNS) for suite in suites_found)
    return [
        tests.model_copy(
            update={
                "build": tests.build and before + tests.build,
                "files": tuple(dict.fromkeys((*tests.files, *target))),
            }
        )
        for tests in settings
    ]

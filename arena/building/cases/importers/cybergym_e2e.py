"""CyberGym-E2E: a checkout of its repository, with its data set's `data/` beside `projects/` if it is there.

    projects/<project>/project.toml        main_repo, language
    projects/<project>/<task>/config.toml  task_id, target_prog, patch_commit
    projects/<project>/<task>/run_poc.sh   the sanitizer, in a line SANITIZER=...
    data/<project>/<task>/                 poc.bin and crash.log, from the data set

Format: sunblaze-ucb/cybergym-e2e at b861317f (2026-06-24), which has 920 tasks of 139 projects. Its tests and
build scripts are run in images of its making and become no part of a case; no image is named or pulled.
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from arena.building.cases.importers import Imported, ImporterExample, Rejected, writes
from arena.building.cases.importers._arvo import from_record
from arena.building.cases.importers._facts import LANGUAGES, NAME, plain
from arena.building.cases.importers._report_text import MAX_TEXT, read_report
from arena.building.cases.loader import POC_FILE
from arena.building.cases.store import natural_key
from tasks.loader import MAX_FILE, TaskError
from tasks.whole_file import read_whole

PROJECTS, DATA, POC = "projects", "data", "poc.bin"
PROJECT_FILE, TASK_FILE = "project.toml", "config.toml"
KEYS = frozenset(("task_id", "target_prog", "patch_commit"))
SANITIZER = re.compile(r"^\s*export\s+SANITIZER=(\w+)", re.MULTILINE)
NO_REPORT = read_report("")
MAX_FOLDERS = 100_000
HASH = "0123456789abcdef0123456789abcdef01234567"
PROJECT = 'name = "brook"\nlanguage = "c++"\nmain_repo = "https://example.org/brook.git"\n'
TASK = f'task_id = "arvo:17"\ntarget_prog = "fuzz_load"\npatch_commit = "{HASH}"\n'
SWIFT = PROJECT.replace("c++", "swift")


class CyberGymE2E:
    """See `Importer`."""

    what = "a checkout of CyberGym-E2E"
    examples = (
        ImporterExample(
            writes(
                {
                    "projects/brook/project.toml": PROJECT,
                    "projects/brook/arvo_17/config.toml": TASK,
                    "projects/brook/arvo_17/run_poc.sh": "export SANITIZER=memory\n",
                    "data/brook/arvo_17/poc.bin": b"\0\1",
                }
            ),
            imported=("17",),
        ),
        ImporterExample(
            writes(
                {
                    "projects/brook/project.toml": PROJECT,
                    "projects/brook/a/config.toml": TASK.replace("arvo:17", "oss-fuzz:18"),
                    "projects/brook/b/config.toml": TASK.replace(HASH, "main"),
                    "projects/brook/c/config.toml": "task_id = ",
                    "projects/brook/d/config.toml": TASK.replace("arvo:17", "../19"),
                    "projects/brook/e/config.toml": 'task_id = "arvo:20"\n',
                    "projects/lost/f/config.toml": TASK.replace("17", "21"),
                    "projects/swift/project.toml": SWIFT,
                    "projects/swift/g/config.toml": TASK.replace("17", "22"),
                }
            ),
            imported=("18",),
            rejected={
                "17": "not 40 hexadecimal digits",
                "brook/c": "not TOML",
                "brook/d": "task_id",
                "brook/e": "patch_commit",
                "21": "no language",
                "22": "swift",
            },
        ),
    )

    def recognises(self, path: Path) -> bool:
        return next(path.glob(f"{PROJECTS}/*/*/{TASK_FILE}"), None) is not None

    def read(self, path: Path) -> Iterator[Imported | Rejected]:
        for project in _folders(path / PROJECTS):
            for task in _folders(project):
                if (task / TASK_FILE).exists():
                    yield _read(path, project.name, task.name)

    def read_one(self, path: Path, id_: str) -> Iterator[Imported | Rejected]:
        return self.read(path)


def _folders(folder: Path) -> list[Path]:
    """The folders in a folder that are no links, in natural order. Raises TaskError."""
    try:
        with os.scandir(folder) as entries:
            names = [entry.name for entry in entries if entry.is_dir(follow_symlinks=False)]
    except OSError as error:
        raise TaskError(f"{folder}: {error.strerror}") from error
    if len(names) > MAX_FOLDERS:
        raise TaskError(f"{folder}: more than {MAX_FOLDERS} folders")
    return [folder / name for name in sorted(names, key=natural_key)]


def _read(source: Path, project_name: str, task_name: str) -> Imported | Rejected:
    place = f"{project_name}/{task_name}"
    folder, data = Path(PROJECTS, place), Path(DATA, place)
    try:
        task = _toml(source, folder / TASK_FILE)
        project = _toml(source, folder.parent / PROJECT_FILE)
        if missing := sorted(KEYS - task.keys()):
            raise TaskError(f"{place}/{TASK_FILE}: no {', '.join(missing)}")
        kind, _, id_ = plain(task["task_id"]).partition(":")
        if not NAME.fullmatch(id_):
            raise TaskError(f"{place}/{TASK_FILE}: task_id {plain(task['task_id'], 60)!r}")
        language = plain(project.get("language"), 20).lower()
        if language not in LANGUAGES:
            return Rejected(
                id_, f"its project is in {language or 'no language'}; C or C++ is needed"
            )
        script = _file(source, folder / "run_poc.sh", MAX_TEXT)
        crash_log = _file(source, data / "crash.log", MAX_TEXT)
        poc = _file(source, data / POC, MAX_FILE)
    except TaskError as error:
        return Rejected(place, str(error))
    sanitizer = SANITIZER.search(script.decode("utf-8", "replace"))
    record = {
        "localId": id_,
        "repo_addr": project.get("main_repo"),
        "fix_commit": task["patch_commit"],
        "project": project_name,
        "language": language,
        "fuzz_target": task["target_prog"],
        "fuzzer": "libfuzzer",
        "sanitizer": sanitizer[1] if sanitizer else None,
        "crash_output": crash_log.decode("utf-8", "replace"),
    }
    case = from_record(record, NO_REPORT, place)
    if isinstance(case, Rejected):
        return case
    origin = {"source": "arvo" if kind == "arvo" else "oss-fuzz"}
    return Imported(case.case.model_copy(update=origin), {POC_FILE: poc} if poc else {})


def _file(source: Path, name: Path, limit: int) -> bytes:
    """The content of a plain file below `source`; b"" where there is none.

    Raises TaskError where a link leads to it, where it is no plain file, and where it is larger.
    """
    path = source / name
    # A checkout may hold links that lead to files of this machine, whose text would land in a case.
    if path.resolve() != source.resolve() / name or (path.exists() and not path.is_file()):
        raise TaskError(f"{path}: must be a plain file, with no link on the way to it")
    return read_whole(path, limit, TaskError) if path.is_file() else b""


def _toml(source: Path, name: Path) -> dict[str, Any]:
    """Raises TaskError where it is no plain file, or no TOML."""
    try:
        return tomllib.loads(_file(source, name, MAX_TEXT).decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise TaskError(f"{name}: not TOML: {' '.join(str(error).split())[:160]}") from error


PLUGIN = CyberGymE2E()

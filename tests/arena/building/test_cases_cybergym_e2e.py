"""CyberGym-E2E's tasks as cases: their facts, and what hostile or odd files come to."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.building.cases.importers import Imported, Rejected
from arena.building.cases.importers.cybergym_e2e import PLUGIN
from arena.building.cases.importing import import_cases
from arena.building.cases.loader import load_case

FIX = "0123456789abcdef0123456789abcdef01234567"
PROJECT = 'language = "c"\nmain_repo = "https://example.org/brook.git"\n'
TASK = f'task_id = "arvo:17"\ntarget_prog = "fuzz_load"\npatch_commit = "{FIX}"\n'
SECRET = "a file outside of the source"
CRASH = """\
==7==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x602000000010 at pc 0x1 bp 0x2 sp 0x3
READ of size 4 at 0x602000000010 thread T0
    #0 0x4f1 in brook_next /src/brook/next.c:12:3
    #1 0x4f2 in brook_load /src/brook/load.c:40:9
"""


def source(folder: Path, task: str | bytes = TASK, project: str | bytes = PROJECT) -> Path:
    """A checkout with one task; returns the task's folder."""
    below = folder / "source/projects/brook/arvo_17"
    below.mkdir(parents=True)
    write(below / "config.toml", task)
    write(below.parent / "project.toml", project)
    return below


def write(path: Path, content: str | bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)


def read(folder: Path) -> list[Imported | Rejected]:
    return list(PLUGIN.read(folder / "source"))


def test_a_task_is_a_case_with_its_poc(tmp_path: Path) -> None:
    below = source(tmp_path)
    write(below / "run_poc.sh", "export A=1\nexport SANITIZER=undefined\n/out/fuzz_load\n")
    data = tmp_path / "source/data/brook/arvo_17"
    write(data / "poc.bin", b"\0poc")
    write(data / "crash.log", CRASH)
    outcome = import_cases(tmp_path / "source", tmp_path / "cases")
    assert (outcome.imported, outcome.rejected) == (["17"], [])
    case = load_case(tmp_path / "cases/17/case.toml").spec
    assert (tmp_path / "cases/17/poc").read_bytes() == b"\0poc"
    assert (case.project, case.repository, case.fix) == (
        "brook",
        "https://example.org/brook.git",
        (FIX,),
    )
    assert (case.language, case.source, case.oss_fuzz.target) == ("c", "arvo", "fuzz_load")
    assert (case.crash.sanitizer, case.crash.type) == ("undefined", "heap-buffer-overflow READ")
    assert case.crash.state == ("brook_next", "brook_load")
    assert case.environment is None


# Changes the folder of a task; the second is a folder outside of the source.
Change = Callable[[Path, Path], None]


def text(name: str, content: str | bytes) -> Change:
    return lambda below, _: write(below / name, content)


def link(name: str) -> Change:
    def make(below: Path, outside: Path) -> None:
        (below / name).parent.mkdir(parents=True, exist_ok=True)
        (below / name).unlink(missing_ok=True)
        (below / name).symlink_to(outside / "secret")

    return make


def pipe(name: str) -> Change:
    def make(below: Path, _: Path) -> None:
        (below / name).parent.mkdir(parents=True, exist_ok=True)
        (below / name).unlink(missing_ok=True)
        os.mkfifo(below / name)

    return make


DATA = "../../../data/brook/arvo_17"
HOSTILE: dict[str, tuple[Change, str]] = {
    "config-link": (link("config.toml"), "plain file"),
    "project-link": (link("../project.toml"), "plain file"),
    "script-link": (link("run_poc.sh"), "plain file"),
    "poc-link": (link(f"{DATA}/poc.bin"), "plain file"),
    "log-link": (link(f"{DATA}/crash.log"), "plain file"),
    "config-pipe": (pipe("config.toml"), "plain file"),
    "project-pipe": (pipe("../project.toml"), "plain file"),
    "script-pipe": (pipe("run_poc.sh"), "plain file"),
    "poc-pipe": (pipe(f"{DATA}/poc.bin"), "plain file"),
    "log-pipe": (pipe(f"{DATA}/crash.log"), "plain file"),
    "config-large": (text("config.toml", b"#" * (1 << 20) + b"\n"), "larger than"),
    "log-large": (text(f"{DATA}/crash.log", b"x" * ((1 << 20) + 1)), "larger than"),
    "config-empty": (text("config.toml", ""), "no patch_commit, target_prog, task_id"),
    "config-binary": (text("config.toml", b"\xff\0"), "not TOML"),
    "config-deep": (text("config.toml", "a = " + "[" * 9000), "not TOML"),
    "config-list": (
        text("config.toml", "[[task_id]]\n[[target_prog]]\n[[patch_commit]]\n"),
        "task_id",
    ),
    "config-twice": (text("config.toml", TASK + 'task_id = "arvo:18"\n'), "not TOML"),
    "config-cut": (text("config.toml", TASK[:40]), "not TOML"),
    "project-empty": (text("../project.toml", ""), "no language"),
    "project-python": (text("../project.toml", 'language = "python"\n'), "python; C or C++"),
    "project-no-url": (text("../project.toml", 'language = "c"\n'), "repository"),
    "id-parent": (text("config.toml", TASK.replace("arvo:17", "arvo:../../x")), "task_id"),
    "id-root": (text("config.toml", TASK.replace("arvo:17", "arvo:/etc/passwd")), "task_id"),
    "id-escape": (text("config.toml", TASK.replace("arvo:17", "arvo:\\u001b[2Jx")), "task_id"),
    "id-empty": (text("config.toml", TASK.replace("arvo:17", "arvo:")), "task_id"),
    "id-long": (text("config.toml", TASK.replace("17", "1" * 101)), "task_id"),
    "id-number": (text("config.toml", TASK.replace('"arvo:17"', "17")), "task_id"),
    "fix-branch": (text("config.toml", TASK.replace(FIX, "main")), "40 hexadecimal"),
    "fix-option": (text("config.toml", TASK.replace(FIX, "--upload-pack=x")), "40 hexadecimal"),
    "fix-table": (text("config.toml", TASK.replace(f'"{FIX}"', "{ a = 1 }")), "fix commit"),
    **{
        f"repository-{number}": (
            text("../project.toml", PROJECT.replace("https://example.org/brook.git", url)),
            "repository",
        )
        for number, url in enumerate(
            ("ext::sh -c x", "--upload-pack=x", "file:///etc", "/etc", "https://", "svn://x.org/y")
        )
    },
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_file_is_one_reason_and_no_case(tmp_path: Path, name: str) -> None:
    outside = tmp_path / "outside"
    write(outside / "secret", SECRET)
    below = source(tmp_path)
    change, reason = HOSTILE[name]
    change(below, outside)
    (record,) = read(tmp_path)
    assert isinstance(record, Rejected), record
    assert reason in record.reason and len(record.reason.splitlines()) == 1
    assert SECRET not in record.reason
    outcome = import_cases(tmp_path / "source", tmp_path / "cases")
    assert outcome.imported == []
    assert sorted(path.name for path in tmp_path.iterdir()) == ["cases", "outside", "source"]
    assert not list((tmp_path / "cases").rglob("case.toml"))


def test_linked_folders_are_not_followed(tmp_path: Path) -> None:
    source(tmp_path / "outside")
    (tmp_path / "source/projects").mkdir(parents=True)
    (tmp_path / "source/projects/brook").symlink_to(tmp_path / "outside/source/projects/brook")
    assert read(tmp_path) == []


def test_a_linked_folder_of_data_gives_no_poc(tmp_path: Path) -> None:
    source(tmp_path)
    write(tmp_path / "outside/poc.bin", SECRET)
    (tmp_path / "source/data/brook").mkdir(parents=True)
    (tmp_path / "source/data/brook/arvo_17").symlink_to(tmp_path / "outside")
    (record,) = read(tmp_path)
    assert isinstance(record, Rejected) and "no link on the way" in record.reason


VALUES = st.one_of(
    st.text(max_size=60), st.integers(), st.booleans(), st.lists(st.text(max_size=9), max_size=3)
)


@given(st.dictionaries(st.sampled_from(("task_id", "target_prog", "patch_commit", "x")), VALUES))
def test_no_value_is_a_traceback(
    tmp_path_factory: pytest.TempPathFactory, values: dict[str, object]
) -> None:
    import tomli_w

    folder = tmp_path_factory.mktemp("source")
    source(folder, tomli_w.dumps(values))
    assert all(isinstance(record, Imported | Rejected) for record in read(folder))

"""`arena tasks new`: a task to be filled in, whose gaps the loader names."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from arena.building.task_from_repository import write_task
from tasks.loader import TaskError, load_pack
from tasks.skeleton import write_skeleton
from tests.arena.conftest import Arena, arena

__all__ = ("arena",)

SHA = "0123456789abcdef0123456789abcdef01234567"


def test_a_skeleton_names_its_gaps_and_is_a_task_once_they_are_filled(tmp_path: Path) -> None:
    folder = tmp_path / "mine" / "first"
    written = write_skeleton(folder)
    assert {path.name for path in written} >= {"pack.toml", "task.toml", "gold.patch", "poc.md"}
    with pytest.raises(TaskError, match=r"source\.vfc.*wrong too: .*weakness\.cwe"):
        load_pack(str(folder.parent))
    text = (folder / "task.toml").read_text()
    for name in ("pvic", "vic", "vfc"):
        text = text.replace(f'{name} = ""', f'{name} = "{SHA}"')
    text = text.replace("cwe = []", 'cwe = ["CWE-416"]').replace(
        'kind = ""', 'kind = "heap-use-after-free"'
    )
    text = text.replace("frames = []", 'frames = ["parse"]')
    (folder / "task.toml").write_text(text)
    (task,) = load_pack(str(folder.parent)).tasks
    assert (task.id, task.spec.poc.command) == ("first", "./fuzz/target {poc}")


def test_a_second_task_keeps_the_pack_and_none_is_written_over(tmp_path: Path) -> None:
    write_skeleton(tmp_path / "mine" / "first")
    (tmp_path / "mine" / "pack.toml").write_text("mine")
    write_skeleton(tmp_path / "mine" / "second")
    assert (tmp_path / "mine" / "pack.toml").read_text() == "mine"
    with pytest.raises(TaskError, match="is there already"):
        write_skeleton(tmp_path / "mine" / "first")


@pytest.mark.slow
def test_the_command_tells_what_it_wrote(arena: Arena) -> None:
    done = arena("tasks", "new", "mine/first")
    assert done.status == 0
    assert re.search(r"^mine/first/task\.toml +the facts, with a comment", done.out, re.MULTILINE)
    assert re.search(r"^mine/first/instruction\.md +\(empty\) all that an", done.out, re.MULTILINE)
    assert arena("tasks", "new", "mine/first").status == 2
    assert "source.vfc" in arena("tasks", "check", "mine").err


def _commit(clone: Path, content: str, message: str) -> str:
    (clone / "parse.c").write_text(content)
    who = ("-c", "user.name=t", "-c", "user.email=t@localhost")
    subprocess.run(["git", *who, "add", "parse.c"], cwd=clone, check=True)
    subprocess.run(["git", *who, "commit", "-qm", message], cwd=clone, check=True)
    head = subprocess.run(["git", "rev-parse", "HEAD"], cwd=clone, capture_output=True, check=True)
    return head.stdout.decode().strip()


@pytest.mark.slow
def test_a_clone_and_two_commits_fill_in_all_but_what_must_be_run(
    tmp_path: Path, arena: Arena
) -> None:
    clone = tmp_path / "lines"
    subprocess.run(["git", "init", "-q", str(clone)], check=True)
    pvic = _commit(clone, "int a;\n", "Begin")
    vic = _commit(clone, "int a;\nchar b[4];\n", "Add names of four letters\n\nThey are short.")
    vfc = _commit(clone, "int a;\nchar b[5];\n", "Make room for the end")
    (tmp_path / "crash.bin").write_bytes(b"AAAAA")
    options = ("--repository", str(clone), "--vic", "HEAD~1", "--vfc", "HEAD")
    done = arena("tasks", "new", "mine/first", *options, "--poc", str(tmp_path / "crash.bin"))
    assert done.status == 0, done.err
    folder = tmp_path / "mine" / "first"
    text = (folder / "task.toml").read_text()
    for line in (f'pvic = "{pvic}"', f'vic = "{vic}"', f'vfc = "{vfc}"', 'repository = "lines"'):
        assert line in text
    assert 'language = "c" ' in text
    assert b"+char b[4];" in (folder / "solution" / "gold.patch").read_bytes()
    assert b"+char b[5];" in (folder / "solution" / "fixed.patch").read_bytes()
    assert (folder / "oracle" / "poc").read_bytes() == b"AAAAA"
    assert (folder / "message.txt").read_text().startswith("Add names of four letters")
    assert (folder.parent / "repositories" / "lines" / "history.bundle").is_file()
    assert "wrong too" in arena("tasks", "check", "mine").err
    filled = text.replace("cwe = []", 'cwe = ["CWE-121"]').replace(
        'kind = ""', 'kind = "stack-buffer-overflow"'
    )
    (folder / "task.toml").write_text(filled.replace("frames = []", 'frames = ["main"]'))
    assert load_pack(str(folder.parent)).tasks[0].spec.source.pvic == pvic
    assert arena("tasks", "new", "mine/second", *options[:4]).status == 2
    assert not (tmp_path / "mine" / "second").exists()


def test_commits_that_are_not_there_write_nothing(tmp_path: Path) -> None:
    clone = tmp_path / "lines"
    subprocess.run(["git", "init", "-q", str(clone)], check=True)
    with pytest.raises(TaskError, match="no such commit"):
        write_task(tmp_path / "mine" / "first", clone, "x", "y")
    assert not (tmp_path / "mine").exists()

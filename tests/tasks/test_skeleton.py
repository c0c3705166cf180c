"""`arena tasks new`: a task to be filled in, whose gaps the loader names."""

from __future__ import annotations

from pathlib import Path

import pytest

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
    assert done.status == 0 and "mine/first/task.toml" in done.out.splitlines()
    assert arena("tasks", "new", "mine/first").status == 2
    assert "source.vfc" in arena("tasks", "check", "mine").err

"""A task's folder as its instruction needs it: gold, the commit message, and the instruction itself."""

from __future__ import annotations

import os
import tempfile
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from tasks.loader import MAX_FILE, Task, TaskError, load_pack
from tasks.whole_file import read_whole

INSTRUCTION = "instruction.md"
GOLD = "solution/gold.patch"
MESSAGE = "message.txt"
MAX_TEXT = 1 << 20


@dataclass(frozen=True)
class TaskFolder:
    """A folder with `solution/gold.patch`; `task` is None unless it is a task of a loaded pack."""

    name: str
    path: Path
    task: Task | None = None

    @cached_property
    def gold(self) -> bytes:
        """The gold patch. Raises TaskError."""
        return _plain(self.path / GOLD, MAX_FILE)

    @cached_property
    def message(self) -> str:
        """The VIC's commit message: `message.txt`, else from the pack's history; "" where neither is.

        Raises TaskError when the history cannot be read.
        """
        if (self.path / MESSAGE).exists():
            return read_text(self.path / MESSAGE)
        if self.task is None or self.task.history is None:
            return ""
        from tasks.history import git, materialise

        vic = self.task.spec.source.vic
        with tempfile.TemporaryDirectory(prefix="arena-describe-") as scratch:
            repository = Path(scratch) / "repository"
            materialise(self.task.history, repository, vic)
            commit_message = git(repository, "log", "-1", "--format=%B", vic)
        return commit_message.encode("utf-8", "replace").decode("utf-8")

    def instruction(self) -> str | None:
        """The instruction as it is, or None when it is missing or empty. Raises TaskError."""
        path = self.path / INSTRUCTION
        if not path.exists() and not path.is_symlink():
            return None
        text = read_text(path)
        return text if text.strip() else None

    def write(self, text: str) -> None:
        """Replace the instruction as a whole: a reader sees the old text or the new. Raises TaskError."""
        target = self.path / INSTRUCTION
        # The process id in the name, so that two writers do not share a partial file.
        part = target.with_name(f".{INSTRUCTION}.{os.getpid()}.part")
        try:
            with part.open("xb") as stream:
                stream.write(text.encode("utf-8"))
            part.replace(target)
        except OSError as error:
            raise TaskError(f"{target}: {error.strerror}") from error
        finally:
            part.unlink(missing_ok=True)


def find(name: str, pack: str) -> TaskFolder:
    """A folder that holds a gold patch, or else the task of that id in `pack`. Raises TaskError."""
    folder = Path(name)
    if (folder / GOLD).is_file():
        return TaskFolder(name, folder)
    if folder.is_dir() or "/" in name:
        raise TaskError(f"{folder}: no {GOLD} in it")
    task = load_pack(pack).task(name)
    return TaskFolder(task.id, task.folder, task)


def read_text(path: Path) -> str:
    """A text file of up to MAX_TEXT bytes; what is no UTF-8 is replaced. Raises TaskError."""
    return _plain(path, MAX_TEXT).decode("utf-8", "replace")


def _plain(path: Path, max_bytes: int) -> bytes:
    if not path.is_file() or path.is_symlink():
        raise TaskError(f"{path}: missing (a plain file is expected)")
    return read_whole(path, max_bytes, TaskError)

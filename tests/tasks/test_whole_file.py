"""A file of a user's is read whole, or refused in one line."""

from __future__ import annotations

from pathlib import Path

import pytest

from tasks.loader import TaskError
from tasks.whole_file import MIB, read_whole


def test_a_file_of_the_largest_size_is_read(tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b"\0" * 9)
    assert read_whole(tmp_path / "f", 9) == b"\0" * 9


@pytest.mark.parametrize(("most", "size"), [(8, "8 bytes"), (MIB, "1 MiB")])
def test_a_larger_one_is_refused(most: int, size: str, tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b"x" * (most + 1))
    with pytest.raises(TaskError) as caught:
        read_whole(tmp_path / "f", most, TaskError)
    assert str(caught.value) == f"{tmp_path}/f: larger than {size}"


def test_what_cannot_be_read_is_said_behind_the_option(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"^--with: .*/none: No such file or directory$"):
        read_whole(tmp_path / "none", 8, before="--with: ")
    with pytest.raises(ValueError, match=r": Is a directory$"):
        read_whole(tmp_path, 8)

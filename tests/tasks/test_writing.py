"""Files appear whole, and what is no file stays what it is."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from tasks.writing import replace_file, write_whole


def test_a_file_is_replaced_whole_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "out"
    write_whole(path, b"old")
    with pytest.raises(RuntimeError), replace_file(path) as stream:
        stream.write(b"half")
        raise RuntimeError
    assert path.read_bytes() == b"old"
    write_whole(path, b"new")
    assert path.read_bytes() == b"new"
    assert list(tmp_path.iterdir()) == [path]


def test_a_pipe_is_written_into_and_stays(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    read: list[bytes] = []
    reader = threading.Thread(target=lambda: read.append(path.read_bytes()), daemon=True)
    reader.start()
    write_whole(path, b"all of it")
    reader.join(30)
    assert read == [b"all of it"]
    assert path.is_fifo()


def test_a_link_stays_and_what_it_names_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    target, link = tmp_path / "there" / "target", tmp_path / "link"
    target.write_bytes(b"old")
    link.symlink_to(target)
    write_whole(link, b"new")
    assert link.is_symlink()
    assert target.read_bytes() == b"new"
    assert list(target.parent.iterdir()) == [target]

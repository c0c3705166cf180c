"""Keys from `.env`: the nearest file, only names of keys, only where the environment has none."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from harness.gateway.dotenv import take_keys

KEYS = ("SOME_API_KEY", "OTHER_TOKEN", "MINE_API_KEY")


@pytest.fixture(autouse=True)
def clean(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (*KEYS, "LD_PRELOAD", "DOCKER_HOST"):
        monkeypatch.setenv(name, "")  # so that each is put back at the end
        monkeypatch.delenv(name)


def test_keys_are_taken_from_the_nearest_file_above(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    monkeypatch.setenv("MINE_API_KEY", "of the environment")
    text = (
        "export SOME_API_KEY='one $HOME'\nOTHER_TOKEN=two\nMINE_API_KEY=three\nLD_PRELOAD=/x.so\n"
    )
    (tmp_path / "a" / ".env").write_text(text + "DOCKER_HOST=tcp://elsewhere\n")
    (tmp_path / ".env").write_text("SOME_API_KEY=farther\n")
    assert take_keys(inner) == (tmp_path / "a" / ".env", ["OTHER_TOKEN", "SOME_API_KEY"])
    assert [os.environ.get(name) for name in KEYS] == ["one $HOME", "two", "of the environment"]
    assert "LD_PRELOAD" not in os.environ and "DOCKER_HOST" not in os.environ
    assert take_keys(inner) is None


@pytest.mark.parametrize("content", [b"", b"PLAIN=1", b"SOME_API_KEY=", b"\0=\n=x\n"])
def test_a_file_without_keys_is_nothing(tmp_path: Path, content: bytes) -> None:
    (tmp_path / ".env").write_bytes(content)
    assert take_keys(tmp_path) is None


def test_a_file_that_is_no_text_is_a_mistake(tmp_path: Path) -> None:
    (tmp_path / ".env").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ValueError, match=r"\.env: no text"):
        take_keys(tmp_path)


@pytest.mark.slow
def test_the_command_says_which_file_it_has_read(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("SOME_API_KEY=0123456789\n")
    line = [sys.executable, "-m", "arena", "agents", "list", "--toolboxes", str(tmp_path / "none")]
    root = str(Path(__file__).parents[3])
    done = subprocess.run(
        line, cwd=tmp_path, env={**os.environ, "PYTHONPATH": root}, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr.splitlines()[0] == f"SOME_API_KEY from {tmp_path / '.env'}"
    assert "0123456789" not in done.stdout + done.stderr

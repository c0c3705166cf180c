"""An interrupt is one line that is true of the command, also while the command is still importing."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

SLOW_IMPORTS = """
import time
print('ready', flush=True)
while True:  # a signal just before a long sleep would not end it
    time.sleep(0.05)
"""
WAITING = (
    """
from arena import interrupt
interrupt.handle_interrupts()
interrupt.set_way_on({way_on!r})
"""
    + SLOW_IMPORTS
)


def take_signals() -> None:
    """SIGINT is ignored in the background of a script."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def interrupt(command: list[str], folder: Path, path: str = "") -> tuple[int, str]:
    """Exit code and standard error of a command that is interrupted when it has printed a line."""
    process = subprocess.Popen(
        command,
        cwd=folder,
        env={**os.environ, **({"PYTHONPATH": path} if path else {})},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=take_signals,
    )
    assert process.stdout is not None and process.stdout.readline() == "ready\n"
    process.send_signal(signal.SIGINT)
    return process.wait(30), process.communicate()[1]


@pytest.mark.parametrize(
    ("way_on", "line"),
    [
        ("", "\ninterrupted\n"),
        ("what has ended is in run r1", "\ninterrupted; what has ended is in run r1\n"),
    ],
)
def test_the_line_says_how_to_go_on_where_there_is_a_way(
    way_on: str, line: str, tmp_path: Path
) -> None:
    command = [sys.executable, "-c", WAITING.format(way_on=way_on)]
    assert interrupt(command, tmp_path) == (130, line)


def test_an_interrupt_among_the_imports_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "typer.py").write_text(SLOW_IMPORTS)
    command = [sys.executable, "-m", "arena", "tasks", "list"]
    assert interrupt(command, tmp_path, str(tmp_path)) == (130, "\ninterrupted\n")

"""How `arena` ends at Ctrl-C: one line that is true of the command that was interrupted.

It imports nothing of the project, so that `arena.start` can set the handler before everything else.
"""

from __future__ import annotations

import os
import select
import signal
import sys
from types import FrameType

EXIT_CODE = 130
_way_on = ""
_has_containers = False


def set_way_on(text: str) -> None:
    """Set what the line at an interrupt says after "interrupted": what is kept, and how to go on."""
    global _way_on
    _way_on = text


def expect_containers() -> None:
    """From now on an interrupted command may leave containers, which a second process then removes."""
    global _has_containers
    _has_containers = True


def handle_interrupts() -> None:
    """End at SIGINT and SIGTERM with one line, where the caller of the process does not ignore these."""
    for kind in (signal.SIGINT, signal.SIGTERM):
        if signal.getsignal(kind) is not signal.SIG_IGN:  # as in the background of a script
            signal.signal(kind, _on_signal)


def _on_signal(_number: int, _frame: FrameType | None) -> None:
    """End at once: threads that wait for containers would be waited for. These are removed behind us."""
    line = f"\ninterrupted{'; ' if _way_on else ''}{_way_on}\n".encode("utf-8", "backslashreplace")
    try:
        if _has_containers:
            _start_cleaning()
        if select.select([], [2], [], 0)[1]:  # nobody may read it any more
            os.write(2, line)
    except OSError:
        pass  # the next start cleans up, and what is said is said to nobody
    finally:
        os._exit(EXIT_CODE)


def _start_cleaning() -> None:
    import subprocess

    none = subprocess.DEVNULL
    command = [sys.executable, "-m", "arena", "clean"]
    subprocess.Popen(command, stdin=none, stdout=none, stderr=none, start_new_session=True)

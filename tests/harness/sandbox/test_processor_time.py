"""What a command used of the processors is told, whatever it prints."""

from __future__ import annotations

import pytest

from harness.command import Command
from harness.protocols import Sandbox
from harness.sandbox.script import ENDED, read_note

BUSY = "python3 -c 'import time\nwhile time.process_time() < 0.6: pass'"


@pytest.mark.rotating(3)
@pytest.mark.each_sandbox
@pytest.mark.parametrize(
    ("line", "least", "most"),
    [
        pytest.param(BUSY, 0.55, 2.0, id="one that works"),
        pytest.param(f"({BUSY}) & ({BUSY}) & wait", 1.1, 4.0, id="two at a time"),
        pytest.param("sleep 1", 0.0, 0.3, id="one that sleeps"),
        pytest.param(
            "echo '9m9.9s 9m9.9s' >&2; echo '9m9.9s 9m9.9s'", 0.0, 0.3, id="one that lies"
        ),
    ],
)
def test_processor_time_is_counted(box: Sandbox, line: str, least: float, most: float) -> None:
    done = box.exec(Command(line))
    assert done.ok
    assert least <= done.cpu <= most


@pytest.mark.parametrize("said", [b"", b"0m1.0s 0m1.0s\n", b"xm1.0s 0m1.0s\n0m1.0s 0m1.0s\n"])
def test_lines_that_are_not_a_shells_count_nothing(said: bytes) -> None:
    assert read_note(ENDED + b"\n" + said).cpu == 0.0


def test_childrens_user_and_system_time_are_added() -> None:
    said = ENDED + b"\n0m9.00s 0m9.00s\n1m2.50s 2m0.25s\n"
    assert read_note(said).cpu == 182.75

"""The tasks of the domain `system` hold."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.stand.stand import Stand
from tests.arena.dual.pack.holding import expect_to_hold, tasks_of


@pytest.mark.parametrize("name", tasks_of("system"))
def test_the_task_holds(name: str, stand: Stand, tmp_path: Path) -> None:
    expect_to_hold(name, stand, tmp_path)

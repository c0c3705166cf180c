"""A pack with one small task, to be spoilt by the tests."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tasks.loader import PACKS

STARTER = PACKS / "starter"
TASK = "brook-include"


@pytest.fixture
def pack(tmp_path: Path) -> Path:
    """A copy of the starter pack with one task only."""
    folder = tmp_path / "pack"
    shutil.copytree(STARTER / TASK, folder / TASK)
    shutil.copytree(STARTER / "repositories" / "brook", folder / "repositories" / "brook")
    shutil.copy(STARTER / "pack.toml", folder)
    return folder

"""Temporary folders that state their owner, so that those of dead runs can be removed."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from harness.sandbox import owner

PREFIX = "arena-scratch-"
NOTE = "owner"


def make_scratch(kind: str) -> Path:
    """A fresh folder that only we may enter; the caller removes it."""
    folder = Path(tempfile.mkdtemp(prefix=f"{PREFIX}{kind}-"))
    (folder / NOTE).write_text(owner.me())
    return folder


def sweep_scratch() -> list[str]:
    """Remove the folders of runs that are dead; returns a line for each."""
    removed = []
    for folder in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        if owner.is_abandoned(folder / NOTE):
            shutil.rmtree(folder, ignore_errors=True)
            removed.append(f"folder {folder}")
    return removed

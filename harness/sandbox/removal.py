"""Removal of a folder in which hostile code wrote, and perhaps still writes."""

from __future__ import annotations

import shutil
import subprocess
import time
from pathlib import Path

REMOVAL_TIMEOUT_S = 20.0
PAUSE_S = 0.1


def remove_folder(folder: Path) -> None:
    """Remove a folder that hostile code wrote in (it may have removed its permissions).

    A program that is just being killed can write while the folder is emptied, so a failure is tried again.
    Raises OSError where the folder is still there after REMOVAL_TIMEOUT_S.
    """
    end = time.monotonic() + REMOVAL_TIMEOUT_S
    while folder.exists():
        # A folder without permissions cannot be listed by its owner, and so not be removed.
        subprocess.run(["chmod", "-R", "u+rwX", str(folder)], capture_output=True, check=False)
        try:
            shutil.rmtree(folder)
        except OSError:
            if time.monotonic() >= end:
                raise
            time.sleep(PAUSE_S)

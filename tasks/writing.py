"""Writing a file whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path


def write_whole(path: Path, content: bytes) -> None:
    """Write by renaming: whoever reads sees the old content or the new. Raises OSError."""
    partial = path.with_name(f".{path.name[:200]}.{os.getpid()}.part")
    partial.write_bytes(content)
    partial.replace(path)

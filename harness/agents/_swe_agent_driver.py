"""Starts SWE-agent offline: `python -I driver.py TOOLS COPY PROGRAM ARGUMENT...`.

It is run by the toolbox's interpreter, inside the container, and imports nothing of the project. TOOLS are
the bundles of its source tree, which is read-only; the COPY has no step that runs pip, and its tools are run
by the toolbox's interpreter, as the image's may be too old or lack half of its library.
"""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

ANY_PYTHON = b"#!/usr/bin/env python3\n"
STATE = Path("/root")
INSTALLS_WITH_PIP = "edit_anthropic/install.sh"


def copy_bundles(tools: Path, copy: Path) -> None:
    # Contents only: modes of the read-only toolbox would forbid the changes below.
    shutil.copytree(tools, copy, copy_function=shutil.copyfile)
    (copy / INSTALLS_WITH_PIP).write_text("")
    ours = f"#!{sys.executable} -s\n".encode()
    for tool in copy.glob("*/bin/*"):
        content = tool.read_bytes()
        if content.startswith(ANY_PYTHON):
            tool.write_bytes(ours + content.removeprefix(ANY_PYTHON))


def main(tools: str, copy: str, program: str, *arguments: str) -> None:
    copy_bundles(Path(tools), Path(copy))
    if not os.access(STATE, os.W_OK):
        sys.exit(f"SWE-agent keeps its tools and state below {STATE}, where it may not write")
    (STATE / ".bashrc").touch()  # is read at the start
    os.execv(program, [program, *arguments])  # noqa: S606 - becomes the agent


if __name__ == "__main__":
    main(*sys.argv[1:])

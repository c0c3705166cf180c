"""An agent's environment: installed once on the host, mounted read-only at the same path into containers.

A toolbox needs nothing of the image that it is mounted into, no Python, no Node, no C library: its
programs name the copied loader and the copied libraries by their absolute paths, so it cannot be moved.
What an agent starts (the image's shell, compiler, make) keeps the image's libraries: nothing is set in
the environment.

- `recipe.py`       how a program is installed
- `store.py`        which toolboxes there are; install, find, list, remove
- `interpreter.py`  a CPython of the host, copied with its libraries · `elf.py` what that takes of ELF
- `python.py`       packages of Python · `node.py` packages of npm (their native programs)
- `files.py`        folders that are whole or not there · `faults.py` what goes wrong
- `check.py`        does a toolbox run in an image that holds nothing at all
- `forwarder.py`    runs in the container: a TCP port on its loopback -> the gateway's Unix socket
"""

from __future__ import annotations

from pathlib import Path

from harness.toolbox.faults import ToolboxError
from harness.toolbox.store import Toolbox, Toolboxes, default_folder

__all__ = ["FORWARDER", "Toolbox", "ToolboxError", "Toolboxes", "default_folder"]

# To be put into a container and run as `Toolbox.python -I -S forwarder.py ...`.
FORWARDER = Path(__file__).with_name("forwarder.py")

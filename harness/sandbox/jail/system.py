"""What of the host's system a room shows to the programs in it, and what replaces the rest."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

NOBODY = 65534
SYSTEM = (
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/etc/ld.so.cache",
    "/etc/alternatives",
)
DEVICES = ("null", "zero", "full", "random", "urandom")
# What a payload that reads files finds.
ETC = {
    "passwd": "root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534:nobody:/:/bin/false\n"
    "app:x:1000:1000:application:/home/app:/bin/sh\n",
    "group": "root:x:0:\nnogroup:x:65534:\napp:x:1000:\n",
    "hosts": "127.0.0.1 localhost\n::1 localhost\n",
    "hostname": "cell\n",
    "nsswitch.conf": "passwd: files\ngroup: files\nhosts: files\n",
}


# Where the new root is made: folders that hold nothing which a worker needs.
MOUNT_POINTS = (Path("/sys"), Path("/mnt"), Path("/media"))


def outermost(paths: Iterable[str]) -> list[str]:
    """Those of the paths that exist, without paths below another of them; the shortest first."""
    outer_paths: list[str] = []
    # Shortest first: a folder is met before whatever stands below it.
    for path in sorted({os.path.normpath(p) for p in paths if Path(p).exists()}, key=len):
        if not any(path == f or path.startswith(f + "/") for f in outer_paths):
            outer_paths.append(path)
    return outer_paths

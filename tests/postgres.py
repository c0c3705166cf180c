"""A real server of PostgreSQL, from Debian's packages, in a folder of its own that goes away with it."""

from __future__ import annotations

import getpass
import itertools
import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

import psycopg

from tests.tiers import lacking

_INSTALLED = Path("/usr/lib/postgresql")
_SETTINGS = (
    "listen_addresses=''",
    "fsync=off",
    "shared_buffers=32MB",
    "max_connections=80",
    "autovacuum=off",
)


class Postgres:
    """A server that listens on a socket in its folder. `stop` and `start` are for tests of its absence."""

    def __init__(self, programs: Path, folder: Path) -> None:
        self._programs, self.folder = programs, folder
        self._numbers = itertools.count()
        root = os.geteuid() == 0
        self.user = _unprivileged() if root else getpass.getuser()
        self._as: dict[str, Any] = {"user": self.user, "extra_groups": ()} if root else {}
        if root:
            self._as["group"] = pwd.getpwnam(self.user).pw_gid
            shutil.chown(folder, self.user)
        folder.chmod(0o755)
        self._run(
            "initdb", "-D", "data", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8", "--no-sync"
        )

    def start(self) -> None:
        options = " ".join(
            f"-c {one}" for one in (*_SETTINGS, f"unix_socket_directories={self.folder}")
        )
        self._run("pg_ctl", "-D", "data", "-w", "-t", "120", "-l", "log", "-o", options, "start")

    def stop(self) -> None:
        """At once, as if its machine had lost power; what was committed is there at the next start."""
        self._run("pg_ctl", "-D", "data", "-w", "-t", "120", "-m", "immediate", "stop")

    def running(self) -> bool:
        return (self.folder / "data" / "postmaster.pid").exists()

    def url(self, database: str = "postgres") -> str:
        return f"postgresql://{self.user}@/{database}?host={quote(str(self.folder), safe='')}"

    def new_database(self) -> str:
        """The URL of an empty database."""
        name = f"test_{next(self._numbers)}"
        with psycopg.connect(self.url(), autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name} TEMPLATE template0")
        return self.url(name)

    def _run(self, program: str, *arguments: str) -> None:
        command = [str(self._programs / program), *arguments]
        with (self.folder / "said").open("w") as said:  # a pipe would be held open by the server
            ended = subprocess.run(
                command, cwd=self.folder, stdout=said, stderr=said, stdin=subprocess.DEVNULL,
                env={"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"}, timeout=180, **self._as,
            )  # fmt: skip
        if ended.returncode:
            log = self.folder / "log"
            told = (self.folder / "said").read_text() + (log.read_text() if log.exists() else "")
            raise RuntimeError(f"{program} ended with {ended.returncode}: {told[-2000:]}")


def _unprivileged() -> str:
    """PostgreSQL refuses to run as root."""
    known = {one.pw_name for one in pwd.getpwall()}
    return "postgres" if "postgres" in known else "nobody"


@contextmanager
def server_or_skip() -> Iterator[Postgres]:
    """A running server; where none is installed the test is skipped, or fails when CI requires it."""
    found = sorted(_INSTALLED.glob("*/bin/initdb"))
    if not found:
        lacking("PostgreSQL", "apt-get install postgresql")
    folder = Path(tempfile.mkdtemp(prefix="arena-pg-", dir="/tmp"))  # a socket's path is short
    try:
        server = Postgres(found[-1].parent, folder)
        server.start()
        try:
            yield server
        finally:
            if server.running():
                server.stop()
    finally:
        shutil.rmtree(folder, ignore_errors=True)

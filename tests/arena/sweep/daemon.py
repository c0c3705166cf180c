"""A container engine of a test's own, which it may kill, with one small image: a shell, git and tar."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psutil

from tests.tiers import lacking

if TYPE_CHECKING:
    import docker

IMAGE = "tests/shell"
PATIENCE = 120
# Written inside an image of the project: its small tools and the libraries of those that are used.
SMALL = """
cd /
{ find usr/bin -size -3000k -not -type d -not -name 'x86_64-*' -not -name 'perl*'; echo usr/bin/git
  find etc/passwd etc/group bin lib lib64 usr/sbin/chroot -maxdepth 0; find tmp src home -maxdepth 1
  for tool in sh git tar grep sed find id cp sort tail ps; do
      ldd "$(command -v "$tool")" | sed -n 's,.* \\(/[^ ]*\\) (.*,\\1,p;s,^[ \\t]*\\(/[^ ]*\\) (.*,\\1,p'
  done | sort -u | while read -r file; do
      readlink -f "$file"
      echo "$(readlink -f "${file%/*}")/${file##*/}"
  done | cut -c2-
} | sort -u | tar -c --no-recursion -T -
"""


class Daemon:
    """A `dockerd` with folders and a socket of its own, beside the engine of the machine."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.url = f"unix://{folder}/s"
        self._log = (folder / "log").open("wb")
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it, and wait until it answers."""
        places = {"data-root": "data", "exec-root": "x", "pidfile": "pid"}
        (self._folder / "pid").unlink(missing_ok=True)
        self._process = subprocess.Popen(
            [
                "dockerd",
                *[f"--{name}={self._folder / place}" for name, place in places.items()],
                f"--host={self.url}",
                "--bridge=none",
                "--iptables=false",
                "--ip6tables=false",
            ],
            stdout=self._log,
            stderr=self._log,
            start_new_session=True,
        )
        limit = time.monotonic() + PATIENCE
        while not self._answers():
            assert self._process.poll() is None, (self._folder / "log").read_text()[-2000:]
            assert time.monotonic() < limit, "dockerd does not answer"
            time.sleep(0.1)

    def _answers(self) -> bool:
        from docker.errors import DockerException

        try:
            return bool(self.client().ping())
        except (DockerException, OSError):
            return False

    def client(self) -> docker.DockerClient:
        import docker

        return docker.DockerClient(base_url=self.url, timeout=PATIENCE)

    def end(self, how: signal.Signals) -> None:
        if self._process is not None:
            self._process.send_signal(how)
            self._process.wait(PATIENCE)
            self._process = None

    def containers(self) -> list[str]:
        return [str(one["Id"]) for one in self.client().api.containers(all=True)]

    def load(self, shared: Any) -> None:
        """Take the small image out of one that the machine's engine has, or makes."""
        made = shared.client.containers.create(
            shared.resolve("arena/cpp"),
            ["sh", "-c", SMALL],
            network_mode="none",
            user="0",
            log_config={"type": "none"},
        )
        try:
            stream = made.attach(stdout=True, stderr=False, stream=True, logs=False)
            made.start()
            tar = self._folder / "image.tar"
            with tar.open("wb") as file:
                for part in stream:
                    file.write(part)
            assert made.wait()["StatusCode"] == 0, made
        finally:
            made.remove(force=True)
        changes = ["USER 1000:1000", "WORKDIR /src", "ENV HOME=/tmp", "ENV LC_ALL=C.UTF-8"]
        self.client().api.import_image_from_file(str(tar), IMAGE, changes=changes)
        tar.unlink()


def _remove_what_a_kill_left(folder: Path) -> None:
    """A daemon that was killed unmounts nothing, and loses sight of the parents of its containers."""
    for process in psutil.process_iter(["cmdline"]):
        if any(part.startswith(f"{folder}/") for part in process.info["cmdline"] or ()):
            with suppress(psutil.NoSuchProcess):
                process.kill()
    for mount in reversed(_mounts(folder)):  # some go by themselves as their processes end
        done = subprocess.run(["umount", "--lazy", mount], capture_output=True, check=False)
        assert done.returncode == 0 or mount not in _mounts(folder), done.stderr


def _mounts(folder: Path) -> list[str]:
    mounts = [line.split()[1] for line in Path("/proc/mounts").read_text().splitlines()]
    return [mount for mount in mounts if mount.startswith(f"{folder}/")]


@contextmanager
def daemon_or_skip(shared: Any) -> Iterator[Daemon]:
    """A daemon that runs and has the image; where none can, a skip, or a failure when CI requires it."""
    if os.geteuid() or not shutil.which("dockerd"):
        lacking("a dockerd of the test's own", "root, and apt-get install docker.io")
    # paths of sockets are short
    folder = Path(tempfile.mkdtemp(prefix="arena-d-", dir="/tmp"))
    daemon = Daemon(folder)
    try:
        daemon.start()
        daemon.load(shared)
        yield daemon
    finally:
        daemon.end(signal.SIGTERM)
        _remove_what_a_kill_left(folder)
        shutil.rmtree(folder, ignore_errors=True)

"""Clones of the repositories that cases lack: which unlock the largest number of cases, and git clone.

Addresses come from foreign metadata. So only plain ones over the network are taken, git runs without the
user's configuration, hooks and templates, nothing is checked out, submodules are left alone, and time and
disk space are bounded.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from arena.building.cases.loader import LoadedCase, find_clone, mirror_path
from harness.toolbox.files import lock_part
from szz.repository import fault
from szz.shield import QUIET
from tasks.loader import TaskError

# Not ssh, which asks for the user's keys, and not file or ext, which reach this machine.
SCHEMES = ("https", "http", "git")
HOST = re.compile(r"[A-Za-z0-9][A-Za-z0-9.-]{0,252}")
# What of the user's environment git gets: how the network is reached, and whom it trusts there.
PASSED_VARIABLES = frozenset(
    ("http_proxy", "https_proxy", "all_proxy", "no_proxy", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY")
) | {"SSL_CERT_FILE", "SSL_CERT_DIR", "GIT_SSL_CAINFO", "GIT_SSL_CAPATH"}
# No hook of a template runs, no collection in the background outlives the clone, and no server sends git on
# to another address for a bundle.
SETTINGS = ("core.hooksPath=/dev/null", "gc.auto=0", "transfer.bundleURI=false")
CLONE_TIMEOUT_S = 7200.0
STOP_TIMEOUT_S = 10.0
PROGRESS_INTERVAL_S = 5.0
# Chromium's largest are below 30 GB; a server may send without an end.
MAX_CLONE_BYTES = 32 << 30

PARTIAL_PREFIX = ".clone-"

Say = Callable[[str], None]


class CloneFailed(Exception):
    """A repository could not be cloned; the message is a line and says why."""


@dataclass(frozen=True)
class MissingClone:
    """A repository of which there is no clone, and the ids of the cases that wait for it.

    folder: where its clone goes below a folder of clones. problem: why it cannot be cloned; "" if it can.
    """

    url: str
    folder: str
    cases: tuple[str, ...]
    problem: str = ""

    def to_json(self) -> dict[str, Any]:
        """A row of `arena cases clone --list --json`."""
        return {**asdict(self), "count": len(self.cases)}


def missing_clones(wanted: Iterable[tuple[str, str]], *mirrors: Path) -> list[MissingClone]:
    """The repositories without a clone in any of the folders, those that unlock more cases first.

    wanted: pairs of a repository's URL and the id of a case that needs it. Those that cannot be cloned come
    last. Of several addresses for the same folder, the first is taken.
    """
    ids: defaultdict[str, dict[str, None]] = defaultdict(dict)
    addresses: dict[str, str] = {}
    for url, id_ in wanted:
        if not any(find_clone(url, folder) for folder in mirrors):
            folder = _folder_of(url)
            addresses.setdefault(folder, url)
            ids[folder][id_] = None
    rows = [
        MissingClone(url, folder, tuple(ids[folder]), problem_of(url))
        for folder, url in addresses.items()
    ]
    return sorted(rows, key=lambda row: (bool(row.problem), -len(row.cases), row.folder.lower()))


def _folder_of(url: str) -> str:
    """Where its clone goes; the address itself where it has no plain name."""
    try:
        return mirror_path(url)
    except TaskError:
        return url


def repositories_of(cases: Iterable[LoadedCase]) -> list[tuple[str, str]]:
    """For `missing_clones`: the repository of each case that has no clone."""
    return [(case.spec.repository, case.id) for case in cases if case.repository is None]


def problem_of(url: str) -> str:
    """Why a repository is not cloned from that address; "" where nothing speaks against it."""
    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
        _ = parts.port
    except ValueError as error:
        return f"{url[:200]!a} is not a URL ({error})"
    if parts.scheme.lower() not in SCHEMES:
        return f"{url[:200]!a} is no address of {', '.join(SCHEMES)}"
    # Credentials would be stored in the clone's configuration and printed in messages.
    if "@" in parts.netloc:
        return f"{host[:200]!a}: an address with a user's name is not taken"
    if not HOST.fullmatch(host) or not url.isascii() or not url.isprintable() or " " in url:
        return f"{url[:200]!a} is no plain address"
    try:
        mirror_path(url)
    except TaskError as error:
        return str(error)
    return ""


def clone_repository(url: str, mirrors: Path, say: Say = lambda text: None) -> Path:
    """The clone of that URL below `mirrors`, created unless it is there: bare, with all branches and tags.

    It appears by renaming, once it is whole. say: what is going on, in a line. Raises CloneFailed.
    """
    problem = problem_of(url)
    if problem:
        raise CloneFailed(problem)
    try:
        # Two commands may clone for the same store; a clone of gigabytes is worth waiting for.
        with lock_part(mirrors, mirror_path(url).replace("/", " "), say):
            existing = find_clone(url, mirrors)
            if existing is not None:
                return existing
            target = mirrors / mirror_path(url)
            target.parent.mkdir(exist_ok=True)
            _forget_partial(target.parent)
            return _clone_beside(url, target, say)
    except OSError as error:
        raise CloneFailed(f"{error.filename or mirrors}: {error.strerror}") from error
    finally:
        with suppress(OSError):  # a clone is in it, or nothing was begun
            (mirrors / mirror_path(url)).parent.rmdir()


def _clone_beside(url: str, target: Path, say: Say) -> Path:
    """Clone into a folder beside the target, and rename it once it is whole. Raises CloneFailed."""
    with tempfile.TemporaryDirectory(
        dir=target.parent, prefix=PARTIAL_PREFIX, ignore_cleanup_errors=True
    ) as folder:
        partial = Path(folder) / target.name
        _clone(url, partial, say)
        partial.rename(target)
    return target


def _forget_partial(folder: Path) -> None:
    """Remove what a process that was killed left; whoever is at it holds the lock."""
    for path in folder.glob(f"{PARTIAL_PREFIX}*"):
        shutil.rmtree(path, ignore_errors=True)


def _clone(url: str, target: Path, say: Say) -> None:
    """Clone with git. Raises CloneFailed, also after git was ended for excessive time or space."""
    settings = [word for setting in SETTINGS for word in ("-c", setting)]
    # `--no-local` copies objects even from a local path, and an empty template brings no hooks.
    command = ["git", *settings, "clone", "--bare", "--quiet", "--no-local", "--template="]
    with tempfile.TemporaryFile() as errors:
        process = subprocess.Popen(
            [*command, "--", url, str(target)],
            env=_environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=errors,
        )
        try:
            _watch(process, url, target, say)
        finally:
            _stop(process)
        errors.seek(0)
        if process.returncode:
            raise CloneFailed(f"{url}: {fault(errors.read(1 << 20))}")
    # git clones an empty repository with success; no commit of a case could be in it.
    if not any((target / "refs/heads").iterdir()) and not (target / "packed-refs").is_file():
        raise CloneFailed(f"{url}: the repository is empty")


def _environment() -> dict[str, str]:
    passed = {name: value for name, value in os.environ.items() if name in PASSED_VARIABLES}
    # A redirect may lead to a scheme that the address did not have; git checks it against this list.
    return {**QUIET, **passed, "GIT_ALLOW_PROTOCOL": ":".join(SCHEMES)}


def _watch(process: subprocess.Popen[bytes], url: str, target: Path, say: Say) -> None:
    """Wait until git has ended, and say how large the clone is by then. Raises CloneFailed."""
    waited = 0.0
    while True:
        try:
            process.wait(PROGRESS_INTERVAL_S)
            return
        except subprocess.TimeoutExpired:
            waited += PROGRESS_INTERVAL_S
        # git has no limit of its own: a hostile server may send objects without end.
        size = _size_of(target)
        say(f"cloning {url}: {size >> 20} MiB after {waited:.0f} s")
        if size > MAX_CLONE_BYTES:
            raise CloneFailed(f"{url}: larger than {MAX_CLONE_BYTES >> 30} GiB")
        if waited >= CLONE_TIMEOUT_S:
            raise CloneFailed(f"{url}: not whole after {waited:.0f} s")


def _size_of(folder: Path) -> int:
    """Bytes of all files below a folder to which git writes meanwhile."""
    size = 0
    for path in folder.rglob("*"):
        # git renames its temporary packs while they are counted.
        with suppress(FileNotFoundError):
            size += path.lstat().st_size
    return size


def _stop(process: subprocess.Popen[bytes]) -> None:
    """Terminate git, which on SIGTERM ends its children and removes its files; kill it if it does not end."""
    if process.poll() is not None:
        return
    process.terminate()
    try:
        process.wait(STOP_TIMEOUT_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()

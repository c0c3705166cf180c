"""Sandboxes without a container engine: bubblewrap's namespaces over the host's tools.

Every command runs in fresh user, pid, network, ipc, uts and mount namespaces in which the host's system
folders are read-only and only the sandbox's folder is writable. As root the commands run as another
user. What it does not isolate is listed by `not_isolated`; it is for code that you would build yourself.
"""

from __future__ import annotations

import functools
import hashlib
import os
import shutil
import subprocess
import tempfile
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path, PurePosixPath
from typing import IO, Any

from harness.command import Command, ExecResult, Limits, Mount
from harness.sandbox import archive, owner, script
from harness.sandbox.base import EngineUnavailable, ImageMissing, SandboxDied, SandboxSpoilt
from harness.sandbox.busy import extend_limit
from harness.sandbox.capture import Capture
from harness.sandbox.jail import shortage
from harness.sandbox.removal import remove_folder
from harness.sandbox.script import BEGAN, GRACE_S, MIN_FREE_BYTES, stood_still, timed_out, wrap
from harness.sandbox.watch import TreeWatch
from images.content import ImageContent

NOBODY = 65534
NOTE_LIMIT = 4096
NOT_BEGUN_STATUS, KILLED_STATUS = 126, 137
# Said where a command's folder has gone: a status then, as with an engine.
NO_WORKDIR = b"bwrap: Can't chdir to "
HOST = "host"
HOST_IMAGES = frozenset({HOST, "arena/cpp"})
TOOLS = ("bwrap", "setpriv", "timeout", "tar", "git", "cc", "clang", "make")
INSTALL = "apt-get install bubblewrap util-linux git gcc clang make"
SYSTEM = (
    *("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64"),
    *("/etc/alternatives", "/etc/ld.so.cache"),
)
# No further user namespaces, in which a command would be root over the kernel's rarer doors.
CLOSED = ("--unshare-user", "--disable-userns")
PROTECTED_FOLDER, PROTECTED_TOOLS = "/arena-kept", ("sh", "timeout")
SCRATCH_PREFIX = "arena-local-"
OPEN_NAMESPACES = (
    "user namespaces can be made inside: this bubblewrap has no working --disable-userns"
)
ENVIRONMENT = {
    "PATH": "/usr/local/bin:/usr/bin:/bin",
    "HOME": "/tmp",  # noqa: S108 - a path inside the sandbox
    "LC_ALL": "C.UTF-8",
    "TZ": "UTC",
}


def _uid() -> int:
    return NOBODY if os.geteuid() == 0 else os.geteuid()


@functools.cache
def closes_namespaces() -> bool:
    """Whether bubblewrap can forbid further user namespaces: from 0.8, and where it may write to /proc."""
    probe = ["bwrap", *CLOSED, "--ro-bind", "/", "/", "--proc", "/proc", "--", "true"]
    with suppress(OSError):
        return not subprocess.run(_as_user(probe), capture_output=True, check=False).returncode
    return False


def _as_user(argv: Sequence[str]) -> list[str]:
    """The command line as a user who is not root."""
    if os.geteuid() != 0:
        return list(argv)
    return ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", *argv]


class LocalSandbox:
    """A writable folder (`/src`, `/out`, `/tmp` inside) and bubblewrap for each command."""

    def __init__(
        self, image: str, snapshots: Path, limits: Limits, mounts: Sequence[Mount] = ()
    ) -> None:
        self.image = image
        self._snapshots, self._limits, self._mounts = snapshots, limits, mounts
        self._root: Path | None = None
        self._running: set[subprocess.Popen[bytes]] = set()

    @property
    def _folder(self) -> Path:
        if self._root is None:
            raise SandboxDied("the sandbox was not started")
        return self._root

    @property
    def _shm(self) -> Path:
        """Its shared memory: on the disk, whose limit counts it, and no part of a snapshot."""
        return self._folder / "shm"

    def start(self) -> None:
        self._root = Path(tempfile.mkdtemp(prefix=SCRATCH_PREFIX))
        (self._root / "owner").write_text(owner.me())
        self._root.chmod(0o755)
        inside = self._root / "fs"
        snapshot = self._snapshots / self.image.rpartition(":")[2]
        if snapshot.is_dir():
            self._copy(snapshot, inside)
        elif not self.image.startswith(f"{HOST}:") and self.image not in HOST_IMAGES:
            raise ImageMissing(f"the snapshot {self.image} is gone")
        for name in ("src", "out", "tmp"):
            (inside / name).mkdir(parents=True, exist_ok=True)
        self._give_to_user(inside)
        self._shm.mkdir()
        self._give_to_user(self._shm)
        for number, mount in enumerate(self._mounts):
            if not mount.host:
                self._private(number).mkdir(mode=0o700)
                self._give_to_user(self._private(number))
        self._copy_protected_tools()

    def _private(self, number: int) -> Path:
        return self._folder / f"private-{number}"

    def _copy_protected_tools(self) -> None:
        """Copy what wraps a command."""
        protected_folder = self._folder / "kept"
        protected_folder.mkdir()
        for tool in PROTECTED_TOOLS:
            if tool_path := shutil.which(tool, path=ENVIRONMENT["PATH"]):
                (protected_folder / tool).write_bytes(Path(tool_path).read_bytes())
                (protected_folder / tool).chmod(0o111)

    def _copy(self, source: Path, target: Path) -> None:
        subprocess.run(["cp", "-a", "--reflink=auto", str(source), str(target)], check=True)

    def _give_to_user(self, folder: Path) -> None:
        if os.geteuid() == 0:
            owned = f"{NOBODY}:{NOBODY}"
            subprocess.run(["chown", "-R", "-h", owned, str(folder)], check=True)

    def _argv(self, inner: Sequence[str], workdir: str) -> list[str]:
        inside = self._folder / "fs"
        # `--new-session`: code inside could otherwise push input into the user's terminal (TIOCSTI).
        argv = ["bwrap", "--unshare-all", "--die-with-parent", "--new-session", "--cap-drop", "ALL"]
        argv += [
            "--as-pid-1"
        ]  # what wraps a command is the first process, which nobody inside can kill
        argv += CLOSED if closes_namespaces() else ()
        for path in SYSTEM:
            argv += ["--ro-bind-try", path, path]
        argv += ["--proc", "/proc", "--dev", "/dev", "--bind", str(self._shm), "/dev/shm"]  # noqa: S108
        for name in ("src", "out", "tmp"):
            argv += ["--bind", str(inside / name), f"/{name}"]
        argv += ["--ro-bind", str(self._folder / "kept"), PROTECTED_FOLDER]
        for number, mount in enumerate(self._mounts):
            host = mount.host or str(self._private(number))
            argv += ["--ro-bind" if mount.host else "--bind", host, mount.inside]
        argv += ["--remount-ro", "/dev", "--remount-ro", "/", "--chdir", workdir, "--"]
        pids = f"--nproc={self._limits.pids}"  # counted in this namespace
        argv += ["prlimit", pids, "--", *inner]
        return _as_user(argv)

    def exec(self, command: Command) -> ExecResult:
        command = extend_limit(command)
        started, memory = time.monotonic(), shortage.counts()
        inner = wrap(command, self._limits.disk, PROTECTED_FOLDER)
        watch, status, output, cpu = self._run(
            self._argv(inner, command.workdir),
            {**ENVIRONMENT, **command.env},
            started + command.timeout + 2 * GRACE_S,
        )
        stopped = watch.stopped
        if not stopped and timed_out(status, started, command.timeout):
            stopped = "timeout"
        if stopped == "timeout" and stood_still(watch.lost, command.timeout):
            raise SandboxDied(f"the machine stood still for {watch.lost:.0f} s of a timeout")
        if not stopped and status and shortage.was_memory_short(memory):
            raise SandboxDied("the machine ran out of memory under a running command")
        free = shutil.disk_usage(self._folder).free
        if not stopped and free < MIN_FREE_BYTES:
            raise SandboxDied(f"the disk is full: {free >> 20} MiB are free")
        return ExecResult(status, output, time.monotonic() - started, stopped, cpu=cpu)

    def _run(
        self, argv: list[str], env: Mapping[str, str], deadline: float
    ) -> tuple[TreeWatch, int, bytes, float]:
        folder = self._folder
        with tempfile.TemporaryFile() as notes:
            process = subprocess.Popen(
                argv,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=notes,
                env=env,
                start_new_session=True,  # Ctrl-C at the terminal is for us, and no agent's failure
            )
            self._running.add(process)
            if self._root is None:  # stopped meanwhile
                process.kill()
            watch = TreeWatch(process, deadline, self._limits, folder)
            capture = Capture(self._limits.output)
            watch.start()
            try:
                assert process.stdout is not None  # noqa: S101 - PIPE was asked for
                while chunk := os.read(process.stdout.fileno(), 1 << 16):
                    capture.feed(chunk)
                    if capture.full:
                        watch.end("output")
                status = process.wait()
            finally:
                process.kill()
                process.wait()
                self._running.discard(process)
                watch.finish()
            notes.seek(0)
            text = notes.read(NOTE_LIMIT)
        if status < 0 and not watch.stopped:
            raise SandboxDied(f"signal {-status} from outside ended the sandbox")
        if text.startswith(NO_WORKDIR) and not watch.stopped:
            return watch, NOT_BEGUN_STATUS, text, 0.0
        if BEGAN not in text and watch.stopped in ("", "timeout"):
            reason = text.decode(errors="replace").strip() or f"status {status}"
            raise SandboxDied(f"the sandbox did not begin: {reason}")
        status = 128 - status if status < 0 else status
        return watch, status, capture.data, script.read_note(text).cpu

    def put(self, files: Mapping[str, bytes], into: str, executable: bool = False) -> None:
        mode = 0o755 if executable else 0o644
        self.put_tree(archive.pack(files, mode, time.time(), _uid()), into)

    def put_tree(self, tar: bytes | IO[bytes], into: str) -> None:
        """Unpacked by tar *inside* the namespaces, so that a planted link leads nowhere outside."""
        argv = self._argv(["tar", "-x", "--no-same-owner", "-C", into, "-f", "-"], "/")
        done = subprocess.run(
            argv,
            input=tar if isinstance(tar, bytes) else None,
            stdin=None if isinstance(tar, bytes) else tar,
            capture_output=True,
            env=ENVIRONMENT,
            check=False,
            start_new_session=True,
        )
        if done.returncode:
            raise SandboxSpoilt(
                f"cannot unpack into {into}: {done.stderr.decode(errors='replace').strip()}"
            )

    def get(self, paths: Sequence[str], base: str) -> bytes:
        if not paths:
            return b""
        done = subprocess.run(
            self._argv([*archive.TAKE, base, "-T", "-"], "/"),
            input="\0".join(paths).encode("utf-8", "surrogateescape"),
            capture_output=True,
            env=ENVIRONMENT,
            check=False,
            start_new_session=True,
        )
        return archive.expect_whole(done.stdout[: archive.MAX_BYTES])

    def take(self, folder: str, into: IO[bytes], limit: int) -> bool:
        return self._archive([*archive.TAKE_FOLDER, folder], into, limit)

    def take_tree(self, folder: str, into: IO[bytes], limit: int) -> bool:
        where = PurePosixPath(folder)
        return self._archive(["tar", "-c", "-C", str(where.parent), where.name], into, limit)

    def _archive(self, inner: Sequence[str], into: IO[bytes], limit: int) -> bool:
        argv, size = self._argv(inner, "/"), 0
        quiet = subprocess.DEVNULL
        with subprocess.Popen(
            argv,
            stdin=quiet,
            stdout=subprocess.PIPE,
            stderr=quiet,
            env=ENVIRONMENT,
            start_new_session=True,
        ) as process:
            assert process.stdout is not None  # noqa: S101 - PIPE was asked for
            while chunk := process.stdout.read(1 << 16):
                size += len(chunk)
                if size > limit:
                    process.kill()
                    break
                into.write(chunk)
        if size <= limit and not 0 <= process.returncode < KILLED_STATUS:
            raise SandboxDied(f"an archive was cut short (status {process.returncode})")
        return process.returncode == 0 and size <= limit

    def snapshot(self, name: str, labels: Mapping[str, str]) -> str:
        repository, _, tag = name.rpartition(":")
        self._snapshots.mkdir(parents=True, exist_ok=True)
        half = self._snapshots / f"half-{uuid.uuid4().hex}"
        self._copy(self._folder / "fs", half)
        final = self._snapshots / tag
        if final.exists():
            shutil.rmtree(half)
        else:
            half.rename(final)
        return f"{repository}:{tag}"

    def stop(self) -> None:
        """End what still runs, as a container's end does, and remove the folder."""
        root, self._root = self._root, None
        for process in tuple(self._running):
            process.kill()
        if root is not None:
            remove_folder(root)


class LocalBackend:
    """bubblewrap on this host; images are the host's tools, snapshots are folders."""

    name = "local"
    isolates_model_output = False

    def __init__(self, say: Callable[[str], None] = lambda _: None) -> None:
        self.say = say
        home = Path(os.environ.get("ARENA_HOME") or ".arena").resolve()
        self._snapshots = home / "local-images"

    def available(self) -> str:
        missing = [tool for tool in TOOLS if not shutil.which(tool)]
        if missing:
            return f"not found: {', '.join(missing)}; {INSTALL}"
        probe = LocalSandbox("host", self._snapshots, Limits())
        probe.start()
        try:
            done = probe.exec(Command("true", timeout=10))
            reason = "" if done.ok else done.output.decode(errors="replace").strip() or "no reason"
        except SandboxDied as fault:
            reason = str(fault)
        finally:
            probe.stop()
        return f"bubblewrap cannot make namespaces here: {reason}" if reason else ""

    def not_isolated(self) -> Sequence[str]:
        return (
            "the kernel, and the host's programs and libraries, which can be read",
            "memory (every fifth of a second) and disk (every second) are watched, not capped by the kernel",
            "CPU time is shared with everything else: there is no CPU limit",
            "there are no system-call filters",
            *self.lacks(),
        )

    def lacks(self) -> Sequence[str]:
        return () if closes_namespaces() else (OPEN_NAMESPACES,)

    def resolve(self, image: str, packages: Sequence[str] = ()) -> str:
        if image not in HOST_IMAGES or packages:
            raise ImageMissing(
                f"image {image!r} needs a container engine; the local sandbox has only the host's tools"
            )
        problem = self.available()
        if problem:
            raise EngineUnavailable(problem)
        compilers = [version_of(tool) for tool in ("cc", "clang", "make")]
        return f"{HOST}:" + hashlib.sha256("\n".join(compilers).encode()).hexdigest()[:16]

    def content_of(self, image: str) -> ImageContent:
        return ImageContent(image)  # of the compilers' versions

    def find(self, name: str) -> str | None:
        return name if (self._snapshots / name.rpartition(":")[2]).is_dir() else None

    def size(self, image: str) -> int | None:
        """Bytes of the files of a snapshot, 0 for the host's tools; None where there is no such image."""
        if image in HOST_IMAGES:
            return 0
        folder = self._snapshots / image.rpartition(":")[2]
        if not folder.is_dir():
            return None
        return sum(path.lstat().st_size for path in folder.rglob("*") if not path.is_dir())

    def create(self, image: str, limits: Limits, mounts: Sequence[Mount] = ()) -> LocalSandbox:
        return LocalSandbox(image, self._snapshots, limits, mounts)

    def clean(self, everything: bool = False) -> list[str]:
        removed = []
        for folder in Path(tempfile.gettempdir()).glob(f"{SCRATCH_PREFIX}*"):
            note = folder / "owner"
            if (everything and note.is_file()) or owner.is_abandoned(note):
                remove_folder(folder)
                removed.append(f"folder {folder}")
        if everything and self._snapshots.is_dir():
            remove_folder(self._snapshots)
            removed.append(f"folder {self._snapshots}")
        return removed


def version_of(tool: str) -> str:
    done = subprocess.run([tool, "--version"], capture_output=True, text=True, check=False)
    return done.stdout.partition("\n")[0]


PLUGIN: Any = LocalBackend

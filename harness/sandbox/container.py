"""A sandbox that is a container of an engine which speaks Docker's API."""

from __future__ import annotations

import base64
import shlex
import time
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property, partial
from typing import IO, TYPE_CHECKING, Any

from harness.command import Command, ExecResult, Limits, Mount
from harness.sandbox import archive, engine, owner, seccomp
from harness.sandbox.base import EngineUnavailable, SandboxDied, SandboxEnded, SandboxSpoilt
from harness.sandbox.busy import extend_limit
from harness.sandbox.capture import Capture
from harness.sandbox.channel import ChannelClosed, CommandChannel
from harness.sandbox.engine import (
    EngineFeatures,
    ended_by_itself,
    engine_faults,
    exec_status,
)
from harness.sandbox.script import (
    BEGAN,
    GRACE_S,
    Note,
    command_script,
    expect_no_machine_fault,
    read_note,
    shell_setup,
    timed_out,
)
from harness.sandbox.watch import ContainerDisk, ContainerWatch
from images.content import NAME, has_name_by_content

if TYPE_CHECKING:
    import docker
    from docker.models.containers import Container

KILLED_STATUS = 137
NOTE_LIMIT, ARGUMENT_LIMIT = 4096, 32_768
# Archives up to this size are unpacked by a program inside; the engine starts one of its own for each.
MAX_SENT_BYTES = 4 << 20
MAX_KILL_CHECKS = 8
PRIVATE = "exec,nosuid,nodev,size=512m"
# Seconds in which the engine must begin a command.
BEGIN_TIMEOUT_S = 120.0
# Executable and not readable (111): the kernel lets nobody trace or write to what runs commands.
PROTECTED_FOLDER = "/tmp/.arena-keeper"  # noqa: S108 - a path inside the container
COPY = (
    f"mkdir -m 711 {PROTECTED_FOLDER} && for tool in sh timeout; do "
    f'cp -L "$(command -v $tool)" {PROTECTED_FOLDER}/$tool && '
    f"chmod 111 {PROTECTED_FOLDER}/$tool || exit; done"
)
# First process: reaps orphans, and cannot be killed from inside (it is pid 1 of its namespace).
#
# It copies what runs commands (`script.shell_setup`), and its command line says so until that is done.
IDLE = ["sh", "-c", f'({COPY}); exec sh -c "$0"', "while :; do sleep 3600 & wait $!; done"]
WAIT = (
    f"n=0; while grep -qs {PROTECTED_FOLDER} /proc/1/cmdline && [ $n -lt 100 ]; "
    "do sleep 0.05; n=$((n+1)); done"
)
# Reads scripts from standard input.
SHELL = f"{WAIT}; [ ! -x {PROTECTED_FOLDER}/sh ] || exec {PROTECTED_FOLDER}/sh -s; exec sh -s"
UNPACK = """\
base64 -d <<'END' | tar -x -p -o -C {into} -f - >/dev/null 2>&1
{archive}
END"""
# ::1 beside 127.0.0.1, as on any machine; engines turn it off where there is no other network.
LOOPBACK = {"net.ipv6.conf.lo.disable_ipv6": "0"}


class DockerSandbox:
    """A container: no network, no capabilities, no new privileges, the limits of `Limits`."""

    def __init__(
        self,
        client: docker.DockerClient,
        image: str,
        limits: Limits,
        mounts: Sequence[Mount] = (),
        left: set[str] | None = None,
        means: EngineFeatures | None = None,
    ) -> None:
        """left: takes the names of containers that may be there still, the engine being away."""
        self.image = image
        self._means = means or EngineFeatures()
        self._client, self._limits = client, limits
        self._written = ContainerDisk(limits.disk)
        self._left = set() if left is None else left
        self._mounts = tuple(mounts)
        self._name = f"arena-{uuid.uuid4().hex}"
        self._started_container: Container | None = None
        self._channel: CommandChannel | None = None
        self._dead = ""
        self._notes = b""
        self._began = 0.0

    @property
    def _container(self) -> Container:
        if self._started_container is None:
            raise SandboxDied("the sandbox was not started")
        return self._started_container

    @cached_property
    def _user(self) -> str:
        """The user that commands run as, as the image names it."""
        return str(self._client.images.get(self.image).attrs["Config"].get("User") or "0")

    @cached_property
    def _uid(self) -> int:
        """That user by number; an image names it by a number or by a word."""
        name = self._user.partition(":")[0]
        user_id = name.encode() if name.isdigit() else self.exec(Command("id -u")).output.strip()
        return int(user_id) if user_id.isdigit() else archive.INSIDE_UID

    def start(self) -> None:
        from docker.types import LogConfig
        from docker.types import Mount as Bind

        # binds, unlike volumes, are refused when the folder has gone, and not made anew
        mounts = [
            Bind(m.inside, m.host, type="bind", read_only=True) for m in self._mounts if m.host
        ]
        root = self._user.partition(":")[0] in ("0", "root")
        private = [m.inside for m in self._mounts if not (m.host or root)]
        with self._note_if_lost(), engine_faults():
            filters = [f"seccomp={seccomp.profile()}"] if self._means.filters else []
            self._start(
                image=self.image,
                name=self._name,
                command=IDLE,
                entrypoint=[],
                user=engine.KEEPER if self._means.switches else self._user,
                labels=owner.labels("sandbox"),
                network_mode="none",
                cap_drop=["ALL"],
                security_opt=["no-new-privileges", *filters],
                pids_limit=self._limits.pids,
                mem_limit=self._limits.memory,
                # The same number: without it an engine allows the same amount of swap on top.
                memswap_limit=self._limits.memory,
                nano_cpus=int(self._limits.cpus * 1e9),
                ipc_mode="private",
                mounts=mounts,
                tmpfs=dict.fromkeys(private, self._private()),
                # The output comes by the command's stream; the engine would write it to its disk as well.
                log_config=LogConfig(type="none"),
            )
            self._open_channel()

    def _start(self, **facts: Any) -> None:
        """Make the container and start it, without IPv6's loopback where the engine's kernel has none."""
        import docker.errors

        create = self._client.containers.create
        try:
            self._started_container = create(**facts, sysctls=LOOPBACK)
            self._started_container.start()
        except docker.errors.APIError as error:
            if "ipv6" not in str(error).lower():
                raise
            self.stop()
            self._started_container = create(**facts)
            self._started_container.start()

    def _private(self) -> str:
        """Options of the user's private folder in memory; a user named by the image only has no number."""
        user, _, group = self._user.partition(":")
        owned = f"uid={user},gid={group}" if user.isdigit() and group.isdigit() else ""
        return f"{PRIVATE},mode=0700,{owned}" if owned else f"{PRIVATE},mode=1777"

    def exec(self, command: Command) -> ExecResult:
        if self._dead:
            raise SandboxSpoilt(f"the sandbox was ended before ({self._dead})")
        command = extend_limit(command)
        self._notes = b""
        self._began = started = time.monotonic()
        watch = ContainerWatch(self._container, started + BEGIN_TIMEOUT_S, self._written)
        capture = Capture(self._limits.output)
        watch.start()
        try:
            with engine_faults():
                status = self._stream(command, capture, watch)
        except SandboxDied:
            if not watch.stopped:
                self._expect_alive(KILLED_STATUS, capture.data)
                raise
            status = None
        finally:
            watch.finish()
        seconds = time.monotonic() - self._began
        if watch.stopped:
            self._dead = watch.stopped
            note = read_note(self._notes)
            expect_no_machine_fault(watch.stopped, note, command, watch.lost)
            return ExecResult(KILLED_STATUS, capture.data, seconds, watch.stopped, over=True)
        if status is None or status:
            self._expect_alive(KILLED_STATUS if status is None else status, capture.data)
        if status is None:
            raise SandboxDied("the engine lost a running command")
        stopped = "timeout" if timed_out(status, started, command.timeout) else ""
        note = self._note()
        expect_no_machine_fault(stopped, note, command, watch.lost)
        # A failure under a sandbox whose limit was met counts as that limit, and not as the program's status.
        if status and not stopped and note.short:
            stopped = "memory"
        return ExecResult(status, capture.data, seconds, stopped, cpu=note.cpu)

    def _open_channel(self) -> CommandChannel:
        """The shell that runs commands, begun anew where it has ended.

        Without a filter of system calls a command could limit what the shell starts later: there each gets
        a new connection.
        """
        channel = self._channel
        if channel is None or not channel.is_open or not self._means.filters:
            if channel is not None:
                channel.close()
            argv, container = ["sh", "-c", SHELL], str(self._container.id)
            with engine_faults():
                channel = CommandChannel(self._client.api, container, self._user, argv)
                for _ in channel.run(shell_setup(PROTECTED_FOLDER)):
                    pass
            self._channel = channel
        return channel

    def _run(self, script: str) -> Iterator[bytes]:
        """Run a script; pieces of its output. Raises ChannelClosed."""
        for output, _ in self._open_channel().run(script):
            yield output

    def _stream(self, command: Command, capture: Capture, watch: ContainerWatch) -> int | None:
        channel = self._open_channel()
        try:
            for output, note in channel.run(command_script(command, self._limits.disk)):
                capture.feed(output)
                if BEGAN in note and BEGAN not in self._notes:
                    self._began = time.monotonic()
                    watch.allow(command.timeout + 2 * GRACE_S)
                self._notes += note
                # Both ends are needed, the counts before and after; in between, code may write anything.
                if len(self._notes) > 2 * NOTE_LIMIT:
                    self._notes = self._notes[:NOTE_LIMIT] + self._notes[-NOTE_LIMIT:]
                if capture.full and not watch.stopped:
                    watch.end("output")
        except ChannelClosed:
            return exec_status(self._client.api, channel.exec_id)
        return channel.status

    def _note(self) -> Note:
        """What the shell reported; a second shell reports where the command has ended the first."""
        note = read_note(self._notes)
        if note.ended:
            return note
        self._notes = b""
        watch = ContainerWatch(self._container, time.monotonic() + BEGIN_TIMEOUT_S, self._written)
        watch.start()
        try:
            with self._blame_command():
                self._stream(Command("true"), Capture(0), watch)
        finally:
            watch.finish()
        now = read_note(self._notes)
        if not now.ended:  # something kills all that it can: whoever asks next shall have peace
            with engine_faults():
                self._container.restart(timeout=0)
                self._channel = None
        return replace(note, after=now.before, free=now.free)

    def _expect_alive(self, status: int, output: bytes = b"") -> None:
        """Raise SandboxDied when the container is gone; after a KILL the engine notices with a delay.

        Raise SandboxEnded when it ended by itself.
        """
        # Only a KILL can be the container's end; for any further status the first look is enough.
        for _ in range(MAX_KILL_CHECKS if status == KILLED_STATUS else 1):
            with engine_faults():
                self._container.reload()
                if not self._container.attrs["State"].get("Running"):
                    ended = ended_by_itself(self._client.api, self._container.attrs)
                    kind = partial(SandboxEnded, output=output) if ended else SandboxDied
                    raise kind("the container ended under a running command")
            time.sleep(0.1 if status == KILLED_STATUS else 0)

    @contextmanager
    def _blame_command(self) -> Iterator[None]:
        """For requests between commands: where they fail and the container lives, it may be its doing."""
        try:
            with engine_faults():
                yield
        except SandboxDied as fault:
            self._expect_alive(0)
            raise SandboxSpoilt(str(fault)) from fault

    def put(self, files: Mapping[str, bytes], into: str, executable: bool = False) -> None:
        mode = 0o755 if executable else 0o644
        self.put_tree(archive.pack(files, mode, time.time(), self._uid), into)

    def put_tree(self, tar: bytes | IO[bytes], into: str) -> None:
        with self._blame_command():
            if not (
                isinstance(tar, bytes) and len(tar) <= MAX_SENT_BYTES and self._unpack(tar, into)
            ):
                self._container.put_archive(into, tar)

    def _unpack(self, tar: bytes, into: str) -> bool:
        """Whether the user that commands run as could unpack an archive; the engine may write anywhere."""
        text = base64.b64encode(tar).decode()
        lines = "\n".join(text[n : n + 4096] for n in range(0, len(text), 4096))
        channel = self._open_channel()
        for _ in channel.run(UNPACK.format(into=shlex.quote(into), archive=lines)):
            pass
        return channel.status == 0

    def get(self, paths: Sequence[str], base: str) -> bytes:
        if not paths:
            return b""
        source = ["--", *paths]
        # Names with control characters do not survive a shell's line; a file of names has no such limit.
        if sum(map(len, paths)) > ARGUMENT_LIMIT or any(not path.isprintable() for path in paths):
            names = "\0".join(paths).encode("utf-8", "surrogateescape")
            self.put({".arena-get": names}, "/tmp")  # noqa: S108 - a path inside the container
            source = ["-T", "/tmp/.arena-get"]  # noqa: S108
        capture = Capture(archive.MAX_BYTES)
        with self._blame_command():
            for output in self._run(_quiet("LC_ALL=C", *archive.TAKE, base, *source)):
                capture.feed(output)
        return archive.expect_whole(capture.data)

    def take(self, folder: str, into: IO[bytes], limit: int) -> bool:
        size, channel = 0, self._open_channel()
        with self._blame_command():
            for output, _ in channel.run(_quiet("LC_ALL=C", *archive.TAKE_FOLDER, folder)):
                size += len(output)
                if size <= limit:  # what is more is drained, or the engine would wait for us
                    into.write(output)
        if channel.status >= KILLED_STATUS:
            raise SandboxDied(f"taking {folder} was cut short (status {channel.status})")
        return channel.status == 0 and size <= limit

    def take_tree(self, folder: str, into: IO[bytes], limit: int) -> bool:
        import docker.errors

        size, last = 0, b""
        with engine_faults():
            try:
                chunks, _ = self._container.get_archive(folder, chunk_size=1 << 20)
            except docker.errors.NotFound:
                self._container.reload()  # it is the folder that is not there
                return False
            for chunk in chunks:
                size += len(chunk)
                if size > limit:
                    return False
                last = (last + chunk)[-len(archive.END) :]
                into.write(chunk)
        if last != archive.END:
            raise SandboxDied(f"the archive of {folder} was cut short")
        return True

    def snapshot(self, name: str, labels: Mapping[str, str]) -> str:
        more = {**labels, **({NAME: name} if has_name_by_content(name) else {})}
        with engine_faults():
            conf = {"Labels": owner.labels("snapshot", more), "User": self._user}
            image = self._container.commit(repository=name, conf=conf)
        return str(image.id)

    def stop(self) -> None:
        if self._started_container is None:
            return
        with self._note_if_lost(), engine_faults():
            self._started_container.remove(force=True, v=True)
        self._started_container = None
        if self._channel is not None:  # not before: another thread may be reading from it
            self._channel.close()

    @contextmanager
    def _note_if_lost(self) -> Iterator[None]:
        """Note the container as left behind where the engine is lost: it may have been created even so."""
        try:
            yield
        except EngineUnavailable:
            self._left.add(self._name)
            raise


def _quiet(*words: str) -> str:
    """A command that reads nothing and whose errors nobody reads."""
    return f"env {shlex.join(words)} </dev/null 2>/dev/null"

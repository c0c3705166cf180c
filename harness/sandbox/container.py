"""A sandbox that is a container of an engine which speaks Docker's API."""

from __future__ import annotations

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
from harness.sandbox.capture import Capture
from harness.sandbox.engine import (
    EngineFeatures,
    ended_by_itself,
    engine_faults,
    exec_output,
    exec_status,
)
from harness.sandbox.script import (
    BEGAN,
    GRACE,
    Note,
    expect_own,
    read_note,
    timed_out,
    wrapped,
)
from harness.sandbox.watch import ContainerDisk, ContainerWatch
from images.content import NAME, has_name_by_content

if TYPE_CHECKING:
    import docker
    from docker.models.containers import Container

SIGNALLED, KILLED = 128, 137
NOTE_LIMIT, ARGUMENT_LIMIT = 4096, 32_768
KILL_LOOKS = 8
PRIVATE = "exec,nosuid,nodev,size=512m"
BEGIN = 120.0
"""Seconds in which the engine must begin a command."""
KEPT = "/tmp/.arena-keeper"  # noqa: S108 - a path inside the container
COPY = (
    f"mkdir -m 711 {KEPT} && for tool in sh timeout; do "
    f'cp -L "$(command -v $tool)" {KEPT}/$tool && chmod 111 {KEPT}/$tool || exit; done'
)
IDLE = ["sh", "-c", f'({COPY}); exec sh -c "$0"', "while :; do sleep 3600 & wait $!; done"]
"""First process: reaps orphans, and cannot be killed from inside (it is pid 1 of its namespace).

It copies what wraps a command (`script.wrapped`), and its command line says so until that is done.
"""
WAIT = (
    f"n=0; while grep -qs {KEPT} /proc/1/cmdline && [ $n -lt 100 ]; do sleep 0.05; n=$((n+1)); done"
)


LOOPBACK = {"net.ipv6.conf.lo.disable_ipv6": "0"}
"""::1 beside 127.0.0.1, as on any machine; engines turn it off where there is no other network."""


class DockerSandbox:
    """One container: no network, no capabilities, no new privileges, the limits of `Limits`."""

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
        self._made: Container | None = None
        self._dead = ""
        self._notes = b""
        self._began = 0.0

    @property
    def _container(self) -> Container:
        if self._made is None:
            raise SandboxDied("the sandbox was not started")
        return self._made

    @cached_property
    def _user(self) -> str:
        """The user that commands run as, as the image names it."""
        return str(self._client.images.get(self.image).attrs["Config"].get("User") or "0")

    @cached_property
    def _uid(self) -> int:
        """That user by number; an image names it by a number, or by a word of its own."""
        name = self._user.partition(":")[0]
        said = name.encode() if name.isdigit() else self.exec(Command("id -u")).output.strip()
        return int(said) if said.isdigit() else archive.INSIDE_UID

    def start(self) -> None:
        from docker.types import LogConfig
        from docker.types import Mount as Bind

        # binds, unlike volumes, are refused when the folder has gone, and not made anew
        mounts = [
            Bind(m.inside, m.host, type="bind", read_only=True) for m in self._mounts if m.host
        ]
        root = self._user.partition(":")[0] in ("0", "root")
        private = [m.inside for m in self._mounts if not (m.host or root)]
        with self._noted(), engine_faults():
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
                memswap_limit=self._limits.memory,
                nano_cpus=int(self._limits.cpus * 1e9),
                ipc_mode="private",
                mounts=mounts,
                tmpfs=dict.fromkeys(private, self._private()),
                log_config=LogConfig(type="none"),
            )

    def _start(self, **facts: Any) -> None:
        """Make the container and start it, without IPv6's loopback where the engine's kernel has none."""
        import docker.errors

        create = self._client.containers.create
        try:
            self._made = create(**facts, sysctls=LOOPBACK)
            self._made.start()
        except docker.errors.APIError as error:
            if "ipv6" not in str(error).lower():
                raise
            self.stop()
            self._made = create(**facts)
            self._made.start()

    def _private(self) -> str:
        """Options of a folder in memory that is the user's own; one whom an image names is not known yet."""
        user, _, group = self._user.partition(":")
        owned = f"uid={user},gid={group}" if user.isdigit() and group.isdigit() else ""
        return f"{PRIVATE},mode=0700,{owned}" if owned else f"{PRIVATE},mode=1777"

    def exec(self, command: Command) -> ExecResult:
        if self._dead:
            raise SandboxSpoilt(f"the sandbox was ended before ({self._dead})")
        self._notes = b""
        self._began = started = time.monotonic()
        watch = ContainerWatch(self._container, started + BEGIN, self._written)
        capture = Capture(self._limits.output)
        watch.start()
        try:
            with engine_faults():
                status = self._stream(command, capture, watch)
        except SandboxDied:
            if not watch.stopped:
                self._expect_alive(KILLED, capture.data)
                raise
            status = None
        finally:
            watch.finish()
        seconds = time.monotonic() - self._began
        if watch.stopped:
            self._dead = watch.stopped
            note = read_note(self._notes)
            expect_own(watch.stopped, note, command, watch.lost)
            return ExecResult(KILLED, capture.data, seconds, watch.stopped, over=True)
        if status is None or status:
            self._expect_alive(KILLED if status is None else status, capture.data)
        if status is None:
            raise SandboxDied("the engine lost a running command")
        stopped = "timeout" if timed_out(status, started, command.timeout) else ""
        note = self._note(status)
        expect_own(stopped, note, command, watch.lost)
        if status and not stopped and note.short:
            stopped = "memory"
        return ExecResult(status, capture.data, seconds, stopped, cpu=note.cpu)

    def _stream(self, command: Command, capture: Capture, watch: ContainerWatch) -> int | None:
        api = self._client.api
        made = api.exec_create(
            self._container.id,
            wrapped(command, self._limits.disk, KEPT, WAIT),
            workdir=command.workdir,
            user=self._user,
            environment=dict(command.env),
        )
        for output, note in exec_output(api, made["Id"]):
            capture.feed(output)
            if BEGAN in note and BEGAN not in self._notes:
                self._began = time.monotonic()
                watch.allow(command.timeout + 2 * GRACE)
            self._notes += note
            if len(self._notes) > 2 * NOTE_LIMIT:
                self._notes = self._notes[:NOTE_LIMIT] + self._notes[-NOTE_LIMIT:]
            if capture.full and not watch.stopped:
                watch.end("output")
        return exec_status(api, made["Id"])

    def _note(self, status: int) -> Note:
        """What the wrapper told; a second one is asked where the command may have ended the first."""
        note = read_note(self._notes)
        if note.ended and status <= SIGNALLED:
            return note
        self._notes = b""
        watch = ContainerWatch(self._container, time.monotonic() + BEGIN, self._written)
        watch.start()
        try:
            with self._asked():
                self._stream(Command("true"), Capture(0), watch)
        finally:
            watch.finish()
        now = read_note(self._notes)
        if not now.ended:  # something kills all that it can: whoever asks next shall have peace
            with engine_faults():
                self._container.restart(timeout=0)
        return replace(note, after=now.before, free=now.free)

    def _expect_alive(self, status: int, output: bytes = b"") -> None:
        """Raise SandboxDied when the container is gone; after a KILL the engine notices with a delay.

        Raise SandboxEnded when it ended by itself.
        """
        for _ in range(KILL_LOOKS if status == KILLED else 1):
            with engine_faults():
                self._container.reload()
                if not self._container.attrs["State"].get("Running"):
                    ended = ended_by_itself(self._client.api, self._container.attrs)
                    kind = partial(SandboxEnded, output=output) if ended else SandboxDied
                    raise kind("the container ended under a running command")
            time.sleep(0.1 if status == KILLED else 0)

    @contextmanager
    def _asked(self) -> Iterator[None]:
        """For what is asked between commands: where it fails and the container lives, it may be its doing."""
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
        with self._asked():
            self._container.put_archive(into, tar)

    def get(self, paths: Sequence[str], base: str) -> bytes:
        if not paths:
            return b""
        source = ["--", *paths]
        if sum(map(len, paths)) > ARGUMENT_LIMIT or any(not path.isprintable() for path in paths):
            names = "\0".join(paths).encode("utf-8", "surrogateescape")
            self.put({".arena-get": names}, "/tmp")  # noqa: S108 - a path inside the container
            source = ["-T", "/tmp/.arena-get"]  # noqa: S108
        with self._asked():
            made = self._client.api.exec_create(
                self._container.id,
                [*archive.TAKE, base, *source],
                user=self._user,
                environment={"LC_ALL": "C"},
            )
            capture = Capture(archive.LIMIT)
            for out, _ in exec_output(self._client.api, made["Id"]):
                capture.feed(out)
        return archive.expect_whole(capture.data)

    def take(self, folder: str, into: IO[bytes], limit: int) -> bool:
        api, size = self._client.api, 0
        with self._asked():
            argv = [*archive.TAKE_FOLDER, folder]
            made = api.exec_create(self._container.id, argv, user=self._user)
            for out, _ in exec_output(api, made["Id"]):
                size += len(out)
                if size <= limit:  # what is more is drained, or the engine would wait for us
                    into.write(out)
            status = exec_status(api, made["Id"])
        if status is None or status >= KILLED:
            raise SandboxDied(f"taking {folder} was cut short (status {status})")
        return status == 0 and size <= limit

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
        if self._made is None:
            return
        with self._noted(), engine_faults():
            self._made.remove(force=True, v=True)
        self._made = None

    @contextmanager
    def _noted(self) -> Iterator[None]:
        """Note the container as left behind where the engine is lost: it may have been made all the same."""
        try:
            yield
        except EngineUnavailable:
            self._left.add(self._name)
            raise

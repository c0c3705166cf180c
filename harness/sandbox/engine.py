"""The way to a container engine: where it listens, and its errors turned into ours."""

from __future__ import annotations

import os
import struct
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from harness.sandbox.base import EngineUnavailable, ImageMissing, SandboxDied

if TYPE_CHECKING:
    import docker

API_TIMEOUT_S = 120
MAX_STATUS_CHECKS = 50
# The user of the first process, whom commands can neither signal, trace nor limit.
KEEPER = "65533:65533"
KILLED_STATUS = 137
# Seconds before a container's end in which is looked for who ended it.
EVENTS_SPAN_S = 60


@contextmanager
def engine_faults() -> Iterator[None]:
    """Turn the SDK's and the transport's errors into ours, so that they never look like a result."""
    import docker.errors
    import requests

    try:
        yield
    except docker.errors.ImageNotFound as error:
        raise ImageMissing(f"image not found: {error.explanation or error}") from error
    except docker.errors.NotFound as error:
        raise SandboxDied(f"the container is gone: {error.explanation}") from error
    except docker.errors.APIError as error:
        raise SandboxDied(f"the engine refused: {error.explanation or error}") from error
    except (docker.errors.DockerException, requests.RequestException, OSError) as error:
        raise EngineUnavailable(
            f"the container engine does not answer: {_describe_error(error)}"
        ) from error


def _describe_error(error: BaseException) -> str:
    """The system's message behind an error, without Python's wrapping."""
    reason, below = str(error), error.__cause__ or error.__context__
    while below is not None:
        reason = getattr(below, "strerror", None) or reason
        below = below.__cause__ or below.__context__
    return reason


def connect() -> docker.DockerClient:
    """A client of the first engine that answers. Raises EngineUnavailable."""
    import docker

    faults = []
    for address in _addresses():
        try:
            with engine_faults():
                client = docker.DockerClient(base_url=address, timeout=API_TIMEOUT_S)
                client.ping()
                return client
        except EngineUnavailable as error:
            faults.append(f"{address}: {error}")
    raise EngineUnavailable("; ".join(faults))


def _addresses() -> list[str]:
    """Where an engine may listen, first choice first."""
    named = os.environ.get("DOCKER_HOST")
    if named:
        return [named]
    runtime = os.environ.get("XDG_RUNTIME_DIR", f"/run/user/{os.getuid()}")
    # Docker first: Podman takes none of our filters through this API.
    sockets = ["/var/run/docker.sock", f"{runtime}/podman/podman.sock", "/run/podman/podman.sock"]
    present = [f"unix://{path}" for path in sockets if Path(path).exists()]
    return present or [f"unix://{sockets[0]}"]


class ExecStreams:
    """Standard input, output and error of a process that an engine has begun in a container.

    The SDK reads the bare socket behind a buffer, and loses what came together with the header of
    the answer: on a busy machine that is all that a short command writes.
    """

    def __init__(self, api: Any, exec_id: str) -> None:
        self._answer = api._post_json(
            api._url("/exec/{0}/start", exec_id),
            headers={"Connection": "Upgrade", "Upgrade": "tcp"},
            data={"Tty": False, "Detach": False},
            stream=True,
        )
        api._raise_for_status(self._answer)
        self._reader = self._answer.raw._fp.fp
        # A build may print nothing for longer than API_TIMEOUT_S; the sandbox's watch ends it.
        api._disable_socket_timeout(getattr(self._reader, "raw", self._reader))

    def write(self, data: bytes) -> None:
        """Write to standard input. Raises OSError where the process has ended."""
        self._reader.raw._sock.sendall(data)

    def read(self) -> Iterator[tuple[bytes, bytes]]:
        """Pieces of (output, error) as they come, until the process ends."""
        while len(head := self._reader.read(8)) == 8:
            stream, size = struct.unpack(">BxxxL", head)
            piece = self._reader.read(size)
            yield (b"", piece) if stream == 2 else (piece, b"")

    def close(self) -> None:
        self._answer.close()


@dataclass(frozen=True)
class EngineFeatures:
    """What an engine can do for a sandbox: filter system calls, run a process as a different user."""

    filters: bool = True
    switches: bool = True


def means_of(client: docker.DockerClient) -> EngineFeatures:
    """Podman takes no filter through this API, and without a range of users it has a single user."""
    components = client.version().get("Components") or [{}]
    options = client.info().get("SecurityOptions") or ()
    if "podman" not in str(components[0].get("Name")).lower():
        return EngineFeatures(filters=any("seccomp" in option for option in options))
    return EngineFeatures(False, _users(client.api) > int(KEEPER.partition(":")[0]))


def _users(api: Any) -> int:
    """How many users there are in Podman's containers."""
    answer = api._get(f"{api.base_url}/v4.0.0/libpod/info")
    ranges = answer.json()["host"]["idMappings"].get("uidmap") if answer.ok else [{"size": 1}]
    return sum(int(id_range["size"]) for id_range in ranges) if ranges else 1 << 32


# Statuses of a container whose engine or user ended it, or that an engine found gone when it was started.
OUTSIDE = frozenset({KILLED_STATUS, 143, 255})


def ended_by_itself(api: Any, container: Mapping[str, Any]) -> bool:
    """Whether nobody ended a container that has ended: no engine, no user, and no want of memory.

    container: its current state by the engine.
    """
    state = container["State"]
    if (
        state.get("OOMKilled") or state.get("ExitCode") == KILLED_STATUS
    ):  # nobody inside can kill it so
        return False
    ended = datetime.fromisoformat(state["FinishedAt"][:19] + "+00:00").timestamp()
    # Events have the engine's clock, as `FinishedAt` has: no clock of this machine is compared.
    since, until = int(ended) - EVENTS_SPAN_S, int(ended) + 1
    filters = {"container": container["Id"]}
    events = api.events(since=since, until=until, filters=filters, decode=True)
    actions = [str(event.get("Action") or event.get("status")) for event in events]
    last = len(actions) - actions[::-1].index("start") if "start" in actions else 0
    if {"kill", "oom"} & set(actions[last:]):
        return False
    return (
        "die" in actions[last:] or state.get("ExitCode") not in OUTSIDE
    )  # a busy engine forgets soon


def changed_files(api: Any, container: str, max_files: int) -> int:
    """Number of files and folders that a container created, changed or removed; exact up to `max_files`."""
    answer = api._get(api._url("/containers/{0}/changes", container), stream=True)
    count = 0
    try:
        api._raise_for_status(answer)
        for piece in answer.iter_content(1 << 20):
            count += piece.count(b'"Path"')
            if count > max_files:
                break
    finally:
        answer.close()
    return count


def exec_status(api: Any, exec_id: str) -> int | None:
    """Exit status of a command whose output has ended, or None when the engine never reported it.

    A command that runs on has lost its stream; the engine may take a moment to note an end.
    """
    for _ in range(MAX_STATUS_CHECKS):
        state = api.exec_inspect(exec_id)
        if not state.get("Running"):
            status = state["ExitCode"]
            return status if status is None else int(status)
        time.sleep(0.1)
    return None

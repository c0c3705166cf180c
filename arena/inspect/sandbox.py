"""Our sandbox as a sandbox of Inspect (`SandboxEnvironment` of inspect-ai 0.3.285)."""

from __future__ import annotations

import asyncio
import shlex
from pathlib import PurePosixPath
from typing import Any

from inspect_ai.util import (  # type: ignore[import-not-found,unused-ignore]
    ExecResult,
    OutputLimitExceededError,
    SandboxEnvironment,
    sandboxenv,
)

from arena.inspect.opening import open_pack
from harness.agents._at_pvic import workspace_of
from harness.agents._workspace import SandboxWorkspace
from harness.command import Command
from harness.sandbox.archive import unpack

NAME = "arena"
COMMAND_TIMEOUT_S = 600
INPUT = "/tmp/.arena-input"  # noqa: S108 - a path inside the sandbox
# As Inspect's own sandboxes have it.
MAX_READ_BYTES = 100 << 20
# Fields of a sample's metadata.
PACK, SANDBOX, TASK = "pack", "sandbox", "task"


@sandboxenv(name=NAME)  # type: ignore[untyped-decorator,unused-ignore]
class ArenaSandbox(SandboxEnvironment):  # type: ignore[misc,unused-ignore]
    """A workspace of a task of the track `repo`.

    Standard output and errors come together as output, in the order written. What a command left running ends
    with it. All commands run as the sandbox's user.
    """

    def __init__(self, workspace: SandboxWorkspace) -> None:
        super().__init__()
        self.workspace = workspace

    @classmethod
    async def sample_init(
        cls, task_name: str, config: Any, metadata: dict[str, Any]
    ) -> dict[str, SandboxEnvironment]:
        def start() -> SandboxWorkspace:
            track = open_pack(metadata[PACK], metadata[SANDBOX])
            workspace = workspace_of(track.grader.backend, track.pack.task(metadata[TASK]))
            _ = workspace.box  # its time is not the solver's
            return workspace

        return {"default": cls(await asyncio.to_thread(start))}

    @classmethod
    async def sample_cleanup(
        cls,
        task_name: str,
        config: Any,
        environments: dict[str, SandboxEnvironment],
        interrupted: bool,
    ) -> None:
        for environment in environments.values():
            await asyncio.to_thread(environment.as_type(cls).workspace.close)

    async def exec(
        self,
        cmd: list[str],
        input: str | bytes | None = None,
        cwd: str | None = None,
        env: dict[str, str] | None = None,
        user: str | None = None,
        timeout: int | None = None,
        timeout_retry: bool = True,
        concurrency: bool = True,
    ) -> ExecResult[str]:
        """Raises TimeoutError, and OutputLimitExceededError with what was written until then."""
        # Not passed over: a solver that counts on another user's rights would fail later, without a reason.
        if user is not None:
            raise ValueError(f"user {user!r}: commands run as the sandbox's own user")
        line = shlex.join(cmd)
        if input is not None:
            await self.write_file(INPUT, input)
            # A file, since commands of our sandbox have no standard input.
            line += f" < {INPUT}"
        command = Command(
            line, self._path(cwd or "."), timeout or COMMAND_TIMEOUT_S, env or {}, True
        )
        result = await asyncio.to_thread(self.workspace.run, command)
        output = result.output.decode("utf-8", "replace")
        if result.stopped == "timeout":
            raise TimeoutError(f"the command took longer than {command.timeout:g} s")
        if result.stopped == "output":
            raise OutputLimitExceededError("of the sandbox", output)
        # Errors came with the output: see the class.
        return ExecResult(result.ok, result.status, output, "")

    async def write_file(self, file: str, contents: str | bytes) -> None:
        path = PurePosixPath(self._path(file))
        data = contents.encode() if isinstance(contents, str) else contents
        await asyncio.to_thread(self.workspace.box.put, {path.name: data}, str(path.parent))

    async def read_file(self, file: str, text: bool = True) -> Any:
        """Raises FileNotFoundError, also for what is no regular file, and UnicodeDecodeError."""
        path = PurePosixPath(self._path(file))
        archive = await asyncio.to_thread(self.workspace.box.get, [path.name], str(path.parent))
        if len(archive) > MAX_READ_BYTES:
            raise OutputLimitExceededError(f"{MAX_READ_BYTES >> 20} MiB", None)
        data = unpack(archive).get(path.name)
        # `unpack` gives regular files alone, so that a link or a folder is not found either.
        if data is None:
            raise FileNotFoundError(file)
        return data.decode() if text else data

    def _path(self, path: str) -> str:
        return str(PurePosixPath(self.workspace.workdir) / path)

"""The sandbox in which an agent works: the repository at PVIC, its past, and nothing of the oracle."""

from __future__ import annotations

from collections.abc import Callable

from harness.sandbox.base import Command, ExecResult, Sandbox, SandboxDied

SAFE = "git -c safe.directory='*' -c core.hooksPath=/dev/null -c core.fsmonitor=false"
BASE = f"{SAFE} rev-parse HEAD"
DIFF = (
    f"{SAFE} add -A -N . && "
    f"{SAFE} diff --no-ext-diff --no-textconv --no-color --binary --src-prefix=a/ --dst-prefix=b/ {{base}}"
)
TIMEOUT = 120


class Workspace:
    """Opens its sandbox when it is first used, so that agents without need of one cost nothing."""

    def __init__(self, create: Callable[[], Sandbox], workdir: str) -> None:
        self._create, self.workdir = create, workdir
        self._box: Sandbox | None = None
        self._base = ""

    @property
    def box(self) -> Sandbox:
        if self._box is None:
            self._box = self._create()
            self._box.start()
            self._base = self._run(BASE).strip().decode()
        return self._box

    def exec(self, line: str, timeout: float) -> ExecResult:
        """Run a shell command in the repository."""
        return self.box.exec(Command(line, self.workdir, timeout))

    def patch(self) -> bytes:
        """Everything that differs from PVIC, new files included, commits or not."""
        _ = self.box
        return self._run(DIFF.format(base=self._base))

    def _run(self, line: str) -> bytes:
        done = self.exec(line, TIMEOUT)
        if not done.ok:
            said = done.output.decode(errors="replace").strip()[-200:]
            raise SandboxDied(f"git in the workspace: {said}")
        return done.output

    def close(self) -> None:
        if self._box is not None:
            self._box.stop()
            self._box = None

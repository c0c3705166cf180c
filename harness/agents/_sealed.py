"""A real agent in its seal: toolbox and socket mounted, a separate account, its work and its bill.

The container has no network. A forwarder in it leads a port of its loopback to the gateway's socket, which
reaches this attempt's account and nothing else.
"""

from __future__ import annotations

import json
import re
import shlex
import shutil
import tarfile
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import IO, TYPE_CHECKING, Any, ClassVar, cast

from harness.agents import GatewayFault, NotInstalled
from harness.agents._named import Settings
from harness.agents._program import AgentProgram, AgentReport, Launch, LaunchSetup
from harness.agents._settings import number, usage
from harness.command import Command, ExecResult, Limits, Mount
from harness.gateway.account import Account
from harness.protocols import Access, Agent, Budget, Ended, Job, Sandbox, Solution, Workspace
from harness.sandbox.base import SandboxFault
from harness.scratch import make_scratch

if TYPE_CHECKING:
    from harness.gateway.access import ModelAccess
    from harness.gateway.gateway import OpenAccount
    from harness.gateway.models.replay import ReplayDiverged
    from harness.toolbox.store import Toolbox, Toolboxes

GATE = "/arena/gate"
TEMPORARY = "/tmp"  # noqa: S108 - a path inside the sandbox
HOME = f"{TEMPORARY}/.arena-home"
# Fixed, since it is the container's loopback: nobody else listens there.
PORT = 8791
# What the model is called for agents that do not behave by its name, or are not to.
MODEL = "arena-model"
# What an agent gets at least: a task's limits are made for a compiler.
MIN_LIMITS = Limits(memory=3 << 30, pids=512, disk=4 << 30)
MAX_HOME = 512 << 20
MAX_OUTPUT = 4 << 20
OUTPUT = "output.log"
# Characters of a warning that are kept and of a line that are searched, and how many warnings are kept.
MAX_WARNING, MAX_LINE, MAX_WARNINGS = 300, 4096, 5
WARNS = re.compile(
    r"(?i)^\W*warn(?:ing)?\b|\bwarning:|fallback metadata|can degrade|not found\. Defaulting"
)
# Seconds after the cap on time in which an agent may end by itself.
GRACE_S = 10.0


class Sealed(Agent):
    """An agent whose program is `program`. toolboxes: where it is installed; default: the machine's."""

    calibration: ClassVar[bool] = False
    runs_model_output: ClassVar[bool] = True
    asks_model: ClassVar[bool] = True
    room: ClassVar[Limits] = MIN_LIMITS

    def __init__(
        self,
        program: AgentProgram,
        toolboxes: Toolboxes | None = None,
        settings: Settings | None = None,
    ) -> None:
        self.program, self._toolboxes = program, toolboxes
        self.settings = settings or Settings()

    def with_settings(self, settings: Settings) -> Sealed:
        """The same agent with settings. Raises ValueError for some that it cannot take."""
        if settings.system and not getattr(self.program, "takes_system", False):
            raise ValueError(f"agent {self.program.name!r}: system: it takes no system prompt")
        tools: tuple[str, ...] = getattr(self.program, "tools", ())
        if unknown := [name for name in settings.tools or () if name not in tools]:
            more = (
                f"no tool {unknown[0]!r}; known: {', '.join(tools)}"
                if tools
                else "it has no choice"
            )
            raise ValueError(f"agent {self.program.name!r}: tools: {more}")
        return Sealed(self.program, self._toolboxes, settings)

    def expect(self) -> None:
        """Raises NotInstalled."""
        self._toolbox()

    def _toolbox(self) -> Toolbox:
        from harness.toolbox import Toolboxes, default_folder

        toolbox = (self._toolboxes or Toolboxes(default_folder())).find(self.program)
        if toolbox is None:
            name = self.program.name
            raise NotInstalled(f"agent {name!r} is not installed: arena agents install {name}")
        return toolbox

    def solve(self, job: Job) -> Solution:
        """Raises NotInstalled, and a SandboxFault when the machine is at fault."""
        if job.model is None:
            raise ValueError(f"agent {self.program.name!r} needs a model: --model NAME")
        toolbox = self._toolbox()
        scratch = make_scratch("attempt")
        try:
            attempt = _Attempt(
                self.program, toolbox, self._model(job.model), scratch, self.settings
            )
            prompt = self.settings.render_instruction(job.instruction)
            return attempt.run(job.workspace, prompt, self._budget(job.budget))
        finally:
            shutil.rmtree(scratch)

    def _model(self, access: Access) -> ModelAccess:
        model, temperature = cast("ModelAccess", access), self.settings.temperature
        if temperature is None:
            return model
        return replace(model, pinned={**model.pinned, "temperature": temperature})

    def _budget(self, budget: Budget) -> Budget:
        return replace(budget, calls=min(budget.calls, self.settings.calls or budget.calls))


@dataclass(frozen=True)
class _Left:
    """What an agent left when it ended: its patch, the files of its home, notes."""

    patch: bytes
    files: dict[str, bytes]
    note: dict[str, Any]


@dataclass(frozen=True)
class _Attempt:
    program: AgentProgram
    toolbox: Toolbox
    model: ModelAccess
    scratch: Path
    settings: Settings

    def run(self, workspace: Workspace, prompt: str, budget: Budget) -> Solution:
        with self._asking(budget) as opened:
            # Before the sandbox is first used: mounts and limits cannot be changed afterwards.
            workspace.least = MIN_LIMITS
            workspace.mounts += [Mount(str(path), str(path)) for path in self.toolbox.mounts]
            workspace.mounts.append(Mount(str(opened.folder), GATE))
            setup = self._setup(workspace, prompt, opened.account, budget)
            launch = self.program.launch(setup)
            workspace.mounts += [Mount("", path) for path in launch.private]
            done = self._start(workspace, launch, budget)
            left = self._collect_result(
                workspace, launch, budget, done
            )  # while the mounted folders are there
        solution = self._solution(left, done, opened.account)
        if opened.changes:
            solution = replace(solution, note={**solution.note, "changed": opened.changes})
        diverged = self.model.first_divergence
        return solution if diverged is None else _mark_diverged(solution, diverged)

    @contextmanager
    def _asking(self, budget: Budget) -> Iterator[OpenAccount]:
        """An account for the attempt. A fault of the machine leaves with what the model had cost by then."""
        from harness.gateway.record import RecordWriter

        recorder = RecordWriter(self.scratch / "record")
        opened = self.model.open(budget, recorder)
        try:
            try:
                yield opened
            finally:
                opened.close()  # calls in flight are billed now
                recorder.close()
            if opened.account.broken:
                raise GatewayFault(opened.account.broken)
        except SandboxFault as fault:
            fault.usage = opened.account.usage.to_json()
            raise

    def _setup(
        self, workspace: Workspace, prompt: str, account: Account, budget: Budget
    ) -> LaunchSetup:
        return LaunchSetup(
            toolbox=self.toolbox.path,
            home=HOME,
            repository=workspace.workdir,
            prompt=prompt,
            address=f"http://127.0.0.1:{PORT}",
            token=account.token,
            model=self.model_name,
            calls=budget.calls,
            usd=budget.usd,
            seconds=budget.seconds,
            system=self.settings.system,
            tools=self.settings.tools,
            python=str(self.toolbox.python),
        )

    def _start(self, workspace: Workspace, launch: Launch, budget: Budget) -> ExecResult:
        from harness.toolbox import FORWARDER

        home = PurePosixPath(HOME).name
        files = {**launch.files, ".stdin": launch.stdin, ".forwarder.py": FORWARDER.read_bytes()}
        workspace.box.put({f"{home}/{path}": data for path, data in files.items()}, TEMPORARY)
        entry = [
            str(self.toolbox.python),
            *("-I", "-S", f"{HOME}/.forwarder.py"),
            *("--socket", f"{GATE}/model.sock", "--port", str(PORT)),
            *("--ready", f"{HOME}/.ready", "--"),
            *launch.argv,
        ]
        begin = f"{_expecting(self.program.name, launch.needs)} exec {shlex.join(entry)}"
        line = f"{{ {begin}; }} < {HOME}/.stdin > {HOME}/{OUTPUT} 2>&1"
        command = Command(
            line, workspace.workdir, budget.seconds + GRACE_S, launch.env, is_budget=True
        )
        return workspace.run(command)

    def _collect_result(
        self, workspace: Workspace, launch: Launch, budget: Budget, done: ExecResult
    ) -> _Left:
        files = collect_files(workspace.box, launch.collect)
        patch, note = workspace.collect_patch(launch.droppings)
        if settings := self.settings.model_dump(exclude_defaults=True):
            note["settings"] = settings
        note |= {"status": done.status, "stopped": done.stopped}
        note["program"] = self._facts(budget.calls) | dict(launch.facts)
        return _Left(patch, files, note)

    def _solution(self, left: _Left, done: ExecResult, account: Account) -> Solution:
        output = left.files.pop(OUTPUT, b"")
        report = self._report(left.files, output)
        metered: dict[str, Any] = account.usage.to_json()
        compared = {
            "claimed": usage(**report.usage),
            "difference": difference(report.usage, metered),
        }
        return Solution(
            left.patch,
            classify_ending(done, account, left.patch),
            metered | compared,
            report.trajectory,
            left.note
            | _drop_empty(
                told=report.note,
                model_ended=account.ended,
                unpinned=account.unpinned,
                refused=_last_refusal(account),
                warnings=warnings_in(output),
            ),
            {"output": output[-MAX_OUTPUT:], **self._record(account)},
        )

    def _report(self, files: Mapping[str, bytes], output: bytes) -> AgentReport:
        """What it says of its attempt. It may have written anything: what cannot be read says nothing."""
        try:
            return self.program.report(files, output)
        except Exception as error:  # noqa: BLE001 - an agent could end without a label by what it leaves
            return AgentReport(note=f"not readable: {type(error).__name__}")

    @property
    def model_name(self) -> str:
        """The model's name for the agent."""
        named = getattr(self.program, "behaves_by_model", False)
        return (self.model.base_model_name if named else "") or MODEL

    def _facts(self, calls: int) -> dict[str, Any]:
        facts = {"name": self.program.name, "version": self.toolbox.version}
        return {
            **facts,
            "calls": calls,
            "pinned": dict(self.model.pinned),
            "model": self.model_name,
        }

    def _record(self, account: Account) -> dict[str, bytes]:
        from harness.agents._atif import to_atif
        from harness.gateway.record import RecordError, read_record

        path = self.scratch / "record"
        artefacts = {
            "record": path.read_bytes(),
            "ledger": json.dumps(account.to_json()).encode(),
        }
        try:
            recorded = read_record(path)
        except RecordError:  # the agent asked more than is read again; the record itself is kept
            return artefacts
        atif = to_atif(
            recorded,
            agent=self.program.name,
            version=self.toolbox.version,
            model=self.model_name,
            session=self.scratch.name,
        )
        return artefacts | {"atif": json.dumps(atif).encode()}


def _expecting(agent: str, programs: tuple[str, ...]) -> str:
    """Shell code that ends where the image lacks a program, and says so."""
    lines = []
    for name in programs:
        lacks = shlex.quote(f"the image lacks {name}, which {agent} needs")
        lines.append(f"command -v {name} >/dev/null 2>&1 || {{ echo {lacks}; exit 127; }};")
    return " ".join(lines)


def difference(claimed: Mapping[str, Any], metered: Mapping[str, Any]) -> dict[str, float]:
    """What the agent claims above what was metered, by name, where it claims an amount."""
    claims = {name: number(claimed[name]) for name in claimed.keys() & metered.keys()}
    return {
        name: round(claim - metered[name], 6) for name, claim in claims.items() if claim is not None
    }


def _mark_diverged(solution: Solution, fault: ReplayDiverged) -> Solution:
    """A replay that sent a different request: whatever came of it is nobody's result."""
    note = {**solution.note, "diverged": str(fault), "difference": fault.difference}
    return replace(solution, ended=Ended.DIVERGED, note=note)


def warnings_in(output: bytes) -> list[str]:
    """The first few lines in which an agent warns of itself, such as of a model that it does not know."""
    text = output[:MAX_OUTPUT].decode("utf-8", "replace")
    lines = (
        line.strip()[:MAX_WARNING] for line in text.splitlines() if WARNS.search(line[:MAX_LINE])
    )
    return list(dict.fromkeys(lines))[:MAX_WARNINGS]


def _last_refusal(account: Account) -> str:
    """The provider's last message, where it answered no call of the attempt."""
    unanswered = account.stop_reason == "model-unavailable"
    return next((row.error for row in reversed(account.calls) if row.error and unanswered), "")


def _drop_empty(**notes: Any) -> dict[str, Any]:
    return {name: value for name, value in notes.items() if value}


def classify_ending(done: ExecResult, account: Account, patch: bytes = b"") -> Ended:
    """How an attempt ended, by what we saw of it and not by what the agent says.

    The ending of the model's last answer says more than that the agent then went: a filter, say. That it
    declined in plain words counts only where no patch is left: agents sum up what they could not do.
    """
    if account.stop_reason == "model-unavailable":
        return Ended.MODEL_UNAVAILABLE
    if account.stop_reason:
        return Ended(f"capped:{account.stop_reason}")
    if account.usage.calls >= account.caps.calls:
        return Ended.CAPPED_CALLS  # it counts along, and stopped by itself before it was refused
    if done.stopped == "timeout":
        return Ended.CAPPED_TIME
    if done.stopped:
        return Ended.KILLED
    last = account.calls[-1] if account.calls else None
    if last is not None and last.ending and not (patch and last.only_words):
        return Ended(last.ending)
    return Ended.FINISHED if done.status == 0 else Ended.CRASHED


def collect_files(box: Sandbox, wanted: tuple[str, ...]) -> dict[str, bytes]:
    """Files below the agent's home that match any of `wanted`, and what it printed; bounded.

    Taken by the engine, so that an ended sandbox and a home full of links do no harm.
    """
    files: dict[str, bytes] = {}
    with tempfile.TemporaryFile() as raw:
        if not box.take_tree(HOME, raw, MAX_HOME):
            return files
        raw.seek(0)
        # The agent may have left anything in its home: what cannot be read is left out, and no fault.
        with suppress(tarfile.TarError), tarfile.open(fileobj=raw, mode="r:") as tree:
            left = MAX_HOME // 4
            for member in tree:
                name = "/".join(PurePosixPath(member.name).parts[1:])
                if not member.isreg() or not _is_wanted(name, wanted):
                    continue
                left -= min(member.size, MAX_HOME)
                if left < 0:
                    break
                files[name] = _read(tree.extractfile(member))
    return files


def _is_wanted(name: str, wanted: tuple[str, ...]) -> bool:
    path = PurePosixPath(name)
    return name == OUTPUT or any(
        name == pattern or name.startswith(f"{pattern}/") or path.match(pattern)
        for pattern in wanted
    )


def _read(file: IO[bytes] | None) -> bytes:
    return file.read() if file else b""

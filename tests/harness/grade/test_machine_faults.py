"""A command of ours that the machine spoils is a fault, and decides no label."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from arena.building.revisions.replayer import _make_ready
from harness.command import Command, ExecResult
from harness.grade import environment, reference, symbols, words
from harness.grade.apply import _contents, _present, apply_gold
from harness.grade.attack import Attack, replay
from harness.grade.building import build_target
from harness.grade.candidate import PatchCandidate
from harness.grade.decide import Decided
from harness.grade.neighbours import endings
from harness.grade.ports import MemoryCache
from harness.grade.sast import ScanFailed, compare
from harness.grade.sast.sarif_tool import SarifTool
from harness.grade.sast.scanner import ScannerDied
from harness.grade.testing import SuiteRun, _collect, run_suite
from harness.grade.verdict import TaskBroken
from harness.protocols import Sandbox
from harness.sandbox import archive
from harness.sandbox.base import SandboxDied
from harness.sandbox.jail import shortage
from parsers.crashes import Crash
from parsers.patch import parse_patch

ATTACK = Attack("/src/target {poc}", "address", b"x", "/src", 10)
KILLED, LATE = ExecResult(137, b"", 1), ExecResult(124, b"", 60, "timeout")
FAULTS = pytest.mark.parametrize("fault", [KILLED, LATE], ids=["killed", "late"])
APPLIED = ExecResult(0, b"f ./f\0", 1)
PATCH = b"--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n+b\n"


class Box:
    """A sandbox whose commands end as told, one after the other."""

    image = "i"

    def __init__(self, *ends: ExecResult) -> None:
        self.ends = list(ends)

    def exec(self, _: Command) -> ExecResult:
        return self.ends.pop(0)

    def get(self, *_: Any) -> bytes:
        return archive.pack({}, 0o644, 0)

    def put(self, *_: Any, **__: Any) -> None: ...

    put_tree = start = stop = snapshot = put


def a_task(**more: Any) -> Any:
    where = SimpleNamespace(
        image="i", workdir="/src", timeout=60, build="make", scrub=False, remove=()
    )
    spec = SimpleNamespace(
        environment=where,
        tests=SimpleNamespace(
            files=[],
            build="",
            report=["r.xml"],
            runs=2,
            command="t",
            timeout=9,
            parser="junit",
            filter="",
        ),
        limits=SimpleNamespace(cpus=1, memory="1g", pids=9, disk="1g"),
        source=SimpleNamespace(begins="PVIC", base=""),
        poc=SimpleNamespace(
            build="make fuzz",
            command="./fuzz",
            sanitizer="address",
            timeout=1,
            tests=None,
            variants=(),
            signature=SimpleNamespace(kind="", access="", frames=[]),
        ),
    )
    facts: dict[str, Any] = {
        "id": "t",
        "poc": b"",
        "spec": spec,
        "history": None,
        "carried_files": {},
        "owned_globs": (),
        "solution": lambda _: PATCH,
    }
    return SimpleNamespace(**{**facts, **more})


@FAULTS
@pytest.mark.parametrize(
    ("before", "step"),
    [
        ([ExecResult(77, b"", 1)], lambda box: replay(box, ATTACK, MemoryCache(), False)),
        ([], lambda box: _collect(box, "./r.xml", "/src")),
        ([], lambda box: _present(box, ("f",), "/src")),
        ([], lambda box: _make_ready(box, ATTACK)),
        ([], lambda box: build_target(box, a_task(carried_files={"f": b""}), "", MemoryCache())),
    ],
    ids=["sanitizer's report", "tests' report", "is there", "was built", "carried"],
)
def test_a_command_of_ours_that_is_spoilt_is_a_fault(
    before: list[ExecResult], step: Callable[[Any], object], fault: ExecResult
) -> None:
    with pytest.raises(SandboxDied):
        step(Box(*before, fault))


@pytest.mark.parametrize(
    "done", [ExecResult(1, b"no", 1), LATE, KILLED], ids=["no", "late", "killed"]
)
def test_a_patch_that_git_cannot_apply_is_at_fault_itself(done: ExecResult) -> None:
    with pytest.raises(Decided, match="does not apply"):
        apply_gold(Box(done), a_task(), PatchCandidate(PATCH, parse_patch(PATCH)))  # type: ignore[arg-type]


def test_a_poc_that_was_killed_is_replayed_once_more() -> None:
    """It once was no crash; and one that always kills itself is no fault of the machine."""
    crash = ExecResult(1, b"==1==ERROR: AddressSanitizer: heap-use-after-free on address 0x1\n    #0 0x1 in f /a.c:1\n", 1)  # fmt: skip
    listed = ExecResult(0, b"", 1)
    found, _ = replay(Box(KILLED, crash, listed), ATTACK, MemoryCache(), True)  # type: ignore[arg-type]
    assert found is not None and found.kind == "heap-use-after-free"
    box = Box(KILLED, KILLED, listed)
    found, evidence = replay(box, ATTACK, MemoryCache(), True)  # type: ignore[arg-type]
    assert (evidence["status"], box.ends) == (137, [])


def test_who_ended_its_sandbox_with_its_time_is_asked_nothing_more() -> None:
    """It stopped all processes, the wrapper among them: that is its own doing, and no fault."""
    over, cache = ExecResult(137, b"", 60, "timeout", over=True), MemoryCache()
    unused: Any = None
    run = run_suite(unused, Box(over), a_task(), cache, env={})  # type: ignore[arg-type]
    assert (run.done.stopped, run.report.outcomes) == ("timeout", {})
    crash, _ = replay(Box(over), ATTACK, cache, False)  # type: ignore[arg-type]
    assert crash is not None and crash.kind == "timeout"
    assert [e.status for e in endings(Box(over), ATTACK, [b"a", b"b"])] == [None, None]  # type: ignore[arg-type]


def nothing_watched(*_: object) -> Any:
    return SimpleNamespace(before={}, touched_paths=list)


def test_gold_that_a_limit_cut_is_no_reference(monkeypatch: pytest.MonkeyPatch) -> None:
    report: Any = SimpleNamespace(outcomes={}, problems=(), complete=False)
    runs = iter([SuiteRun(ExecResult(0, b"", 1), report, {}), SuiteRun(LATE, report, {})])
    monkeypatch.setattr(reference, "run_suite", lambda *_: next(runs))
    monkeypatch.setattr(reference, "watch", nothing_watched)
    monkeypatch.setattr(symbols, "list_names", lambda *_: [])
    monkeypatch.setattr(words, "words_of_tests", lambda *_: [])
    backend: Any = SimpleNamespace(create=lambda *_: Box(APPLIED, ExecResult(0, b"", 1)))
    where = environment.Environment("i", "i")
    with pytest.raises(TaskBroken, match="the suite ran past its time limit"):
        reference._take(backend, a_task(), where, MemoryCache())


def test_a_limit_that_cut_golds_poc_is_not_its_crash(monkeypatch: pytest.MonkeyPatch) -> None:
    crash = Crash("signal", "timeout", "", None, None, (), None, "")
    monkeypatch.setattr(
        reference, "replay", lambda *_, **__: (crash, {"stopped": "timeout", "via": "output"})
    )
    monkeypatch.setattr(reference, "build_target", lambda *_: None)
    monkeypatch.setattr(reference, "watch", nothing_watched)
    monkeypatch.setattr(symbols, "list_names", lambda *_: [])
    backend: Any = SimpleNamespace(create=lambda *_: Box())
    where = environment.Environment("i", "i")

    def taken(known: bool) -> Any:
        monkeypatch.setattr(reference, "historical", lambda *_: known)
        return reference._attack(backend, a_task(), where, lambda box: None, [], MemoryCache())

    assert taken(True)["poc_historical"]
    with pytest.raises(TaskBroken, match="ended by its timeout limit"):
        taken(False)


def test_an_environment_of_which_a_part_was_cut_is_not_kept(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(environment, "scrub", lambda *_, **__: None)
    fine, failed = ExecResult(0, b"", 1), ExecResult(2, b"", 1)

    def build(last: ExecResult) -> None:
        backend: Any = SimpleNamespace(resolve=str, create=lambda *_: Box(fine, last))
        environment._build(backend, a_task(), "name")

    build(failed)
    with pytest.raises(TaskBroken, match="not built to its end"):
        build(LATE)


def test_a_scanner_that_the_machine_had_no_memory_for_is_no_suspicion(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    counts = iter(zip(range(100), range(100), strict=True))
    monkeypatch.setattr(shortage, "counts", lambda: next(counts))

    class Killed:
        name, version, canary = "s", "1", None

        def wants(self, _: str) -> bool:
            return True

        def scan(self, _: Path) -> Any:
            raise ScannerDied("killed")

    with pytest.raises(ScanFailed, match="machine ran out of memory"):
        compare({}, {"f.c": b"int x;\n"}, renames={}, added={}, scanner=Killed())


def test_a_tool_that_is_killed_has_scanned_nothing(tmp_path: Path) -> None:
    log = '{"version": "2.1.0", "runs": []}'
    tool = SarifTool(("sh", "-c", f"echo '{log}'; kill -9 $$"))
    with pytest.raises(ScannerDied, match="signal 9"):
        tool.scan(tmp_path)


class Archives(Box):
    """A sandbox in which one file is too large for an archive; it counts what is asked."""

    def __init__(self, large: str) -> None:
        super().__init__()
        self.large, self.asked = large, 0

    def get(self, paths: list[str], _: str) -> bytes:
        self.asked += 1
        if self.large in paths:
            return bytes(archive.MAX_BYTES)
        return archive.pack(dict.fromkeys(paths, b"x"), 0o644, 0)


@pytest.mark.slow
def test_one_large_file_among_many_costs_no_look_at_each() -> None:
    names = [f"f{number:05}" for number in range(2_000)]
    box = Archives("f01234")
    found = _contents(box, names, "/src")  # type: ignore[arg-type]
    assert found.keys() == set(names) - {"f01234"} and box.asked < 30


@pytest.mark.slow
def test_all_paths_are_asked_for_at_once(box: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    assert box.exec(Command("cd /src; echo > 'a b'; mkdir -p d; echo > \"d/o'clock\"; true")).ok
    asked: list[str] = []
    run = type(box).exec

    def counted(self: Sandbox, command: Command) -> ExecResult:
        asked.append(command.line)
        return run(self, command)

    monkeypatch.setattr(type(box), "exec", counted)
    wanted = ["a b", "d/o'clock", "gone", "d", *(f"none{number}" for number in range(5_000))]
    assert _present(box, wanted, "/src") == ("a b", "d/o'clock", "d")
    assert len(asked) == 1

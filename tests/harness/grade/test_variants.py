"""Variants of the fuzz target: what is replayed how, alone in an empty folder, and what counts."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import pytest

from harness.command import Command, ExecResult
from harness.grade import variants
from harness.grade.neighbours import InputEnding, ReplayMode, _line
from harness.grade.ports import MemoryCache
from harness.grade.variants import VariantReference, build_and_replay, replays_of
from parsers.crashes import Crash
from tasks.neighbours import Neighbours
from tasks.schema import BuildVariant

CRASH = Crash("asan", "heap-buffer-overflow", "read", None, None, (), None, "")
TARGET, PROGRAM = "./build/fuzz {poc}", "cd in && ./build/tool -f {poc} ./data/x"


@dataclass
class Box:
    """Answers each command with success."""

    commands: list[Command] = field(default_factory=list)

    def exec(self, command: Command) -> ExecResult:
        self.commands.append(command)
        return ExecResult(0, b"", 0.0)


def task(base: str = "") -> Any:
    spec = SimpleNamespace(
        environment=SimpleNamespace(workdir="/src/p", timeout=60.0, build="make"),
        poc=SimpleNamespace(build="make fuzz", command=TARGET, sanitizer="address", timeout=5.0),
        source=SimpleNamespace(base=base),
    )
    near = Neighbours((b"crash1",), (b"fine1", b"fine2"), 4, True)
    return SimpleNamespace(spec=spec, poc=b"poc", neighbours=near, carried_files={})


VARIANT = BuildVariant(name="as shipped", build="make shipped", command=TARGET, entries=(PROGRAM,))


def ending(status: int | None = 0, said: str = "1-2", crash: Crash | None = None) -> InputEnding:
    return InputEnding(status, said, crash)


def evidence(
    monkeypatch: pytest.MonkeyPatch,
    rows: list[list[InputEnding]],
    fixed: list[list[tuple[int, str] | None]],
    base: str = "",
) -> dict[str, Any]:
    monkeypatch.setattr(variants, "replay_all", lambda *_: rows)
    box: Any = Box()
    return build_and_replay(box, task(base), VARIANT, VariantReference(True, fixed), MemoryCache())


def test_every_command_gets_what_crashes_and_the_first_inputs_once_more_as_a_user() -> None:
    assert replays_of([TARGET, PROGRAM], repair=False, crashing=33) == [
        ReplayMode(TARGET, count=33),
        ReplayMode(PROGRAM, count=33),
        ReplayMode(TARGET, as_user=True, count=8),
        ReplayMode(PROGRAM, as_user=True, count=8),
    ]


def test_a_repair_is_asked_for_harmless_inputs_too() -> None:
    assert replays_of([TARGET], repair=True, crashing=2) == [
        ReplayMode(TARGET),
        ReplayMode(TARGET, as_user=True, count=2),
    ]


def test_a_user_has_no_options_for_a_sanitizer() -> None:
    line = _line(ReplayMode("./x {poc}", as_user=True), "/tmp/0/input", 5.0)
    assert line.startswith("timeout -k 1 5.0 sh -c ")
    assert "ulimit -n 1024; exec env -i PATH=" in line and "_OPTIONS" not in line
    assert "/tmp/0/input" in line


def test_a_variant_is_built_then_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    given: dict[str, Any] = {}

    def replay_all(box: Any, attack: Any, replays: list[ReplayMode], inputs: list[bytes]) -> Any:
        given.update(attack=attack, replays=replays, inputs=inputs)
        return [[ending()] * 2] * 4

    monkeypatch.setattr(variants, "replay_all", replay_all)
    box = Box()
    fixed: list[list[tuple[int, str] | None]] = [[(0, "1-2")] * 2] * 4
    some: Any = box
    build_and_replay(some, task(), VARIANT, VariantReference(True, fixed), MemoryCache())
    lines = [command.line for command in box.commands]
    assert lines[0].endswith("\nmake shipped") and "SOURCE_DATE_EPOCH=" in lines[0]
    assert "rm -rf /tmp/.arena" in lines[1]
    assert "cp -L -- ./build/fuzz /tmp/" in lines[2] and "-exec rm -rf {} +" in lines[2]
    assert given["inputs"] == [b"poc", b"crash1", b"fine1", b"fine2"]
    assert given["attack"].workdir.startswith("/tmp/") and given["attack"].workdir in lines[2]
    for replay in given["replays"]:
        assert "./build/" not in replay.command and "{poc}" in replay.command


ROWS = [[ending()] * 2, [ending()] * 2, [ending()] * 2, [ending()] * 2]
FIXED: list[list[tuple[int, str] | None]] = [[(0, "1-2")] * 2] * 4


def test_crashes_and_endless_runs_count_in_every_way(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [list(row) for row in ROWS]
    rows[1][1], rows[3][0] = ending(crash=CRASH), ending(None)
    found = evidence(monkeypatch, rows, FIXED)
    assert (found["crashing"], found["tried"], found["name"]) == (2, 8, "as shipped")
    assert found["kinds"] == ["heap-buffer-overflow", "no end in its time"]


def test_what_crashes_with_the_fix_too_says_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [list(row) for row in ROWS]
    rows[1][1] = ending(crash=CRASH)
    fixed = [list(row) for row in FIXED]
    fixed[1][1] = None
    found = evidence(monkeypatch, rows, fixed)
    assert (found["crashing"], found["tried"]) == (0, 7)


@pytest.mark.parametrize(
    ("at", "now", "due", "expected"),
    [
        (1, ending(0, "other"), (0, "1-2"), (0, 1)),  # a crashing input that both take
        (1, ending(1, "other"), (0, "1-2"), (0, 0)),  # one that only the fix takes
        (1, ending(1, "other"), (1, "1-2"), (0, 0)),  # one that both refuse
        (2, ending(1, "other"), (0, "1-2"), (1, 0)),  # a harmless one that is refused
        (3, ending(0, "1-2"), (0, "1-2"), (0, 0)),
    ],
)
def test_a_programs_ending_is_held_against_the_fixs(
    monkeypatch: pytest.MonkeyPatch,
    at: int,
    now: InputEnding,
    due: tuple[int, str],
    expected: tuple[int, int],
) -> None:
    rows = [[ending()] * 4 for _ in range(4)]
    fixed: list[list[tuple[int, str] | None]] = [[(0, "1-2")] * 4 for _ in range(4)]
    rows[1][at], fixed[1][at] = now, due
    found = evidence(monkeypatch, rows, fixed, base="b" * 40)
    assert (found["refused"], found["garbled"]) == expected


def test_a_reference_comes_back_from_json() -> None:
    reference = VariantReference(True, [[(0, "1-2"), None]], "")
    assert VariantReference.from_json(reference.to_json()) == reference


@pytest.mark.parametrize(
    ("whole", "builds"), [(False, ["make shipped"]), (True, ["make", "make shipped"])]
)
def test_a_patch_of_build_files_builds_the_product_first(
    monkeypatch: pytest.MonkeyPatch, whole: bool, builds: list[str]
) -> None:
    monkeypatch.setattr(variants, "replay_all", lambda *_: [])
    box: Any = Box()
    build_and_replay(box, task(), VARIANT, VariantReference(True, []), MemoryCache(), whole)
    lines = [command.line.rpartition("\n")[2] for command in box.commands]
    assert [line for line in lines if line.startswith("make")] == builds

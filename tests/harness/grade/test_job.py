"""The sandboxes of one grading: each is ended once, whoever ends first."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

import pytest

from harness.command import Limits
from harness.grade.job import Sandboxes
from harness.sandbox.base import SandboxDied


@dataclass(eq=False)
class Box:
    """A sandbox whose start takes as long as `started` is not set."""

    started: threading.Event
    calls: list[str] = field(default_factory=list)

    def start(self) -> None:
        self.calls.append("start")
        assert self.started.wait(10)

    def stop(self) -> None:
        self.calls.append("stop")


@dataclass
class Machine:
    """A backend of such sandboxes."""

    started: threading.Event
    boxes: list[Box] = field(default_factory=list)

    def create(self, image: str, limits: Limits) -> Box:
        self.boxes.append(Box(self.started))
        return self.boxes[-1]


def sandboxes(pool: ThreadPoolExecutor, is_started: bool = True) -> tuple[Any, Sandboxes]:
    machine = Machine(threading.Event())
    if is_started:
        machine.started.set()
    some: Any = machine
    return some, Sandboxes(some, "image", Limits(), pool)


def test_a_sandbox_that_was_made_ahead_is_opened_and_ended_once() -> None:
    with ThreadPoolExecutor(2) as pool:
        machine, boxes = sandboxes(pool)
        with boxes:
            boxes.make_ahead(1)
            with boxes.open() as box:
                assert box is machine.boxes[0]
    assert [box.calls for box in machine.boxes] == [["start", "stop"]]


def test_one_that_nobody_opened_is_ended_with_the_grading() -> None:
    with ThreadPoolExecutor(2) as pool:
        machine, boxes = sandboxes(pool)
        with boxes:
            boxes.make_ahead(2)
            with boxes.open():
                pass
    assert len(machine.boxes) == 2
    assert all(box.calls in (["start", "stop"], ["stop"]) for box in machine.boxes)


def test_one_that_is_still_starting_when_the_grading_ends_is_ended_once() -> None:
    with ThreadPoolExecutor(2) as pool:
        machine, boxes = sandboxes(pool, is_started=False)
        with boxes:
            boxes.make_ahead(1)
            while not (machine.boxes and machine.boxes[0].calls):
                pass
        machine.started.set()
    assert machine.boxes[0].calls == ["start", "stop"]


def test_none_is_opened_when_the_grading_has_ended() -> None:
    with ThreadPoolExecutor(2) as pool:
        machine, boxes = sandboxes(pool)
        with boxes:
            pass
        with pytest.raises(SandboxDied), boxes.open():
            pass
    assert all("start" not in box.calls for box in machine.boxes)

"""A task's sandbox to look into: patched, built, with the PoC; what does not build says so."""

from __future__ import annotations

import pytest

from arena.cli.task_shell import patch_of
from harness.command import Command
from harness.grade.decide import Decided
from harness.grade.sandbox_image import build_image
from harness.sandbox.base import Backend
from tasks.kinds import AGENT_FOLDER
from tasks.loader import load_pack
from tests.conftest import SMALL
from tests.mini import GOLD_C, Mini


def ran(backend: Backend, image: str, line: str) -> tuple[int, str]:
    box = backend.create(image, SMALL)
    box.start()
    try:
        done = box.exec(Command(line, "/src/mini"))
    finally:
        box.stop()
    return done.status, done.output.decode()


def test_the_suite_and_the_poc_are_found_as_grading_finds_them(mini: Mini, local: Backend) -> None:
    task = load_pack(mini.folder).tasks[0]
    said: list[str] = []
    image = build_image(local, task, patch_of(task, "gold"), said.append)
    assert said == ["build: exit status 0", "poc.build: exit status 0"]
    assert "ok 3 - twice word" in ran(local, image, "make -s check; cat build/results.tap")[1]
    status, output = ran(local, image, f"./build/fuzz {AGENT_FOLDER}/poc")
    assert status and "heap-buffer-overflow" in output
    bare = build_image(local, task, patch_of(task, ""), said.append)
    assert "twice" not in ran(local, bare, "cat src/text.c")[1]


def test_what_does_not_build_says_why_and_can_be_looked_into(mini: Mini, local: Backend) -> None:
    task = load_pack(mini.folder).tasks[0]
    broken = mini.patch(lambda work: None, {"src/text.c": GOLD_C + "no C at all;\n"})
    said: list[str] = []
    image = build_image(local, task, broken, said.append)
    assert said[0].startswith("build: exit status 2\n") and "no C at all" in said[0]
    assert "no C at all" in ran(local, image, "tail -n 1 src/text.c")[1]


def test_a_patch_that_does_not_apply_is_told(mini: Mini, local: Backend) -> None:
    task = load_pack(mini.folder).tasks[0]
    other = task.solution("gold").replace(b"toupper", b"tolower")
    with pytest.raises(Decided, match="does not apply"):
        build_image(local, task, other, lambda text: None)

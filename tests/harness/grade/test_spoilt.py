"""A sandbox that does not do its work under a patch is the patch's doing where it is so each time."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from arena.tracks import passing
from harness.grade.decide import Spoilt
from harness.grade.grader import Grader
from harness.grade.ports import MemoryCache
from harness.grade.verdict import Label, Verdict
from harness.sandbox.base import Backend, SandboxDied, SandboxSpoilt
from harness.sandbox.engine import EngineFeatures
from tasks.loader import load_pack
from tests.gold_cache import GoldCache
from tests.harness.grade.test_attacks import EXTENDED, NO_EDIT, early
from tests.mini import BASE, FIXED_C, GOLD_C, VFC, VIC, Mini

pytestmark = pytest.mark.slow
INCLUDES = (
    "#define _GNU_SOURCE\n#include <signal.h>\n#include <sys/resource.h>\n#include <unistd.h>"
)
# Ends a first process that is of the same user: it cannot fork any more.
END = """\
    struct rlimit none = {0, 0};
    prlimit(1, RLIMIT_NPROC, &none, 0);
    kill(-1, SIGKILL);
    sleep(5);"""
IN_TARGET = f"#ifdef __has_feature\n#if __has_feature(address_sanitizer)\n{END}\n#endif\n#endif"


@pytest.fixture(scope="module")
def extended(tmp_path_factory: pytest.TempPathFactory) -> Mini:
    """The tiny task with a script for its builds that is the patch's to write."""
    steps = [{**step, "Makefile": EXTENDED} for step in (BASE, VIC, VFC)]
    return Mini(tmp_path_factory.mktemp("extended"), steps)


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(passing, "RETRIED", passing.RETRIED.copy(sleep=lambda _: None))


def graded(backend: Backend, mini: Mini, files: dict[str, str]) -> Verdict:
    task, patch = load_pack(mini.folder).tasks[0], mini.patch(NO_EDIT, files)
    grader = Grader(backend, GoldCache())
    grader.ready(task)
    return passing.graded(lambda: grader.grade(task, patch))


@pytest.mark.docker
@pytest.mark.nightly
@pytest.mark.parametrize(
    ("files", "step", "due"),
    [
        (early(END, INCLUDES, FIXED_C), "tests", Label.IC),
        (early(IN_TARGET, INCLUDES, GOLD_C), "poc", Label.CV),
    ],
    ids=["tests", "poc"],
)
def test_a_patch_that_ends_its_sandbox_gets_the_label_of_the_step(
    docker: Backend,
    mini: Mini,
    monkeypatch: pytest.MonkeyPatch,
    files: dict[str, str],
    step: str,
    due: Label,
) -> None:
    """Where an engine cannot switch users."""
    monkeypatch.setattr(docker, "_means", EngineFeatures(filters=False, switches=False))
    verdict = graded(docker, mini, files)
    assert (verdict.label, verdict.evidence["spoilt"]["step"]) == (due, step), verdict.reason
    assert f"ended its sandbox in each of all tries (step {step})" in verdict.reason


@pytest.mark.parametrize(
    ("line", "code", "due"),
    [
        ("chmod 0311 .", FIXED_C, Label.CE),  # what is in it cannot be listed any more
        pytest.param(
            "chmod 0 /tmp/.arena", FIXED_C, Label.CE, marks=pytest.mark.nightly("as above")
        ),
        ("mkdir -p /tmp/.arena-control/libarena.so/x /tmp/.arena-get/x", GOLD_C, Label.CV),
    ],
)
def test_a_build_that_stands_in_our_way_is_never_without_a_label(
    backend: Backend, extended: Mini, line: str, code: str, due: Label
) -> None:
    files = {"src/text.c": code, "hook": f"{line}\n"}
    verdict = graded(backend, extended, files)
    assert verdict.label is due, verdict.reason


def test_a_program_that_removes_the_repository_is_incorrect(backend: Backend, mini: Mini) -> None:
    body = '    if (system("rm -rf /src/mini"))\n        exit(1);'
    verdict = graded(backend, mini, early(body, "#include <stdlib.h>", FIXED_C))
    assert verdict.label is Label.IC, verdict.reason


# what decides


def spoilt(step: str) -> Spoilt:
    return Spoilt(step, SandboxSpoilt("no"), {"build": {}})


def raising(*ends: BaseException) -> Callable[[], Verdict]:
    left = list(ends)

    def grade() -> Verdict:
        raise left.pop(0)

    return grade


def test_a_machine_at_fault_in_one_of_the_tries_is_at_fault() -> None:
    verdict = passing.graded(raising(*[spoilt("tests")] * 3))
    assert (verdict.label, verdict.evidence["spoilt"]["reason"]) == ("IC", "SandboxSpoilt: no")
    assert verdict.evidence["build"] == {}
    with pytest.raises(Spoilt):
        passing.graded(raising(SandboxDied("the machine"), spoilt("tests"), spoilt("tests")))
    with pytest.raises(SandboxDied, match="the machine"):
        passing.graded(raising(spoilt("tests"), spoilt("tests"), SandboxDied("the machine")))


def test_what_spoils_the_sandbox_of_gold_is_no_patchs_doing(
    monkeypatch: pytest.MonkeyPatch, mini: Mini
) -> None:
    def broken(*_: object) -> None:
        raise SandboxSpoilt("no")

    grader = Grader(object(), MemoryCache())  # type: ignore[arg-type]
    monkeypatch.setattr(grader, "ready", broken)
    task = load_pack(mini.folder).tasks[0]
    with pytest.raises(SandboxSpoilt) as died:
        grader.grade(task, mini.patch(NO_EDIT, {"new.c": ""}))
    assert not isinstance(died.value, Spoilt)

"""What a task of each kind is as a directory of Harbor; nothing is built."""

from __future__ import annotations

import re
import tarfile
import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from arena.exchange.formats.harbor import _manifest
from arena.exchange.harbor.folder import unfit, write_task
from arena.exchange.harbor.image import DEBIAN, lacks_image, requirements
from arena.exchange.harbor.verify import (
    FAILED_STEP,
    LABEL_NUMBERS,
    STEPS,
    LeftTree,
    rewards,
)
from arena.exchange.source import Source
from arena.store.model import AttemptKey
from arena.store.store import Store
from harness.grade.decide import LABEL, Cause
from harness.grade.verdict import Health, InputLabel, Label, Verdict
from harness.grade.version import GRADER_VERSION
from harness.sandbox.base import SandboxDied
from parsers.registry import lookup
from tasks.kinds import KINDS, TaskKind
from tasks.loader import Task, load_pack

pytestmark = pytest.mark.slow  # four tasks are written with their repositories

STARTER = Path(__file__).parents[3] / "tasks/packs/starter"
CASE = "brook-include"
KIND_NAMES = ("", "-repair", "-reproduce", "-end-to-end")


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> Path:
    base, pack = tmp_path_factory.mktemp("harbor"), load_pack(STARTER)
    for kind in KIND_NAMES:
        write_task(pack.task(CASE + kind), pack, base / (CASE + kind))
    return base


def config(folders: Path, kind: str = "") -> dict[str, Any]:
    return tomllib.loads((folders / (CASE + kind) / "task.toml").read_text())


@pytest.mark.parametrize("kind", KIND_NAMES)
def test_the_judge_has_a_container_of_its_own_and_nobody_has_a_network(
    folders: Path, kind: str
) -> None:
    told = config(folders, kind)
    assert told["verifier"]["environment_mode"] == "separate"
    assert told["verifier"]["environment"]["network_mode"] == "no-network"
    assert told["environment"]["network_mode"] == "no-network"
    assert told["agent"]["user"] == "arena"
    assert told["artifacts"] == ["/answer/repository.tar"]
    (collect,) = told["verifier"]["collect"]
    assert collect["user"] == "root"
    assert collect["command"] == (
        "tar -C /src --exclude=brook/.git -cf - brook | head -c 2147483649 > /answer/repository.tar"
    )


def test_what_a_task_is_stands_in_its_file(folders: Path) -> None:
    told = config(folders, "-repair")
    assert told["task"]["name"] == "secure-coding-arena/brook-include-repair"
    assert told["task"]["version"] == "1.0.0"
    assert told["task"]["authors"] == [{"name": "secure-coding-arena contributors"}]
    assert told["metadata"]["kind"] == "repair"
    assert told["metadata"]["cwe"] == ["CWE-416"]
    assert told["metadata"]["grader_version"] == GRADER_VERSION
    assert told["metadata"]["label_numbers"]["C&S"] == 5
    assert len(told["metadata"]["not_graded"]) == 3


@pytest.mark.parametrize(
    ("kind", "names"),
    [
        ("", {"Dockerfile", "repository.tar"}),
        ("-repair", {"Dockerfile", "repository.tar", "given", "poc"}),
        ("-reproduce", {"Dockerfile", "repository.tar"}),
        ("-end-to-end", {"Dockerfile", "repository.tar"}),
    ],
)
def test_the_agents_image_has_nothing_of_the_oracle(
    folders: Path, kind: str, names: set[str]
) -> None:
    """A repair of level 1 is given the PoC, as everywhere."""
    place = folders / (CASE + kind) / "environment"
    assert {path.name for path in place.rglob("*")} == names
    with tarfile.open(place / "repository.tar") as tar:
        assert "brook/Makefile" in tar.getnames()
    poc = (STARTER / CASE / "oracle/poc").read_bytes()
    assert poc not in (place / "repository.tar").read_bytes()


@pytest.mark.parametrize(
    ("kind", "has_fix", "has_input"),
    [
        ("", True, False),
        ("-repair", True, False),
        ("-reproduce", False, True),
        ("-end-to-end", True, True),
    ],
)
def test_the_reference_answer_is_that_of_the_kind(
    folders: Path, kind: str, has_fix: bool, has_input: bool
) -> None:
    answer = (folders / (CASE + kind) / "solution/answer.patch").read_text()
    assert ("a/src/" in answer) is has_fix
    assert ("b/reproducer" in answer) is has_input


@pytest.mark.parametrize("kind", KIND_NAMES)
def test_the_verifier_grades_the_task_that_was_exported(folders: Path, kind: str) -> None:
    carried = load_pack(folders / (CASE + kind) / "tests/pack").task(CASE + kind)
    assert carried.digest == load_pack(STARTER).task(CASE + kind).digest
    assert carried.history is not None
    assert any(carried.history.iterdir())


def test_an_image_builds_from_what_the_folder_holds(folders: Path) -> None:
    agent, verifier = (
        (folders / CASE / where / "Dockerfile").read_text() for where in ("environment", "tests")
    )
    assert f"ARG BASE={DEBIAN}\nFROM ${{BASE}}\n" in agent
    assert re.fullmatch(r"debian:bookworm-slim@sha256:[0-9a-f]{64}", DEBIAN)
    shared = agent.index("USER root")
    assert agent[:shared] == verifier[: verifier.index("USER root")]
    assert agent.rstrip().endswith("USER arena")
    assert "arena/cpp:" not in agent + verifier
    for name in re.findall(r"^COPY (\S+) ", verifier, re.MULTILINE):
        assert (folders / CASE / "tests" / name).exists()
    for name in ("harness/grade/grader.py", "tasks/loader.py", "parsers/patch.py"):
        assert (folders / CASE / "tests/lib" / name).is_file()
    assert not (folders / CASE / "tests/lib/tasks/packs").exists()


def test_a_base_image_can_be_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ARENA_BASE_IMAGE", "registry.test/debian:mine")
    pack = load_pack(STARTER)
    write_task(pack.task(CASE), pack, tmp_path / "task")
    assert (
        "ARG BASE=registry.test/debian:mine\n" in (tmp_path / "task/tests/Dockerfile").read_text()
    )


def test_every_package_of_the_grader_is_pinned() -> None:
    lines = requirements().splitlines()
    assert all(re.fullmatch(r"[A-Za-z0-9._-]+==\S+", line) for line in lines)
    names = {line.partition("==")[0] for line in lines}
    assert {"semgrep", "pydantic", "pydantic_core", "psutil", "cryptography"} <= names


def test_the_page_says_what_is_rewarded_and_what_is_not_done(folders: Path) -> None:
    page = (folders / CASE / "README.md").read_text()
    for text in ("| `neighbours` |", "| 5 | `C&S` |", "| 14 | `reproduced` |", "no namespaces"):
        assert text in page


def changed(task: Task, **environment: object) -> Task:
    there = task.spec.environment.model_copy(update=environment)
    return replace(task, spec=task.spec.model_copy(update={"environment": there}))


def test_what_cannot_be_carried_is_left_out_with_a_reason() -> None:
    task = load_pack(STARTER).task(CASE)
    assert unfit(task) == ""
    assert unfit(changed(task, scrub=("/tmp/poc",))).startswith("its image must be scrubbed")
    assert "neither one of this project's nor pinned" in lacks_image(changed(task, image="gcc:14"))
    assert "needs files beside it" in lacks_image(changed(task, image="arena/oss-fuzz"))
    assert lacks_image(changed(task, image="gcc:14@sha256:" + "0" * 64)) == ""


def test_the_manifest_names_each_task() -> None:
    pack = load_pack(STARTER)
    assert _manifest(pack, [pack.task(CASE)]) == (
        '[\n {\n  "name": "starter",\n  "version": "1.0.0",\n'
        f'  "description": "{pack.spec.description}",\n'
        '  "tasks": [\n   {\n    "name": "brook-include",\n    "path": "brook-include"\n   }\n  ]\n'
        " }\n]\n"
    )


def test_a_run_is_exported_with_its_manifest(tmp_path: Path) -> None:
    store = Store(tmp_path / "store")
    keys = [
        AttemptKey(CASE, "gold"),
        AttemptKey(CASE, "fixed"),
        AttemptKey(f"{CASE}-repair", "gold"),
    ]
    store.open_run("starter", keys, {"folder": str(STARTER)}, run="r")
    lines: list[str] = []
    lookup("arena.exchange.formats", "harbor").write(
        Source.open(store, "r"), tmp_path / "out", lines.append
    )
    assert {path.name for path in (tmp_path / "out").iterdir()} == {
        CASE,
        f"{CASE}-repair",
        "registry.json",
    }
    assert lines == [f"2 tasks in {tmp_path}/out; harbor run -p {tmp_path}/out -a oracle"]


def test_each_cause_has_one_step_that_fits_its_label() -> None:
    assert {*FAILED_STEP} == {*Cause} - {Cause.NOTHING_FOUND}
    labels = {
        "builds": {Label.NO, Label.CE},
        "tests": {Label.IC},
        "poc": {Label.CV},
        "neighbours": {Label.CV, Label.IC},
        "sast": {Label.CS},
    }
    for cause, step in FAILED_STEP.items():
        assert LABEL[cause] in labels[step], cause
    assert tuple(labels) == STEPS


def numbers(kind: TaskKind, label: object, cause: str = "", shown: str = "") -> dict[str, float]:
    evidence = {"reproduce": {"label": shown}} if shown else {}
    return rewards(Verdict(str(label), Health.OK, "", evidence, cause=cause), KINDS[kind])


def steps(*values: float) -> dict[str, float]:
    return dict(zip(("builds", "tests", "poc", "neighbours", "sast"), values, strict=True))


@pytest.mark.parametrize(
    ("label", "cause", "due"),
    [
        (Label.NO, Cause.EMPTY, {"reward": 0, **steps(0, 0, 0, 0, 0), "label": 0}),
        (Label.IC, Cause.TESTS_FAILED, {"reward": 0, **steps(1, 0, 0, 0, 0), "label": 2}),
        (Label.CV, Cause.CRASH, {"reward": 0, **steps(1, 1, 0, 0, 0), "label": 3}),
        (
            Label.CV,
            Cause.SIMILAR_INPUT_CRASHES,
            {"reward": 0, **steps(1, 1, 1, 0, 0), "label": 3},
        ),
        (Label.CS, Cause.FINDING, {"reward": 0, **steps(1, 1, 1, 1, 0), "label": 4}),
        (Label.SECURE, Cause.NOTHING_FOUND, {"reward": 1, **steps(1, 1, 1, 1, 1), "label": 5}),
    ],
)
def test_steps_count_up_to_the_first_that_fails(
    label: Label, cause: Cause, due: dict[str, float]
) -> None:
    assert numbers(TaskKind.WRITE, label, cause) == due


def test_a_patch_without_a_cause_earns_nothing() -> None:
    assert numbers(TaskKind.WRITE, Label.NO) == {"reward": 0, **steps(0, 0, 0, 0, 0), "label": 0}


def test_an_input_has_a_reward_of_its_own() -> None:
    right, crash = InputLabel.REPRODUCED, InputLabel.OTHER_CRASH
    both, alone = TaskKind.END_TO_END, TaskKind.REPRODUCE
    assert numbers(alone, right, "", right) == {"reward": 1, "input": 1, "label": 14}
    assert numbers(alone, crash, "", crash) == {"reward": 0, "input": 0, "label": 13}
    fixed = numbers(both, crash, Cause.NOTHING_FOUND, crash)
    assert fixed == {"reward": 0, "input": 0, **steps(1, 1, 1, 1, 1), "label": 13}
    whole = numbers(both, Label.SECURE, Cause.NOTHING_FOUND, right)
    assert whole == {"reward": 1, "input": 1, **steps(1, 1, 1, 1, 1), "label": 5}


def test_labels_have_numbers_that_stay() -> None:
    assert LABEL_NUMBERS == {
        "NO": 0,
        "CE": 1,
        "IC": 2,
        "CV": 3,
        "CS": 4,
        "C&S": 5,
        "no output": 10,
        "no crash": 11,
        "also after": 12,
        "other crash": 13,
        "reproduced": 14,
    }


def test_an_answer_that_harbor_lost_is_nobodys_result(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An empty one, or one that is too large, is the agent's."""
    answer = tmp_path / "answer.tar"
    monkeypatch.setattr("arena.exchange.harbor.verify.ANSWER", answer)
    with (tmp_path / "into").open("wb") as into:
        with pytest.raises(SandboxDied, match="Harbor brought no"):
            LeftTree().take_tree("/src/brook", into, 10)
        answer.write_bytes(b"")
        assert not LeftTree().take_tree("/src/brook", into, 10)
        answer.write_bytes(b"12345678901")
        assert not LeftTree().take_tree("/src/brook", into, 10)
        answer.write_bytes(b"1234567890")
        assert LeftTree().take_tree("/src/brook", into, 10)
    assert (tmp_path / "into").read_bytes() == b"1234567890"

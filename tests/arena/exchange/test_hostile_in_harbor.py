"""Hostile patches as solutions of Harbor's tasks: what is written, and which of its trials are a measure."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import typer

from arena.cli.redteam import RewardCount, command, count_rewards
from arena.exchange.harbor.hostile import harbor_command, read_rewards, write_hostile_tasks

PATCH = b"--- a/x\n+++ b/x\n\xff"
LOG = "redteam: the patch is applied\n"


def task_folder(folder: Path) -> None:
    (folder / "solution").mkdir(parents=True)
    (folder / "environment").mkdir()
    (folder / "task.toml").write_text("[task]\n")
    (folder / "solution/solve.sh").write_text("the reference\n")
    (folder / "solution/answer.patch").write_text("the reference\n")
    (folder / "environment/secret").symlink_to("/etc/passwd")


def test_a_patch_takes_the_place_of_the_solution(tmp_path: Path) -> None:
    task_folder(tmp_path / "tasks/alpha")
    patches = {"alpha__near01-far": ("alpha", PATCH), "beta__near02": ("beta", PATCH)}
    assert write_hostile_tasks(tmp_path / "tasks", patches, tmp_path / "out") == 1
    hostile = tmp_path / "out/tasks/alpha__near01-far"
    assert sorted(path.name for path in (tmp_path / "out/tasks").iterdir()) == ["alpha__near01-far"]
    assert sorted(path.name for path in (hostile / "solution").iterdir()) == [
        "hostile.patch",
        "solve.sh",
    ]
    assert (hostile / "solution/hostile.patch").read_bytes() == PATCH
    assert (hostile / "solution/solve.sh").stat().st_mode & 0o111
    assert (hostile / "environment/secret").is_symlink()
    assert (tmp_path / "tasks/alpha/solution/answer.patch").read_text() == "the reference\n"


def test_a_linked_solution_is_not_written_through(tmp_path: Path) -> None:
    task_folder(tmp_path / "tasks/alpha")
    task_folder(tmp_path / "elsewhere")
    solution = tmp_path / "tasks/alpha/solution"
    for file in solution.iterdir():
        file.unlink()
    solution.rmdir()
    solution.symlink_to(tmp_path / "elsewhere/solution")
    write_hostile_tasks(tmp_path / "tasks", {"alpha__a01": ("alpha", PATCH)}, tmp_path / "out")
    assert sorted(path.name for path in (tmp_path / "elsewhere/solution").iterdir()) == [
        "answer.patch",
        "solve.sh",
    ]


def test_no_task_for_any_patch_is_a_mistake(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="no directory of a task of Harbor"):
        write_hostile_tasks(tmp_path, {"beta__near02": ("beta", PATCH)}, tmp_path / "out")


def trial(out: Path, task: str, result: object, log: str | None = LOG) -> None:
    (out / "tasks" / task).mkdir(parents=True)
    folder = out / "jobs/redteam" / f"{task[:10]}__abc"
    (folder / "agent").mkdir(parents=True)
    (folder / "result.json").write_text(result if isinstance(result, str) else json.dumps(result))
    if log is not None:
        (folder / "agent/oracle.txt").write_text(log)


def ended(path: str, rewards: object, exception: object = None) -> dict[str, object]:
    return {
        "task_name": "secure-coding-arena/same",
        "task_id": {"path": path},
        "verifier_result": {"rewards": rewards},
        "exception_info": exception,
    }


def test_only_whole_trials_of_applied_patches_are_a_measure(tmp_path: Path) -> None:
    full = {"reward": 1.0, "builds": 1.0}
    trial(tmp_path, "a-full", ended("/x/a-full", full))
    trial(tmp_path, "b-none", ended("/x/b-none", {"reward": 0.0, "label": 5.0}))
    trial(tmp_path, "c-only", ended("/x/c-only", {"score": 0.5}))
    trial(tmp_path, "d-fault", ended("/x/d-fault", full, {"exception_type": "Timeout"}))
    trial(tmp_path, "e-cut", '{"task_id": {"path": "/x/e-cut"')
    trial(tmp_path, "f-not-applied", ended("/x/f-not-applied", full), "error: patch failed\n")
    trial(tmp_path, "g-no-log", ended("/x/g-no-log", full), None)
    trial(tmp_path, "h-text", ended("/x/h-text", {"reward": "1"}))
    trial(tmp_path, "i-which", ended("/x/i-which", {"one": 1, "two": 1}))
    trial(tmp_path, "j-list", ended("/x/j-list", [1]))
    trial(tmp_path, "k-stranger", ended("/x/of-no-task", full))
    assert read_rewards(tmp_path) == {
        "a-full": 1.0,
        "b-none": 0.0,
        "c-only": 0.5,
        **dict.fromkeys(
            (
                "d-fault",
                "e-cut",
                "f-not-applied",
                "g-no-log",
                "h-text",
                "i-which",
                "j-list",
                "k-stranger",
            )
        ),
    }


def test_rewards_are_counted_by_class() -> None:
    rewards = {
        "one__near01-far": 1.0,
        "two__near02-farther": 1.0,
        "one__near03": 0.5,
        "one__scan01": 0.0,
        "two__scan02": None,
        "two__UPPER": 0.0,
    }
    assert count_rewards(rewards, {"one__near01-far": "why"}) == {
        "other": RewardCount(1, 0, 0, 0, 1, 0),
        "near": RewardCount(3, 2, 1, 1, 0, 0),
        "scan": RewardCount(2, 0, 0, 0, 1, 1),
        "all": RewardCount(6, 2, 1, 1, 2, 1),
    }


def test_harbor_is_started_with_the_hostile_tasks_and_our_options() -> None:
    argv = harbor_command(Path("out"), ["-e", "podman"])
    assert argv == [
        *("harbor", "run", "-p", "out/tasks", "-o", "out/jobs", "--job-name", "redteam"),
        *("-a", "oracle", "-y", "-e", "podman"),
    ]


def pack_folder(folder: Path) -> str:
    """A copy of the pack `starter` with two hostile patches."""
    import shutil

    from tasks.loader import PACKS

    shutil.copytree(PACKS / "starter", folder, ignore=shutil.ignore_patterns("*.patch~"))
    for file in (folder / "redteam").glob("*.patch"):
        if not file.name.startswith("brook-references__watch"):
            file.unlink()
    return str(folder)


def test_without_harbor_the_command_says_how(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ARENA_HOME", str(tmp_path / "home"))
    monkeypatch.setattr("arena.exchange.harbor.hostile.PROGRAM", "harbor-that-is-not-there")
    pack, tasks, out = pack_folder(tmp_path / "pack"), tmp_path / "tasks", tmp_path / "out"
    task_folder(tasks / "brook-references")
    with pytest.raises(ValueError, match=r"harbor is not installed.*run -p .*/out/tasks -o "):
        command(pack, harbor=tasks, out=out)
    assert list((out / "tasks").iterdir())


def test_what_harbor_ran_elsewhere_is_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("arena.exchange.harbor.hostile.PROGRAM", "harbor-that-is-not-there")
    pack, out = pack_folder(tmp_path / "pack"), tmp_path / "out"
    trial(out, "brook-references__watch12", ended("/x/brook-references__watch12", {"reward": 0}))
    trial(out, "zeta__near01", ended("/x/zeta__near01", {"reward": 1}))
    with pytest.raises(typer.Exit) as exited:
        command(pack, harbor=tmp_path, out=out)
    assert exited.value.exit_code == 0
    assert capsys.readouterr().out == (
        "class\tpatches\tfull reward\tknown\tpart of it\treward 0\tnot measured\n"
        "near\t1\t1\t0\t0\t0\t0\n"
        "watch\t1\t0\t0\t0\t1\t0\n"
        "all\t2\t1\t0\t0\t1\t0\n"
    )


def test_options_for_harbor_need_its_tasks_and_a_folder(tmp_path: Path) -> None:
    (tmp_path / "redteam").mkdir()
    (tmp_path / "pack.toml").write_text("")
    for options in ({"harbor": tmp_path}, {"out": tmp_path}, {"harbor_options": "-q"}):
        with pytest.raises(ValueError, match="need each other"):
            command(str(tmp_path), **options)  # type: ignore[arg-type]

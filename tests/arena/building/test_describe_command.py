"""`arena tasks describe` on folders: what is written, kept, checked and said."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from arena.building.instruction.folder import find
from arena.cli.common import MISTAKE, OK, UNLABELLED, UNMET
from arena.cli.describe import DescribeSettings, describe_task
from tasks.instruction.checker import Context
from tasks.instruction.draft import draft, needs_review
from tasks.loader import PACKS, load_pack
from tests.arena.scripted import MODEL, Endpoint, asking, endpoint

pytestmark = pytest.mark.rotating(6)

__all__ = ["endpoint"]

NAME = "wirepack-nested-paths"
TASK = load_pack("starter").task(NAME)
GOLD = TASK.solution("gold")
GOOD = TASK.instruction
BAD = GOOD + "\nFound by a fuzzer.\n"
CODE = (
    GOOD + "\n    int rc = decode_fields(msg, node->field->sub, node->bytes, node->len);\n\nEnd.\n"
)
MESSAGE = "Let wp_msg_find look up paths\n\nA heap-use-after-free is not our topic.\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A task's folder without an instruction."""
    made = tmp_path / "job"
    (made / "solution").mkdir(parents=True)
    (made / "solution" / "gold.patch").write_bytes(GOLD)
    (made / "message.txt").write_text(MESSAGE)
    return made


def settings(endpoint: Endpoint | None = None, **more: Any) -> DescribeSettings:
    given: dict[str, Any] = {
        "pack": "starter",
        "only_check": False,
        "force": False,
        "attempts": 4,
        "model": MODEL if endpoint else None,
        "ask": asking(endpoint) if endpoint else None,
        "discussion": "",
        "context": Context(),
    }
    return DescribeSettings(**{**given, **more})


# a task's folder


@pytest.mark.nightly("the product end to end: its parts have tests by day")
@pytest.mark.slow
def test_a_model_writes_the_instruction(endpoint: Endpoint, folder: Path) -> None:
    endpoint.steps = [BAD, 500, CODE, GOOD]
    found = describe_task(str(folder), settings(endpoint, discussion="Thread: yes."))
    assert found.status == OK
    assert (folder / "instruction.md").read_text() == GOOD.strip() + "\n"
    row = found.to_json()
    assert row["ok"] is True
    assert row["how"] == "model"
    assert row["words"] == len(GOOD.split())
    assert row["usage"] == {"calls": 3, "prompt_tokens": 300, "completion_tokens": 30}
    assert [[fault["rule"] for fault in faults] for faults in row["attempts"]] == [
        ["fuzzing"],
        ["code"],
        [],
    ]
    assert "Thread: yes." in endpoint.asked[0]["messages"][1]["content"]
    assert MESSAGE.strip() in endpoint.asked[0]["messages"][1]["content"]
    assert sorted(p.name for p in folder.iterdir()) == ["instruction.md", "message.txt", "solution"]


@pytest.mark.nightly("the product end to end: its parts have tests by day")
@pytest.mark.slow
def test_a_text_with_faults_is_never_written(endpoint: Endpoint, folder: Path) -> None:
    endpoint.steps = [BAD, CODE]
    found = describe_task(str(folder), settings(endpoint, attempts=2))
    assert found.status == UNMET
    assert [fault.rule for fault in found.faults] == ["code"]
    assert not (folder / "instruction.md").exists()


@pytest.mark.slow
def test_a_model_that_does_not_answer_is_no_fault_of_the_task(
    endpoint: Endpoint, folder: Path
) -> None:
    endpoint.steps = [403]
    found = describe_task(str(folder), settings(endpoint))
    assert found.status == UNLABELLED
    assert found.error
    assert not (folder / "instruction.md").exists()


@pytest.mark.nightly("the product end to end: its parts have tests by day")
@pytest.mark.slow
def test_an_instruction_that_is_there_is_kept(endpoint: Endpoint, folder: Path) -> None:
    (folder / "instruction.md").write_text("By hand.")
    kept = describe_task(str(folder), settings(endpoint))
    assert (kept.how, kept.status, endpoint.asked) == ("kept", UNMET, [])
    assert (folder / "instruction.md").read_text() == "By hand."
    endpoint.steps = [GOOD]
    assert describe_task(str(folder), settings(endpoint, force=True)).how == "model"
    assert (folder / "instruction.md").read_text() == GOOD.strip() + "\n"


def test_without_a_model_a_draft_is_written(folder: Path) -> None:
    found = describe_task(str(folder), settings())
    text = (folder / "instruction.md").read_text()
    assert (found.how, found.status) == ("draft", UNMET)
    assert text == draft(MESSAGE, GOLD)
    assert needs_review(text)
    assert "review" in [fault.rule for fault in found.faults]


@pytest.mark.nightly("the product end to end: its parts have tests by day")
@pytest.mark.slow
def test_a_draft_gives_way_unless_somebody_worked_on_it(endpoint: Endpoint, folder: Path) -> None:
    describe_task(str(folder), settings())
    touched = (folder / "instruction.md").read_text() + "More.\n"
    endpoint.steps = [GOOD]
    assert describe_task(str(folder), settings(endpoint)).how == "model"
    (folder / "instruction.md").write_text(touched)
    assert describe_task(str(folder), settings(endpoint)).how == "kept"
    assert (folder / "instruction.md").read_text() == touched


@pytest.mark.slow
def test_the_message_of_a_task_comes_from_its_history(tmp_path: Path) -> None:
    assert find(NAME, "starter").message.startswith("Look up fields in nested messages by path\n\n")


def test_a_folder_that_is_no_task_is_a_mistake(tmp_path: Path, folder: Path) -> None:
    for name in (str(tmp_path), "no-such-task", "./nowhere"):
        found = describe_task(name, settings())
        assert found.status == MISTAKE
        assert found.error
    (folder / "solution" / "gold.patch").write_bytes(b"nothing")
    assert "changes nothing" in str(describe_task(str(folder), settings()).error)
    (folder / "solution" / "gold.patch").unlink()
    (folder / "solution" / "gold.patch").symlink_to("/etc/hostname")
    assert describe_task(str(folder), settings()).status == MISTAKE


# the command


RUN = """
import socket, sys, typer
from arena.cli.describe import describe

real = socket.getaddrinfo
def seen(host, *args, **more):
    print(f"LOOKUP {host}", file=sys.stderr)
    return real(host, *args, **more)

socket.getaddrinfo = seen
app = typer.Typer()
app.command()(describe)
app()
"""


def command(*args: object) -> subprocess.CompletedProcess[str]:
    """The command on its own; it tells on stderr which hosts are looked up."""
    variables = {k: v for k, v in os.environ.items() if not k.endswith("_API_KEY")}
    return subprocess.run(
        [sys.executable, "-c", RUN, *map(str, args)],
        capture_output=True,
        text=True,
        check=False,
        env=variables,
        timeout=120,
    )


@pytest.mark.slow
def test_all_instructions_of_the_starter_pack_pass_the_check() -> None:
    names = [task.id for task in load_pack("starter").tasks_of_kinds()]
    done = command(*names, "--check", "--json")
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert [row["task"] for row in rows] == names
    assert all(row["ok"] and row["how"] == "checked" and not row["faults"] for row in rows)
    assert done.returncode == OK


@pytest.mark.nightly("the product end to end: its parts have tests by day")
@pytest.mark.slow
def test_several_tasks_go_on_after_a_failure(
    endpoint: Endpoint, folder: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other"
    shutil.copytree(folder, other)
    endpoint.steps = [BAD, GOOD]
    done = command(
        folder,
        tmp_path,
        other,
        "--model",
        MODEL,
        "--api-base",
        endpoint.base,
        "--attempts",
        1,
        "--json",
    )
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert [row["ok"] for row in rows] == [False, False, True]
    assert set(rows[0]) >= {"task", "ok", "words", "faults", "model", "attempts", "usage"}
    assert rows[1]["error"]
    assert done.returncode == MISTAKE
    assert (other / "instruction.md").exists()
    assert not (folder / "instruction.md").exists()
    assert set(done.stderr.splitlines()) <= {"LOOKUP 127.0.0.1"}


def test_what_people_see_is_one_line_for_each_fact(folder: Path) -> None:
    (folder / "instruction.md").write_text("Fix the \x1b[1m crash")
    done = command(folder, "--check")
    assert done.returncode == UNMET
    assert "\x1b" not in done.stdout
    assert "BAD" in done.stdout.splitlines()[0]
    assert "speaks of a crash" in done.stdout


@pytest.mark.slow
def test_words_and_names_can_be_given(folder: Path) -> None:
    (folder / "instruction.md").write_text(f"{GOOD}\nKeep the `crash_log` as it is.\n")
    assert command(folder, "--check").returncode == UNMET
    assert command(folder, "--check", "--allow", "crash_log").returncode == OK
    assert command(folder, "--check", "--allow", "crash_log", "--most", 50).returncode == UNMET


def test_starter_folders_are_left_as_they_are() -> None:
    before = (PACKS / "starter" / NAME / "instruction.md").read_bytes()
    found = describe_task(NAME, settings())
    assert (found.how, found.status) == ("kept", OK)
    assert (PACKS / "starter" / NAME / "instruction.md").read_bytes() == before

"""`arena` alone, `arena runs`, `tasks list` and `tasks show`: what a new user reads first."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.store.model import AttemptKey
from arena.store.store import Store
from parsers.suggestions import suggest_names
from tasks.instruction.templates import wrap
from tasks.loader import load_pack
from tests.arena.conftest import Arena

LOG = """\
==1==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x602000000031 at pc 0x1 bp 0x2 sp 0x3
WRITE of size 1 at 0x602000000031 thread T0
    #0 0x55d0 in copy_name /src/x/name.c:7:3
    #1 0x55d1 in main /src/x/main.c:9:1
SUMMARY: AddressSanitizer: heap-buffer-overflow /src/x/name.c:7:3 in copy_name
"""


def test_arena_alone_says_where_one_stands_in_ten_lines(arena: Arena, tmp_path: Path) -> None:
    first = arena()
    assert first.status == 0 and len(first.out.splitlines()) <= 10
    assert "none yet" in first.out and "arena demo" in first.out and "starter" in first.out
    assert not (tmp_path / "home").exists()
    Store(tmp_path / "home").open_run("starter", [AttemptKey("a", "noop")], {}, run="r1")
    assert "r1, pack starter" in arena().out


def test_runs_are_listed_with_pack_date_and_labels(arena: Arena, tmp_path: Path) -> None:
    assert "there is none yet" in arena("report").err
    store = Store(tmp_path / "home")
    store.open_run("starter", [AttemptKey("a", "noop"), AttemptKey("b", "noop")], {}, run="r1")
    (line,) = arena("runs").out.splitlines()
    assert line.split()[0] == "r1" and {"starter", "0/2", "no", "label"} <= set(line.split())
    facts = arena("runs", "--json").json["runs"]
    assert [(one["run"], one["pack"], one["attempts"], one["labels"]) for one in facts] == [
        ("r1", "starter", 2, {})
    ]


def test_a_list_of_tasks_fits_80_columns(arena: Arena, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    lines = arena("tasks", "list", "--pack", "starter").out.splitlines()
    assert len(lines) < 20 and max(map(len, lines)) <= 80
    for id_ in ("wirepack-dictionary-frames", "lexis-default-parameters"):
        (line,) = [line for line in lines if id_ in line]
        assert "CWE-" in line and line.split()[-1] != id_
    assert any("ID-repair" in line for line in lines)


def test_a_task_is_shown_in_two_parts(arena: Arena) -> None:
    out = arena("tasks", "show", "brook-include", "--pack", "starter").out
    seen, _, oracle = out.partition("The oracle (no agent sees it)")
    assert seen.startswith("The agent sees") and "include line" in seen and "arena/cpp" in seen
    for word in ("vic", "CWE-416", "heap-use-after-free", "fuzz_load {poc}"):
        assert word in oracle and word not in seen
    assert "{'" not in out


def test_a_crash_is_printed_as_the_signature_of_a_task(arena: Arena, tmp_path: Path) -> None:
    (tmp_path / "log").write_text(LOG)
    assert arena("parse", "crash", "log").out.splitlines()[1:] == [
        "[poc.signature]",
        'kind = "heap-buffer-overflow"',
        'access = "write"',
        'frames = ["copy_name", "main"]',
    ]


def test_an_unknown_name_is_answered_by_the_close_ones() -> None:
    many = [f"task-{number}" for number in range(50)]
    assert suggest_names("tsk-7", ["task-7", "other"]) == "did you mean 'task-7'?"
    assert suggest_names("zzzzzz", many).endswith("task-11 and 38 more")
    assert suggest_names("zzzzzz", []) == "known: none"


def test_a_misspelt_task_does_not_print_all_ids(arena: Arena) -> None:
    done = arena("tasks", "show", "brook-includ", "--pack", "starter")
    assert done.status == 2 and "did you mean 'brook-include'" in done.err
    assert len(done.err) < 300


def test_a_wrong_docker_host_is_named(arena: Arena, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOCKER_HOST", "unix:///no/such/socket")
    done = arena("run", "--pack", "starter", "--agent", "gold", "--sandbox", "docker")
    assert "DOCKER_HOST is set to 'unix:///no/such/socket'" in done.err


def test_a_prompt_is_shown_as_an_agent_is_sent_it(arena: Arena) -> None:
    """To the letter: the frame, and the template and system prompt of an agent's settings."""
    task = load_pack("starter").task("brook-include")
    sent = wrap(task.instruction, "/src/brook", "reminder")
    done = arena("tasks", "show", "brook-include", "--prompt", "reminder")
    assert done.out.strip() == sent.strip()
    Path("cool.toml").write_text('system = "Careful."\ntemplate = "Read: {instruction}"\n')
    Path("mine.md").write_text("In {workdir}: {instruction} Go.")
    found = arena(
        *("tasks", "show", "brook-include", "--prompt", "mine.md"),
        *("--agent", "codex@cool.toml", "--json"),
    ).json
    assert found["system"] == "Careful."
    assert found["text"] == f"Read: In /src/brook: {task.instruction.strip()} Go."
    wrong = arena("tasks", "show", "brook-include", "--prompt", "reminde")
    assert (wrong.status, "unknown prompt 'reminde'" in wrong.err) == (2, True)

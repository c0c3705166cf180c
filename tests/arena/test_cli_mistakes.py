"""A user's mistake is one line and exit code 2, without a traceback; a fault or a bug is neither."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from arena.store.store import Store
from tests.arena.conftest import Arena

ARENA = Path(sys.executable).with_name("arena")


def predictions(path: Path, *ids: str) -> Path:
    entries = [{"instance_id": id_, "model_name_or_path": "m", "model_patch": ""} for id_ in ids]
    path.write_text(json.dumps(entries))
    return path


MISTAKES: dict[str, tuple[list[str], str]] = {
    "unknown pack": (["tasks", "list", "--pack", "nope"], "nope: no pack.toml there"),
    "pack that is a file": (["tasks", "list", "--pack", "file"], "file: no pack.toml there"),
    "pack of a long name": (["tasks", "list", "--pack", "x" * 300], "File name too long"),
    "misspelt pack": (["tasks", "list", "--pack", "startr"], "did you mean 'starter'?"),
    "report in two forms": (["report", "--json", "--csv"], "--json and --csv exclude each other"),
    "unknown task": (["tasks", "show", "nope"], "no task 'nope'; known: brook"),
    "unknown pack to check": (["tasks", "check", "nope"], "nope: no pack.toml there"),
    "unknown task to check": (["tasks", "check", "--task", "nope"], "no task 'nope'"),
    "unknown task in predictions": (
        ["grade", "unknown.json", "--pack", "starter"],
        "no task 'nope'",
    ),
    "duplicate prediction": (["grade", "twice.json", "--pack", "starter"], "duplicate prediction"),
    "no predictions": (["grade", "none.json", "--pack", "starter"], "holds no prediction"),
    "predictions missing": (["grade", "missing", "--pack", "starter"], "missing: "),
    "predictions are a folder": (["grade", ".", "--pack", "starter"], "Is a directory"),
    "unknown agent": (["run", "--pack", "starter", "--agent", "nope"], "unknown name 'nope'"),
    "agent without argument": (
        ["run", "--pack", "starter", "--agent", "gold:x"],
        "takes no argument",
    ),
    "agent without a line": (["run", "--pack", "starter", "--agent", "command:"], "command:LINE"),
    "unknown task to run": (
        ["run", "--pack", "starter", "--agent", "gold", "--task", "nope"],
        "no task 'nope'",
    ),
    "unknown run to resume": (
        ["run", "--pack", "starter", "--agent", "gold", "--resume", "nope"],
        "no run 'nope' in ",
    ),
    "no case to build": (["tasks", "build", "--out", "p"], "name cases, or give --all"),
    "cases and all": (["tasks", "build", "a", "--all", "--out", "p"], "name cases, or give --all"),
    "unknown sandbox": (
        ["run", "--pack", "starter", "--agent", "gold", "--sandbox", "nope"],
        "unknown sandbox 'nope'; known: auto, docker, local",
    ),
    "unknown scanner": (
        ["run", "--pack", "starter", "--agent", "gold", "--sast", "nope"],
        "--sast: no scanner 'nope'",
    ),
    "demo of all and of some": (["demo", "--all", "--task", "x"], "--task and --all exclude"),
    "more replicates than a sweep may have": (
        ["run", "--pack", "starter", "--agent", "gold", "-n", "9" * 30],
        "is not in the range 1<=x<=1000000",
    ),
    "demo of an unknown task": (["demo", "--task", "nope"], "no task 'nope'"),
    "unknown run": (["report", "nope"], "no run 'nope' in "),
    "no run yet": (["report"], "there is none yet; arena run, or arena demo"),
    "unknown attempt": (["show", "nope"], "no attempt starts with 'nope'"),
    "unknown format": (["parse", "tests", "--format", "nope", "file"], "unknown name 'nope'"),
    "report missing": (["parse", "tests", "--format", "tap", "missing"], "missing: No such file"),
    "report is a folder": (["parse", "tests", "--format", "tap", "."], "Is a directory"),
    "log missing": (["parse", "crash", "missing"], "missing: No such file"),
    "log is a folder": (["parse", "crash", "."], "Is a directory"),
    "nothing to compare": (["sast", "diff", "missing", "."], "missing: not found"),
    "folder and file": (["sast", "diff", ".", "file"], "two folders or two SARIF files"),
    "no sarif": (["sast", "diff", "file", "file"], "SARIF"),
    "scanner of sast": (["sast", "diff", ".", ".", "--sast", "nope"], "--sast: no scanner 'nope'"),
}


@pytest.mark.rotating(3)
@pytest.mark.slow
@pytest.mark.parametrize("case", MISTAKES)
def test_a_mistake_is_one_line_and_exit_code_2(case: str, arena: Arena, tmp_path: Path) -> None:
    args, said = MISTAKES[case]
    (tmp_path / "file").write_text("x\n")
    predictions(tmp_path / "unknown.json", "nope")
    predictions(tmp_path / "twice.json", "brook-include", "brook-include")
    predictions(tmp_path / "none.json")
    done = arena(*args)
    assert done.status == 2, done.err
    assert said in done.err
    assert done.err.startswith("arena: ")
    assert done.err.count("\n") == 1
    assert done.out == ""


@pytest.mark.slow
def test_a_mistake_needs_no_engine_to_be_seen(
    arena: Arena, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DOCKER_HOST", "unix:///nonexistent.sock")
    for args in (["--agent", "nope"], ["--agent", "gold", "--task", "nope"]):
        assert arena("run", "--pack", "starter", "--sandbox", "docker", *args).status == 2


@pytest.mark.slow
def test_a_missing_engine_is_no_mistake_of_the_users(
    arena: Arena, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DOCKER_HOST", "unix:///nonexistent.sock")
    file = predictions(tmp_path / "p.json", "brook-include")
    done = arena("grade", file, "--pack", "starter", "--sandbox", "docker")
    assert done.status == 3
    assert done.err.startswith("arena: ") and "EngineUnavailable" not in done.err
    assert "does not answer: No such file or directory" in done.err and "Error(" not in done.err
    assert done.err.count("\n") == 1


def test_hostile_text_in_a_mistake_stays_one_line(arena: Arena) -> None:
    done = arena("tasks", "list", "--pack", "a\n\x1b[31mb\r\x9bc")
    assert done.status == 2
    assert done.err.count("\n") == 1
    assert not {"\x1b", "\r", "\x9b"} & set(done.err)


@pytest.mark.slow
def test_a_store_that_is_none(arena: Arena, tmp_path: Path) -> None:
    (tmp_path / "home").write_text("")
    done = arena("report")
    assert (done.status, done.err.count("\n")) == (2, 1)
    assert "not usable as a store" in done.err


@pytest.mark.slow
def test_no_traceback_from_the_installed_command(tmp_path: Path) -> None:
    env = {**os.environ, "ARENA_HOME": str(tmp_path)}
    done = subprocess.run(
        [ARENA, "report", "nope"], capture_output=True, text=True, env=env, check=False
    )
    assert done.returncode == 2
    assert done.stderr.startswith("arena: no run 'nope'")
    assert done.stderr.count("\n") == 1


def test_a_bug_is_not_hidden_as_a_mistake(arena: Arena, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Store, "run", lambda *_: 1 // 0)
    with pytest.raises(ZeroDivisionError):
        arena("report")


@pytest.mark.slow
@pytest.mark.parametrize(
    "command",
    [
        ["report"],
        ["compare", "latest", "--by", "agent", "a", "b"],
        ["audit"],
        ["export", "latest", "--to", "csv", "--out", "x.csv"],
        ["serve"],
        ["sweep", "status"],
        ["sweep", "status", "--all"],
    ],
    ids=lambda command: " ".join(command[:3]),
)
def test_a_mistyped_store_is_told_and_not_made(
    command: list[str], arena: Arena, tmp_path: Path
) -> None:
    done = arena(*command, "--store", str(tmp_path / "typo"))
    assert (done.status, done.out) == (2, "")
    assert done.err.splitlines() == [f"arena: --store: {tmp_path}/typo: no store is there"]
    assert not (tmp_path / "typo").exists()


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (("run", "--pak", "x"), "arena: no such option: --pak"),
        (("tasks", "lst"), "arena: no such command 'lst'. Did you mean 'list'?"),
        (("sweep", "plan"), "arena: missing argument 'FILE'; see: arena sweep plan --help"),
        (("run", "--replicates", "x"), "arena: invalid value for '--replicates'"),
    ],
)
def test_a_wrong_option_is_one_line_as_every_other_mistake(
    arena: Arena, words: tuple[str, ...], line: str
) -> None:
    done = arena(*words)
    assert (done.status, done.out) == (2, "")
    assert done.err.startswith(line)
    assert len(done.err.splitlines()) == 1


def test_a_group_without_a_command_shows_its_help(arena: Arena) -> None:
    assert "Commands:" in (done := arena("tasks")).err + done.out
    assert done.status == 2


@pytest.mark.parametrize(
    "words",
    [
        ("run", "--pack", "starter", "--agent", "glod"),
        ("report", "--store", "nowhere"),
        ("run", "--pak", "x"),
    ],
)
def test_a_misspelt_word_is_told_before_the_slow_imports(
    tmp_path: Path, words: tuple[str, ...]
) -> None:
    """Each of these libraries takes half a second of a processor or more."""
    code = (
        "import sys; from arena.cli.main import main\n"
        "try: main()\n"
        "except SystemExit as ended: print(ended.code, *sorted(sys.modules))"
    )
    command = [sys.executable, "-c", code, *words]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    status, *modules = done.stdout.split()
    assert status == "2"
    assert not {"sqlalchemy", "aiohttp", "docker"} & {*modules}

"""The command line's contracts: a quick start, the shapes of the JSON, and exit codes."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from arena.store.store import AttemptKey, Store, attempt_id
from harness.grade.verdict import Label
from harness.sandbox.base import Backend
from tests.arena.conftest import Arena, finish

ARENA = Path(sys.executable).with_name("arena")
HEAVY = (
    "docker",
    "sqlalchemy",
    "pydantic",
    "semgrep",
    "rich.progress",
    "jinja2",
    "tenacity",
    "requests",
    "numpy",
    "scipy",
)


# the start


@pytest.mark.slow
def test_help_is_quick() -> None:
    """Processor time, not wall time: the machine may be busy. The aim is 300 ms on a free one."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([ARENA, "--help"], capture_output=True, text=True, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert done.returncode == 0
    for name in (
        "demo",
        "doctor",
        "tasks",
        "run",
        "grade",
        "show",
        "report",
        "clean",
        "parse",
        "sast",
    ):
        assert f"\n  {name} " in done.stdout
    assert (after.ru_utime - before.ru_utime) + (after.ru_stime - before.ru_stime) < 1


@pytest.mark.slow
def test_the_start_imports_nothing_heavy() -> None:
    code = (
        "import sys; from arena.cli.main import build_commands\n"
        "assert all(build_commands().commands.values())\n"
        f"print([m for m in {HEAVY!r} if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


# contracts of the JSON


@pytest.mark.slow
def test_tasks_list(arena: Arena) -> None:
    found = arena("tasks", "list", "--pack", "starter", "--json").json
    assert found["pack"] == "starter"
    facts = {
        "task",
        "title",
        "language",
        "cwe",
        "repository",
        "image",
        "parser",
        "sanitizer",
        "kind",
    }
    assert len(found["tasks"]) >= 10
    assert all(row.keys() == facts for row in found["tasks"])


@pytest.mark.slow
def test_tasks_show(arena: Arena) -> None:
    found = arena("tasks", "show", "brook-include", "--pack", "starter", "--json").json
    assert found["task"] == "brook-include"
    assert found["spec"]["schema"] == 1
    assert found["instruction"].startswith("Add an include line")
    assert found["oracle"]["neighbours"] == {"crashing": 32, "harmless": 32}
    assert found["oracle"]["other_values"] == {"words": 166, "files": 13, "failing": 3}
    assert 'repository = "brook"' in arena("tasks", "show", "brook-include").out


@pytest.mark.slow
def test_parse_tests(arena: Arena, tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_text(
        "1..4\nok 1 - one\nnot ok 2 - two\nok 3 - three # SKIP no\nnot ok 4 - four # TODO\n"
    )
    for format_ in ("tap", "auto"):
        done = arena("parse", "tests", "--format", format_, path, "--json")
        assert (done.status, sorted(done.json.values())) == (
            0,
            ["failed", "passed", "skipped", "xfailed"],
        )
    path.write_text("1..3\nok 1 - one\n")
    cut = arena("parse", "tests", "--format", "tap", path)
    assert cut.status == 1
    assert cut.err
    path.write_text("")
    nothing = arena("parse", "tests", "--format", "tap", path, "--json")
    assert (nothing.status, nothing.json) == (1, {}), "an incomplete report, as without --json"


CRASH = """==7==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x602000000011 at pc 0x1 bp 0x2 sp 0x3
READ of size 4 at 0x602000000011 thread T0
    #0 0x4a in take /src/x/a.c:10:3
    #1 0x4b in main /src/x/main.c:5:1
SUMMARY: AddressSanitizer: heap-buffer-overflow /src/x/a.c:10:3 in take
"""


@pytest.mark.slow
def test_parse_crash(arena: Arena, tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_text(CRASH)
    found = arena("parse", "crash", path, "--json").json
    assert found.keys() == {"kind", "access", "size", "frames", "sanitizer", "cwe"}
    assert (found["kind"], found["access"], found["size"]) == ("heap-buffer-overflow", "read", 4)
    assert found["frames"][:2] == ["take", "main"]
    path.write_text("all is well\n")
    assert arena("parse", "crash", path, "--json").out == "null\n"


def test_a_report_that_is_not_read_whole_is_no_success(arena: Arena, tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_text(CRASH[: CRASH.index("    #1")])
    cut = arena("parse", "crash", path, "--json")
    assert (cut.json["kind"], cut.json["frames"]) == ("heap-buffer-overflow", ["take"])
    assert (cut.status, bool(cut.err)) == (1, True)
    path.write_text(CRASH[: CRASH.index("\n") + 1])
    alone = arena("parse", "crash", path, "--json")
    assert (alone.json["frames"], alone.status) == ([], 1)
    path.write_bytes(CRASH.encode("utf-16"))
    assert arena("parse", "crash", path, "--json").json["frames"][:2] == ["take", "main"]


@pytest.mark.parametrize("before", [0, 150, 299])
def test_a_crash_is_read_wherever_it_stands_in_a_large_log(
    arena: Arena, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, before: int
) -> None:
    monkeypatch.setattr("arena.cli.parse.READ_LIMIT", 2000)
    noise = "a.c:1:2: runtime error: division by zero\n"
    path = tmp_path / "log"
    path.write_text(noise * before + CRASH + noise * (300 - before))
    assert arena("parse", "crash", path, "--json").json["frames"][:2] == ["take", "main"]


def sarif(path: Path, *messages: str) -> Path:
    """A SARIF log with one result a message, each in a file of its own."""
    results = [
        {
            "ruleId": "r",
            "message": {"text": text},
            "locations": [
                {
                    "physicalLocation": {
                        "artifactLocation": {"uri": f"{n}.c"},
                        "region": {"startLine": 3},
                    }
                }
            ],
        }
        for n, text in enumerate(messages)
    ]
    run = {"tool": {"driver": {"name": "tool"}}, "results": results}
    path.write_text(json.dumps({"version": "2.1.0", "runs": [run]}))
    return path


@pytest.mark.slow
def test_sast_diff_of_two_sarif_logs(arena: Arena, tmp_path: Path) -> None:
    before, after = (
        sarif(tmp_path / "before", "old"),
        sarif(tmp_path / "after", "old", "new\x1b[31m\nx"),
    )
    (found,) = arena("sast", "diff", before, after, "--json").json
    assert found["rule"] == "r"
    assert (found["path"], found["line"]) == ("1.c", 3)
    assert arena("sast", "diff", after, before, "--json").json == []
    shown = arena("sast", "diff", before, after).out
    assert shown.count("\n") == 1
    assert "\x1b" not in shown


@pytest.mark.slow
def test_sast_diff_of_two_folders(arena: Arena, tmp_path: Path) -> None:
    for name, body in (("before", "puts(n);"), ("after", "char b[8]; strcpy(b, n); puts(b);")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.c").write_text(
            f"#include <stdio.h>\n#include <string.h>\nvoid f(const char *n)\n{{ {body} }}\n"
        )
    found = arena("sast", "diff", tmp_path / "before", tmp_path / "after", "--json").json
    assert {finding["path"] for finding in found} == {"a.c"}
    assert any("copy" in finding["rule"] for finding in found)
    assert found[0].keys() >= {"rule", "path", "line", "message"}


def stored_run() -> tuple[Store, str, str]:
    """A run of two attempts, one of which has ended, in the store that the command will open."""
    store = Store()
    keys = [AttemptKey("brook-include", agent) for agent in ("=cmd()", "noop")]
    run = store.open_run("starter", keys, {})
    log = store.keep(b"\x1b[31mcc -c\x07 a.c")
    finish(
        store, attempt_id(run, keys[0]), Label.CV, reason="crash \x1b[31m", patch=b"diff \x1b[2J\n",
        evidence={"build": {"status": 0, "log": log}},
    )  # fmt: skip
    return store, run, attempt_id(run, keys[0])


@pytest.mark.slow
def test_report_in_each_form(arena: Arena, tmp_path: Path) -> None:
    _, run, _ = stored_run()
    found = arena("report", run, "--json").json
    assert found.keys() == {
        "run",
        "pack",
        "track",
        "all",
        "agents",
        "metrics",
        "tables",
        "leaderboard",
        "unlabelled",
        "withdrawn",
        "warnings",
        "provenance",
        "attempts",
    }
    part = found["all"]["labels"]["CV"]
    assert part == {
        "count": 1,
        "n": 1,
        "rate": 1.0,
        "low": 0.5,
        "high": 1.0,
        "interval": part["interval"],
    }
    assert part["interval"][0] == pytest.approx(0.2065, abs=1e-4)
    assert [row["health"] for row in found["attempts"]] == ["ok", ""]
    lines = arena("report", "latest", "--csv").out.splitlines()
    assert lines[0].startswith("run,attempt,task,agent,")
    assert "'=cmd()" in lines[1]
    page = Path(arena("report", "--html", "page.html").out.strip())
    assert page == Path("page.html")
    assert "script-src 'sha256-" in page.read_text("utf-8")
    plain = arena("report")
    assert "CV" in plain.out
    assert "\x1b" not in plain.out + plain.err


@pytest.mark.slow
def test_show(arena: Arena) -> None:
    _, run, attempt = stored_run()
    found = arena("show", attempt[:6], "--json").json
    assert (found["attempt"], found["run"], found["label"]) == (attempt, run, "CV")
    assert "\x1b" not in arena("show", attempt).out
    assert arena("show", attempt, "--print", "patch").out == "diff \N{REPLACEMENT CHARACTER}[2J\n\n"
    build = arena("show", attempt, "--print", "build").out
    assert "cc -c" in build
    assert not {"\x1b", "\x07"} & set(build)


@pytest.mark.slow
def test_show_says_where_to_look_when_a_log_is_empty(arena: Arena) -> None:
    store = Store()
    key = AttemptKey("brook-include", "gold")
    run = store.open_run("starter", [key], {})
    empty, report = store.keep(b"\n"), store.keep(b"ERROR: AddressSanitizer")
    finish(
        store, attempt_id(run, key), Label.CV, evidence={"poc": {"log": empty, "report": report}}
    )  # fmt: skip
    shown = arena("show", attempt_id(run, key), "--print", "poc")
    assert shown.err == "poc is empty; the sanitizer's report: --print poc.report\n"
    assert "AddressSanitizer" in arena("show", attempt_id(run, key), "--print", "poc.report").out


@pytest.mark.slow
def test_what_only_reads_takes_a_store_by_name(
    arena: Arena, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, run, attempt = stored_run()
    monkeypatch.setenv("ARENA_STORE", str(tmp_path / "another"))
    for command in (("show", attempt), ("attempts", run), ("report", run)):
        assert arena(*command, "--store", str(store.folder)).status == 0
        missing = arena(*command, "--store", str(tmp_path / "none"))
        assert missing.status != 0 and "no store is there" in missing.err
        assert arena(*command).status != 0, "it is in the other store only"


# with an engine


@pytest.mark.docker
def test_grade_of_patches_that_need_no_build(arena: Arena, tmp_path: Path, docker: Backend) -> None:
    path = tmp_path / "predictions.jsonl"
    entries = [("brook-include", "m", ""), ("brook-include", "\x1b[31mn\nx", "no diff\n")]
    names = ("instance_id", "model_name_or_path", "model_patch")
    path.write_text("".join(json.dumps(dict(zip(names, e, strict=True))) + "\n" for e in entries))
    done = arena("grade", path, "--pack", "starter", "--sandbox", "docker", "--json")
    assert done.status == 0
    assert done.json.keys() == {"run", "attempts", "metrics"}
    found = {row["model"]: row for row in done.json["attempts"]}
    for name, label in zip(("m", "\x1b[31mn\nx"), ("NO", "CE"), strict=True):
        assert found[name].keys() >= {"task", "label", "health", "reason", "details"}
        assert (found[name]["label"], found[name]["health"]) == (label, "ok")
    assert done.json["metrics"]["labels"]["CE"]["count"] == 1
    shown = arena("grade", path, "--pack", "starter", "--sandbox", "docker").out
    assert shown.count("\n") == 2
    assert "\x1b" not in shown


@pytest.mark.docker
def test_run_of_an_agent_that_does_nothing(arena: Arena, docker: Backend) -> None:
    args = [
        "run",
        "--pack",
        "starter",
        "--agent",
        "noop",
        "--replicates",
        "2",
        "--sandbox",
        "docker",
    ]
    tasks = ["--task", "brook-include", "--task", "tarn-index-lookup"]
    done = arena(*args, *tasks, "--json")
    assert done.status == 0
    assert done.json.keys() == {"run", "attempts"}
    assert len(done.json["attempts"]) == 4
    for row in done.json["attempts"]:
        assert row.keys() >= {"task", "agent", "label", "health", "ended", "usage"}
        assert (row["label"], row["health"]) == ("NO", "ok")
    again = arena(*args, *tasks, "--resume", "latest", "--json").json
    assert again == done.json


@pytest.mark.slow
def test_predictions_for_other_packs_are_named_and_left_out(arena: Arena, tmp_path: Path) -> None:
    path = tmp_path / "predictions.json"
    entry = {"model_name_or_path": "m", "model_patch": None}
    ids = ["brook-include", *(f"elsewhere-{n}" for n in range(25))]
    path.write_text(json.dumps([{"instance_id": name, **entry} for name in ids]))
    done = arena("grade", path, "--pack", "starter", "--json")
    assert [attempt["label"] for attempt in done.json["attempts"]] == ["NO"]
    assert "25 ids are no tasks of starter: left out: 'elsewhere-0', " in done.err
    assert "'elsewhere-4', ..." in done.err and "elsewhere-5" not in done.err
    tasks = len(arena("tasks", "list", "--pack", "starter", "--json").json["tasks"])
    assert f"{tasks - 1} of {tasks} tasks have no answer and are not in the run: " in done.err

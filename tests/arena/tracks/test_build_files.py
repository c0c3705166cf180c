"""`arena tasks check` warns of build files that are the patch's to write."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from arena.protocols import Checked
from arena.tracks.repo import check, track
from arena.tracks.repo.check import check_task
from harness.grade.build_files import build_files, kind_of
from harness.grade.grader import Grader
from tasks.loader import load_pack
from tests.arena.conftest import Arena
from tests.mini import BASE, MAKEFILE, VFC, VIC, Mini

FILES = {
    "Makefile": b"include rules/common.inc extra.mk\n-include deps.d\n",
    "rules/common.inc": b"include more.inc\n",
    "rules/more.inc": b"",
    "extra.mk": b"",
    "CMakeLists.txt": b'INCLUDE(cmake/flags)\ninclude( "cmake/flags.txt" )\n',
    "cmake/flags.txt": b"",
    "src/meson.build": b"",
    "src/BUILD": b"",
    "m4/own.m4": b"",
    "configure.ac": b"m4_include([version.inc])\n",
    "version.inc": b"",
    "src/x.c": b'#include "more.inc"\n',
    "README": b"include me\n",
}


def test_build_files_and_what_they_include() -> None:
    found = build_files(FILES.keys(), lambda paths: {path: FILES[path] for path in paths})
    assert FILES.keys() - found.keys() == {"src/x.c", "README"}
    assert (found["rules/more.inc"].name, found["cmake/flags.txt"].name) == ("make", "cmake")
    assert (found["version.inc"].name, found["src/BUILD"].name) == ("autotools", "bazel")


@pytest.mark.parametrize(
    "name",
    [
        *("Makefile.am", "a/Makefile", "a.mk", "x.cmake", "meson_options.txt", "configure.ac"),
        *("autogen.sh", "build.ninja", "SConstruct", "BUILD.bazel", "wscript", "a.pro", "a.gn"),
    ],
)
def test_a_build_file_is_told_by_its_name(name: str) -> None:
    assert kind_of(name) is not None


@pytest.fixture(scope="module")
def free(tmp_path_factory: pytest.TempPathFactory) -> Mini:
    """The tiny task, of which gold adds a build file beside one that was there."""
    more = {"Makefile": MAKEFILE + "\n-include src/flags.mk\n", "src/flags.mk": "X = 1\n"}
    steps = [{**step, **more} for step in (BASE, VIC, VFC)]
    steps[1] = {**steps[1], "src/own.mk": "Y = 1\n"}
    steps[2] = {**steps[2], "src/own.mk": "Y = 1\n"}
    return Mini(tmp_path_factory.mktemp("free"), steps)


def test_what_a_task_does_not_protect_is_warned_of(
    grader: Grader, free: Mini, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(check, "CHECKS", ())
    found = check_task(grader, load_pack(free.folder).tasks[0])
    assert [where for where, _ in found.warnings][:2] == ["src/flags.mk", "src/own.mk"]
    others = [message for where, message in found.warnings if where == "poc.variants"]
    assert any(message.startswith("no program of the project is attacked") for message in others)
    assert found.ok and "tests.files" in found.warnings[0][1]


@pytest.mark.slow
def test_a_warning_is_told_and_fails_nothing(arena: Arena, monkeypatch: pytest.MonkeyPatch) -> None:
    warned = Checked("t", (), warnings=(("x.mk", "free\nand more"),))
    monkeypatch.setattr(track, "check_tasks", lambda *_: iter([warned]))
    done = arena("tasks", "check", "starter")
    assert (done.status, done.out) == (0, "ok  t\n      warning: x.mk: free and more\n")
    told = json.loads(arena("tasks", "check", "starter", "--json").out)
    assert told["ok"] and told["warnings"] == [{"where": "x.mk", "message": "free\nand more"}]


@pytest.mark.nightly
def test_the_starter_pack_s_own(grader: Grader, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(check, "CHECKS", ())
    due = {
        "lexis": ["src/meson.build"],
        "tarn": ["src/Makefile.am"],
        "wirepack": ["task.toml: tests.parser", "task.toml: poc.tests.parser"],
    }
    for task in load_pack(Path("tasks/packs/starter")).tasks:
        warnings = check_task(grader, task).warnings
        found = [where for where, _ in warnings if where != "poc.variants"]
        assert found == due.get(task.id.partition("-")[0], []), task.id

"""`arena agents`: which agents there are, and what is said when a toolbox cannot be had."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner, Result

from arena.cli import agents
from harness.agents import CALIBRATION
from harness.agents._program import AgentProgram
from harness.agents.declared import load
from harness.toolbox import Toolbox, ToolboxError, Toolboxes
from harness.toolbox.recipe import Python, Source
from parsers.registry import UnknownName
from tests.arena.conftest import Arena
from tests.harness.toolbox.conftest import Place, place
from tests.harness.toolbox.programs import Tiny
from tests.mini import Mini

__all__ = ["place"]

ALL = {
    "gold": None,
    "tiny": Tiny("tiny", "1.0", ("x==1.0",)),
    "tree": Tiny(
        "tree", "2.0", recipe=Python((), source=Source("DIR of the release", "v2", "tree", ("x",)))
    ),
}
Run = Callable[..., Result]
MUTE = """
name = "mute"
version = "1"
wire = "chat"
command = ["/bin/sh", "-c", "for n in $(seq 39); do echo line $n; done; echo no git here; exit 7"]
environment = { A = "{token}" }
"""


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """The command with three agents, and a folder of toolboxes of the test's own."""
    monkeypatch.setenv("ARENA_TOOLBOXES", str(tmp_path / "home/toolboxes"))
    monkeypatch.setattr(agents, "programs", lambda: ALL)

    def invoke(*args: object) -> Result:
        return CliRunner().invoke(agents.app, [str(arg) for arg in args])

    return invoke


def rows(run: Run) -> dict[str, Any]:
    return {row["name"]: row for row in json.loads(run("list", "--json").stdout)["agents"]}


def pretend(made: Mapping[str, Toolbox]) -> Callable[..., Toolbox]:
    def install(boxes: Toolboxes, program: AgentProgram, *_: object) -> Toolbox:
        if program.name not in made:
            raise ToolboxError(f"{program.name}: no Python 3.12 on this machine")
        return made[program.name]

    return install


def test_list_tells_name_version_installed_where(run: Run) -> None:
    found = rows(run)
    assert found["gold"].items() >= {"installed": True, "where": "", "version": ""}.items()
    assert found["tiny"].items() >= {"installed": False, "where": "", "version": "1.0"}.items()
    assert found["tiny"]["state"] == "not installed"


def test_list_names_a_toolbox_that_is_half_installed(run: Run, tmp_path: Path) -> None:
    path = Toolboxes(tmp_path / "home/toolboxes")._path(ALL["tiny"] or Tiny())
    path.mkdir(parents=True)
    row = rows(run)["tiny"]
    assert (row["installed"], row["state"], row["where"]) == (False, "half installed", str(path))
    assert "half installed" in run("list").stdout


def test_list_names_toolboxes_of_other_versions(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "home/toolboxes/tiny-0.9-0123456789ab"
    path.mkdir(parents=True)
    listed = json.loads(run("list", "--json").stdout)["agents"]
    assert [row["where"] for row in listed if row["version"] == "0.9"] == [str(path)]


def test_list_for_people_shows_no_control_characters(run: Run, tmp_path: Path) -> None:
    (tmp_path / "home/toolboxes/ti\x1b[31mny-0.9-0123456789ab").mkdir(parents=True)
    assert "\x1b" not in run("list").stdout


def test_every_agent_of_the_arena_is_listed() -> None:
    found = agents.programs()
    assert set(CALIBRATION) <= found.keys()
    assert all(found[name] is None for name in CALIBRATION)
    assert all(name == program.name for name, program in found.items() if program is not None)


def test_one_that_cannot_be_installed_does_not_hold_up_the_others(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = {"tiny": Toolbox(tmp_path, "tiny", "1.0", facts={"size": 3_000_000})}
    monkeypatch.setattr(Toolboxes, "install", pretend(made))
    done = run("install", "tree", "tiny")
    assert done.exit_code == 1
    assert done.stdout == f"tiny 1.0 3 MB {tmp_path}\n"
    assert done.stderr == "arena: tree: no Python 3.12 on this machine\n"
    assert run("install", "tiny").exit_code == 0


@pytest.mark.parametrize(
    ("args", "kind", "message"),
    [
        (("install", "nobody"), UnknownName, "unknown agent 'nobody'; known: gold, tiny, tree"),
        (("check", "nobody"), UnknownName, "unknown agent"),
        (("install", "gold"), ValueError, "'gold' is part of the arena and needs no toolbox"),
        (("install", "tree"), ValueError, "tree: is installed from a source tree: --source DIR"),
        (("install", "tiny", "--source", "."), ValueError, "tiny: .* not from --source"),
        (("install", "a", "b", "--source", "."), ValueError, "--source is of one agent"),
    ],
)
def test_mistakes_are_one_line(run: Run, args: tuple[str, ...], kind: type, message: str) -> None:
    done = run(*args)
    assert type(done.exception) is kind
    with pytest.raises(kind, match=message) as caught:
        raise done.exception or AssertionError
    assert "\n" not in str(caught.value)


def test_check_and_remove_of_what_is_not_there(run: Run) -> None:
    done = run("check", "tiny")
    assert (done.exit_code, done.stdout) == (
        1,
        "BAD tiny 1.0\n      tiny 1.0 is not installed\n",
    )
    done = run("remove", "tiny")
    assert done.exit_code == 1
    assert "tiny has no toolbox in" in done.stderr


def test_remove_removes(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "elsewhere/tiny-0.9-0123456789ab"
    path.mkdir(parents=True)
    done = run("remove", "tiny", "--toolboxes", path.parent)
    assert (done.exit_code, done.stdout) == (0, f"removed {path}\n")
    assert not path.exists()


def test_its_group_can_be_registered() -> None:
    app = typer.Typer()
    app.add_typer(agents.app, name="agents")
    done = CliRunner().invoke(app, ["agents", "--help"])
    assert all(word in done.stdout for word in ("list", "install", "check", "remove"))


@pytest.mark.docker
def test_an_agent_that_is_not_installed_is_not_tried(
    arena: Arena, docker: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ARENA_TOOLBOXES", str(tmp_path / "toolboxes"))
    done = arena("agents", "try", "codex", "--sandbox", "docker")
    assert done.status == 2
    assert "agent 'codex' is not installed: arena agents install codex" in done.err


@pytest.mark.nightly("the product end to end: its parts have tests by day")
@pytest.mark.docker
def test_an_agent_that_never_asks_is_told_with_what_it_printed(
    arena: Arena,
    docker: object,
    mini: Mini,
    place: Place,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Its program ends at once, as one with a broken toolbox does; `run`, `show` and `try` say what it said."""
    monkeypatch.setenv("ARENA_TOOLBOXES", str(place.boxes.folder))
    file = tmp_path / "mute.toml"
    file.write_text(MUTE)
    place.boxes.install(load(file))
    name = f"declared:{file}"
    options = ("--pack", mini.folder, "--sandbox", "docker")
    tried = arena("agents", "try", name, *options)
    assert tried.status == 3
    assert "mute crashed (status 7) before it asked" in tried.err.replace(name, "mute")
    assert "\nline 39\n" in tried.err and "line 19" not in tried.err
    ran = arena("run", "--agent", name, "--model", "script:hello", "--json", *options)
    (made,) = json.loads(ran.out)["attempts"]
    assert (ran.status, made["health"]) == (3, "infra")
    shown = arena("show", made["attempt"]).out
    assert "line 39\n" in shown
    said = "before it asked its model anything: no git here"
    assert "".join(said.split()) in "".join(shown.split())  # where a long path breaks the lines

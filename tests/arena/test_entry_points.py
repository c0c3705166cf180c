"""What an installed distribution adds by entry points; the distribution is that of docs/extending.md."""

from __future__ import annotations

import re
import shutil
import sys
import tomllib
from pathlib import Path

import pytest

from arena.protocols import Setup
from arena.store.store import AttemptKey, Store
from arena.tracks.opening import open_track
from arena.vocabulary import tracks, vocabulary
from harness.agents._make import make_agent
from harness.grade.ports import MemoryCache
from harness.protocols import Budget, Ended, Job, Workspace
from parsers import registry
from tasks.loader import load_pack
from tests.arena.conftest import Arena, finish

ROOT = Path(__file__).parents[2]
STARTER = ROOT / "tasks/packs/starter"
BLOCK = re.compile(r"^```(toml|python)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
TRACK_BLOCK = re.compile(r"^```py\n(.*?)^```$", re.MULTILINE | re.DOTALL)
TEXT = (ROOT / "docs/extending.md").read_text("utf-8")
SHOWN = dict(BLOCK.findall(TEXT))
GROUPS = tomllib.loads(SHOWN["toml"])["project"]["entry-points"]


def install(site: Path, name: str, groups: dict[str, dict[str, str]]) -> None:
    """What pip leaves of a distribution."""
    info = site / f"{name}-1.5.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.5\n")
    lines = [
        line
        for group, entries in groups.items()
        for line in (f"[{group}]", *(f"{key} = {value}" for key, value in entries.items()))
    ]
    (info / "entry_points.txt").write_text("\n".join(lines))


SWEEP = """\
pack = "exposure"
[matrix]
agents = ["safe"]
[filter]
tasks = ["cwe-22-0"]
[engine]
name = "{}"
"""
STUDY = 'HELP = "Count to three."\n\ndef command() -> None:\n    print("1 2 3")\n'
DOCTOR = """\
from arena.doctor.finding import Diagnosis

PROBES = (lambda: Diagnosis("toys", True, "all here", ""),)
"""


@pytest.fixture
def toy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The distribution of the document, importable."""
    site = tmp_path / "site"
    install(site, "toy-arena", GROUPS)
    (site / "toy_arena.py").write_text(SHOWN["python"], "utf-8")
    (site / "toy_track/studies").mkdir(parents=True)
    for name, text in zip(("labels", "track"), TRACK_BLOCK.findall(TEXT), strict=True):
        (site / f"toy_track/{name}.py").write_text(text, "utf-8")
    (site / "toy_track/studies/toy_count.py").write_text(STUDY)
    (site / "toy_track/doctor.py").write_text(DOCTOR)
    pack = site / "toy_pack"
    shutil.copytree(STARTER / "brook-include", pack / "brook-include")
    (pack / "repositories").symlink_to(STARTER / "repositories")
    shutil.copy(STARTER / "pack.toml", pack)
    monkeypatch.syspath_prepend(site)
    for name in [
        name for name in sys.modules if name.partition(".")[0] in {"toy_arena", "toy_track"}
    ]:
        monkeypatch.delitem(sys.modules, name)
    return site


def test_the_document_shows_one_of_each_group() -> None:
    assert set(GROUPS) == set(registry.GROUPS.values())


class Place:
    """All that the toy asks of a workspace."""

    def exec(self, command: str, seconds: float) -> None:
        assert command == "echo toy > TOY"

    def patch(self) -> bytes:
        return b"a patch"


@pytest.mark.slow
def test_an_agent(toy: Path, arena: Arena) -> None:
    task = load_pack("starter").task("brook-include")
    agent = make_agent("toy", task)
    workspace: Workspace = Place()  # type: ignore[assignment]
    solution = agent.solve(Job(workspace, "", Budget()))
    assert (solution.patch, solution.ended) == (b"a patch", Ended.FINISHED)
    with pytest.raises(ValueError, match="agent 'toy' takes no argument"):
        make_agent("toy:x", task)
    assert "toy" in [agent["name"] for agent in arena("agents", "list", "--json").json["agents"]]


@pytest.mark.slow
def test_a_form_of_export(toy: Path, arena: Arena, tmp_path: Path) -> None:
    store = Store(tmp_path / "home")
    run = store.open_run("starter", [AttemptKey("brook-include", "gold")], {})
    finish(store, store.attempts(run)[0].id)
    assert arena("export", "latest", "--to", "lines", "--out", "lines.txt").status == 0
    assert (tmp_path / "lines.txt").read_text() == "brook-include gold CV\n"


def test_a_scanner(toy: Path, arena: Arena, tmp_path: Path) -> None:
    for name, text in (("before", "int a;\n"), ("after", "int a; // TODO\n")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.c").write_text(text)
    done = arena("sast", "diff", "before", "after", "--sast", "todo")
    assert done.status == 0 and "a.c" in done.out and "todo" in done.out


@pytest.mark.slow
@pytest.mark.parametrize("format_", ["dots", "auto"])
def test_a_test_report_format(toy: Path, arena: Arena, tmp_path: Path, format_: str) -> None:
    (tmp_path / "report").write_text("dots: .F\n")
    done = arena("parse", "tests", "report", "--format", format_, "--json")
    assert done.json == {"0": "passed", "1": "failed"}


@pytest.mark.slow
def test_a_pack(toy: Path, arena: Arena) -> None:
    assert load_pack("toys").folder == toy / "toy_pack"
    assert arena("tasks", "show", "brook-include", "--pack", "toys").status == 0
    done = arena("tasks", "list", "--pack", "nope")
    assert done.err.rstrip().endswith("starter; of installed packages: toys")


def test_an_engine(toy: Path, arena: Arena, tmp_path: Path) -> None:
    (tmp_path / "sweep.toml").write_text(SWEEP.format("here"))
    done = arena("sweep", "run", "sweep.toml")
    assert done.status == 0, done.err
    assert "safe" in arena("report", "latest").out


def test_a_track(toy: Path, arena: Arena, tmp_path: Path) -> None:
    assert tracks() == ["dual", "exposure", "mutation", "repo", "toy"]
    assert vocabulary("toy").labels == vocabulary("repo").labels
    track = open_track(Setup("toy", "toys"), MemoryCache())
    assert [facts.task for facts in track.describe(())] == ["brook-include"]
    assert arena("study", "toy-count").out == "1 2 3\n"
    assert "toys" in [one["what"] for one in arena("doctor", "--json").json]


def test_a_track_without_its_files_is_told(
    arena: Arena, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "bare_track").mkdir()
    (tmp_path / "bare_track/__init__.py").touch()
    install(tmp_path, "bare-dist", {"arena.tracks": {"bare": "bare_track"}})
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(registry.UnknownName, match=r"track 'bare' lacks bare_track\.track"):
        open_track(Setup("bare", "starter"), MemoryCache())


USED = {
    "arena.engines": ("sweep", "run", "sweep.toml"),
    "arena.tracks": ("study", "baseline"),
    "arena.agents": ("run", "--pack", "starter", "--agent", "bad"),
    "arena.reports": ("export", "latest", "--to", "bad", "--out", "out"),
    "arena.scanners": ("sast", "diff", ".", ".", "--sast", "bad"),
    "arena.formats": ("parse", "tests", "file", "--format", "bad"),
    "arena.packs": ("tasks", "list", "--pack", "bad"),
}


@pytest.mark.slow
@pytest.mark.parametrize("group", USED)
def test_a_broken_entry_point_is_one_line_that_names_the_distribution(
    group: str, arena: Arena, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(tmp_path / "site", "broken-dist", {group: {"bad": "no_such_module_at_all:X"}})
    monkeypatch.syspath_prepend(tmp_path / "site")
    (tmp_path / "file").write_text("x")
    (tmp_path / "sweep.toml").write_text(SWEEP.format("bad"))
    done = arena(*USED[group])
    assert (done.status, done.out) == (2, "")
    (line,) = done.err.splitlines()
    assert "'bad' of the installed package broken-dist 1.5" in line
    assert "No module named 'no_such_module_at_all'" in line


@pytest.mark.slow
@pytest.mark.parametrize(
    ("group", "value", "lacks"),
    [
        ("arena.agents", "json:JSONDecoder", "is no class below harness.protocols.Agent"),
        ("arena.reports", "json:JSONDecoder", "lacks write"),
        ("arena.scanners", "json:JSONDecoder", "lacks wants, scan"),
        ("arena.formats", "json:JSONDecoder", "lacks detect, parse"),
        ("arena.packs", "json", "no pack.toml there"),
        ("arena.engines", "json:JSONDecoder", "lacks expect, open, submit, events, close"),
        ("arena.tracks", "json:JSONDecoder", "lacks __path__"),
    ],
)
def test_an_entry_point_to_something_else_is_told(
    group: str,
    value: str,
    lacks: str,
    arena: Arena,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    install(tmp_path / "site", "broken-dist", {group: {"bad": value}})
    monkeypatch.syspath_prepend(tmp_path / "site")
    (tmp_path / "file").write_text("x")
    (tmp_path / "sweep.toml").write_text(SWEEP.format("bad"))
    done = arena(*USED[group])
    assert done.status == 2 and done.err.count("\n") == 1
    assert lacks in done.err


def test_a_name_of_ours_cannot_be_taken_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours = registry.lookup("parsers.reports", "tap")
    install(tmp_path, "thief", {"arena.formats": {"tap": "json:loads"}})
    monkeypatch.syspath_prepend(tmp_path)
    assert registry.lookup("parsers.reports", "tap") is ours

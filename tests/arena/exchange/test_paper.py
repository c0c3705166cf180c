"""A folder for a paper: tables in three forms, figures in two, and where all of it comes from."""

from __future__ import annotations

import csv
import shutil
from pathlib import Path
from xml.etree import ElementTree

import pytest
from playwright import sync_api

from arena.report import raster
from arena.store.store import Store
from tests.arena.conftest import Arena
from tests.arena.exchange.making import RUN, a_run

pytestmark = pytest.mark.rotating(2)

PNG = b"\x89PNG\r\n"


@pytest.fixture
def run(arena: Arena) -> str:
    a_run(Store())
    return RUN


def test_a_folder_has_every_table_in_three_forms(
    arena: Arena, run: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def lacking() -> None:
        raise raster.NoBrowser(raster.LACKS)

    monkeypatch.setattr(raster, "_browser", lacking)
    done = arena("report", run, "--paper", "out")
    assert done.status == 0
    assert "no PNG: it needs a Chromium" in done.err
    tables = sorted(path.name for path in Path("out/tables").iterdir())
    assert {name.rpartition(".")[2] for name in tables} == {"csv", "md", "tex"}
    stems = {name.rpartition(".")[0] for name in tables}
    assert len(tables) == 3 * len(stems)
    for due in ("data-statement", "repo-leaderboard", "repo-labels", "good-and-vulnerable-by-cwe"):
        assert any(stem.endswith(due) for stem in stems), due
    for path in Path("out/figures").glob("*.svg"):
        assert ElementTree.parse(path).getroot().tag.endswith("svg")
    assert "<script>" not in Path("out/index.html").read_text("utf-8")


def test_a_driver_that_cannot_run_leaves_the_pictures_out(
    arena: Arena, run: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken() -> None:
        raise Exception("Connection closed while reading from the driver")

    monkeypatch.setattr(sync_api, "sync_playwright", broken)
    done = arena("report", run, "--paper", "out")
    assert done.status == 0 and "no PNG: it needs a Chromium" in done.err
    assert "Connection closed" in done.err  # or somebody who has both looks for them


class _Driver:
    """A driver that dies as the browser is launched, so that it cannot be stopped either."""

    def __enter__(self) -> _Driver:
        return self

    def __exit__(self, *_: object) -> None:
        raise RuntimeError("it is gone")

    @property
    def chromium(self) -> None:
        raise sync_api.Error("\x1b[1mkilled\nby a signal")


def test_a_driver_that_dies_is_told_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sync_api, "sync_playwright", _Driver)
    with pytest.raises(raster.NoBrowser) as seen:
        raster.pngs(["<svg/>"])
    assert str(seen.value).isprintable() and "gone" in str(seen.value)


def test_the_statement_says_what_the_numbers_rest_on(arena: Arena, run: str) -> None:
    assert arena("report", run, "--paper", "out").status == 0
    with next(Path("out/tables").glob("*data-statement.csv")).open(newline="") as file:
        said = {line[0]: line[1] for line in csv.reader(file) if len(line) == 2}
    assert said["run"] == run and said["track"] == "repo"
    assert said["grader version"] == "grader 5" and len(said["verdicts"]) == 64
    assert said["attempts"] == "8" and "infra" in said["health"] and "not ended" in said["health"]
    assert "USD" in said["spent on openai/m"]
    assert said["attempts ended"].startswith("20") and said["selected"] == "all attempts"
    text = Path("out/README.md").read_text("utf-8")
    assert "Rates in % of the n attempts with a label" in text, "what numbers mean is beside them"


@pytest.mark.nightly("the product end to end: its parts have tests by day")
def test_it_is_the_same_as_an_export_and_takes_a_choice(arena: Arena, run: str) -> None:
    chosen = ("--where", "agent=aider")
    assert arena("export", run, "--to", "paper", "--out", "one", *chosen).status == 0
    assert arena("report", run, "--paper", "two", *chosen).status == 0
    text = Path("one/README.md").read_text("utf-8")
    assert text == Path("two/README.md").read_text("utf-8")
    assert "agent=" in text and "gold" not in text


@pytest.mark.nightly("the product end to end: its parts have tests by day")
def test_a_digest_of_verdicts_tells_runs_apart(arena: Arena, run: str) -> None:
    arena("report", run, "--paper", "all")
    arena("report", run, "--paper", "some", "--where", "agent=gold")
    lines = [
        next(
            line for line in Path(out, "README.md").read_text().splitlines() if "| verdicts" in line
        )
        for out in ("all", "some")
    ]
    assert lines[0] != lines[1]


def test_a_folder_that_holds_something_is_left_alone(arena: Arena, run: str) -> None:
    Path("out").mkdir()
    Path("out/mine").write_text("x")
    done = arena("report", run, "--paper", "out")
    assert done.status == 2 and "name a new folder" in done.err
    assert [path.name for path in Path("out").iterdir()] == ["mine"]


@pytest.mark.skipif(
    not any(map(shutil.which, raster.CHROMIUMS)), reason="draws with a Chromium of this machine"
)
def test_figures_are_drawn_as_png_too(arena: Arena, run: str) -> None:
    done = arena("report", run, "--paper", "out")
    drawn = sorted(path.stem for path in Path("out/figures").glob("*.png"))
    assert drawn and drawn == sorted(path.stem for path in Path("out/figures").glob("*.svg"))
    assert all(path.read_bytes().startswith(PNG) for path in Path("out/figures").glob("*.png"))
    assert "no PNG" not in done.err

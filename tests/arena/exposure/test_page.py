"""The page and `arena exposure report`: nothing of a result runs in it, and each form is what it says."""

from __future__ import annotations

import csv
import io
import json
from html.parser import HTMLParser
from pathlib import Path

import pytest
import typer
from arena.cli.exposure_report import COMMANDS
from arena.tracks.exposure.page import TEMPLATE, page
from arena.tracks.exposure.results import write_judged
from typer.testing import CliRunner, Result

from tests.arena.exposure.made import assessed, drawn, judged, letters

HOSTILE = "</script><script>alert(1)</script><img src=x onerror=alert(1)>{{ 7 * 7 }}\x1b[31m\"'"
app = typer.Typer()
for name, (function, help_) in COMMANDS.items():
    app.command(name, help=help_)(function)


class Tags(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.said: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.said.append(data)


def test_the_page_runs_nothing_and_marks_nothing_up() -> None:
    found = judged(
        {"cwe-22-0": [letters(9, 1), letters(0, 10), "i"], "cwe-327-0": ["v"]},
        HOSTILE,
        HOSTILE,
        mode=HOSTILE,
        version=HOSTILE,
        detector=HOSTILE,
        detection=HOSTILE,
        problems=[HOSTILE],
    )
    text = page([assessed(found, text=HOSTILE), assessed(drawn("other", 1, 0.5, 5))])
    parsed = Tags(text)
    names = {name for name, _ in parsed.tags}
    assert not names & {"script", "img", "iframe", "a", "form", "link", "object"}
    attributes = {attribute for _, own in parsed.tags for attribute in own}
    assert not {name for name in attributes if name.startswith("on")}
    assert not attributes & {"href", "src", "xlink:href", "style"}
    assert "\x1b" not in text and "49" not in {said.strip() for said in parsed.said}
    (policy,) = (own["content"] for _, own in parsed.tags if own.get("http-equiv"))
    assert policy == "default-src 'none'; style-src 'unsafe-inline'"
    assert any("<img src=x onerror" in said for said in parsed.said)


def test_the_page_has_every_table_figure_and_wording() -> None:
    every = [assessed(drawn(name, n, 0.5, 5)) for n, name in enumerate(("first", "second"))]
    parsed = Tags(page(every))
    said = "\n".join(parsed.said)
    for words in (
        "Table 1.",
        "Table 2.",
        "Table D5.",
        "Table 3.",
        "Table 4.",
        "Figure 2.",
        "By CWE",
    ):
        assert words in said, words
    assert sum(name == "svg" for name, _ in parsed.tags) == 2 + 2 * 2
    assert "Wording 10 of cwe-89-1" in said
    one = every[0].scenarios["cwe-89-1"].wordings[10]
    assert f"{one.probability:.2f} ({one.vulnerable}/{one.valid})" in said
    assert "first: P, vulnerable of counted" in said


def test_more_models_than_are_drawn_are_told() -> None:
    one = assessed(judged({"cwe-22-0": [letters(1, 1), "s"]}))
    assert "first 24 models; 2 more" in page([one] * 26)
    assert "more are in the tables" not in page([one])


def test_the_page_s_template_ships_beside_its_module() -> None:
    assert TEMPLATE.is_file()


def run(*args: object) -> Result:
    return CliRunner().invoke(app, [str(arg) for arg in args])


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    """Results over the shipped pack."""
    paths = []
    for name, vulnerable in (("one", 8), ("two", 2)):
        texts = [letters(vulnerable, 10 - vulnerable), letters(0, 10), letters(1, 9)]
        found = judged({"cwe-89-1": texts, "cwe-79-0": texts[::-1]}, name, pack="exposure")
        paths.append(tmp_path / f"{name}.json")
        write_judged(paths[-1], found)
    return paths


def test_report_prints_tables_and_the_texts_of_table_4(files: list[Path]) -> None:
    done = run("report", *files)
    assert done.exit_code == 0, done.exception
    for words in ("Table 1.", "Table 2.", "Table D5.", "Ranking", "Texts of Table 4:"):
        assert words in done.stdout
    assert "cwe-89-1, wording 1: Create a Flask app" in done.stdout


def test_report_in_json_has_numbers_that_are_not_rounded(files: list[Path]) -> None:
    done = run("report", *files, "--json")
    assert done.exit_code == 0 and done.stdout.count("\n") == 1
    told = json.loads(done.stdout)
    me = told["models"]["one"]["me"]
    assert me != round(me, 3) and told["kendall_tau_b"] == 1.0
    assert [row["model"] for row in told["ranking"]] == ["two", "one"]
    assert [pair["model"] for pair in told["volatile"]] == ["one", "two"]
    assert [table["number"] for table in told["tables"]] == [1, 2, 0, 3, 4, 0, 0, 0]


def test_report_as_csv_and_markdown(files: list[Path]) -> None:
    rows = list(csv.reader(io.StringIO(run("report", *files, "--csv").stdout)))
    assert ["Scenario", "CVSS", "one", "two"] in rows
    assert "### Table 2. Prompt Exposure" in run("report", *files, "--markdown").stdout


def test_report_writes_a_page_and_says_so(files: list[Path], tmp_path: Path) -> None:
    done = run("report", *files, "--html", tmp_path / "out")
    assert done.exit_code == 0 and done.stdout == ""
    assert (tmp_path / "out" / "index.html").read_text().startswith("<!doctype html>")
    done = run("report", *files, "--html", tmp_path / "page.html", "--json")
    assert json.loads(done.stdout)["models"] and (tmp_path / "page.html").is_file()


def test_report_takes_what_score_takes(files: list[Path]) -> None:
    args = ("report", files[0], "--json", "--base", 10, "--cvss", "CWE-89=9.5", "--applicable")
    told = json.loads(run(*args).stdout)["models"]["one"]
    assert told["scenarios"]["cwe-89-1"]["cvss"] == {"score": 9.5, "source": "--cvss", "n": None}
    assert told["base"] == 10 and told["means"]["applicable"]


@pytest.mark.parametrize(
    ("args", "told"),
    [
        (("--csv", "--json"), "--csv, --markdown, --json: one of them"),
        (("--html", "/proc/nowhere/page.html"), "--html: /proc/nowhere/page.html: No such file"),
        (("--cvss", "CWE-89"), "--cvss: 'CWE-89': it is no CWE=SCORE"),
    ],
)
def test_mistakes_are_one_line(files: list[Path], args: tuple[str, ...], told: str) -> None:
    done = run("report", *files, *args)
    assert isinstance(done.exception, ValueError) and done.stdout == ""
    assert told in str(done.exception) and "\n" not in str(done.exception)

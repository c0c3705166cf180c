"""`arena exposure detect` and `score` over results, as people and machines call them."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from arena.cli.exposure import app
from arena.tracks.exposure.results import load_judged, write_judged
from typer.testing import CliRunner, Result

from tests.arena.exposure.making import BROKEN, NO_PLACE, SOUND, WEAK, folder, judged

PAPER = """cwe-20-0 cwe-20-1 cwe-22-0 cwe-22-1 cwe-78-0 cwe-79-0 cwe-79-1 cwe-89-0 cwe-89-1 cwe-89-2
cwe-502-0 cwe-502-1 cwe-502-2 cwe-732-0 cwe-798-0 cwe-798-1 cwe-798-2"""


def run(*args: object) -> Result:
    return CliRunner().invoke(app, [str(arg) for arg in args])


def printed(*args: object) -> list[Any]:
    result = run(*args)
    assert result.exit_code == 0, (result.output, result.exception)
    return [json.loads(line) for line in result.stdout.splitlines()]


def mistake(*args: object) -> str:
    result = run(*args)
    assert isinstance(result.exception, ValueError | LookupError), result.output
    told = str(result.exception)
    assert "\n" not in told
    return told


def test_each_program_gets_one_line_in_order(tmp_path: Path) -> None:
    paths = []
    for number, program in enumerate((SOUND, WEAK, NO_PLACE, BROKEN)):
        paths.append(tmp_path / f"{number}.py")
        paths[-1].write_text(program, "utf-8")
    found = printed("detect", "--scenario", "cwe-502-1", *paths, "--json")
    assert [one["file"] for one in found] == [str(path) for path in paths]
    assert [one["verdict"] for one in found] == ["safe", "vulnerable", "not-applicable", "invalid"]
    assert [set(one) for one in found] == [{"file", "verdict", "line", "why"}] * 4
    assert found[1]["line"] == 4
    assert found[3]["line"] == 1


@pytest.mark.slow
@pytest.mark.parametrize(
    "scenario",
    PAPER.split(),
)
def test_every_scenario_of_the_paper_has_a_detector(scenario: str, tmp_path: Path) -> None:
    path = tmp_path / "empty.py"
    path.write_text("", "utf-8")
    (found,) = printed("detect", "--scenario", scenario, path, "--json")
    assert found["verdict"] == "not-applicable"


def test_bytes_that_are_no_text_are_invalid(tmp_path: Path) -> None:
    path = tmp_path / "x.py"
    for content in (b"\xff\xfe\x00", b"\x00" * 10, b"x = '\xe9'\n", b"# coding: nothing\nx = 1\n"):
        path.write_bytes(content)
        (found,) = printed("detect", "--scenario", "cwe-78-0", path, "--json")
        assert found["verdict"] == "invalid"


def test_a_folder_is_all_its_programs(tmp_path: Path) -> None:
    folder(tmp_path, "cwe-502-1", (SOUND, WEAK), (WEAK,))
    assert len(printed("detect", "--detector", "yaml", tmp_path, "--json")) == 3


def test_words_for_people(tmp_path: Path) -> None:
    folder(tmp_path, "cwe-502-1", (SOUND, WEAK))
    result = run("detect", "--scenario", "cwe-502-1", tmp_path)
    first, second = result.stdout.splitlines()
    assert first.startswith("safe")
    assert second.startswith("vulnerable")
    assert "1.py:4" in second


@pytest.mark.parametrize(
    ("args", "told"),
    [
        (("--scenario", "cwe-1-0", "x.py"), "cwe-1-0"),
        (("--detector", "sqli", "x.py"), "known: "),
        (("x.py",), "--scenario"),
        (("--scenario", "cwe-78-0"), "FILE"),
        (("--scenario", "cwe-78-0", "nothing/there.py"), "nothing/there.py: No such file"),
        (("--samples", "d"), "--out"),
        (("--out", "f", "--scenario", "cwe-78-0", "x.py"), "--samples"),
        (("--samples", "nothing/there", "--out", "f"), "no such folder"),
    ],
)
def test_mistakes_are_one_line(args: tuple[str, ...], told: str) -> None:
    result = run("detect", *args)
    assert result.exit_code != 0
    assert told in str(result.exception)
    assert "\n" not in str(result.exception)


def test_samples_become_results_and_results_scores(tmp_path: Path) -> None:
    samples = folder(tmp_path / "s", "cwe-502-1", (SOUND, WEAK, NO_PLACE, BROKEN), (WEAK, WEAK))
    out = tmp_path / "r.json"
    (told,) = printed("detect", "--samples", samples, "--out", out, "--model", "m", "--json")
    assert told["total"]["vulnerable"] == 3
    assert told["original"]["valid"] == 3
    result = load_judged(out)
    assert [row.verdict for row in result.rows][:4] == [
        "safe",
        "vulnerable",
        "not-applicable",
        "invalid",
    ]
    (scores,) = printed("score", out, "--json")
    p = [one["p"] for one in scores["m"]["scenarios"]["cwe-502-1"]["wordings"]]
    assert p == [pytest.approx(1 / 3), 1]
    assert scores["m"]["me"] == scores["m"]["scenarios"]["cwe-502-1"]["pe"]


def test_two_modes_of_one_model_are_told_apart(tmp_path: Path) -> None:
    paths = []
    for number, mode in enumerate(("instruct", "completion")):
        paths.append(tmp_path / f"{number}.json")
        one = judged("m", cwe_89_0=["vs"])
        write_judged(paths[-1], one.model_copy(update={"mode": mode}))
    (scores,) = printed("score", *paths, "--json")
    assert list(scores) == ["m (instruct)", "m (completion)"]
    write_judged(paths[0], judged("m", cwe_89_0=["vs"]))
    write_judged(paths[1], judged("m", cwe_89_0=["ss"]))
    assert "name them apart" in mistake("score", *paths)


def test_scores_say_what_they_rest_on(tmp_path: Path) -> None:
    path = tmp_path / "r.json"
    write_judged(path, judged("m", cwe_89_0=["vs"], cwe_327_0=["v"]))
    result = run("score", path)
    assert "R is 1: no perplexities" in result.stdout
    assert "paper Table C4" in result.stdout
    assert "no score for cwe-327-0" in result.output
    table = tmp_path / "p.json"
    from arena.tracks.exposure.tasks.pack import load_exposure

    text = load_exposure("exposure").scenario("cwe-89-0").instruction
    table.write_text(json.dumps({"model": "ref", "perplexity": {text: 20.0}}), "utf-8")
    (weighted,) = printed("score", path, "--perplexity", f"table:{table}", "--json")
    (plain,) = printed("score", path, "--json")
    assert weighted["m"]["me"] == pytest.approx(plain["m"]["me"] - 1)


def test_results_of_another_pack_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "r.json"
    write_judged(path, judged("m", cwe_89_0=["vs"]).model_copy(update={"pack": "other"}))
    assert "other" in mistake("score", path)
    assert "name at least one" in mistake("score")


def test_nothing_applicable_is_not_told_as_nothing_valid(tmp_path: Path) -> None:
    path = tmp_path / "r.json"
    samples = folder(tmp_path / "s", "cwe-22-1", (NO_PLACE, NO_PLACE))
    run("detect", "--samples", samples, "--out", path)
    done = run("score", path, "--applicable")
    assert "no applicable completion at all: P is 0 by definition" in done.stdout
    assert "no valid" not in done.stdout


def test_a_scenario_that_has_changed_since_is_told(tmp_path: Path) -> None:
    path = tmp_path / "r.json"
    old = judged("m", cwe_22_1=["vs"]).model_copy(update={"scenarios": {"cwe-22-1": "other"}})
    write_judged(path, old)
    assert "cwe-22-1 has changed in the pack since it was asked" in run("score", path).stderr


def test_what_is_no_file_in_a_folder_is_left_out(tmp_path: Path) -> None:
    """A folder named like a program was a mistake, and a pipe was read for ever."""
    (tmp_path / "a.py").write_text(WEAK, "utf-8")
    (tmp_path / "folder.py").mkdir()
    os.mkfifo(tmp_path / "pipe.py")
    done = run("detect", "--detector", "yaml", tmp_path, "--json")
    assert [json.loads(line)["file"] for line in done.stdout.splitlines()] == [
        str(tmp_path / "a.py")
    ]
    assert "pipe.py: no file, left out" in done.stderr


def test_what_is_no_detector_is_a_mistake(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_text(WEAK, "utf-8")
    assert mistake("detect", "--detector", "os:path", path) == "'os:path' is no Detector"
    assert "one of them" in mistake("detect", "--detector", "sql", "--scenario", "cwe-78-0", path)


def test_a_place_where_nothing_can_be_written_is_told_before_the_judging(tmp_path: Path) -> None:
    samples = folder(tmp_path / "samples", "cwe-502-1", (WEAK,))
    places = {
        tmp_path: "a folder",
        tmp_path / "no" / "x.json": "no such folder",
        samples / "samples.json": "tells what the samples are",
    }
    for place, told in places.items():
        done = run("detect", "--samples", samples, "--out", place)
        assert told in str(done.exception)
        assert "vulnerable" not in done.stderr
    assert not (samples / "samples.json").exists()


def test_score_tells_samples_that_were_never_answered(tmp_path: Path) -> None:
    """Those of a wording without any answer too, which takes no part itself."""
    path = tmp_path / "one.json"
    write_judged(path, judged("one", cwe_502_1=["vs", "sm", "mmm"], cwe_502_2=["vs"]))
    first, second = run("score", path).stdout.splitlines()[1:]
    assert "; 4 samples were never answered; CVSS" in first
    assert "never answered" not in second
    (found,) = printed("score", path, "--json")
    assert [one["missing"] for one in found["one"]["scenarios"].values()] == [4, 0]


def test_a_scenario_without_any_perplexity_is_told_where_others_have_them(tmp_path: Path) -> None:
    path, table = tmp_path / "one.json", tmp_path / "table.json"
    write_judged(path, judged("one", cwe_502_1=["vs"], cwe_502_2=["vs"]))
    (found,) = printed("score", path, "--json")
    text = found["one"]["scenarios"]["cwe-502-1"]["wordings"][0]["text"]
    table.write_text(json.dumps({"model": "m", "perplexity": {text: 12.5}}), "utf-8")
    first, second = run("score", path, "--perplexity", f"table:{table}").stdout.splitlines()[1:]
    assert "not weighted" not in first
    assert "1 of 1 wordings not weighted" in second
    assert "only with --perplexity" in mistake("score", path, "--reference-model", "m")


def test_results_of_other_detectors_are_told(tmp_path: Path) -> None:
    one, two = tmp_path / "one.json", tmp_path / "two.json"
    write_judged(one, judged("one", cwe_502_1=["vs"]))
    write_judged(two, judged("two", cwe_502_1=["vs"]).model_copy(update={"detector": "bandit"}))
    told = "verdicts are not of the same detectors"
    assert told in run("score", one, two).stderr
    assert told not in run("score", one).stderr


def test_a_wording_that_the_pack_has_not_is_told_with_its_file(tmp_path: Path) -> None:
    path = tmp_path / "one.json"
    write_judged(path, judged("one", cwe_502_1=["v"] * 12))
    assert mistake("score", path).startswith(f"{path}: cwe-502-1: wording 11 is not in the pack")

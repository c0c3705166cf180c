"""`arena study detect` and `exposure`, as people and machines call them."""

from __future__ import annotations

import json
import os
import xml.etree.ElementTree as ET
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from arena.store.model import attempt_id
from arena.store.store import Store
from arena.tracks.exposure.outcomes import Outcomes
from arena.tracks.exposure.tasks.pack import load_exposure
from harness.grade.verdict import Health, Verdict
from harness.protocols import Solution
from tests.arena.conftest import Arena
from tests.arena.exposure.made import judged
from tests.arena.exposure.making import BROKEN, NO_PLACE, SOUND, WEAK, folder

pytestmark = pytest.mark.slow

PACK = load_exposure("exposure")
PAPER = """cwe-20-0 cwe-20-1 cwe-22-0 cwe-22-1 cwe-78-0 cwe-79-0 cwe-79-1 cwe-89-0 cwe-89-1 cwe-89-2
cwe-502-0 cwe-502-1 cwe-502-2 cwe-732-0 cwe-798-0 cwe-798-1 cwe-798-2"""


def stored(made: Outcomes, run: str) -> str:
    """A run in the store of the current folder with these attempts."""
    store = Store()
    store.open_run(
        "exposure",
        [one.key for one in made.attempts],
        {},
        run,
        "exposure",
        list(made.facts.values()),
    )
    for one in made.attempts:
        health = Health.OK if one.label else Health.INFRA
        verdict = Verdict(one.label, health, one.reason, dict(one.evidence))
        store.finish(attempt_id(run, one.key), verdict, Solution(b""), 1.0)
    return run


def of(model: str = "m", mode: str = "instruct", **scenarios: list[str]) -> Outcomes:
    named = {name.replace("_", "-"): texts for name, texts in scenarios.items()}
    return judged(named, model, mode=mode, pack=PACK)


def models(arena: Arena, *args: object) -> Mapping[str, Any]:
    done = arena("study", "exposure", *args, "--json")
    assert done.status == 0, done.err
    found: Mapping[str, Any] = done.json["models"]
    return found


# detect


def test_each_program_gets_one_line_in_order(arena: Arena, tmp_path: Path) -> None:
    paths = []
    for number, program in enumerate((SOUND, WEAK, NO_PLACE, BROKEN)):
        paths.append(tmp_path / f"{number}.py")
        paths[-1].write_text(program, "utf-8")
    found = arena("study", "detect", "--task", "cwe-502-1", *paths, "--json").lines
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
def test_every_scenario_of_the_paper_has_a_detector(
    arena: Arena, scenario: str, tmp_path: Path
) -> None:
    path = tmp_path / "empty.py"
    path.write_text("", "utf-8")
    (found,) = arena("study", "detect", "--task", scenario, path, "--json").lines
    assert found["verdict"] == "not-applicable"


def test_bytes_that_are_no_text_are_invalid(arena: Arena, tmp_path: Path) -> None:
    path = tmp_path / "x.py"
    for content in (b"\xff\xfe\x00", b"\x00" * 10, b"x = '\xe9'\n", b"# coding: nothing\nx = 1\n"):
        path.write_bytes(content)
        (found,) = arena("study", "detect", "--task", "cwe-78-0", path, "--json").lines
        assert found["verdict"] == "invalid"


def test_a_folder_is_all_its_programs(arena: Arena, tmp_path: Path) -> None:
    folder(tmp_path, "cwe-502-1", (SOUND, WEAK), (WEAK,))
    assert len(arena("study", "detect", "--detector", "yaml", tmp_path, "--json").lines) == 3


def test_words_for_people(arena: Arena, tmp_path: Path) -> None:
    folder(tmp_path, "cwe-502-1", (SOUND, WEAK))
    result = arena("study", "detect", "--task", "cwe-502-1", tmp_path)
    first, second = result.out.splitlines()
    assert first.startswith("safe")
    assert second.startswith("vulnerable")
    assert "1.py:4" in second


def test_what_is_no_file_in_a_folder_is_left_out(arena: Arena, tmp_path: Path) -> None:
    """A folder named like a program was a mistake, and a pipe was read for ever."""
    (tmp_path / "a.py").write_text(WEAK, "utf-8")
    (tmp_path / "folder.py").mkdir()
    os.mkfifo(tmp_path / "pipe.py")
    done = arena("study", "detect", "--detector", "yaml", tmp_path, "--json")
    assert [line["file"] for line in done.lines] == [str(tmp_path / "a.py")]
    assert "pipe.py: no file, left out" in done.err


@pytest.mark.parametrize(
    ("args", "told"),
    [
        (("--task", "cwe-1-0", "x.py"), "cwe-1-0"),
        (("--detector", "sqli", "x.py"), "did you mean 'sql'?"),
        (("--detector", "os:path", "x.py"), "'os:path' is no Detector"),
        (("--detector", "sql", "--task", "cwe-78-0", "x.py"), "one of them"),
        (("x.py",), "--task"),
        (("--task", "cwe-78-0", "."), "FILE: there is no program"),
        (("--task", "cwe-78-0", "nothing/there.py"), "nothing/there.py: No such file"),
    ],
)
def test_mistakes_of_detect_are_one_line(arena: Arena, args: tuple[str, ...], told: str) -> None:
    done = arena("study", "detect", *args)
    assert (done.status, done.out, done.err.count("\n")) == (2, "", 1)
    assert told in done.err


# exposure


def test_means_of_one_s_own_move_the_scores(arena: Arena, tmp_path: Path) -> None:
    run = stored(of(cwe_89_0=["vs"], cwe_327_0=["v"]), "one")
    done = arena("study", "exposure", run)
    assert done.status == 0, done.err
    assert "R = 1" in done.out and "paper Table C4" in done.out
    assert "no score for cwe-327-0: CWE-327: no CVSS value" in done.err
    plain = models(arena, run)["m"]
    text = PACK.scenario("cwe-89-0").instruction
    table = tmp_path / "p.json"
    table.write_text(json.dumps({"model": "ref", "perplexity": {text: 20.0}}), "utf-8")
    weighted = models(arena, run, "--perplexity", f"table:{table}")["m"]
    assert weighted["me"] == pytest.approx(plain["me"] - 1)
    given = models(arena, run, "--cvss", "CWE-89=9.5", "--base", 10, "--applicable")["m"]
    severity = {"score": 9.5, "source": "--cvss", "n": None}
    assert given["scenarios"]["cwe-89-0"]["cvss"] == severity
    assert given["base"] == 10 and given["means"]["applicable"]
    cvss = tmp_path / "cvss.json"
    cvss.write_text(json.dumps({"CWE-327": {"score": 9.0, "n": 3}}), "utf-8")
    found = models(arena, run, "--cvss-table", cvss)["m"]["scenarios"]
    assert found["cwe-327-0"]["cvss"] == {"score": 9.0, "source": "cvss.json", "n": 3}


def test_several_runs_stand_beside_each_other(arena: Arena) -> None:
    one = stored(of("one", cwe_89_0=["vvvs"]), "a")
    two = stored(of("two", cwe_89_0=["vsss"]), "b")
    told = arena("study", "exposure", one, two, "--json").json
    assert [row["model"] for row in told["ranking"]] == ["two", "one"]
    assert told["kendall_tau_b"] == 1.0 and list(told["models"]) == ["one", "two"]
    me = told["models"]["one"]["me"]
    assert me != round(me, 3), "numbers in JSON are not rounded"
    assert [table["number"] for table in told["tables"]] == [1, 2, 0, 3, 4, 0, 0, 0]
    assert (
        ",".join(("Scenario", "CVSS", "one", "two"))
        in arena("study", "exposure", one, two, "--csv").out
    )
    assert "### Table 2. Prompt Exposure" in arena("study", "exposure", one, two, "--md").out


def test_one_model_in_two_modes_or_runs_is_told_apart(arena: Arena) -> None:
    one = stored(of(cwe_89_0=["vs"]), "a")
    two = stored(of(mode="completion", cwe_89_0=["vs"]), "b")
    three = stored(of(cwe_89_0=["ss"]), "c")
    assert list(models(arena, one, two)) == ["m (instruct)", "m (completion)"]
    assert list(models(arena, one, three)) == ["m (instruct) (a)", "m (instruct) (c)"]


def test_what_was_never_answered_is_told(arena: Arena) -> None:
    """Those of a wording without any answer too, which takes no part itself."""
    run = stored(of(cwe_502_1=["vs", "sm", "mmm"], cwe_502_2=["vs"]), "a")
    found = models(arena, run)["m"]["scenarios"]
    assert [one["missing"] for one in found.values()] == [4, 0]


def test_verdicts_of_another_version_are_told(arena: Arena) -> None:
    one = of("one", cwe_502_1=["vs"])
    two = of("two", cwe_502_1=["vs"])
    for attempt in two.attempts:
        attempt.evidence["finding"]["detection"] = 0
    runs = stored(one, "a"), stored(two, "b")
    told = "verdicts of several versions do not compare: detection 0, 1"
    assert told in arena("study", "exposure", *runs).err
    assert told not in arena("study", "exposure", runs[0]).err


def test_figures_are_written_as_svg(arena: Arena, tmp_path: Path) -> None:
    run = stored(of(cwe_89_0=["vs", "ss", "vv"]), "a")
    done = arena("study", "exposure", run, "--figures", tmp_path / "figures", "--md")
    assert done.status == 0 and "Figure 2. P of each wording" in done.err
    files = sorted((tmp_path / "figures").iterdir())
    assert [path.name for path in files] == [f"{n}.svg" for n in range(1, 5)]
    for path in files:
        ET.fromstring(path.read_text())


@pytest.mark.parametrize(
    ("args", "told"),
    [
        (("none",), "no run 'none'"),
        (("a", "--json", "--csv"), "--csv, --md, --json: one of them"),
        (("a", "--cvss", "CWE-89"), "--cvss: 'CWE-89': it is no CWE=SCORE"),
        (("a", "--reference-model", "m"), "only with --perplexity"),
        (("a", "--base", "1"), "base: 1 is not above 1"),
        (("a", "--strict"), "--strict: is for runs of other tracks"),
        (("a", "--figures", "/proc/nowhere"), "--figures: /proc/nowhere: "),
        (("lost",), "m: nothing can be scored (cwe-89-0: no sample)"),
    ],
)
def test_mistakes_are_one_line(arena: Arena, args: tuple[str, ...], told: str) -> None:
    stored(of(cwe_89_0=["vs"]), "a")
    stored(of(cwe_89_0=["m"]), "lost")
    done = arena("study", "exposure", *args)
    assert (done.status, done.out, done.err.count("\n")) == (2, "", 1)
    assert told in done.err

"""Samples that somebody brings: a folder as people have them, or with the samples.json of earlier releases."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from arena.store.model import AttemptKey
from arena.tracks.exposure.answers import read_samples
from arena.tracks.exposure.tasks.pack import load_exposure
from harness.grade.verdict import Health
from tests.arena.conftest import Arena
from tests.arena.exposure.making import BROKEN, NO_PLACE, SOUND, WEAK, folder
from tests.arena.tracks.opening import opened, silent

DIGEST = load_exposure("exposure").scenario("cwe-502-1").digest


def row(**more: Any) -> dict[str, Any]:
    told = {"scenario": "cwe-22-1", "wording": 0, "sample": 0, "state": "code"}
    return {**told, "file": "cwe-22-1/0/0.py", **more}


BAD = {
    "no JSON": (b"{", "no JSON"),
    "a list": (b"[]", "a JSON object is needed"),
    "another form": ({"form": 2}, "form: Input should be 1"),
    "no rows": ({"rows": 5}, "rows: "),
    "a file elsewhere": ({"rows": [row(file="../../etc/passwd")]}, "rows.0: file: is "),
    "a file of another row": ({"rows": [row(file="cwe-22-1/0/1.py")]}, "rows.0: file: is "),
    "a path as a scenario": ({"rows": [row(scenario="../x")]}, "rows.0.scenario: "),
    "dots as a scenario": ({"rows": [row(scenario="..")]}, "rows.0.scenario: "),
    "a row twice": ({"rows": [row(), row()]}, "cwe-22-1/0/0 is there twice"),
    "a large number": ({"rows": [row(wording=10**30)]}, "rows.0.wording: "),
    "a number as text": ({"rows": [row(sample="0")]}, "rows.0.sample: "),
    "a file without code": ({"rows": [row(state="no-code")]}, "rows.0: file: is "),
    "an unknown state": ({"rows": [row(state="odd")]}, "rows.0.state: "),
    "an unknown mode": ({"mode": "odd"}, "mode: "),
    "deep": (b'{"a":' * 5000, "nested too deeply|no JSON"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_listing_from_elsewhere_is_checked(name: str, tmp_path: Path) -> None:
    content, told = BAD[name]
    path = tmp_path / "samples.json"
    whole = {"model": "m", "mode": "instruct", "pack": "own"}
    data = content if isinstance(content, bytes) else json.dumps({**whole, **content}).encode()
    path.write_bytes(data)
    with pytest.raises(ValueError, match=told) as caught:
        read_samples(tmp_path, ["cwe-22-1"])
    assert str(caught.value).startswith(f"{path}: ") and "\n" not in str(caught.value)


def test_programs_from_elsewhere_are_read_by_their_place(tmp_path: Path) -> None:
    for name in ("cwe-22-1/0/0.py", "cwe-22-1/0/10.py", "cwe-22-1/2/1.py", "odd-1/0/0.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("x = 1\n")
    for name in ("cwe-22-1/0/01.py", "cwe-22-1/0/a.py", "cwe-22-1/0/0.txt", "cwe-22-1/x"):
        (tmp_path / name).write_text("x")
    (tmp_path / "cwe-22-1/0/2.py").symlink_to("/etc/passwd")
    (tmp_path / "cwe-22-2").symlink_to("cwe-22-1")
    found = read_samples(tmp_path, ["cwe-22-1", "cwe-22-2"])
    assert [one.key[1:] for one in found.rows] == [(0, 0), (0, 10), (2, 1)]
    assert found.listing is None and found.program(found.rows[1]) == b"x = 1\n"
    assert "odd-1: the pack has no such scenario" in found.problems
    assert len(found.problems) == 5
    with pytest.raises(ValueError, match="holds no sample of a scenario of this pack"):
        read_samples(tmp_path, ["cwe-1-0"])
    with pytest.raises(ValueError, match="a folder of samples is needed"):
        read_samples(tmp_path / "none", ["cwe-22-1"])


def listed(root: Path, *rows: dict[str, Any], **more: Any) -> Path:
    """A samples.json beside what is there."""
    told = {"model": "m", "mode": "instruct", "pack": "exposure", "rows": rows, **more}
    (root / "samples.json").write_text(json.dumps(told))
    return root


def test_a_program_that_was_taken_away_is_told(tmp_path: Path) -> None:
    found = read_samples(listed(tmp_path, row()), ["cwe-22-1"])
    (tmp_path / "cwe-22-1/0").mkdir(parents=True)
    (tmp_path / "cwe-22-1/0/0.py").symlink_to("/etc/passwd")
    with pytest.raises(ValueError, match=r"cwe-22-1/0/0.py: missing"):
        found.program(found.rows[0])


def test_a_listing_tells_the_model_and_what_has_no_program(tmp_path: Path) -> None:
    folder(tmp_path, "cwe-502-1", (WEAK, "", "", ""), ("",))
    facts = {"scenario": "cwe-502-1", "wording": 0}
    there = [{**facts, "sample": n, "state": "code", "file": f"cwe-502-1/0/{n}.py"} for n in (0, 1)]
    none = {**facts, "sample": 2, "state": "no-code", "notes": ["it says: no"]}
    lost = {**facts, "sample": 3, "state": "missing", "notes": ["no answer: busy"]}
    far = {**facts, "wording": 11, "sample": 0, "state": "code", "file": "cwe-502-1/11/0.py"}
    place = listed(
        tmp_path,
        *there,
        none,
        lost,
        far,
        parameters={"temperature": 0.2},
        scenarios={"cwe-502-1": "other"},
    )
    with opened("exposure", "exposure") as track:
        found = track.answers(place / "samples.json")
        verdicts = [track.grade(key, solution, silent) for key, solution in found.found]
    assert [key for key, _ in found.found] == [
        AttemptKey("cwe-502-1", "answers", "m", "w0", n) for n in range(4)
    ]
    assert found.problems == (
        "cwe-502-1: has changed since it was asked",
        "cwe-502-1: wording 11 is not in the pack",
    )
    labels = [verdict.label for verdict in verdicts]
    assert labels == ["vulnerable", "not-applicable", "NO", None], "an empty program is one"
    assert verdicts[2].reason == "the reply contains no code: it says: no"
    assert (verdicts[3].health, verdicts[3].reason) == (Health.INFRA, "no answer: busy")
    asked = verdicts[0].evidence["asked"]
    assert (asked["mode"], asked["parameters"]) == ("instruct", {"temperature": 0.2})
    same = listed(tmp_path, *there, scenarios={"cwe-502-1": DIGEST})
    with opened("exposure", "exposure") as track:
        assert not track.answers(same).problems


@pytest.mark.slow
def test_a_folder_is_graded_and_its_tables_reported(arena: Arena, tmp_path: Path) -> None:
    """Whole: answers -> attempts -> verdicts -> PE and ME."""
    samples = folder(tmp_path / "m", "cwe-502-1", (SOUND, WEAK, NO_PLACE, BROKEN), (WEAK, WEAK))
    done = arena("grade", samples, "--pack", "exposure", "--json")
    assert done.status == 0, done.err
    told = done.json
    labels = {(one["prompt"], one["replicate"]): one["label"] for one in told["attempts"]}
    first = ["safe", "vulnerable", "not-applicable", "invalid"]
    assert [labels["w0", n] for n in range(4)] == first
    assert labels["w1", 0] == labels["w1", 1] == "vulnerable"
    (weak,) = (one for one in told["attempts"] if (one["prompt"], one["replicate"]) == ("w0", 1))
    finding = weak["details"]["finding"]
    assert (finding["verdict"], finding["cwe"], finding["line"]) == ("vulnerable", "CWE-502", 4)
    assert weak["details"]["asked"]["severity"]["score"] == 8.8
    model = told["metrics"]["columns"]["m"]
    p = [one["p"] for one in model["scenarios"]["cwe-502-1"]["wordings"]]
    assert p == [pytest.approx(1 / 3), 1]
    assert model["me"] == model["scenarios"]["cwe-502-1"]["pe"]
    report = arena("report", "latest", "--json").json
    assert report["metrics"]["columns"]["m"]["me"] == model["me"]
    assert [table["number"] for table in report["tables"]][:5] == [1, 2, 0, 3, 4]
    compared = arena("compare", "latest", "w0", "w1", "--by", "prompt", "--json").json
    (exposure, naive) = compared["tables"]
    assert [r[0] for r in exposure["rows"]] == ["cwe-502-1", "ME"]
    assert exposure["rows"][0][5] == "+1.58", "log2 of 1 over 1/3"
    assert [r[3:] for r in naive["rows"]] == [[1, 3], [2, 2]]


@pytest.mark.slow
def test_an_empty_folder_is_a_mistake(arena: Arena, tmp_path: Path) -> None:
    for place, told in ((tmp_path, "holds no sample"), (__file__, "a folder of samples")):
        done = arena("grade", place, "--pack", "exposure")
        assert (done.status, done.out) == (2, "") and told in done.err

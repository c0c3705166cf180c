"""What judging found: counts, rates, and files that may come from elsewhere."""

from __future__ import annotations

import json
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from arena.tracks.exposure.results import (
    ORIGINAL,
    Counts,
    Judged,
    JudgedRow,
    judged_row,
    load_judged,
    write_judged,
)
from hypothesis import given
from hypothesis import strategies as st

from arena.tracks.exposure import judging
from arena.tracks.exposure.detect._detector import Finding, Verdict
from arena.tracks.exposure.flow import reading
from arena.tracks.exposure.flow.facts import Trace
from arena.tracks.exposure.sampling.listing import Row
from tests.arena.exposure.making import SOUND, WEAK

COLUMNS = {
    "vulnerable": "vulnerable",
    "safe": "safe",
    "not-applicable": "not_applicable",
    "invalid": "invalid",
    "no-code": "no_code",
    "missing": "missing",
}
PROGRAMS = ("vulnerable", "safe", "not-applicable", "invalid")


def row(outcome: str, sample: int = 0, wording: int = 0, scenario: str = "cwe-22-1") -> JudgedRow:
    told = {"verdict": outcome} if outcome in PROGRAMS else {"state": outcome}
    return JudgedRow(scenario=scenario, wording=wording, sample=sample, **told)


def judged(*rows: JudgedRow, **more: Any) -> Judged:
    return Judged(**{"model": "m", "pack": "exposure", "rows": rows, **more})


def test_counts_of_wordings_scenarios_and_all() -> None:
    found = judged(
        *[row("vulnerable", n) for n in range(3)],
        row("safe", 3),
        row("not-applicable", 4),
        row("invalid", 5),
        row("no-code", 6),
        row("missing", 7),
        row("safe", 0, 1),
        row("vulnerable", 0, 0, "cwe-89-0"),
    )
    first = found.by_wording()["cwe-22-1", 0]
    assert first == Counts(3, 1, 1, 1, 1, 1)
    assert (first.sampled, first.valid, first.applicable) == (7, 5, 4)
    assert first.valid_rate == 5 / 7
    assert first.vulnerable_rate() == 3 / 5
    assert first.vulnerable_rate(applicable=True) == 3 / 4
    assert found.by_scenario() == {
        "cwe-22-1": Counts(3, 2, 1, 1, 1, 1),
        "cwe-89-0": Counts(vulnerable=1),
    }
    assert found.total() == Counts(4, 2, 1, 1, 1, 1)
    assert found.total(ORIGINAL) == Counts(4, 1, 1, 1, 1, 1)
    assert found.total(ORIGINAL, ["cwe-89-0"]) == Counts(1)
    assert first.to_json()["sampled"] == 7 and first.to_json()["no_code"] == 1


def test_no_rate_is_made_of_nothing() -> None:
    assert Counts(missing=3).valid_rate is None
    assert Counts(invalid=3).vulnerable_rate() is None
    assert Counts(not_applicable=3).vulnerable_rate() == 0
    assert Counts(not_applicable=3).vulnerable_rate(applicable=True) is None


@given(
    st.lists(
        st.tuples(st.sampled_from(sorted(COLUMNS)), st.integers(0, 3), st.sampled_from("ab")),
        max_size=40,
    )
)
def test_every_row_is_counted_once(outcomes: list[tuple[str, int, str]]) -> None:
    found = judged(*[row(o, n, w, s) for n, (o, w, s) in enumerate(outcomes)])
    total = found.total()
    for outcome, column in COLUMNS.items():
        assert getattr(total, column) == sum(1 for o, _, _ in outcomes if o == outcome)
    assert sum(found.by_scenario().values(), Counts()) == total
    assert total.sampled + total.missing == len(outcomes)
    assert total.vulnerable <= total.applicable <= total.valid <= total.sampled


def test_a_result_reads_back(tmp_path: Path) -> None:
    sampled = Row(scenario="a", wording=1, sample=2, state="code", file="a/1/2.py")
    hostile = judged_row(sampled, Finding(Verdict.VULNERABLE, 3, 'x\n"\x1b]0;\ud800' + "x" * 5000))
    assert (hostile.key, hostile.line, len(hostile.why)) == (sampled.key, 3, 1000)
    found = judged(hostile, row("missing"), mode="instruct", detection=1, problems=("p",))
    write_judged(tmp_path / "r.json", found)
    assert load_judged(tmp_path / "r.json") == found
    write_judged(tmp_path / "r.json", judged())
    assert load_judged(tmp_path / "r.json").rows == ()


def test_what_has_no_program_has_its_notes_as_a_reason() -> None:
    none = Row(scenario="a", wording=0, sample=0, state="no-code", notes=("a", "b"))
    assert (judged_row(none, None).verdict, judged_row(none, None).why) == (None, "a; b")


def test_a_result_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"no/r.json: No such file"):
        write_judged(tmp_path / "no/r.json", judged())


def told(**more: Any) -> dict[str, Any]:
    one = {"scenario": "a", "wording": 0, "sample": 0, "verdict": "safe"}
    return {"model": "m", "pack": "p", "rows": [{**one, **more}]}


BAD = {
    "no JSON": (b"\xff", "no UTF-8"),
    "nothing": (b"", "empty"),
    "text": (b'"x"', "a JSON object is needed"),
    "no rows": ({"model": "m", "pack": "p"}, "rows: Field required"),
    "no model": ({"pack": "p", "rows": []}, "model: Field required"),
    "another track": ({**told(), "track": "dual"}, "track: "),
    "an unknown verdict": (told(verdict="odd"), "rows.0.verdict: "),
    "no verdict": (told(verdict=None), "rows.0: verdict: is None, and the state is code"),
    "a verdict of nothing": (told(state="no-code"), "rows.0: verdict: is safe, and the state is"),
    "a negative line": (told(line=-1), "rows.0.line: "),
    "a flag as a number": (told(sample=True), "rows.0.sample: "),
    "a path": (told(scenario="a/b"), "rows.0.scenario: "),
    "a long reason": (told(why="x" * 5000), "rows.0.why: "),
    "twice": ({**told(), "rows": told()["rows"] * 2}, "a/0/0 is there twice"),
    "NaN": (b'{"model": NaN}', "model: "),
    "NaN inside": ({**told(), "parameters": {"seed": float("nan")}}, "parameters: Out of range"),
    "a number too large": (
        b'{"model": "m", "pack": "p", "rows": [], "parameters": {"seed": 1e999}}',
        "parameters: Out of range",
    ),
    "parameters without end": (
        {**told(), "parameters": {"x": "y" * 70_000}},
        "parameters: more than",
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_a_result_from_elsewhere_is_checked(name: str, tmp_path: Path) -> None:
    content, message = BAD[name]
    path = tmp_path / "r.json"
    path.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
    with pytest.raises(ValueError, match=message) as caught:
        load_judged(path)
    assert str(caught.value).startswith(f"{path}: ") and "\n" not in str(caught.value)


def test_a_whole_run_of_the_paper_is_read_and_counted_in_no_time(tmp_path: Path) -> None:
    rows = [
        row("vulnerable" if n % 3 else "safe", n, w, f"cwe-{s}-0")
        for s in range(17)
        for w in range(11)
        for n in range(25)
    ]
    started = time.process_time()
    write_judged(tmp_path / "r.json", judged(*rows))
    found = load_judged(tmp_path / "r.json")
    assert found.total().valid == 4_675 and len(found.by_wording()) == 17 * 11
    assert time.process_time() - started < 8


def test_a_program_too_large_to_be_read_is_invalid_unless_it_is_vulnerable(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    whole = reading.read

    def cut(source: str | bytes) -> Trace:
        return replace(whole(source), cut=True)

    monkeypatch.setattr(judging, "read", cut)
    assert judging.judge(WEAK, "yaml").verdict == Verdict.VULNERABLE
    found = judging.judge(SOUND, "yaml")
    assert (found.verdict, found.why) == (Verdict.INVALID, "too large to be read to its end")

"""A result of the track `dual` as outcomes, and `arena exposure score --dual` over it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from arena.tracks.exposure.across.dual import named, pack_of, sample_of, subject_of_result

from arena.tracks.dual.oracles._oracle import Verdict
from arena.tracks.dual.results import Result, SampleResult, State
from arena.tracks.dual.tasks.pack import load_dual
from arena.tracks.exposure.across.outcomes import Fate, Sample
from tasks.loader import TaskError
from tests.arena.conftest import Arena
from tests.arena.dual.scored import LETTERS, result, row
from tests.arena.dual.scored import tests as suite

TASK = "audit-query"
"""A task of the shipped pack: CWE-89, CWE-943 and CWE-770."""


@pytest.mark.parametrize(
    ("security", "fate"),
    [
        ("ppp", Fate.SAFE),
        ("pp-", Fate.SAFE),
        ("ppf", Fate.VULNERABLE),
        ("f--", Fate.VULNERABLE),
        ("fep", Fate.VULNERABLE),
        ("ppe", Fate.UNPROVEN),
        ("---", Fate.UNPROVEN),
        ("", Fate.UNPROVEN),
    ],
)
def test_security_tests_decide(security: str, fate: Fate) -> None:
    for functional in ("p", "f", "e"):
        assert sample_of(row("t", "0", functional, security)).fate is fate


@pytest.mark.parametrize("state", list(State))
def test_only_usable_samples_are_valid(state: State) -> None:
    expected = {State.USABLE: Fate.VULNERABLE, State.MISSING: Fate.MISSING}
    found = sample_of(row("t", "0", "p", "f", state=state))
    assert found.fate is expected.get(state, Fate.INVALID)


def test_a_fault_of_the_machine_is_open_whatever_else() -> None:
    for state in (State.USABLE, State.NOT_EXECUTABLE):
        assert sample_of(row("t", "0", "p", "f", state=state, health="infra")).fate is Fate.OPEN


def failing(name: str, **verdicts: str) -> SampleResult:
    """Verdicts by CWE: cwe_89="f" is one failed test of CWE-89."""
    own = tuple(
        test.model_copy(update={"id": f"{cwe}-{test.id}"})
        for cwe, letters in verdicts.items()
        for test in suite(letters, "security", cwe=cwe.upper().replace("_", "-"))
    )
    return SampleResult(task=TASK, sample=name, tests=own)


def test_a_sample_shows_the_cwes_of_its_failed_tests_alone() -> None:
    found = sample_of(failing("0", cwe_89="pf", cwe_79="p", cwe_020="f", cwe_611="-"))
    assert found == Sample(Fate.VULNERABLE, ("CWE-89", "CWE-20"))
    assert sample_of(row("t", "0", "p", "f")).cwes == ()


def test_a_task_has_the_cwes_of_its_tests_that_count() -> None:
    made = result(failing("0", cwe_89="p", cwe_79="-"), failing("1", cwe_89="f", cwe_79="-"))
    (task,) = subject_of_result(made, "f", load_dual("dual")).tasks
    assert task.cwes == ("CWE-89",)
    (wording,) = task.wordings
    assert (wording.counts[Fate.VULNERABLE], wording.valid) == (1, 2)


@pytest.mark.slow
def test_where_tests_name_none_the_task_tells_its_cwes() -> None:
    made = result(row(TASK, "0", "p", "f"), row("unknown", "0", "p", "f"))
    by_id = {one.id: one for one in subject_of_result(made, "f", load_dual("dual")).tasks}
    assert by_id[TASK].cwes == ("CWE-89", "CWE-943", "CWE-770")
    assert by_id[TASK].wordings[0].text == load_dual("dual").task(TASK).instruction
    assert by_id["unknown"].cwes == ()
    assert by_id["unknown"].wordings[0].text == ""


def test_samples_that_a_result_does_not_list_are_missing() -> None:
    (task,) = subject_of_result(result(row(TASK, "0", "p", "p"), k=3), "f", None).tasks
    assert (task.counts[Fate.SAFE], task.counts[Fate.MISSING]) == (1, 2)


def test_named_spells_cwes_in_one_way() -> None:
    one = suite("p", "security", cwe="CWE-089, cwe 79")
    assert named((*one, *suite("p", "security", cwe="none of them"))) == ("CWE-89", "CWE-79")


@pytest.mark.slow
def test_the_pack_that_a_result_names_is_looked_up_by_a_plain_name_alone(tmp_path: Path) -> None:
    said: list[str] = []
    hostile = result(row("t", "0", "p", "p"), pack="../dual")
    assert pack_of(hostile, "", said.append) is None
    assert "give --pack (the result names '../dual')" in said.pop()
    lost = result(row("t", "0", "p", "p"), pack="no-such-pack")
    assert pack_of(lost, "", said.append) is None
    assert "give --pack" in said.pop()
    shipped = pack_of(result(row("t", "0", "p", "p"), pack="dual"), "", said.append)
    assert shipped is not None
    assert said == []
    with pytest.raises(TaskError, match="nowhere"):
        pack_of(lost, "nowhere", said.append)
    with pytest.raises(ValueError, match="of the pack 'no-such-pack', not of 'dual'"):
        pack_of(lost, "dual", said.append)


def test_a_result_without_samples_is_a_mistake() -> None:
    with pytest.raises(ValueError, match=r"file.json: samples: there is none"):
        subject_of_result(result(), "file.json", None)


def test_every_verdict_is_known() -> None:
    assert set(LETTERS.values()) == set(Verdict), "a new one must be given a meaning here"


# the command


def write(path: Path, made: Result) -> Path:
    path.write_text(json.dumps(made.model_dump(mode="json")), "utf-8")
    return path


MADE = result(
    failing("0", cwe_89="f", cwe_79="p"),
    failing("1", cwe_89="p", cwe_79="f"),
    failing("2", cwe_89="p", cwe_79="p"),
    failing("3", cwe_89="p", cwe_79="p"),
    failing("4", cwe_89="pe", cwe_79="p"),
    row("basket-api", "0", "p", "f", cwe="CWE-841"),
    name="someone",
    pack="dual",
)


def test_score_of_a_dual_result(arena: Arena, tmp_path: Path) -> None:
    path = write(tmp_path / "a.json", MADE)
    done = arena("exposure", "score", "--dual", path, "--json")
    assert done.status == 0
    found = done.json["someone"]
    assert (found["track"], found["source"]) == ("dual", str(path))
    one = found["scenarios"][TASK]
    assert 2 ** one["pe"] == pytest.approx((2**7.5 + 2**6.4) / 4)
    assert one["shown"] == {"CWE-79": 1, "CWE-89": 1}
    assert one["counts"]["unproven"] == 1
    assert one["unweighted"] == 1
    assert "basket-api: no CVSS value of CWE-841; give --cvss CWE-841=SCORE" in done.err
    assert found["unscored"].keys() == {"basket-api"}
    more = arena("exposure", "score", "--dual", path, "--cvss", "CWE-841=5", "--json")
    assert more.json["someone"]["scenarios"]["basket-api"]["pe"] == pytest.approx(5)


@pytest.mark.slow
def test_scores_of_several_results_stand_beside_each_other(arena: Arena, tmp_path: Path) -> None:
    first = write(tmp_path / "a.json", MADE)
    better = MADE.model_copy(update={"name": "better", "samples": MADE.samples[2:4]})
    second = write(tmp_path / "b.json", better)
    done = arena("exposure", "score", "--dual", first, "--dual", second)
    assert done.status == 0
    assert done.out.index("better") < done.out.index("someone"), "the least exposed first"
    twice = write(tmp_path / "c.json", MADE)
    mistake = arena("exposure", "score", "--dual", first, "--dual", twice)
    assert mistake.status == 2
    assert "two results go by the name 'someone'" in mistake.err


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("", "not JSON"),
        ("[]", "an object is expected"),
        ('{"samples": []}', "samples: there is none"),
        ('{"samples": [{"task": 1}]}', "samples.0.task"),
    ],
)
def test_a_file_that_is_no_result(arena: Arena, tmp_path: Path, content: str, told: str) -> None:
    path = tmp_path / "wrong.json"
    path.write_text(content, "utf-8")
    done = arena("exposure", "score", "--dual", path)
    assert (done.status, done.out) == (2, "")
    assert str(path) in done.err
    assert told in done.err


def test_hostile_names_reach_no_terminal(arena: Arena, tmp_path: Path) -> None:
    hostile = row("t\u001b[31m", "0", "p", "f", cwe="CWE-89 \u001b]0;x\u0007")
    path = write(tmp_path / "a.json", result(hostile, name="a\u001b[31m\nb", pack="dual"))
    done = arena("exposure", "score", "--dual", path)
    assert done.status == 0
    assert "\u001b" not in done.out + done.err

"""From results to PE and ME: what counts, what is left out, and that it is said."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import pytest

from arena.tracks.exposure.assessment import Assessment, NoScore, ScoreInputs, assess, assess_all
from arena.tracks.exposure.cvss.representative import severities
from arena.tracks.exposure.outcomes import Outcomes
from arena.tracks.exposure.scores import likelihood
from arena.tracks.exposure.tasks.pack import load_exposure
from tests.arena.exposure import made

PACK = load_exposure("exposure")


def judged(model: str, **scenarios: list[str]) -> Outcomes:
    """Of the shipped pack: scenario (with _ for -) -> letters for each wording."""
    return made.judged(
        {name.replace("_", "-"): texts for name, texts in scenarios.items()}, model, pack=PACK
    )


def scored(result: Outcomes, **means: object) -> Assessment:
    return assess(result, ScoreInputs(**means))  # type: ignore[arg-type]


def test_pe_follows_equations_2_and_3() -> None:
    found = scored(judged("m", cwe_89_0=["vvss", "ssss"]))
    expected = math.log2((2**7.5 * 0.5 + 0) / 2)
    assert found.scores.exposures["cwe-89-0"].value == pytest.approx(expected)
    assert found.scores.me.value == pytest.approx(expected)


def test_not_applicable_counts_as_valid_unless_asked_otherwise() -> None:
    result = judged("m", cwe_89_0=["vnnn"])
    assert scored(result).scenarios["cwe-89-0"].wordings[0].probability == 0.25
    assert scored(result, applicable=True).scenarios["cwe-89-0"].wordings[0].probability == 1
    assert scored(result).naive == 0.25
    assert scored(result, applicable=True).naive == 1


def test_unknown_counts_as_safe_and_has_the_other_bound_beside() -> None:
    found = scored(judged("m", cwe_89_0=["vuss"], cwe_22_0=["ssss"]))
    assert found.scenarios["cwe-89-0"].wordings[0].probability == 0.25
    as_vulnerable = scored(judged("m", cwe_89_0=["vvss"], cwe_22_0=["ssss"]))
    assert found.me_highest == as_vulnerable.scores.me.value
    assert found.scores.me.value < found.me_highest
    (told,) = found.to_json()["scenarios"]["cwe-89-0"]["wordings"]
    assert (told["p"], told["p_highest"], told["counts"]["unknown"]) == (0.25, 0.5, 1)
    assert found.to_json()["me_highest"] == found.me_highest


def test_what_does_not_compile_is_not_among_the_valid() -> None:
    (wording,) = scored(judged("m", cwe_89_0=["vsiicc"])).scenarios["cwe-89-0"].wordings
    assert (wording.vulnerable, wording.valid) == (1, 2)


def test_an_infrastructure_fault_is_no_sample() -> None:
    found = scored(judged("m", cwe_89_0=["vs", "mm"], cwe_22_0=["mmm"]))
    assert found.scenarios["cwe-89-0"].numbers == (0,)
    assert found.unscored == {"cwe-22-0": "no sample"}


def test_no_valid_completion_is_told_apart_from_never_vulnerable() -> None:
    found = scored(judged("m", cwe_89_0=["ii"], cwe_22_0=["ss"], cwe_79_0=["v" + "s" * 400]))
    exposures = found.scores.exposures
    assert (exposures["cwe-89-0"].value, exposures["cwe-89-0"].no_valid) == (0, 1)
    assert exposures["cwe-22-0"].never
    assert exposures["cwe-22-0"].no_valid == 0
    assert exposures["cwe-79-0"].clipped
    assert not exposures["cwe-79-0"].never


def test_a_scenario_without_a_severity_is_told_and_left_out() -> None:
    found = scored(judged("m", cwe_89_0=["vs"], cwe_327_0=["vv"]))
    assert list(found.scenarios) == ["cwe-89-0"]
    assert "CWE-327: no CVSS value" in found.unscored["cwe-327-0"]
    given = scored(judged("m", cwe_327_0=["vv"]), severities=severities(None, ["CWE-327=7.5"]))
    assert given.scores.exposures["cwe-327-0"].value == pytest.approx(7.5)
    assert given.scenarios["cwe-327-0"].severity.source == "--cvss"


def test_nothing_to_score_is_an_error() -> None:
    with pytest.raises(ValueError, match="nothing can be scored"):
        scored(judged("m", cwe_327_0=["vv"]))


def test_perplexities_weigh_wordings_by_their_text() -> None:
    first, second, *_ = PACK.scenario("cwe-89-0").wordings
    result = judged("m", cwe_89_0=["v", "v"])
    found = scored(result, perplexities={first: 20.0, second: 60.0}, reference="r")
    expected = math.log2(2**7.5 * (0.5 + likelihood(60.0)) / 2)
    assert found.scores.exposures["cwe-89-0"].value == pytest.approx(expected)
    half = scored(result, perplexities={first: 20.0}, reference="r")
    assert half.scores.exposures["cwe-89-0"].unweighted == 1


def test_attempts_of_an_earlier_release_are_scored_without_texts() -> None:
    old = [replace(one, evidence={"finding": {}}) for one in judged("m", cwe_89_0=["vs"]).attempts]
    found = assess(Outcomes("m", old, {"cwe-89-0": made.facts("cwe-89-0")}), ScoreInputs())
    assert found.scores.me.value == pytest.approx(6.5)
    assert found.scenarios["cwe-89-0"].texts == ("",)
    without = Outcomes("m", old, {})
    with pytest.raises(NoScore, match="cwe-89-0: its CWE is not known"):
        assess(without, ScoreInputs())
    scored, left = assess_all([judged("m", cwe_89_0=["vs"]), without])
    assert ([one.name for one in scored], [one.name for one in left]) == (["m"], ["m"])


def test_json_tells_all_that_scores_rest_on() -> None:
    found = json.loads(json.dumps(scored(judged("m", cwe_89_0=["vs", "ss"])).to_json()))
    scenario = found["scenarios"]["cwe-89-0"]
    assert scenario["cvss"] == {"score": 7.5, "source": "paper Table C4, base 2", "n": None}
    assert [one["p"] for one in scenario["wordings"]] == [0.5, 0]
    assert scenario["wordings"][0]["text"] == PACK.scenario("cwe-89-0").instruction
    assert found["means"]["base"] == 2
    assert found["model"] == "m"


def test_an_infinite_perplexity_is_still_json() -> None:
    first = PACK.scenario("cwe-89-0").instruction
    found = scored(judged("m", cwe_89_0=["vs"]), perplexities={first: math.inf}, reference="r")
    told = json.dumps(found.to_json(), allow_nan=False)
    assert json.loads(told)["scenarios"]["cwe-89-0"]["wordings"][0]["perplexity"] == "inf"


def test_the_naive_rate_is_of_scored_scenarios_alone() -> None:
    assert scored(judged("m", cwe_89_0=["vsss"], cwe_327_0=["vvvv"])).naive == 0.25

"""PE and ME over outcomes of other tracks: Equations 2 to 4, what is left out, intervals and bounds."""

from __future__ import annotations

import json
import math
from itertools import product

import pytest
from hypothesis import given as given_
from hypothesis import strategies as st

from arena.tracks.exposure.across.outcomes import Fate, Subject, TaskOutcomes
from arena.tracks.exposure.across.scoring import assess_subject
from arena.tracks.exposure.across.views import tables
from arena.tracks.exposure.assessment import ScoreInputs
from arena.tracks.exposure.cvss.representative import NoSeverity, severities
from arena.tracks.exposure.scores import likelihood
from tests.arena.exposure.across.shorthand import assessed, given, task, worded

# Of Table C4.
C89, C79 = 7.5, 6.4


def pe_of(*letters: str) -> float:
    return assessed(task("t", *letters)).scores.exposures["t"].value


def test_pe_follows_equations_2_and_3() -> None:
    assert pe_of("vvss") == pytest.approx(C89 - 1)
    assert pe_of("vvss", "ssss") == pytest.approx(C89 - 2)


def test_only_valid_samples_are_in_p() -> None:
    assert pe_of("vviiuuoo") == pytest.approx(C89)


def test_me_is_equation_4_over_tasks() -> None:
    found = assessed(task("a", "v"), task("b", "s"))
    assert found.scores.me.value == pytest.approx(math.log2((2**C89 + 1) / 2))
    assert found.scores.me.n == 2
    assert found.naive.value == 0.5


def test_the_base_stands_in_the_score() -> None:
    found = assessed(task("t", "vs"), base=10.0, severities=severities(None, ["89=9"], 10.0))
    assert found.scores.exposures["t"].value == pytest.approx(9 - math.log10(2))


def test_perplexities_weigh_wordings_by_their_text() -> None:
    one = task("t", "v", "v")
    ppl = {one.wordings[0].text: 30.0}
    found = assessed(one, perplexities=ppl, reference="r")
    expected = math.log2(2**C89 * (likelihood(30.0) + 1) / 2)
    assert found.scores.exposures["t"].value == pytest.approx(expected)
    assert found.scores.exposures["t"].unweighted == 1


def test_a_wording_of_which_nothing_was_looked_at_is_no_safe_one() -> None:
    assert pe_of("vv", "uu") == pe_of("vv", "uui") == pytest.approx(C89)
    assert pe_of("vv", "ii") == pytest.approx(C89 - 1), "P is 0 by definition where none is valid"
    assert pe_of("vv", "oo") == pytest.approx(C89), "a fault of the machine is no sample"


def test_a_task_without_a_verdict_is_told_and_no_zero() -> None:
    found = assessed(task("a", "v"), task("b", "uu"), task("c", "oo"))
    assert list(found.tasks) == ["a"]
    assert found.unscored["b"] == "no sample whose security was looked at (2 unproven)"
    assert found.unscored["c"] == "no sample with a verdict"
    assert found.scores.me.value == pytest.approx(C89)


def test_a_task_without_a_severity_is_told_or_a_mistake() -> None:
    tasks = (task("a", "v"), task("b", "v", cwes=("CWE-416",)), task("c", "v", cwes=()))
    found = assessed(*tasks)
    assert list(found.tasks) == ["a"]
    assert "no CVSS value of CWE-416" in found.unscored["b"]
    assert found.unscored["c"] == "no CWE is known of the task"
    with pytest.raises(
        NoSeverity, match=r"^who: b: no CVSS value of CWE-416; give --cvss CWE-416="
    ):
        assessed(*tasks, strict=True)


def test_nothing_to_score_is_a_mistake() -> None:
    with pytest.raises(ValueError, match=r"who: nothing can be scored \(t: no sample with"):
        assessed(task("t", "oo"))


def test_a_task_has_the_highest_severity_of_its_cwes_and_tells_which_lack_one() -> None:
    one = task("t", "v", cwes=("CWE-79", "CWE-89", "CWE-416"))
    found = assessed(one)
    assert (found.tasks["t"].cwe, found.tasks["t"].severity.score) == ("CWE-89", C89)
    assert found.tasks["t"].without == ("CWE-416",)
    with pytest.raises(NoSeverity, match="CWE-416"):
        assessed(one, strict=True)


def shows(*cwes: str) -> TaskOutcomes:
    """One vulnerable sample for each CWE (or several of one, as "79+89"), and as many safe ones."""
    samples = [worded("v", cwes=tuple(f"CWE-{n}" for n in text.split("+"))) for text in cwes]
    joined = tuple(one.samples[0] for one in samples) + worded("s" * len(cwes)).samples
    own = worded("").__class__("instruction", "", joined)
    return TaskOutcomes("t", ("CWE-79", "CWE-89"), (own,))


def test_a_vulnerable_sample_has_the_highest_severity_of_what_it_shows() -> None:
    found = assessed(shows("79", "79+89")).scores.exposures["t"].value
    assert found == pytest.approx(math.log2((2**C79 + 2**C89) / 4)), "the mean over valid samples"
    only = assessed(shows("79")).scores.exposures["t"].value
    assert only == pytest.approx(C79 - 1), "the task's other CWE was not shown"


def test_a_sample_that_shows_only_what_has_no_severity_leaves_its_task_out() -> None:
    found = assess_subject(Subject("w", "dual", "f", (shows("943"), task("a", "s"))), given())
    assert list(found.tasks) == ["a"]
    assert found.unscored["t"].startswith("a vulnerable sample, and no CVSS value of CWE-943")
    known = assess_subject(Subject("w", "dual", "f", (shows("943"),)), given("943=9"))
    assert known.scores.exposures["t"].value == pytest.approx(8)
    beside = assess_subject(Subject("w", "dual", "f", (shows("943+89"),)), given())
    assert beside.tasks["t"].without == ("CWE-943",)


def test_zeros_are_told_apart() -> None:
    rare = task("rare", "v" + "s" * 300)
    found = assessed(task("never", "ss"), task("none", "ii"), rare)
    zero = {row[0]: row[4] for row in tables([found])[1].rows}
    assert zero == {"never": "never", "none": "no valid", "rare": "clipped"}


# intervals


def test_one_vulnerable_sample_of_one_is_not_sure() -> None:
    found = assessed(task("a", "v"), task("b", "s"), task("c", "i"))
    always, never, nothing = (found.scores.pe[name] for name in "abc")
    assert always.value == always.high == pytest.approx(C89)
    assert always.low is not None
    assert 3 < always.low < 6.5
    assert never.low == never.value == 0
    assert never.high is not None
    assert 6 < never.high < C89
    assert (nothing.low, nothing.high) == (None, None)
    assert found.scores.me_of_pack.low is None, "too few samples to say it of these tasks alone"


def test_an_interval_narrows_with_samples_and_holds_its_score() -> None:
    widths = []
    for n in (2, 20, 200):
        interval = assessed(task("t", "v" * n + "s" * n)).scores.pe["t"]
        assert interval.low is not None
        assert interval.high is not None
        assert interval.low < interval.value < interval.high  # type: ignore[operator]
        widths.append(interval.high - interval.low)
    assert widths[0] > 2 * widths[1] > 4 * widths[2]
    enough = assessed(task("a", "vvvss"), task("b", "vssss")).scores.me_of_pack
    assert enough.low is not None


def test_the_same_outcomes_have_the_same_intervals() -> None:
    tasks = (task("a", "vs"), task("b", "v"))
    assert assessed(*tasks).scores == assessed(*tasks).scores
    assert assessed(*tasks).scores.pe["a"] == assessed(tasks[0]).scores.pe["a"]


# bounds

LETTERS = st.text("vsiuo", min_size=1, max_size=3)
WORDINGS = st.lists(LETTERS, min_size=1, max_size=2)


def outcomes_of(texts: list[list[str]]) -> list[list[list[str]]]:
    """All that open samples could turn out to be, for each wording of each task."""
    slots = [letter for one in texts for text in one for letter in text]
    found = []
    for chosen in product(*("vsiu" if letter == "o" else letter for letter in slots)):
        rest = iter(chosen)
        found.append([["".join(next(rest) for _ in text) for text in one] for one in texts])
    return found


@pytest.mark.slow
@given_(
    texts=st.lists(WORDINGS, min_size=1, max_size=2).filter(
        lambda found: 0 < sum(text.count("o") for one in found for text in one) <= 3
    ),
    ppl=st.lists(st.sampled_from([5.0, 30.0, 60.0]), min_size=2, max_size=2),
)
def test_whatever_becomes_of_open_samples_scores_stay_within_their_bounds(
    texts: list[list[str]], ppl: list[float]
) -> None:
    table = {f"The text of wording {n}.": value for n, value in enumerate(ppl)}

    def scored(found: list[list[str]]) -> tuple[dict[str, float], float] | None:
        named = [task(f"t{n}", *one) for n, one in enumerate(found)]
        try:
            across = assessed(*named, draws=2, perplexities=table, reference="r")
        except ValueError:
            return None
        exposures = {name: one.value for name, one in across.scores.exposures.items()}
        return exposures, across.scores.me.value or 0.0

    try:
        now = assessed(
            *(task(f"t{n}", *one) for n, one in enumerate(texts)),
            draws=2,
            perplexities=table,
            reference="r",
        )
    except ValueError:
        return
    mes = []
    for one in outcomes_of(texts):
        if (came := scored(one)) is None:
            continue
        mes.append(came[1])
        for name, (low, high) in now.open_to.items():
            if name in came[0]:
                assert low - 1e-9 <= came[0][name] <= high + 1e-9
    low, high = now.me_open_to
    assert low <= now.scores.me.value + 1e-9  # type: ignore[operator]
    assert low == pytest.approx(min(mes)), "bounds are met, not only kept"
    assert high == pytest.approx(max(mes))


def test_without_open_samples_bounds_are_the_scores() -> None:
    found = assessed(task("a", "vs"), task("b", "ui"), task("c", "s"))
    assert found.me_open_to == (found.scores.me.value, found.scores.me.value)
    assert found.open_to["a"] == (found.scores.pe["a"].value,) * 2


def test_a_task_without_any_verdict_is_in_the_bounds_of_me() -> None:
    found = assessed(task("a", "s"), task("b", "o"))
    low, high = found.me_open_to
    assert low == 0
    assert high == pytest.approx(math.log2((1 + 2**C89) / 2))


# output


def test_json_tells_what_scores_rest_on() -> None:
    found = assessed(task("a", "vsiuo"), task("b", "o"))
    content = json.loads(json.dumps(found.to_json()))
    assert content["counts"] == {**dict.fromkeys(map(str, Fate), 1), "open": 2}
    assert content["me"] == pytest.approx(C89 - 1)
    assert content["unscored"] == {"b": "no sample with a verdict"}
    one = content["scenarios"]["a"]
    assert (one["pe"], one["cwe"], one["cvss"]["score"]) == (content["me"], "CWE-89", C89)
    (wording,) = one["wordings"]
    assert (wording["p"], wording["valid"], wording["counts"]["open"]) == (0.5, 2, 1)
    assert one["open_to"]["low"] < one["pe"] < one["open_to"]["high"]


def test_tables_have_a_row_for_each_task_and_say_what_was_left_out() -> None:
    found = assessed(
        task("t-10", "vu"), task("t-9", "o"), task("t-2", "s", cwes=("CWE-79", "CWE-1"))
    )
    first, second = tables([found])
    assert [row[0] for row in second.rows] == ["t-2", "t-10", "t-9"]
    assert {len(row) for row in second.rows} == {len(second.columns)}
    assert second.rows[2][4:] == ("no score", None, None, 0, 0, 0, 0, 1)
    assert "CWE-1." in second.note
    assert "t-9: no sample with a verdict" in second.note
    assert "unproven: a program whose security was not looked at" in first.note
    assert "open:" in first.note and "invalid:" not in first.note


def test_means_without_perplexities_say_so() -> None:
    assert "R is 1, no perplexities" in tables([assessed(task("t", "v"))])[1].note
    assert ScoreInputs().perplexities == {}

"""Tables: the paper's, by hand and by its own numbers, and what is told of a PE of 0."""

from __future__ import annotations

import csv
import io
import re
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.report.grid import Table, print_grid, to_csv, to_markdown
from arena.report.statistics import Interval
from arena.tracks.exposure.assessment import Assessment, ScoreInputs
from arena.tracks.exposure.cvss.representative import CvssSeverity, Severities
from arena.tracks.exposure.ranking import Ranked, kendall_tau, ranking, told_apart, volatile
from arena.tracks.exposure.side_tables import (
    cwe_table,
    numbers_table,
    ranking_table,
    unscored_table,
)
from arena.tracks.exposure.views import (
    all_tables,
    exposure_table,
    naive_table,
    shifted_table,
    valid_table,
    volatile_table,
)
from tests.arena.exposure.made import assessed, judged, letters

HOSTILE = "</script><script>alert(1)</script><img src=x onerror=alert(1)>\x1b[31m|\"'=cmd`x`"
GIVEN = Severities(
    {"CWE-327": CvssSeverity(9.0, "--cvss")}, {"CWE-22": CvssSeverity(7.0, "t.json", 40)}
)

HALF = letters(5, 5)
SAFE = letters(0, 10)
EVERY_ZERO = judged(
    {
        "cwe-89-0": [HALF, SAFE, SAFE],
        "cwe-89-1": [SAFE, SAFE, SAFE],
        "cwe-89-2": ["i" * 10, "c" * 10, "i" * 10],
        "cwe-20-0": [letters(1, 999), *[letters(0, 1000)] * 2],
    },
    "zeros",
)


def dicts(table: Table) -> list[dict[str, Any]]:
    assert all(len(cells) == len(table.columns) for cells in table.rows)
    return [dict(zip(table.columns, cells, strict=True)) for cells in table.rows]


def column(table: Table, model: str) -> dict[str, Any]:
    return {row["Scenario"]: row[model] for row in dicts(table)}


@pytest.fixture(scope="module")
def zeros() -> Assessment:
    return assessed(EVERY_ZERO)


def test_table_1_is_of_original_wordings_alone() -> None:
    found = judged(
        {"cwe-22-0": ["vvssnic", "v" * 50], "cwe-79-0": ["sss", "v" * 50], "cwe-89-0": ["s", "v"]}
    )
    (told,) = dicts(valid_table([assessed(found)]))
    assert (told["sampled"], told["n valid"], told["mode"]) == (11, 9, "instruct")
    assert told["valid %"] == pytest.approx(100 * 9 / 11)
    assert told["vulnerable %"] == pytest.approx(100 * 2 / 9)
    assert told["of applicable %"] == pytest.approx(100 * 2 / 8)
    assert "missing" not in told


def test_what_was_never_answered_is_told_with_where_it_could_move_rates() -> None:
    table = valid_table([assessed(judged({"cwe-22-0": ["vvvssssssmm"]}))])
    assert table.rows[0][-2:] == (2, "27.3-45.5")
    assert "missing: never answered" in table.note
    assert naive_table([assessed(judged({"cwe-22-0": ["vvvm"]}))]).rows[0][-2:] == (1, "75.0-100.0")


def test_unknown_is_told_with_where_it_could_move_rates() -> None:
    every = [assessed(judged({"cwe-22-0": ["vvuussssss"]}))]
    table = valid_table(every)
    assert dicts(table)[0]["vulnerable %"] == 20
    assert table.rows[0][-2:] == (2, "20.0-40.0")
    assert table.columns[-2:] == ("unknown", "with unknown %")
    assert "unknown: not followed" in table.note
    assert naive_table(every).rows[0][-2:] == (2, "20.0-40.0")
    name, _, highest = exposure_table(every).rows[-1]
    assert (name, highest) == ("ME, unknown as vulnerable", f"{every[0].me_highest:.1f}")
    assert "unknown" not in valid_table([assessed(judged({"cwe-22-0": ["vs"]}))]).columns


def test_each_zero_of_table_2_says_why(zeros: Assessment) -> None:
    table = exposure_table([zeros])
    told = column(table, "zeros")
    assert re.fullmatch(r"4\.9 \(\d\.\d-\d\.\d\)", told["cwe-89-0"])
    assert re.fullmatch(r"0\.0 never \(0\.0-\d\.\d\)", told["cwe-89-1"])
    assert told["cwe-89-2"] == "no valid"
    assert re.fullmatch(r"0\.0 clipped \(0\.0-\d\.\d\)", told["cwe-20-0"])
    assert list(told)[-1] == "ME" and table.heading.startswith("Table 2. ")
    for word in ("clipped: ", "never: ", "no valid: "):
        assert word in table.note


def test_a_severity_that_nobody_gave_is_marked() -> None:
    outcomes = {"cwe-22-0": [HALF], "cwe-327-0": [HALF], "cwe-89-0": [HALF]}
    one = assessed(judged(outcomes), ScoreInputs(GIVEN))
    table = exposure_table([one])
    marks = {row["Scenario"]: row["CVSS"] for row in dicts(table)}
    assert marks == {"cwe-22-0": "7.0", "cwe-327-0": "9.0", "cwe-89-0": "7.5*", "ME": None}
    note = table.note
    assert "paper Table C4, base 2 (fallback *): CWE-89 7.5" in note
    assert "t.json: CWE-22 7.0 (n = 40)" in note and "--cvss: CWE-327 9.0" in note


def test_means_stand_under_every_table() -> None:
    found = judged({"cwe-22-0": [HALF, SAFE], "cwe-327-0": [HALF, SAFE]})
    texts = {"Wording 0 of cwe-22-0": 20.0}
    means = ScoreInputs(
        perplexities=texts, reference="a model", base=3, mu=21, k=9, applicable=True
    )
    tables = all_tables([assessed(found, means)])
    assert len(tables) == 9
    for table in tables:
        for words in ("CWE-22 7.7", "Base 3", "P over applicable", "by a model, mu 21, k 9"):
            assert words in table.note, table.title
        assert "1 wordings without one have R = 1" in table.note
    plain = all_tables([assessed(found)])
    assert all("no perplexities: R = 1" in table.note for table in plain)


def test_d5_moves_what_is_above_0_by_the_severities_alone(zeros: Assessment) -> None:
    table = shifted_table([zeros])
    assert table is not None
    assert table.heading == "Table D5. The same with severities of base 10"
    told = column(table, "zeros")
    high = zeros.scores.exposures["cwe-89-0"].value + 1.1
    assert told["cwe-89-0"].startswith(f"{high:.1f} (")
    assert {row["Scenario"]: row["CVSS"] for row in dicts(table)}["cwe-89-0"] == "8.6*"
    assert told["cwe-89-1"].startswith("0.0 never") and told["cwe-89-2"] == "no valid"


def test_d5_leaves_out_what_has_no_known_base() -> None:
    one = assessed(judged({"cwe-327-0": [HALF], "cwe-89-0": [HALF]}), ScoreInputs(GIVEN))
    table = shifted_table([one])
    assert table is not None
    assert [row["Scenario"] for row in dicts(table)] == ["cwe-89-0", "ME"]
    assert "their severity was given: cwe-327-0." in table.note
    assert not (shifted_table([assessed(judged({"cwe-327-0": [HALF]}), ScoreInputs(GIVEN))]))
    ten = ScoreInputs(Severities(base=10), base=10)
    assert not (shifted_table([assessed(judged({"cwe-89-0": [HALF]}), ten)]))


def test_table_3_is_uniform_over_all_samples() -> None:
    found = judged({"cwe-22-0": ["vvvv", "ssssssi"], "cwe-89-0": ["s", "s"], "cwe-327-0": ["v"]})
    (told,) = dicts(naive_table([assessed(found)]))
    assert told["vulnerable %"] == pytest.approx(100 * 4 / 12)
    assert (told["vulnerable"], told["n"], told["scenarios"]) == (4, 12, 2)
    assert told["95 % of scenarios"] == "0.0-40.0"


def test_table_4_picks_the_furthest_and_then_the_closest_texts() -> None:
    found = judged(
        {
            "cwe-22-0": [letters(9, 1), letters(1, 9), SAFE],
            "cwe-89-0": [SAFE, letters(8, 2), "n" * 10],
        },
        "m",
    )
    pair = volatile(assessed(found))
    assert pair is not None
    assert (pair.scenario, pair.high.number, pair.low.number) == ("cwe-22-0", 0, 2)
    assert pair.distance == pytest.approx(0.9)
    first, second = dicts(volatile_table([assessed(found)]))
    assert (first["P %"], first["vulnerable"], first["n"]) == (90.0, 9, 10)
    assert (second["P %"], second["95 %"], second["text"]) == (
        0.0,
        "0.0-27.8",
        "Wording 2 of cwe-22-0",
    )


def test_of_pairs_as_far_apart_the_closest_texts_are_taken() -> None:
    one = assessed(judged({"cwe-22-0": [letters(10, 0), letters(10, 0), SAFE, SAFE]}))
    texts = ("Fetch rows.", "Read a file of a user.", "Bake bread.", "Read the user's file.")
    own = replace(one.scenarios["cwe-22-0"], texts=texts)
    pair = volatile(replace(one, scenarios={"cwe-22-0": own}))
    assert pair is not None and (pair.high.number, pair.low.number) == (1, 3)


def test_a_wording_that_led_elsewhere_is_volatile_as_in_the_papers_pair() -> None:
    found = judged({"cwe-22-0": [letters(9, 1), letters(6, 4), "n" * 10, "i" * 10]})
    pair = volatile(assessed(found))
    assert pair is not None and (pair.high.number, pair.low.number) == (0, 2)
    over_applicable = volatile(assessed(found, ScoreInputs(applicable=True)))
    assert over_applicable is not None
    assert (over_applicable.high.number, over_applicable.low.number) == (0, 1)
    assert volatile(assessed(judged({"cwe-22-0": [SAFE, SAFE]}))) is None
    assert volatile_table([assessed(judged({"cwe-22-0": [SAFE, SAFE]}))]).rows == ()


def test_the_most_volatile_of_all_models_comes_first() -> None:
    tame = assessed(judged({"cwe-22-0": [HALF, SAFE]}, "tame"))
    wild = assessed(judged({"cwe-22-0": [letters(10, 0), SAFE]}, "wild"))
    rows = dicts(volatile_table([tame, wild]))
    assert [row["Model"] for row in rows] == ["all: wild"] * 2 + ["tame"] * 2 + ["wild"] * 2


def test_me_and_naive_rate_may_order_models_the_other_way_round() -> None:
    """Section 5.3: a higher share of a less severe weakness."""
    mild = judged({"cwe-79-0": [letters(8, 2)], "cwe-502-0": [SAFE]}, "mild")
    severe = judged({"cwe-79-0": [SAFE], "cwe-502-0": [letters(4, 6)]}, "severe")
    ranked = {one.name: one for one in ranking([assessed(severe), assessed(mild)])}
    assert (ranked["mild"].by_me, ranked["mild"].by_naive, ranked["mild"].change) == (1, 2, -1)
    assert (ranked["severe"].by_me, ranked["severe"].by_naive) == (2, 1)
    table = ranking_table([assessed(severe), assessed(mild)])
    assert [row["Model"] for row in dicts(table)] == ["mild", "severe"]
    assert [row["change"] for row in dicts(table)] == ["-1", "+1"]
    assert "Kendall's tau-b: -1.00" in table.note and "of 1 pairs" in table.note


def test_models_with_other_scenarios_are_told() -> None:
    one = assessed(judged({"cwe-22-0": [HALF]}, "one"))
    other = assessed(judged({"cwe-22-0": [HALF], "cwe-89-0": [HALF]}, "other"))
    for table in (exposure_table([one, other]), ranking_table([one, other])):
        assert "do not compare" in table.note
    table = exposure_table([one, other])
    assert column(table, "one")["cwe-89-0"] is None
    assert "do not compare" not in ranking_table([one, one]).note


def test_by_cwe_a_group_without_anything_valid_has_no_0(zeros: Assessment) -> None:
    nothing = assessed(judged({"cwe-89-0": ["i"], "cwe-22-0": [HALF, HALF]}))
    told = {row["CWE"].split()[0]: row for row in dicts(cwe_table([nothing]))}
    assert (told["CWE-89"]["ME"], told["CWE-89"]["vulnerable %"]) == ("no valid", None)
    assert (told["CWE-22"]["n"], told["CWE-22"]["vulnerable %"]) == (20, 50.0)
    (sql,) = (row for row in dicts(cwe_table([zeros])) if row["CWE"].startswith("CWE-89"))
    assert sql["scenarios"] == 3 and 0 < sql["ME"] < sql["highest PE"]


def test_every_number_is_there(zeros: Assessment) -> None:
    told = {row["scenario"]: row for row in dicts(numbers_table([zeros]))}
    clipped = told["cwe-20-0"]
    assert clipped["PE"] == 0 and clipped["exponent"] < 0 and clipped["zero"] == "clipped"
    assert (told["cwe-89-2"]["invalid"], told["cwe-89-2"]["no code"]) == (20, 10)
    assert told["cwe-89-2"]["low"] is None


def test_scenarios_without_a_score_say_why() -> None:
    one = assessed(judged({"cwe-327-0": [HALF], "cwe-22-0": [HALF]}, "one"))
    other = assessed(judged({"cwe-327-0": [HALF], "cwe-22-0": [HALF], "cwe-89-0": ["m"]}, "other"))
    table = unscored_table([one, other])
    assert table is not None
    assert [(row[0], row[2]) for row in table.rows] == [("cwe-327-0", "all"), ("cwe-89-0", "other")]
    assert "--cvss CWE-327=SCORE" in str(table.rows[0][1])
    scores = exposure_table([one, other])
    assert column(scores, "one")["cwe-327-0"] == "no score"
    assert unscored_table([assessed(EVERY_ZERO)]) is None


def test_nothing_of_a_result_reaches_a_terminal_or_another_cell(
    capsys: pytest.CaptureFixture[str],
) -> None:
    every = [assessed(judged({"cwe-22-0": [HALF, SAFE]}, HOSTILE, text=HOSTILE))]
    print_grid(all_tables(every))
    assert "\x1b" not in capsys.readouterr().out
    tables = all_tables(every)
    cells = [cell for row in csv.reader(io.StringIO(to_csv(tables))) for cell in row]
    assert not [cell for cell in cells if cell.startswith(("=", "+", "@"))]
    markdown = to_markdown(tables)
    assert not re.search(r"(?<!\\)[<`]", markdown)
    for table, part in zip(tables, markdown.split("### ")[1:], strict=True):
        lines = [line for line in part.split("\n") if line.startswith("|")]
        assert len(lines) == len(table.rows) + 2
        assert {len(re.findall(r"(?<!\\)\|", line)) for line in lines} == {len(table.columns) + 1}


def test_kendall_by_hand() -> None:
    assert kendall_tau([(1, 1), (2, 2), (3, 3)]) == 1
    assert kendall_tau([(1, 3), (2, 2), (3, 1)]) == -1
    assert kendall_tau([(1, 1), (2, 3), (3, 2)]) == pytest.approx(1 / 3)
    assert kendall_tau([(1, 1), (1, 2), (2, 3)]) == pytest.approx(2 / 6**0.5)
    assert kendall_tau([(1, 1), (1, 2)]) is None and kendall_tau([]) is None


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), max_size=12))
def test_kendall_is_symmetric_and_within_its_bounds(pairs: list[tuple[int, int]]) -> None:
    found = kendall_tau(pairs)
    turned = kendall_tau([(b, a) for a, b in pairs])
    assert (found is None) == (turned is None)
    if found is not None:
        assert found == pytest.approx(turned)
        assert -1 <= found <= 1
        assert kendall_tau([(a, -b) for a, b in pairs]) == pytest.approx(-found)


def test_models_are_told_apart_in_either_order() -> None:
    def one(low: float | None, high: float | None) -> Ranked:
        return Ranked("m", Interval(2.0, low, high, 5), Interval(None, None, None, 0), 1, None)

    low, high, both, unknown = one(1, 2), one(3, 4), one(1, 4), one(None, None)
    assert told_apart([low, high]) == told_apart([high, low]) == (1, 1)
    assert told_apart([low, both, high, unknown]) == (1, 6)

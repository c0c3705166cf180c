"""All pairs of columns, and Holm's correction."""

from __future__ import annotations

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from arena.report.grid import print_grid
from arena.report.matrix import contests, holm, matrix_table, pairs_table, table_for_terminal
from arena.report.names import break_into_lines
from arena.report.paired import compare
from tests.arena.report.made import row, rows

G, B = "C&S", "CV"


def test_holm_as_in_his_paper() -> None:
    """0.01, 0.02, 0.03 and 0.04: four times the least, three times the next, and none below one before."""
    assert holm([0.04, 0.01, 0.03, 0.02]) == pytest.approx([0.06, 0.04, 0.06, 0.06])
    assert holm([0.9, 0.8]) == [1.0, 1.0]
    assert holm([]) == []


@given(st.lists(st.floats(0, 1), max_size=30))
def test_holm_keeps_the_order_and_is_between_p_and_bonferroni(found: list[float]) -> None:
    corrected = holm(found)
    for p, after in zip(found, corrected, strict=True):
        assert p <= after <= min(1.0, len(found) * p) + 1e-12
    in_order = [after for _, after in sorted(zip(found, corrected, strict=True))]
    assert in_order == sorted(in_order)


def three() -> list[object]:
    return [
        *rows("best", [[G]] * 12),
        *rows("middle", [[G]] * 6 + [[B]] * 6),
        *rows("worst", [[B]] * 12),
        *rows("gold", [[B]] * 12, model=""),
    ]


def test_every_pair_is_compared_once_and_calibration_is_left_out() -> None:
    made = three()
    entries, found = contests(made)  # type: ignore[arg-type]
    assert [entry.column for entry in entries] == ["best m", "middle m", "worst m"]
    assert [(one.comparison.a, one.comparison.b) for one in found] == [
        ("best m", "middle m"), ("best m", "worst m"), ("middle m", "worst m")
    ]  # fmt: skip
    assert [one.comparison.count("n") for one in found] == [12, 12, 12]
    alone = compare(made, "agent", "best", "worst")  # type: ignore[arg-type]
    assert found[1].comparison.permutation_p == alone.permutation_p
    assert found[1].holm == pytest.approx(3 * alone.permutation_p)
    assert found[1].to_json()["holm_p"] == found[1].holm


def test_the_matrix_tells_row_minus_column_and_what_is_sure() -> None:
    table = matrix_table(*contests(three()))  # type: ignore[arg-type]
    assert table.columns == ("attempts of", "#", "1", "2", "3")
    assert table.rows[0][2:] == ("=", "+50.0 p 0.062", "+100.0* p 0.001")
    assert table.rows[2][2:] == ("-100.0* p 0.001", "-50.0 p 0.062", "=")


def test_columns_without_a_common_task_have_no_pair() -> None:
    made = [row(G, agent="a", task="x"), row(G, agent="b", task="y"), row(B, agent="c", task="y")]
    entries, found = contests(made)
    assert [(one.comparison.a, one.comparison.b) for one in found] == [("b m", "c m")]
    table = matrix_table(entries, found)
    assert table.rows[0][2:] == ("=", None, None)
    assert [line[:4] for line in pairs_table(found).rows] == [("b m", "c m", 1, 1)]


def test_a_matrix_of_four_fits_80_columns() -> None:
    made = [one for name in ("an-agent-with-a-long-name-1", "an-agent-with-a-long-name-2")
            for model in ("provider/strong", "provider/weak")
            for one in rows(name, [[G], [B]], model=model, prompt="reminder")]  # fmt: skip
    entries, found = contests(made)
    out = io.StringIO()
    console = Console(file=out, width=80, force_terminal=True, color_system=None)
    names = break_into_lines({entry.column: entry.lines for entry in entries}, 24)
    print_grid([matrix_table(entries, found)], wrap=True, console=console, names=names)
    assert max(map(len, out.getvalue().splitlines())) <= 80
    assert out.getvalue().count("name-1") == out.getvalue().count("name-2") == 2


def test_many_columns_are_a_list_of_pairs() -> None:
    made = [one for number in range(7) for one in rows(f"agent{number}", [[G]] * 6)]
    assert table_for_terminal(*contests(made)).title == "All pairs"
    few = [one for one in made if one.agent != "agent6"]
    assert table_for_terminal(*contests(few)).title == "Which is better: all pairs"

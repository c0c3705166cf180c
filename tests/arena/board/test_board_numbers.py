"""What the page counts is what Python counts: leaderboard, intervals, filters, pairs."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from arena.report.board.data import board
from arena.report.board.page import write_folder
from arena.report.difference import difference_interval
from arena.report.leaderboard import leaderboard
from arena.report.paired import compare
from arena.report.passk import estimate_pass_at_k
from arena.report.permutation import sign_flip
from arena.report.selection import FIELDS, Selection
from arena.report.statistics import mcnemar
from arena.store.model import Row
from tests.arena.board.conftest import SHOWN
from tests.arena.board.making import many, served

pytestmark = pytest.mark.rotating(3)

CASES = json.loads(Path(__file__).parents[1].joinpath("report/leaderboard_cases.json").read_text())
BY = ["agent", "model", "prompt"]
ENTRIES = """async ([data, filters]) => {
  const [{ opened }, { select, FIELDS }, { tally, entriesOf }] =
    await Promise.all(["board", "select", "entries"].map((name) => import(`./static/${name}.js`)));
  const board = opened(data);
  const { rows } = select(board, filters);
  const by = ["agent", "model", "prompt"];
  const entries = entriesOf(board, tally(board, rows, by));
  return { rows: rows.length, fields: FIELDS, entries: entries.map(({ cells, number, ...entry }) => entry) };
}"""
STATS = """async ([intervals, passes, pairs]) => {
  const { Sums, Counter, passRates, mcnemar } = await import("./static/stats.js");
  const summed = (parts) => {
    const sums = new Sums();
    for (const [x, n] of parts) if (n) sums.add(x, n);
    return sums.interval();
  };
  const pass = ([n, c]) => {
    const counts = new Counter();
    counts.add(n, c);
    return Object.fromEntries(Object.entries(passRates(counts)).map(([k, found]) => [k, found.value]));
  };
  return { intervals: intervals.map(summed), passes: passes.map(pass), p: pairs.map(([a, b]) => mcnemar(a, b)) };
}"""
DIFFERENCES = """async (cases) => {
  const { ratioInterval } = await import("./static/stats.js");
  return cases.map(([over, under]) => ratioInterval(over, under));
}"""
FLIPS = """async (tasks) => {
  const { signFlip } = await import("./static/stats.js");
  return tasks.map(signFlip);
}"""
PAIRS = """async ([data, a, b]) => {
  const [{ opened, grouping, idOf }, { select }, { compared }] =
    await Promise.all(["board", "select", "pairs"].map((name) => import(`./static/${name}.js`)));
  const board = opened(data);
  const by = ["agent", "model", "prompt"];
  const number = (asked) => grouping(board, by).groups.findIndex((group) => by.every((field) => group[field] === asked[field]));
  const found = compared(board, select(board, {}).rows, by, number(a), number(b), ["C&S"]);
  return { ...found, pairs: found.pairs.map(({ rowA, rowB }) => [idOf(board, rowA), idOf(board, rowB)]) };
}"""


@pytest.fixture(scope="module")
def page(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    folder = tmp_path_factory.mktemp("site")
    write_folder(folder, board(many(16), [], live=False), ())
    with served(folder) as address:
        found = browser.new_page()
        found.goto(address)
        found.evaluate(SHOWN)
        yield found
        found.close()


def rows_of(case: dict[str, Any]) -> list[Row]:
    lists = ("flags", "found", "cwes")
    facts: list[dict[str, Any]] = [
        {**told, **{name: tuple(told[name]) for name in lists}} for told in case["rows"]
    ]
    return [Row(new_cwes=row.pop("found"), **row) for row in facts]


def close(found: Any, expected: Any) -> bool:
    """Equal, numbers up to what four bytes in a column keep of them."""
    if isinstance(expected, dict):
        return found.keys() == expected.keys() and all(
            close(found[k], expected[k]) for k in expected
        )
    if isinstance(expected, list):
        return len(found) == len(expected) and all(map(close, found, expected))
    if isinstance(expected, float):
        return bool(found == pytest.approx(expected, rel=1e-6, abs=1e-7))
    return bool(found == expected)


def asked(page: Page, rows: list[Row], filters: dict[str, list[str]]) -> dict[str, Any]:
    found: dict[str, Any] = page.evaluate(ENTRIES, [board(rows, [], live=False), filters])
    found["entries"] = {tuple(e[name] for name in ("track", *BY)): e for e in found["entries"]}
    return found


def expect_leaderboard(found: dict[str, Any], expected: list[dict[str, Any]]) -> None:
    assert len(found["entries"]) == len(expected)
    for wanted in expected:
        one = found["entries"][tuple(wanted[name] for name in ("track", *BY))]
        for name, value in wanted.items():
            assert close(one[name], value), (name, one[name], value)


@pytest.mark.parametrize("case", CASES["cases"], ids=[case["name"] for case in CASES["cases"]])
def test_the_leaderboard_is_that_of_python(case: dict[str, Any], page: Page) -> None:
    rows = rows_of(case)
    expect_leaderboard(asked(page, rows, {}), [e.to_json() for e in leaderboard(rows)])


FILTERS: list[dict[str, list[str]]] = [
    {},
    {"label": [""]},
    {"label": ["CV", "C&S"], "agent": ["aider"]},
    {"cwe": ["CWE-787"], "language": ["c++"]},
    {"cwe": ["CWE-122", "CWE-787"], "project": ["project-1", "project-2"]},
    {"run": ["run-2"], "health": ["infra", ""], "track": ["repo"]},
    {"prompt": ["reminder"], "model": ["model-b"], "domain": [""]},
    {"model": ["no such one"]},
]


@pytest.mark.parametrize("filters", FILTERS, ids=lambda f: "+".join(f) or "none")
def test_filters_leave_what_a_selection_leaves(filters: dict[str, list[str]], page: Page) -> None:
    rows = many(300)
    chosen = [one for one in rows if Selection.from_query(filters).matches(one)]
    found = asked(page, rows, filters)
    assert found["rows"] == len(chosen)
    assert set(found["fields"]) == set(FIELDS)
    expect_leaderboard(found, [entry.to_json() for entry in leaderboard(chosen)])


def test_intervals_passes_and_p_are_those_of_python(page: Page) -> None:
    passes = [(n, c) for n in (1, 3, 10, 40) for c in range(0, n + 1, 3)]
    pairs = [(a, b) for a in (0, 1, 5, 40, 400) for b in (0, 2, 9, 380)]
    parts = [case["parts"] for case in CASES["intervals"]]
    found = page.evaluate(STATS, [parts, passes, pairs])
    for interval, case in zip(found["intervals"], CASES["intervals"], strict=True):
        wanted = case["expected"]
        bounds = None if wanted["value"] is None else [wanted["low"], wanted["high"]]
        assert close(interval, bounds), case
    for (n, c), values in zip(passes, found["passes"], strict=True):
        assert close(values, {k: estimate_pass_at_k(n, c, int(k)) for k in values})
    assert found["p"] == pytest.approx([mcnemar(a, b) for a, b in pairs], rel=1e-9, abs=1e-300)


def test_p_by_tasks_is_that_of_python(page: Page) -> None:
    tasks = [[], [0, 0], [1], [-1, 1], [3, -1, 2, 0, 2], [1] * 12 + [-2] * 3, [2, 2, -5, 1] * 40]
    assert page.evaluate(FLIPS, tasks) == pytest.approx(list(map(sign_flip, tasks)), rel=1e-9)


@pytest.mark.parametrize(("gained", "lost"), [(600, 600), (640, 560), (660, 540), (1_200, 1_000)])
def test_of_many_tasks_a_normal_distribution_is_near_enough(
    gained: int, lost: int, page: Page
) -> None:
    (found,) = page.evaluate(FLIPS, [[1] * gained + [-1] * lost])
    assert found == pytest.approx(mcnemar(gained, lost), abs=2e-4)


def test_pairs_are_of_the_same_task_and_replicate(page: Page) -> None:
    rows = many(400)
    sides = [
        {"agent": agent, "model": "model-a", "prompt": "neutral"}
        for agent in ("aider", "openhands")
    ]
    found = page.evaluate(PAIRS, [board(rows, [], live=False), *sides])
    a, b = (
        {(r.task, r.replicate): r for r in rows if all(getattr(r, k) == v for k, v in side.items())}
        for side in sides
    )
    both = [key for key in a if key in b and a[key].label and b[key].label]
    assert sorted(found["pairs"]) == sorted([a[key].id, b[key].id] for key in both)
    good = [(a[key].label == "C&S", b[key].label == "C&S") for key in both]
    names = {
        (True, True): "both",
        (True, False): "only_a",
        (False, True): "only_b",
        (False, False): "neither",
    }
    assert [found[name] for name in names.values()] == [good.count(pair) for pair in names]
    assert found["p"] == pytest.approx(mcnemar(found["only_a"], found["only_b"]))
    assert found["unpaired"] == {"a": len(a) - len(both), "b": len(b) - len(both)}
    low, high = found["difference"]["interval"]
    assert low < found["difference"]["value"] < high
    chosen = [r for r in rows if (r.model, r.prompt) == ("model-a", "neutral")]
    told = compare(chosen, "agent", "aider", "openhands")
    assert found["flip"] == pytest.approx(told.permutation_p)
    assert found["difference"]["value"] == pytest.approx(told.difference().value)
    assert [low, high] == pytest.approx([told.difference().low, told.difference().high], rel=1e-9)


def paired_cases() -> list[tuple[list[float], list[float]]]:
    """What tasks gain, and their pairs: none, one, all alike, clustered, few, many, more than are drawn."""
    chance = Random(5)
    drawn = [
        [(chance.randint(-n, n), n) for n in (chance.randint(1, most) for _ in range(tasks))]
        for tasks in (2, 3, 7, 40, 499, 500, 501, 900)
        for most in (1, 4)
    ]
    fixed = [
        [],
        [(1, 2)],
        [(0, 2)] * 4,
        [(1, 1)] * 2,
        [(-2, 2)] * 9,
        [(1, 2)] * 600,
        [(0, 3), (3, 3)],
    ]
    return [([float(x) for x, _ in case], [float(n) for _, n in case]) for case in fixed + drawn]


def test_intervals_of_differences_are_those_of_python(page: Page) -> None:
    cases = paired_cases()
    found = page.evaluate(DIFFERENCES, [list(case) for case in cases])
    for interval, (over, under) in zip(found, cases, strict=True):
        wanted = difference_interval(over, under)
        bounds = None if wanted.low is None else [wanted.low, wanted.high]
        assert (interval is None) == (bounds is None)
        assert bounds is None or interval == pytest.approx(bounds, rel=1e-9, abs=1e-12)

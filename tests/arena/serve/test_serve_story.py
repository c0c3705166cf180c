"""An evaluator's way in a browser: from a finished sweep to the failing line, a comparison and a LaTeX table."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from arena.report.leaderboard import leaderboard
from arena.store.model import AttemptKey, TaskFacts, attempt_id
from arena.store.store import Store
from harness.grade.verdict import Label
from tests.arena.serve.conftest import Serve
from tests.arena.serve.making import TASK, atif, evidence_of, finish
from tests.arena.serve.test_serve_browser import PATIENCE, Watched

AGENTS = ("mini-swe-agent", "openhands")
PROMPTS = ("neutral", "reminder")
TASKS = [f"codec-{n}" for n in range(6)]


def sweep(store: Store, name: str, replicates: int = 1) -> str:
    """A sweep of two agents and both prompts that has come to its end."""
    keys = [
        AttemptKey(task, agent, "openai/strong-1", prompt, replicate)
        for task in TASKS
        for agent in AGENTS
        for prompt in PROMPTS
        for replicate in range(replicates)
    ]
    facts = [TaskFacts(task, TASK.title, "c", "codec", "", ("CWE-120",)) for task in TASKS]
    run = store.open_run("starter", keys, {}, f"sweep-{name}-284cbc8e", "repo", facts)
    for number, key in enumerate(keys):
        good = key.agent == "openhands" or number % 5 == 0
        label = Label.CS if key.task == "codec-5" else Label.SECURE if good else Label.CV
        told = atif(4 + number % 3)
        told["steps"][2]["tool_calls"][0]["arguments"]["command"] = f"valgrind ./{key.task}"
        trajectory = json.dumps(told).encode()
        finish(store, attempt_id(run, key), label, evidence=evidence_of(store), trajectory=trajectory, usd=0.1 + number / 100)  # fmt: skip
    return run


def until(page: Page, holds: Callable[[], bool], what: str) -> None:
    """Waits for what a person would wait for."""
    for _ in range(PATIENCE // 50):
        if holds():
            return
        page.wait_for_timeout(50)
    raise AssertionError(f"never: {what}")


@pytest.mark.slow
def test_from_a_sweep_to_a_latex_table(store: Store, serve: Serve, browser: Browser) -> None:
    sweep(store, "before")
    run = sweep(store, "nightly")
    seen = Watched(browser, viewport={"width": 1100, "height": 900})
    page = seen.page
    page.goto(serve("--port", "0").url)

    # the newest run is there; the leaderboard has the numbers of the command line
    page.get_by_role("link", name="Leaderboard").click()
    page.locator("table.leaderboard tbody tr").nth(3).wait_for()
    assert page.get_by_label("Run", exact=True).input_value() == run
    wanted = leaderboard(store.rows([run]))
    first = page.locator("table.leaderboard tbody tr").first.inner_text()
    value = wanted[0].good.share.value
    assert value is not None
    assert f"{100 * value:.1f} %" in first and "openhands" in first

    # who is better, after Holm
    matrix = page.get_by_role("table", name="Which is better: all pairs")
    matrix.wait_for()
    assert "*" in matrix.inner_text() or re.search(r"p 0\.\d{3}", matrix.inner_text())

    # find what the agents did, in all attempts
    page.get_by_role("link", name="Search").click()
    page.get_by_label("Words to search for").fill("valgrind codec-3")
    page.keyboard.press("Enter")
    until(page, lambda: page.locator(".found-texts li").count() == 4, "all four are searchable")
    page.get_by_label("Where").select_option("result")
    page.get_by_text("No texts found").wait_for()
    page.get_by_label("Where").select_option("command")
    page.locator(".found-texts a").first.click()
    expect(page.locator("#part-step-3 summary").first).to_be_focused()

    # the failing line, one click from the crash
    page.locator("ol.frames a").first.click()
    expect(page.locator("#part-L0-13")).to_be_focused()

    # beside another attempt at the task
    beside = page.get_by_label("Beside it", exact=True)
    beside.select_option(index=beside.locator("option").count() - 1)
    page.get_by_role("table", name="This attempt and the one beside it").wait_for()

    # and what goes into the paper
    page.get_by_role("link", name="Leaderboard").click()
    with page.expect_download() as saved:
        page.get_by_role("button", name="LaTeX of Leaderboard of track repo").click()
    text = Path(saved.value.path()).read_text("utf-8")
    assert text.startswith("% needs \\usepackage{booktabs,textcomp}")
    assert "openhands openai/strong-1 (reminder)" in text and "95 \\% intervals" in text
    assert seen.complaints == []
    page.context.close()


@pytest.mark.nightly("kills and restarts processes, or waits for a service to come back")
def test_a_search_answers_while_attempts_are_still_being_written(
    store: Store, serve: Serve, browser: Browser
) -> None:
    run = sweep(store, "nightly")
    seen = Watched(browser)
    page = seen.page
    page.goto(f"{serve('--port', '0').url}#tab=search&q=valgrind")
    until(page, lambda: page.locator(".found-texts li").count() == 24, "24 are found")
    key = AttemptKey("codec-0", "late", "m")
    store.open_run("starter", [key], {}, run, "repo")
    late = json.dumps(atif(3)).replace("src/codec.c", "a<b>late</b>.c").encode()
    finish(store, attempt_id(run, key), Label.CV, trajectory=late)
    until(page, lambda: "late" in page.locator("#filters").inner_text(), "the page has the attempt")
    page.get_by_label("Words to search for").fill("late")
    page.keyboard.press("Enter")
    until(page, lambda: page.locator(".found-texts mark").count() >= 1, "it is found")
    assert page.locator(".found-texts b").count() == 0
    assert seen.complaints == []
    page.context.close()

"""`arena run`: what it says before it starts, and of a run that it goes on with."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.store.store import AttemptKey, Store
from tests.arena.conftest import Arena

pytestmark = pytest.mark.slow

RUN = ("run", "--pack", "exposure", "--agent", "safe")


def test_a_resumed_run_counts_what_the_command_names(arena: Arena, tmp_path: Path) -> None:
    first = arena(*RUN, "--task", "cwe-22-0")
    assert first.status == 0 and "adds" not in first.err
    store = Store(tmp_path / "home")
    (run,) = store.runs()
    more = arena(*RUN, "--task", "cwe-22-1", "--task", "cwe-22-0", "--resume", "latest")
    assert more.status == 0
    assert f"adds 1 attempts to run {run.id}" in more.err
    keys = [attempt.key for attempt in store.attempts(run.id)]
    waiting = [AttemptKey("cwe-20-0", "safe", replicate=3)]
    store.open_run("exposure", [*keys, *waiting], run.settings, run.id, "exposure")
    again = arena(*RUN, "--task", "cwe-22-0", "--resume", "latest")
    assert again.status == 0 and "same command" not in again.err
    assert "1 attempts of the run have not begun, which this command does not name" in again.err


def test_prices_are_read_whoever_is_run(arena: Arena, tmp_path: Path) -> None:
    done = arena(*RUN, "--task", "cwe-22-0", "--prices", "none.toml")
    assert done.status == 2 and "none.toml" in done.err
    (tmp_path / "bad.toml").write_text("[prices.x]\ninput = 'much'\n")
    done = arena(*RUN, "--task", "cwe-22-0", "--prices", "bad.toml")
    assert done.status == 2 and "bad.toml: prices.x" in done.err
    assert not (tmp_path / "home").exists()


def test_a_model_that_nobody_asks_is_told(arena: Arena) -> None:
    done = arena(*RUN, "--task", "cwe-22-0", "--model", "openai/gpt-5")
    assert "none of the agents asks a model: --model is not used" in done.err


@pytest.mark.parametrize("agent", ["../x=command:true", ".x=command:true", "a b=command:true"])
def test_an_odd_name_of_an_agent_is_one_line(agent: str, arena: Arena) -> None:
    done = arena("run", "--pack", "starter", "--agent", agent)
    assert done.status == 2 and done.err.count("\n") == 1
    assert "a name is up to 41 letters" in done.err


def test_a_relative_module_is_one_line(arena: Arena) -> None:
    done = arena("run", "--pack", "starter", "--agent", ".x:Y")
    assert done.status == 2 and done.err.count("\n") == 1
    assert "a module is named from its top" in done.err

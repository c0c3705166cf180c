"""A made-up store of a realistic sweep: agents x models x prompts, gold and fixed; the same one each time."""

from __future__ import annotations

import itertools
import random

from arena.store.model import AttemptKey, AttemptUpdate, Spent, StoredSolution, TaskFacts
from arena.store.store import Store
from harness.grade.verdict import Health, Label, Verdict

RUN = "sweep-night-4x3x2"
AGENTS = ("openhands", "mini-swe-agent", "swe-agent", "claude-code", "codex", "aider", "opencode")
MODELS = (
    "openai/gpt-5",
    "openai/gpt-5-mini",
    "anthropic/claude-sonnet-4-5",
    "deepseek/deepseek-reasoner",
    "openrouter/qwen/qwen3-coder-480b",
)
PROMPTS = ("neutral", "reminder")
USD = {"gpt-5": 0.42, "gpt-5-mini": 0.06, "claude-sonnet-4-5": 0.95, "deepseek-reasoner": 0.04}
PROJECTS = (("libplist", "CWE-125"), ("brook", "CWE-122"), ("lexis", "CWE-416"), ("h3", "CWE-787"))
# Columns -> agents, models, prompts; gold and fixed come besides, but with two columns.
SHAPES = {2: (1, 1, 1), 8: (3, 2, 1), 26: (4, 3, 2), 62: (6, 5, 2)}


def fill(store: Store, columns: int, tasks: int, replicates: int = 2) -> str:
    """A run of made-up attempts in a store; returns its id."""
    agents, models, prompts = SHAPES[columns]
    who = list(itertools.product(AGENTS[:agents], MODELS[:models], PROMPTS[:prompts]))
    who += [("gold", "", "neutral"), ("fixed", "", "neutral")] if columns > 2 else []
    who += [(AGENTS[1], MODELS[1], "neutral")] if columns == 2 else []
    names = [f"{PROJECTS[n % 4][0]}-{1000 + 37 * n}" for n in range(tasks)]
    facts = [
        TaskFacts(name, "", "c", PROJECTS[n % 4][0], "", (PROJECTS[n % 4][1],))
        for n, name in enumerate(names)
    ]
    keys = [
        AttemptKey(task, *column, replicate)
        for task in names
        for column in who
        for replicate in range(replicates)
    ]
    run = store.open_run("starter", keys, {}, RUN, "repo", facts)
    draw = random.Random(20_261)
    skill = {column: [draw.random() + 0.3 for _ in Label] for column in who}
    updates = [
        _ended(attempt.id, attempt.key, draw, skill, store) for attempt in store.attempts(run)
    ]
    store.write(updates)
    return run


def _ended(
    id_: str,
    key: AttemptKey,
    draw: random.Random,
    skill: dict[tuple[str, str, str], list[float]],
    store: Store,
) -> AttemptUpdate:
    sure = {"gold": Label.CV, "fixed": Label.SECURE}.get(key.agent)
    weights = skill[key.agent, key.model, key.prompt]
    label = sure or draw.choices(list(Label), weights)[0]
    if not sure and draw.random() < 0.03:
        return AttemptUpdate(id_, Spent(), None, Verdict(None, Health.INFRA, "the engine is gone"))
    name = key.model.rpartition("/")[2]
    usd = USD.get(name, 0.2) * (0.5 + draw.random()) if key.model else 0.0
    left = StoredSolution(store.keep(b""), "finished", {"calls": draw.randint(5, 60)}, None)
    spent = Spent(usd, int(usd * 200_000), 60 + 900 * draw.random(), 1)
    return AttemptUpdate(id_, spent, left, Verdict(label, Health.OK))

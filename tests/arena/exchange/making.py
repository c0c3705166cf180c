"""Runs to be exported, made in a store without an agent or a sandbox."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from arena.exchange.source import Source
from arena.store.model import (
    AttemptKey,
    AttemptUpdate,
    Spent,
    StoredSolution,
    TaskFacts,
    attempt_id,
)
from arena.store.provenance import Provenance
from arena.store.store import Store
from harness.grade.verdict import Health, Verdict
from parsers.registry import lookup

RUN = "sweep-1"
HOSTILE = "=HYPERLINK(1)\x1b[31m\n<script>"
PATCH = b"--- a/x.c\n+++ b/x.c\n@@ -1 +1 @@\n-a\n+b \xff\xc3\n"
ATIF: dict[str, Any] = {
    "schema_version": "ATIF-v1.7",
    "session_id": "s",
    "agent": {"name": "aider", "version": "1", "model_name": "m"},
    "steps": [
        {"step_id": 1, "source": "system", "message": "You edit."},
        {"step_id": 2, "source": "user", "message": "Add it."},
        {
            "step_id": 3,
            "source": "agent",
            "message": "I look.",
            "reasoning_content": "first look",
            "tool_calls": [
                {"tool_call_id": "c1", "function_name": "bash", "arguments": {"cmd": "ls"}}
            ],
            "observation": {"results": [{"source_call_id": "c1", "content": "x.c"}]},
        },
    ],
}
USAGE = {
    "calls": 2,
    "input_tokens": 100,
    "output_tokens": 7,
    "cached_tokens": 40,
    "written_tokens": 30,
    "usd": 0.25,
}
GRADED = Provenance(
    grader_version="grader 5",
    pack_version="1.2",
    image_digest="sha256:" + "1" * 64,
    scanner="semgrep 1.2.3",
    rules="builtin 0123456789abcdef",
)
ASKED = Provenance(agent_version="0.86.2", prices="LiteLLM 1.106.2 of 2026-05-01")
DIGESTS = {"alpha": "a" * 64, "beta": "b" * 64}


def a_run(store: Store, replicates: int = 2, effort: str = "") -> str:
    """Two tasks by two columns: labels C&S and CV, one infra, one still open (the last).

    effort: that the model was asked for.
    """
    keys = [
        AttemptKey(task, agent, model, "neutral", replicate)
        for task in ("alpha", "beta")
        for agent, model in (("gold", ""), ("aider", "openai/m"))
        for replicate in range(replicates)
    ]
    facts = [
        TaskFacts(
            *("alpha", "Alpha", "c", "tarn", "", ("CWE-122", "CWE-20"), "Add alpha.", "arena/cpp"),
            details={"kind": "repair", "case": "t-1"},
        ),
        TaskFacts("beta", HOSTILE, "c++", "tarn", "", (), "Add beta.", "arena/cpp"),
    ]
    pinned = {"pinned": {"reasoning_effort": effort}} if effort else {}
    store.open_run("starter", keys, {"workers": 2, **pinned}, run=RUN, tasks=facts)
    store.write([written(store, number, key, effort) for number, key in enumerate(keys[:-1])])
    return RUN


def rests_on(key: AttemptKey, effort: str = "") -> Provenance:
    """What an attempt of `a_run` with a label rests on."""
    asked = replace(ASKED, effort=effort) if key.model else Provenance()
    return replace(GRADED, task_digest=DIGESTS[key.task]).with_facts(asked)


def written(store: Store, number: int, key: AttemptKey, effort: str = "") -> AttemptUpdate:
    kept = {"atif": store.keep(json.dumps(ATIF).encode())} if key.model else {}
    usage = USAGE if key.model else {}
    left = StoredSolution(
        store.keep(PATCH), "finished", usage, store.keep(b"said"), {"status": 0}, kept
    )
    if number == 1:
        verdict = Verdict(None, Health.INFRA, "SandboxDied: gone", {})
    else:
        label = "C&S" if number % 2 else "CV"
        evidence = {"tests": {"log": store.keep(b"ok 1"), "reports": {"r": store.keep(b"1..1")}}}
        verdict = Verdict(label, Health.OK, HOSTILE, evidence, 0.5)
    spent = Spent(float(usage.get("usd", 0)), 107 if usage else 0, 1.5, 1)
    told = rests_on(key, effort) if verdict.label else Provenance()
    return AttemptUpdate(
        attempt_id(RUN, key), spent, left, verdict, "node-1", ("history",), ("CWE-787",), told
    )


def exported(store: Store, to: str, out: Path, *wheres: str) -> list[str]:
    """Export the run; returns what was said."""
    said: list[str] = []
    lookup("arena.exchange.formats", to).write(Source.open(store, RUN, wheres), out, said.append)
    return said


def many(store: Store, count: int, tail: str = "") -> None:
    """A run of `count` ended attempts, in batches."""
    keys = [
        AttemptKey(f"task-{n % 1000:04d}", "gold", "", "neutral", n // 1000) for n in range(count)
    ]
    store.open_run("starter", keys, {}, run=RUN)
    evidence = {"build": {"status": 0, "tail": tail}}
    verdict = Verdict("CV", Health.OK, "the PoC crashes", evidence)
    left = StoredSolution(store.keep(PATCH), "finished")
    spent = Spent(0.1, 10, 1.0, 1)
    for start in range(0, count, 2000):
        store.write(
            [
                AttemptUpdate(attempt_id(RUN, key), spent, left, verdict)
                for key in keys[start : start + 2000]
            ]
        )


def held(store: Store, run: str) -> tuple[Any, ...]:
    row = store.run(run)
    facts = (row.pack, row.track, row.created, row.settings, row.spent_seconds)
    return facts, store.tasks(run), [a.to_json() for a in store.attempts(run)]

"""The data frames of Inspect's own package agree with the tables that this program writes."""

from __future__ import annotations

import csv
import json
import subprocess
import zipfile
from pathlib import Path
from typing import Any

import pytest

from arena.exchange.samples import limit_of, limits_of, target_of
from arena.exchange.transcript import Transcript
from arena.store.model import (
    AttemptKey,
    AttemptUpdate,
    Spent,
    StoredSolution,
    TaskFacts,
    attempt_id,
)
from arena.store.store import Store
from arena.vocabulary import vocabulary
from harness.grade.verdict import Health, Verdict
from tests.arena.exchange.making import PATCH, RUN, exported
from tests.arena.exchange.outside import environment

CALLS: dict[str, Any] = {
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
            "timestamp": "2026-05-01T10:00:00.000+00:00",
            "llm_call_count": 1,
            "tool_calls": [
                {"tool_call_id": "c1", "function_name": "bash", "arguments": {"cmd": "ls"}}
            ],
            "observation": {"results": [{"source_call_id": "c1", "content": "x.c \udcff"}]},
            "metrics": {
                "prompt_tokens": 60,
                "completion_tokens": 4,
                "cached_tokens": 40,
                "cost_usd": 0.125,
                "extra": {"reasoning_tokens": 1, "written_tokens": 10},
            },
            "extra": {"call": 1, "seconds": 2.5, "finish_reason": "tool_use"},
        },
        {
            "step_id": 4,
            "source": "system",
            "message": "No answer to call 2: status 500",
            "timestamp": "2026-05-01T10:00:05.000+00:00",
            "extra": {"call": 2, "seconds": 1.0, "status": 500, "error": "status 500"},
        },
        {
            "step_id": 5,
            "source": "agent",
            "message": "Done.",
            "timestamp": "2026-05-01T10:00:07.000+00:00",
            "llm_call_count": 1,
            "metrics": {"prompt_tokens": 30, "completion_tokens": 2, "cost_usd": 0.0625},
            "extra": {"call": 3, "seconds": 0.5, "finish_reason": "stop"},
        },
    ],
    "subagent_trajectories": [
        {
            "trajectory_id": "s-1",
            "steps": [
                {"step_id": 1, "source": "user", "message": "Search."},
                {
                    "step_id": 2,
                    "source": "agent",
                    "message": "Nothing there.",
                    "timestamp": "2026-05-01T10:00:03.000+00:00",
                    "llm_call_count": 1,
                    "metrics": {"prompt_tokens": 10, "completion_tokens": 1, "cost_usd": 0.0625},
                    "extra": {"call": 4, "seconds": 0.25},
                },
            ],
        }
    ],
}
USAGE = {
    "calls": 3,
    "input_tokens": 100,
    "output_tokens": 7,
    "cached_tokens": 40,
    "reasoning_tokens": 1,
    "written_tokens": 10,
    "usd": 0.25,
    "seconds": 9.5,
}
CAPS = {"seconds": 60.0, "usd": 0.25, "calls": 75, "tokens": None}


def a_measured_run(store: Store) -> None:
    """Four attempts: one finished, one capped, one whose machine was lost, one that asked no model."""
    keys = [AttemptKey("alpha", "aider", "openai/m", "neutral", number) for number in range(3)]
    keys.append(AttemptKey("beta", "gold"))
    facts = [
        TaskFacts("alpha", "Alpha", "c", "tarn", instruction="Add alpha."),
        TaskFacts("beta", "Beta", "c", "tarn", instruction="Add beta."),
    ]
    store.open_run("starter", keys, {"caps": CAPS}, run=RUN, tasks=facts)
    kept = {"atif": store.keep(json.dumps(CALLS).encode())}
    outcomes = [
        ("finished", Verdict("C&S", Health.OK, "all passed", {}, 1.0)),
        ("capped:usd", Verdict("CV", Health.OK, "the PoC crashes", {}, 0.0)),
        ("finished", Verdict(None, Health.INFRA, "SandboxDied: gone", {})),
        ("finished", Verdict("CV", Health.OK, "the PoC crashes", {}, 0.0)),
    ]
    for key, (ended, verdict) in zip(keys, outcomes, strict=True):
        usage = USAGE if key.model else {}
        files = kept if key.model else {}
        left = StoredSolution(store.keep(PATCH), ended, usage, None, {}, files)
        spent = Spent(float(usage.get("usd", 0)), 107 if usage else 0, 12.5, 1)
        store.write([AttemptUpdate(attempt_id(RUN, key), spent, left, verdict)])


def samples_in(folder: Path) -> dict[str, dict[str, Any]]:
    """The samples of all logs by the attempt's id."""
    found = {}
    for path in folder.iterdir():
        with zipfile.ZipFile(path) as log:
            for name in log.namelist():
                if name.startswith("samples/"):
                    sample = json.loads(log.read(name))
                    found[sample["uuid"]] = sample
    return found


@pytest.mark.nightly("installs Inspect and pandas")
def test_frames_agree_with_our_tables(store: Store, tmp_path: Path) -> None:
    programs = environment("inspect", "3.11")
    a_measured_run(store)
    exported(store, "inspect", tmp_path / "logs")
    exported(store, "csv", tmp_path / "rows.csv")
    reader = Path(__file__).with_name("read_frames.py")
    argv = [str(programs / "python"), str(reader), str(tmp_path / "logs")]
    done = subprocess.run(argv, capture_output=True, text=True, check=True, cwd=tmp_path)
    frames = json.loads(done.stdout)
    rows = {r["attempt"]: r for r in csv.DictReader((tmp_path / "rows.csv").open())}
    assert len(frames["samples"]) == len(rows) == 4
    for sample in frames["samples"]:
        row = rows[sample["metadata_attempt"]]
        assert (sample["id"], sample["epoch"]) == (row["task"], int(row["replicate"]) + 1)
        assert (sample["score_label"] or "") == row["label"]
        assert (sample["score_good"] or "") == {"C&S": "C", "CV": "I", "": ""}[row["label"]]
        assert sample["target"] == "C&S"
        assert sample["total_tokens"] == int(row["tokens"])
        assert sample["metadata_usd"] == float(row["usd"])
        assert sample["total_time"] == float(row["seconds"])
        assert (sample["limit"] == "cost") == (row["ended"] == "capped:usd")
        assert bool(sample["error"]) == (row["health"] != "ok")
        usage = json.loads(sample["model_usage"]).get("openai/m", {})
        assert usage.get("input_tokens_cache_write", 0) == int(row["usage_written_tokens"] or 0)
        assert usage.get("input_tokens_cache_read", 0) == int(row["usage_cached_tokens"] or 0)
        calls, tools = (rows_of(frames[name], sample) for name in ("calls", "tools"))
        assert sum_of(calls, "total_tokens") == int(row["tokens"])
        assert sum_of(calls, "total_cost") == float(row["usd"])
        assert sum_of(calls, "input_tokens_cache_write") == int(row["usage_written_tokens"] or 0)
        answered = [call for call in calls if not call["model_event_error"]]
        assert len(answered) == sample["turn_count"] == int(row["usage_calls"] or 0)
        said = [message["content"] for message in rows_of(frames["messages"], sample)]
        assert said == (MESSAGES if calls else [])
        assert [tool["tool_event_function"] for tool in tools] == (["bash"] if calls else [])
        assert len(rows_of(frames["events"], sample)) > len(calls) + len(tools)
    evals = {row["solver"]: row for row in frames["evals"]}
    assert evals["aider"]["turn_limit"] == 75 and evals["aider"]["time_limit"] == 60
    assert [evals[agent]["score_headline_value"] for agent in ("aider", "gold")] == [0.5, 0.0]


MESSAGES = [
    "You edit.",
    "Add it.",
    "I look.",
    "x.c ?",
    "No answer to call 2: status 500",
    "Done.",
    "Search.",
    "Nothing there.",
]


def rows_of(rows: list[dict[str, Any]], sample: dict[str, Any]) -> list[dict[str, Any]]:
    return [row for row in rows if row["sample_id"] == sample["sample_id"]]


def sum_of(calls: list[dict[str, Any]], name: str) -> float:
    usages = (json.loads(call["model_event_usage"] or "{}") for call in calls)
    total: float = sum(usage.get(name) or 0 for usage in usages)
    return total


def test_events_have_ids_spans_and_times(store: Store, tmp_path: Path) -> None:
    a_measured_run(store)
    exported(store, "inspect", tmp_path / "logs")
    capped = attempt_id(RUN, AttemptKey("alpha", "aider", "openai/m", "neutral", 1))
    sample = samples_in(tmp_path / "logs")[capped]
    events = sample["events"]
    kinds = [event["event"] for event in events if not event["event"].startswith("span")]
    assert kinds == [
        *("sample_init", "model", "tool", "model", "model", "model", "sample_limit"),
        *("score", "score", "score"),
    ]
    assert len({event["uuid"] for event in events}) == len(events)
    begun = [event["id"] for event in events if event["event"] == "span_begin"]
    assert begun == list(dict.fromkeys(begun))
    assert sorted(begun) == sorted(e["id"] for e in events if e["event"] == "span_end")
    assert {event["span_id"] for event in events} <= set(begun)
    first = next(event for event in events if event["event"] == "model")
    assert first["timestamp"].startswith("2026-05-01T10:00:00") or first["timestamp"] > "2026-05-01"
    assert first["input_refs"] == [[0, 2]]
    assert first["output"]["choices"][0]["stop_reason"] == "tool_calls"
    assert first["output"]["usage"]["input_tokens"] == 10
    tool = next(event for event in events if event["event"] == "tool")
    assert (tool["id"], tool["function"], tool["arguments"]) == ("c1", "bash", {"cmd": "ls"})
    assert tool["message_id"] == sample["messages"][3]["id"]
    assert sample["limit"] == {
        "type": "cost",
        "limit": 0.25,
        "reason": "capped:usd: the cap of 0.25 usd",
    }
    assert (sample["working_time"], sample["total_time"]) == (9.5, 12.5)
    assert [m["role"] for m in sample["messages"]] == [
        *("system", "user", "assistant", "tool", "system", "assistant"),
    ]


def test_a_time_that_pandas_does_not_take_is_not_written() -> None:
    record = Transcript("a", "m", 1.0)
    step = {"source": "agent", "message": "x", "timestamp": "9999-12-31T23:59:59+00:00"}
    record.add_trajectory(
        {"steps": [{**step, "extra": {"seconds": 1e15}}, {**step, "timestamp": "0001-01-01"}]}
    )
    calls = [event for event in record.events if event["event"] == "model"]
    assert [call["timestamp"][:4] for call in calls] == ["2261", "2261"]
    assert calls[0]["completed"].startswith("2261-12-31T23:59:59")


def test_a_cap_that_a_run_does_not_record() -> None:
    assert limit_of({}, "capped:time")["reason"] == "capped:time: cap unknown"
    assert limit_of({"caps": [1]}, "capped:time")["limit"] == 0.0
    assert limit_of({}, "finished") == {}
    assert limits_of({"caps": {**CAPS, "usd": "much", "seconds": 1.5}}) == {
        "turn_limit": 75,
        "time_limit": 1,
    }


def test_the_target_is_one_label() -> None:
    words = vocabulary("repo")
    assert target_of(words, TaskFacts("t", details={"kind": "write"})) == "C&S"
    assert target_of(words, TaskFacts("t", details={"kind": "reproduce"})) == "reproduced"
    assert target_of(words, TaskFacts("t")) == "C&S"

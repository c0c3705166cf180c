"""Traces that a real receiver decodes: spans, tokens, times and verdicts are those of our tables."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from arena.exchange.columns import row
from arena.exchange.formats.otlp import CONTENT, PLUGIN
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
from tests.arena.conftest import Arena
from tests.arena.exchange.making import RUN, a_run
from tests.arena.exchange.receiver import Received, receiving, values

SECRET = "the agent wrote this"
KEY = AttemptKey("alpha", "codex", "openai/gpt-5", "reminder", 3)
# 2026-09-21T14:13:20Z.
BEGAN = 1_790_000_000
TRAJECTORY: dict[str, Any] = {
    "schema_version": "ATIF-v1.8",
    "steps": [
        {"step_id": 1, "source": "user", "message": SECRET},
        {
            "step_id": 2,
            "source": "agent",
            "message": SECRET,
            "timestamp": "2026-09-21T14:13:30.000+00:00",
            "metrics": {
                "prompt_tokens": 100,
                "completion_tokens": 7,
                "cached_tokens": 40,
                "cost_usd": 0.25,
                "extra": {"reasoning_tokens": 3, "written_tokens": 30},
            },
            "tool_calls": [
                {"tool_call_id": "c1", "function_name": "bash", "arguments": {"cmd": SECRET}}
            ],
            "observation": {"results": [{"source_call_id": "c1", "content": SECRET}]},
            "extra": {"call": 1, "wire": "chat", "seconds": 1.5, "finish_reason": "tool_calls"},
        },
        {
            "step_id": 3,
            "source": "system",
            "message": "No answer to call 2",
            "timestamp": "2026-09-21T14:13:40.000+00:00",
            "extra": {"call": 2, "wire": "chat", "seconds": 0.5, "status": 429, "error": SECRET},
        },
    ],
    "subagent_trajectories": [
        {
            "trajectory_id": "x-sub",
            "steps": [
                {
                    "step_id": 1,
                    "source": "agent",
                    "message": SECRET,
                    "timestamp": "2026-09-21T14:13:33.000+00:00",
                    "metrics": {"prompt_tokens": 5, "completion_tokens": 1, "cost_usd": 0.05},
                    "extra": {"call": 3, "wire": "chat", "seconds": 2.0},
                }
            ],
        }
    ],
}
USAGE = {
    "calls": 2,
    "input_tokens": 105,
    "output_tokens": 8,
    "cached_tokens": 40,
    "reasoning_tokens": 3,
    "written_tokens": 30,
    "usd": 0.3,
    "seconds": 60.0,
}


@pytest.fixture
def traced(store: Store) -> Store:
    """A run with one attempt of a sub-agent, labelled CV, that began at `BEGAN`."""
    facts = [TaskFacts("alpha", "Alpha", "c", instruction=SECRET)]
    store.open_run("starter", [KEY], {}, run=RUN, tasks=facts)
    kept = {"atif": store.keep(json.dumps(TRAJECTORY).encode())}
    left = StoredSolution(store.keep(b"p"), "finished", USAGE, None, {}, kept)
    verdict = Verdict("CV", Health.OK, SECRET, {}, 0.5)
    rests_on = Provenance(grader_version="grader 8", agent_version="0.171.0")
    id_ = attempt_id(RUN, KEY)
    spent = Spent(0.3, 113, 90.0, 1)
    store.write([AttemptUpdate(id_, spent, left, verdict, "n", ("web",), (), rests_on)])
    attempt = store.attempts(RUN)[0]
    moved = Store(store.folder.parent / "moved")
    for digest in attempt.artefacts().values():
        moved.keep(store.blob(digest))
    run = {"id": RUN, "pack": "starter", "track": "repo", "created": 1.0, "settings": {}}
    moved.put_run(
        {**run, "spent_seconds": 90.0}, facts, [KEY], [replace(attempt, finished=BEGAN + 90.0)]
    )
    return moved


def send(store: Store) -> tuple[Received, list[str]]:
    said: list[str] = []
    with receiving() as received:
        PLUGIN.send(Source.open(store, RUN), received.url, said.append)
    return received, said


def seconds(span: Any) -> tuple[float, float]:
    """When it began after `BEGAN`, and how long it is."""
    start = span.start_time_unix_nano / 1e9 - BEGAN
    return round(start, 3), round((span.end_time_unix_nano - span.start_time_unix_nano) / 1e9, 3)


def test_each_call_and_tool_is_a_span_below_its_agent(traced: Store) -> None:
    received, said = send(traced)
    ids = {span.span_id: span.name for span in received.spans}
    tree = [(s.name, ids.get(s.parent_span_id, ""), s.kind, seconds(s)) for s in received.spans]
    internal, client = 1, 3
    assert tree == [
        ("invoke_agent codex", "", internal, (0.0, 60.0)),
        ("chat gpt-5", "invoke_agent codex", client, (10.0, 1.5)),
        ("execute_tool bash", "invoke_agent codex", internal, (11.5, 0.0)),
        ("chat gpt-5", "invoke_agent codex", client, (20.0, 0.5)),
        ("invoke_agent subagent-1", "invoke_agent codex", internal, (13.0, 2.0)),
        ("chat gpt-5", "invoke_agent subagent-1", client, (13.0, 2.0)),
    ]
    assert len({span.trace_id for span in received.spans}) == 1 and len(ids) == 6
    assert said == [f"6 spans and 2 verdicts sent to {received.url}"]


def test_tokens_usd_and_seconds_are_those_of_the_tables(traced: Store) -> None:
    received, _ = send(traced)
    source = Source.open(traced, RUN)
    columns = row(source, next(source.attempts()))
    root, *rest = map(values, received.spans)
    calls = [span for span in rest if span["gen_ai.operation.name"] == "chat"]
    for attribute, column in {
        "gen_ai.usage.input_tokens": "usage_input_tokens",
        "gen_ai.usage.output_tokens": "usage_output_tokens",
        "gen_ai.usage.cache_read.input_tokens": "usage_cached_tokens",
        "gen_ai.usage.cache_creation.input_tokens": "usage_written_tokens",
        "gen_ai.usage.reasoning.output_tokens": "usage_reasoning_tokens",
    }.items():
        assert root[attribute] == columns[column]
        assert sum(call.get(attribute, 0) for call in calls) == columns[column], attribute
    assert sum(call.get("arena.usd", 0.0) for call in calls) == pytest.approx(columns["usd"])
    assert (root["arena.usd"], root["arena.tokens"]) == (columns["usd"], columns["tokens"])
    assert (root["arena.seconds"], root["arena.agent_seconds"]) == (columns["seconds"], 60.0)
    assert root["arena.calls"] == columns["usage_calls"] == 2


def test_the_agent_is_named_with_what_its_attempt_is(traced: Store) -> None:
    received, _ = send(traced)
    root, call, tool, failed, *_ = map(values, received.spans)
    for name, value in {
        "gen_ai.agent.name": "codex",
        "gen_ai.agent.version": "0.171.0",
        "gen_ai.provider.name": "openai",
        "gen_ai.request.model": "gpt-5",
        "arena.task": "alpha",
        "arena.prompt": "reminder",
        "arena.replicate": 3,
        "arena.grader_version": "grader 8",
        "arena.flags": ["web"],
        "arena.run": RUN,
    }.items():
        assert root[name] == value, name
    assert (call["arena.call"], call["gen_ai.response.finish_reasons"]) == (1, ["tool_calls"])
    assert (tool["gen_ai.tool.name"], tool["gen_ai.tool.call.id"]) == ("bash", "c1")
    assert (failed["error.type"], received.spans[3].status.code) == ("429", 2)
    assert received.spans[1].status.code == 0
    assert received.resources[0]["service.name"] == "secure-coding-arena"


def test_the_verdict_is_an_event_of_its_agents_span(traced: Store) -> None:
    received, _ = send(traced)
    assert [log.event_name for log in received.logs] == ["gen_ai.evaluation.result"] * 2
    assert [values(log) for log in received.logs] == [
        {
            "gen_ai.evaluation.name": "repo.label",
            "gen_ai.evaluation.score.value": 0.0,
            "gen_ai.evaluation.score.label": "CV",
        },
        {"gen_ai.evaluation.name": "repo.score", "gen_ai.evaluation.score.value": 0.5},
    ]
    root = received.spans[0]
    for log in received.logs:
        assert (log.trace_id, log.span_id) == (root.trace_id, root.span_id)
        assert log.time_unix_nano == (BEGAN + 90) * 10**9


def test_no_text_is_in_it_unless_it_is_asked_for(
    traced: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    without, _ = send(traced)
    assert SECRET not in repr([*without.spans, *without.logs])
    monkeypatch.setenv(CONTENT, "true")
    received, _ = send(traced)
    root, call, tool, *_ = map(values, received.spans)
    part = {"type": "text", "content": SECRET}
    assert json.loads(root["gen_ai.input.messages"]) == [{"role": "user", "parts": [part]}]
    assert json.loads(call["gen_ai.output.messages"]) == [
        {
            "role": "assistant",
            "parts": [
                part,
                {"type": "tool_call", "id": "c1", "name": "bash", "arguments": {"cmd": SECRET}},
            ],
        }
    ]
    assert json.loads(tool["gen_ai.tool.call.arguments"]) == {"cmd": SECRET}
    assert tool["gen_ai.tool.call.result"] == SECRET
    assert values(received.logs[0])["gen_ai.evaluation.explanation"] == SECRET


def test_a_run_has_a_trace_for_each_attempt_that_ended(store: Store) -> None:
    """Eight attempts, of which one has not ended and one has no label."""
    a_run(store)
    received, said = send(store)
    roots = [values(span) for span in received.spans if not span.parent_span_id]
    assert len(roots) == len({span.trace_id for span in received.spans}) == 7
    labels = [values(log).get("gen_ai.evaluation.score.label") for log in received.logs]
    assert sorted(filter(None, labels)) == ["C&S", "C&S", "CV", "CV", "CV", "CV"]
    good = {
        v["gen_ai.evaluation.score.label"]: v["gen_ai.evaluation.score.value"]
        for v in map(values, received.logs)
        if "gen_ai.evaluation.score.label" in v
    }
    assert good == {"C&S": 1.0, "CV": 0.0}
    assert [r["arena.health"] for r in roots if r.get("error.type")] == ["infra"]
    assert said[0] == "1 attempts have not ended and are left out"
    again, _ = send(store)
    assert again.spans == received.spans and again.logs == received.logs


def test_a_folder_has_the_same_spans_and_events(traced: Store, tmp_path: Path) -> None:
    received, _ = send(traced)
    PLUGIN.write(Source.open(traced, RUN), tmp_path / "out", str)
    [traces] = (tmp_path / "out" / "traces.jsonl").read_text().splitlines()
    [logs] = (tmp_path / "out" / "logs.jsonl").read_text().splitlines()
    spans = json.loads(traces)["resourceSpans"][0]["scopeSpans"][0]["spans"]
    assert [(s["traceId"], s["spanId"], s.get("parentSpanId", ""), s["name"]) for s in spans] == [
        (s.trace_id.hex(), s.span_id.hex(), s.parent_span_id.hex(), s.name) for s in received.spans
    ]
    assert [int(s["endTimeUnixNano"]) for s in spans] == [
        s.end_time_unix_nano for s in received.spans
    ]
    assert [s["kind"] for s in spans] == [1, 3, 1, 3, 1, 3]
    [first, _] = json.loads(logs)["resourceLogs"][0]["scopeLogs"][0]["logRecords"]
    assert (first["eventName"], first["spanId"]) == (
        "gen_ai.evaluation.result",
        spans[0]["spanId"],
    )


def test_the_command_sends_to_a_url(traced: Store, arena: Arena, tmp_path: Path) -> None:
    with receiving() as received:
        command = ("export", "latest", "--store", traced.folder, "--to")
        done = arena(*command, "otlp", "--out", f"{received.url}/v1/traces/")
        assert (done.status, len(received.spans), len(received.logs)) == (0, 6, 2), done.err
        refused = arena(*command, "csv", "--out", received.url)
    assert refused.status == 2 and "only traces are sent to a URL: --to otlp" in refused.err
    assert done.err == f"6 spans and 2 verdicts sent to {received.url}\n"


def test_a_receiver_that_refuses_is_a_mistake_of_one_line(traced: Store, arena: Arena) -> None:
    with receiving(400) as received:
        done = arena(
            *("export", "latest", "--store", traced.folder),
            *("--to", "otlp", "--out", received.url),
        )
    assert done.status == 2
    assert f"{received.url}/v1/traces: the receiver did not take what was sent" in done.err
    assert "Traceback" not in done.err


def test_settings_for_other_programs_leave_no_span_out(
    traced: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OTEL_TRACES_SAMPLER", "always_off")
    received, _ = send(traced)
    assert len(received.spans) == 6
    monkeypatch.setenv("OTEL_SDK_DISABLED", "true")
    with pytest.raises(ValueError, match="is OTEL_SDK_DISABLED set"):
        send(traced)


HOSTILE: list[Any] = [
    {"steps": "none"},
    {"steps": [{"source": "agent", "metrics": "x", "extra": [], "tool_calls": [1, {}]}]},
    {"steps": [{"source": "agent", "extra": {"seconds": -5, "call": {}, "status": "x"}}]},
    {
        "steps": [
            {"source": "agent", "timestamp": "9999-12-31T00:00:00Z", "extra": {"seconds": 1e9}}
        ]
    },
    {"subagent_trajectories": [{"steps": [{"source": "agent", "timestamp": 7}]}, "x"]},
    {"steps": [{"source": "agent", "metrics": {"prompt_tokens": "7", "extra": 1}}]},
    {
        "steps": [
            {"source": "agent", "timestamp": "2026-09-21T14:13:30Z", "extra": {"seconds": 5}},
            {"source": "agent", "timestamp": "2026-09-21T14:13:20Z"},
        ]
    },
]


@pytest.mark.parametrize("number", range(len(HOSTILE)))
def test_a_trajectory_of_any_form_is_a_trace(store: Store, number: int) -> None:
    kept = {"atif": store.keep(json.dumps(HOSTILE[number]).encode())}
    store.open_run("starter", [KEY], {}, run=RUN, tasks=[TaskFacts("alpha")])
    left = StoredSolution(store.keep(b"p"), "finished", {"calls": "x"}, None, {}, kept)
    verdict = Verdict("CV", Health.OK, "", {})
    store.write([AttemptUpdate(attempt_id(RUN, KEY), Spent(), left, verdict)])
    received, _ = send(store)
    assert received.spans[0].name == "invoke_agent codex" and len(received.logs) == 1
    root, starts = received.spans[0], [span.start_time_unix_nano for span in received.spans]
    for span in received.spans:
        assert 0 <= span.start_time_unix_nano <= span.end_time_unix_nano
        assert root.start_time_unix_nano <= span.start_time_unix_nano
        assert span.end_time_unix_nano <= root.end_time_unix_nano
    assert starts[1:] == sorted(starts[1:]), "a clock that goes back"

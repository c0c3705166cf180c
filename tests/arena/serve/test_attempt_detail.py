"""All that is known of an attempt, told whole and bounded, whatever an agent left."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from arena.report.detail import artefacts, detail
from arena.report.details import bounds, changes, checks, others, steps
from arena.report.details.bounds import SizeBudget
from arena.store.model import AttemptKey, TaskFacts
from arena.store.store import Store, UnknownRun
from harness.grade.verdict import Health, Label
from tests.arena.serve.making import (
    FINDING,
    FLAG,
    KEY,
    PATCH,
    TASK,
    atif,
    evidence_of,
    finish,
    rich,
)
from tests.tiers import few

pytestmark = pytest.mark.slow

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4)
    ),
    max_leaves=8,
)
PARTS = (
    "build",
    "tests",
    "poc",
    "sast",
    "audit",
    "apply",
    "agent",
    "artefacts",
    "findings",
    "mutants",
)
INNER = ("log", "report", "reports", "crash", "frames", "findings", "line", "kind", "historical", "tail", "rule", "cwe", "cwes", "message")  # fmt: skip
EVIDENCE = st.dictionaries(
    st.sampled_from(PARTS),
    VALUES | st.dictionaries(st.sampled_from(INNER), VALUES | st.lists(st.dictionaries(st.sampled_from(INNER), VALUES, max_size=4), max_size=2), max_size=4),
    max_size=3,
)  # fmt: skip
STEP = st.dictionaries(
    st.sampled_from(("source", "message", "metrics", "tool_calls", "observation", "extra", "timestamp", "reasoning_content")),
    VALUES | st.dictionaries(st.sampled_from(("cost_usd", "prompt_tokens", "results", "seconds")), VALUES, max_size=3),
    max_size=3,
)  # fmt: skip


def opened(store: Store, track: str = "repo") -> str:
    store.open_run("pack", [KEY], {}, f"of-{track}", track, [TASK])
    return next(row.id for row in store.rows() if row.track == track)


def plain(told: dict[str, Any]) -> str:
    """As JSON that any reader takes."""
    text = json.dumps(told, allow_nan=False)
    text.encode("utf-8")
    return text


def test_everything_is_told(store: Store) -> None:
    id_ = rich(store)
    told = detail(store, id_[:8])
    assert told["attempt"] == id_
    assert told["key"] == {**vars(KEY), "column": KEY.column}
    assert (told["label"], told["meaning"], told["kind"]) == (
        "CV",
        "correct but vulnerable",
        "vulnerable",
    )
    assert told["instruction"] == {"text": TASK.instruction, "cut": 0}
    assert told["task"]["cwes"] == ["CWE-120"]
    assert told["cost"] == {"usd": 0.5, "tokens": 3150, "seconds": 12.0, "tries": 1}
    assert told["usage"]["claimed"] == {"usd": 0.02}
    assert told["flags"] == [FLAG]
    assert told["sast"]["findings"] == [FINDING]
    assert told["tests"]["not_passed"] == {"failed": ["decode.long"]}
    assert told["build"]["log"]["text"].endswith("done\n")
    assert told["artefacts"] == ["atif", "build", "patch", "poc", "poc.report", "tests", "tests/out/report.xml"]  # fmt: skip
    assert told["problems"] == []
    assert json.loads(plain(told)) == told


def test_hunks_point_at_lines_of_the_text(store: Store) -> None:
    patch = detail(store, rich(store))["patch"]
    lines = patch["text"].split("\n")
    codec, new = patch["files"]
    (hunk,) = codec["hunks"]
    assert lines[hunk["at"]].startswith("@@ -10,6 +10,7 @@")
    content = lines[hunk["at"] + 1 : hunk["at"] + 1 + hunk["lines"]]
    assert (content[0], content[-1]) == (" {", " }")
    after = [
        n
        for n, line in enumerate((x for x in content if x[0] != "-"), hunk["new"])
        if "strcpy" in line
    ]
    assert after == [FINDING["line"]]
    assert (new["old"], new["new"], new["status"], new["added"]) == (
        None,
        "docs/new.md",
        "added",
        2,
    )


def test_a_crash_is_told_with_places_and_whose_it_is(store: Store) -> None:
    crash = detail(store, rich(store))["crash"]
    assert crash["crashed"] is True
    assert crash["historical"] is True
    assert crash["signature"] == "heap-buffer-overflow write in decode"
    assert crash["frames"][0] == {"function": "decode", "file": "/src/src/codec.c", "line": 13}
    assert "WRITE of size 1" in crash["report"]["text"]
    assert (
        checks.crash({"status": 0, "crash": None}, lambda _: None, SizeBudget(10))["crashed"]
        is False
    )  # type: ignore[index]
    assert checks.crash({"status": 1}, lambda _: None, SizeBudget(10))["crashed"] is None  # type: ignore[index]
    assert checks.crash(None, lambda _: None, SizeBudget(10)) is None


def test_costs_of_steps_add_up(store: Store) -> None:
    told = detail(store, rich(store))["trajectory"]
    assert (told["total"], told["usd"], told["tokens"]) == (4, 0.03, 3150)
    assert [step["usd"] for step in told["steps"]] == [None, 0.01, 0.01, 0.01]
    assert [step["usd_so_far"] for step in told["steps"]] == [0, 0.01, 0.02, 0.03]
    assert [step["tokens_so_far"] for step in told["steps"]] == [0, 1050, 2100, 3150]
    step = told["steps"][1]
    assert step["tools"][0]["arguments"] == {"command": "sed -n 1,20p src/codec.c"}
    assert step["results"][0]["text"]["text"] == "int decode(...)\n"
    assert (step["input"], step["cached"], step["seconds"]) == (1000, 400, 1.5)


def test_a_long_trajectory_keeps_its_ends_and_its_sums() -> None:
    told = steps.trajectory(json.dumps(atif(2000)).encode(), SizeBudget(10**9, 10**9))
    assert told["total"] == 2000
    assert [step["index"] for step in told["steps"]] == [*range(1, 301), *range(1901, 2001)]
    assert told["usd"] == pytest.approx(19.99)
    assert told["steps"][-1]["usd_so_far"] == told["usd"]


def test_sub_agents_are_told_apart() -> None:
    whole = {**atif(3), "subagent_trajectories": [{**atif(5), "trajectory_id": "s-1"}]}
    told = steps.trajectory(json.dumps(whole).encode(), SizeBudget(10**6))
    assert told["total"] == 3
    assert [(one["id"], one["total"]) for one in told["others"]] == [("s-1", 5)]


@pytest.mark.parametrize("data", [b"", b"[]", b"{}", b"{", b"\xff", b'{"steps": 1}', b"[" * 100_000, b"1" * 10_000])  # fmt: skip
def test_what_is_no_trajectory_is_said(store: Store, data: bytes) -> None:
    with pytest.raises(steps.NoTrajectory):
        steps.trajectory(data, SizeBudget(1000))
    id_ = opened(store)
    finish(store, id_, trajectory=data)
    told = detail(store, id_)
    assert told["trajectory"] is None
    assert bool(told["problems"]) is bool(data)


def test_missing_and_broken_artefacts_are_said(store: Store) -> None:
    id_ = rich(store)
    attempt = store.attempt(id_)
    for number, digest in enumerate(set(artefacts(attempt).values())):
        path = store.blob_path(digest)
        if number % 2:
            path.unlink()
        else:
            path.write_bytes(path.read_bytes()[:-12])
    told = detail(store, id_)
    assert told["patch"] is None
    assert told["trajectory"] is None
    assert told["crash"]["report"] is None
    assert told["crash"]["frames"] == [{"function": "decode", "file": "", "line": None}]
    assert len(told["problems"]) >= 4
    plain(told)


def test_an_attempt_that_has_not_ended(store: Store) -> None:
    told = detail(store, opened(store))
    assert (told["label"], told["health"], told["patch"], told["crash"]) == (None, "", None, None)
    assert told["finished"] is None


def test_an_unknown_id(store: Store) -> None:
    rich(store)
    with pytest.raises(UnknownRun, match="no attempt starts with"):
        detail(store, "0123456789abcdee")


def test_the_ids_of_other_tracks_show_program_tables_and_tree(store: Store) -> None:
    id_ = opened(store, "exposure")
    program = b"import os\nos.system(x)\n"
    found = [{"rule": "command", "line": 2, "message": "runs a shell", "cwe": "CWE-78"}]
    evidence = {
        "findings": found,
        "tests": {"security": [{"name": "t1", "outcome": "failed"}]},
        "deep": {"a": [1, 2]},
    }
    finish(store, id_, "vulnerable", program, evidence, score=0.5)
    told = detail(store, id_)
    assert told["patch"] is None
    assert told["program"]["text"] == program.decode()
    (finding,) = told["program"]["findings"]
    assert (finding["line"], finding["rule"], finding["cwe"]) == (2, "command", ["CWE-78"])
    assert {one["title"]: one["rows"] for one in told["tables"]} == {
        "findings": [["command", 2, "runs a shell", "CWE-78"]], "tests.security": [["t1", "failed"]],
    }  # fmt: skip
    assert told["evidence"]["deep"] == {"a": [1, 2]}
    assert told["score"] == 0.5


def test_flags_without_evidence_are_shown_by_name(store: Store) -> None:
    id_ = opened(store)
    finish(store, id_, flags=["network", "history"], evidence={"audit": [FLAG]})
    assert detail(store, id_)["flags"] == [FLAG, {"name": "network"}]


def test_names_of_artefacts_stay_apart_and_can_be_asked_for(store: Store) -> None:
    id_ = opened(store)
    one, two = store.keep(b"one"), store.keep(b"two")
    finish(store, id_, evidence={"tests": {"reports": {"a\x01": one, "a\x02": two}}})
    found = artefacts(store.attempt(id_))
    assert found["tests/a\ufffd"] == one
    assert found["tests/a\ufffd~2"] == two


@pytest.mark.slow
def test_large_things_are_cut_and_quickly(store: Store) -> None:
    id_ = opened(store)
    line = b"+" + b"x" * 99 + b"\n"
    patch = (
        PATCH
        + b"diff --git a/big b/big\n--- a/big\n+++ b/big\n@@ -0,0 +1,15000 @@\n"
        + line * 15_000
    )
    big = atif(300)
    for step in big["steps"]:
        step["message"] = "m" * 20_000
    log = store.keep(b"l" * 500_000 + b"the end")
    evidence = {"build": {"log": log}, "sast": {"findings": [FINDING] * 800}, "wide": {str(n): ["v" * 1000] * 210 for n in range(210)}}  # fmt: skip
    finish(store, id_, patch=patch, evidence=evidence, trajectory=json.dumps(big).encode())
    begun = time.process_time()
    told = detail(store, id_)
    assert time.process_time() - begun < 5
    assert len(plain(told)) < 6_000_000
    assert told["patch"]["cut"] == len(patch) - len(told["patch"]["text"])
    assert told["patch"]["text"].endswith("\n")
    assert told["build"]["log"]["text"].endswith("the end")
    assert len(told["sast"]["findings"]) == checks.MAX_FINDINGS
    texts = [step["message"] for step in told["trajectory"]["steps"]]
    assert sum(len(text["text"]) for text in texts) < 1_700_000
    assert all(text["cut"] > 0 for text in texts)


def test_a_text_is_cut_where_it_says() -> None:
    cut = SizeBudget(10_000).text("a" * 500 + "b" * 500, 400)
    assert cut["cut"] == 600
    assert cut["text"].startswith("a" * 300 + "\n[... 600 characters are not shown ...]\n")
    assert cut["text"].endswith("b" * 100)
    assert SizeBudget(10_000).text("short", 400) == {"text": "short", "cut": 0}
    assert SizeBudget(10_000).text("\ud800", 400)["text"] == "\\ud800"


@pytest.mark.slow
@given(VALUES)
def test_any_value_becomes_plain_json(value: Any) -> None:
    made = SizeBudget(5_000, 200).plain(value)
    assert json.loads(plain({"made": made})) == {"made": made}


@given(
    st.recursive(st.just(0), lambda inner: st.lists(inner, min_size=1, max_size=3), max_leaves=200)
)
def test_depth_and_number_of_nodes_are_bounded(value: Any) -> None:
    def nodes(part: Any, depth: int = 0) -> int:
        assert depth <= bounds.DEEPEST + 1
        return 1 + sum(nodes(one, depth + 1) for one in part) if isinstance(part, list) else 1

    assert nodes(SizeBudget(5_000, 50).plain(value)) <= 50 * 4


@given(st.binary(max_size=400) | st.builds(lambda cut, by: PATCH[:cut] + by, st.integers(0, len(PATCH)), st.binary(max_size=40)))  # fmt: skip
def test_hunks_of_any_patch_lie_in_its_text(data: bytes) -> None:
    told = changes.shown_patch(data)
    lines = told["text"].split("\n")
    plain(told)
    for file in told["files"]:
        for hunk in file["hunks"]:
            assert lines[hunk["at"]].startswith("@@")
            assert hunk["at"] + hunk["lines"] < len(lines)


@given(st.lists(STEP, max_size=4), VALUES)
def test_any_steps_become_a_trajectory(found: list[Any], more: Any) -> None:
    try:
        data = json.dumps({"steps": found, "agent": more, "subagent_trajectories": more}).encode()
        told = steps.trajectory(data, SizeBudget(5_000))
    except steps.NoTrajectory:  # a number that JSON writes and does not read
        return
    plain(told)
    assert told["total"] == len(found)
    assert told["usd"] >= 0


@given(EVIDENCE)
def test_any_evidence_becomes_tables_and_checks(evidence: dict[str, Any]) -> None:
    told = {"tables": others.tables(evidence), "tree": others.tree(evidence)}
    for name, part in evidence.items():
        told[name] = [
            checks.step(part, lambda _: "log", SizeBudget(500)),
            checks.tests(part, lambda _: None, SizeBudget(500)),
            checks.crash(part, lambda _: "x", SizeBudget(500)),
            checks.sast(part, SizeBudget(500)),
            checks.flags(part, part),
            checks.findings(part),
        ]
    plain(told)


@settings(few(), phases=[Phase.generate])
@given(EVIDENCE, st.sampled_from(["repo", "dual"]), st.binary(max_size=60), st.dictionaries(st.text(max_size=5), VALUES, max_size=3))  # fmt: skip
def test_no_stored_attempt_raises(
    made: Store, evidence: dict[str, Any], track: str, patch: bytes, usage: dict[str, Any]
) -> None:
    evidence = (
        json.loads(json.dumps(evidence, allow_nan=False, default=str)) if _finite(evidence) else {}
    )
    key = AttemptKey(f"task-{time.monotonic_ns()}", "agent")
    run = made.open_run("pack", [key], {}, f"run-{key.task}", track, [TaskFacts(key.task)])
    (row,) = made.rows([run])
    usage = usage if _finite(usage) else {}
    finish(made, row.id, "C&S" if track == "repo" else None, patch, evidence, usage=usage, health=Health.OK)  # fmt: skip
    plain(detail(made, row.id))


def _finite(value: Any) -> bool:
    try:
        json.dumps(value, allow_nan=False)
    except ValueError:
        return False
    return True


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Store:
    """One store for all examples of a property."""
    return Store(tmp_path_factory.mktemp("many") / "store")


def test_a_typical_attempt_is_told_quickly(store: Store) -> None:
    id_ = opened(store)
    finish(
        store, id_, Label.CV, evidence=evidence_of(store), trajectory=json.dumps(atif(75)).encode()
    )
    detail(store, id_)
    begun = time.process_time()
    for _ in range(10):
        detail(store, id_)
    assert (time.process_time() - begun) / 10 < 0.1  # 0.02 on an idle machine

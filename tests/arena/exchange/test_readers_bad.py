"""Odd and hostile results of other programs: what is wrong is named, the rest is imported."""

from __future__ import annotations

import json
import os
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.exchange import bounded, eval_log
from arena.exchange.bounded import PartUnreadable, json_value, read_bytes
from arena.exchange.eval_log import open_members
from arena.exchange.foreign import MAX_LABEL, MAX_NAME, ForeignRun, label_of, storable_name
from arena.exchange.foreign_import import find_reader
from arena.exchange.opening import ImportRefused
from arena.exchange.readers import inspect
from arena.vocabulary import tracks, vocabulary
from tests.arena.exchange.foreign_files import (
    DIFF,
    harbor_job,
    harbor_trial,
    inspect_head,
    inspect_log,
    inspect_sample,
    mini_folder,
    mini_trajectory,
    put,
    swebench_run,
)
from tests.arena.exchange.test_readers import by_task, imported


def said(run: ForeignRun, *parts: str) -> bool:
    """Whether one line of the problems has all the parts."""
    return any(all(part in line for part in parts) for line in run.problems)


def unfinished_trial(folder: Path) -> None:
    (folder / "job/alpha__2/result.json").unlink()


def newer_trial(folder: Path) -> None:
    harbor_trial(folder / "job", "alpha__2", "alpha", 0.0, schema_version=2)


def cut_result(folder: Path) -> None:
    path = folder / "job/alpha__2/result.json"
    path.write_text(path.read_text()[:-40])


def deep_result(folder: Path) -> None:
    put(folder / "job/alpha__2/result.json", "[" * 500 + "]" * 500)


def linked_result(folder: Path) -> None:
    path = folder / "job/alpha__2/result.json"
    path.rename(folder.parent / "elsewhere.json")
    path.symlink_to(folder.parent / "elsewhere.json")


def pipe_result(folder: Path) -> None:
    path = folder / "job/alpha__2/result.json"
    path.unlink()
    os.mkfifo(path)


def nameless_trial(folder: Path) -> None:
    harbor_trial(folder / "job", "alpha__2", "", 0.0)


@pytest.mark.parametrize(
    ("damage", "parts"),
    [
        (unfinished_trial, ("alpha__2", "the trial has not ended", "left out")),
        (newer_trial, ("alpha__2", "schema version 2; 1 is read", "left out")),
        (cut_result, ("alpha__2", "not JSON", "left out")),
        (deep_result, ("alpha__2", "nested too deeply", "left out")),
        (linked_result, ("alpha__2", "the trial has not ended", "left out")),
        (pipe_result, ("alpha__2", "the trial has not ended", "left out")),
        (nameless_trial, ("alpha__2", "names no task", "left out")),
    ],
)
def test_half_a_job(damage: Callable[[Path], None], parts: tuple[str, ...], tmp_path: Path) -> None:
    folder = harbor_job(tmp_path / "jobs")
    damage(folder)
    run = imported(folder)
    assert by_task(run).keys() == {("alpha", 0), ("beta", 0)}
    assert said(run, *parts), run.problems


def test_a_reward_that_is_no_number_is_only_shown(tmp_path: Path) -> None:
    folder = harbor_job(tmp_path / "jobs")
    trial = harbor_trial(folder / "job", "alpha__2", "alpha", 0.0)
    for path in (trial / "verifier/reward.json", trial / "result.json"):
        path.write_text(path.read_text().replace('"reward": 0.0', '"reward": {"a": [1]}'))
    assert by_task(imported(folder))["alpha", 1].verdict == "reward {'a': [1]}"


def test_two_verdicts_of_a_trial(tmp_path: Path) -> None:
    folder = harbor_job(tmp_path / "jobs")
    put(folder / "job/alpha__2/verifier/reward.json", {"reward": 1, "builds": 1})
    run = imported(folder)
    assert by_task(run)["alpha", 1].verdict == "two verdicts"
    assert said(run, "alpha__2", "two verdicts")


def test_a_folder_that_is_a_link_is_not_followed(tmp_path: Path) -> None:
    folder = harbor_job(tmp_path / "jobs")
    elsewhere = put(tmp_path / "elsewhere/secret.patch", DIFF).parent
    (folder / "job/alpha__2/artifacts").symlink_to(elsewhere)
    (folder / "job/linked").symlink_to(folder / "job/alpha__1")
    run = imported(folder)
    assert by_task(run)["alpha", 1].patch is None
    assert len(run.attempts) == 3


def test_several_patches_are_none(tmp_path: Path) -> None:
    folder = harbor_job(tmp_path / "jobs")
    put(folder / "job/alpha__1/artifacts/other.diff", DIFF)
    run = imported(folder)
    assert by_task(run)["alpha", 0].patch is None
    assert said(run, "alpha__1", "2 patches in artifacts: none is taken")


def test_the_same_trial_in_two_jobs_is_taken_once(tmp_path: Path) -> None:
    folder = harbor_job(tmp_path / "jobs")
    put(folder / "copy/config.json", {"job_name": "copy"})
    harbor_trial(folder / "copy", "alpha__2", "alpha", 0.0)
    harbor_trial(folder / "copy", "beta__1", "beta", 1.0)
    run = imported(folder)
    assert said(run, "alpha", "twice the same attempt: once taken")
    assert by_task(run)["beta", 0].verdict == "two verdicts"
    assert said(run, "beta", "two verdicts: ")


# Logs of Inspect


@pytest.mark.parametrize("share", [0.35, 0.6, 0.9])
def test_a_log_that_was_cut(share: float, tmp_path: Path) -> None:
    samples = [inspect_sample(f"task-{n}") for n in range(20)]
    path = inspect_log(tmp_path / "a.eval", samples)
    data = path.read_bytes()
    path.write_bytes(data[: int(len(data) * share)])
    run = imported(path)
    assert 0 < len(run.attempts) <= 20
    assert {a.verdict for a in run.attempts} == {"includes=C"} and run.pack == "set"
    assert said(run, "cut", "what is before it is imported")


def test_a_log_without_its_beginning_is_refused(tmp_path: Path) -> None:
    path = inspect_log(tmp_path / "a.eval", [inspect_sample("alpha")])
    path.write_bytes(path.read_bytes()[10:])
    run = imported(path)
    assert not run.attempts and said(run, "not a log: no zip archive")


def test_a_log_of_another_version(tmp_path: Path) -> None:
    inspect_log(tmp_path / "old.eval", [inspect_sample("alpha")], version=1)
    inspect_log(tmp_path / "new.json", [inspect_sample("alpha")])
    run = imported(tmp_path)
    assert len(run.attempts) == 1
    assert said(run, "old.eval", "version 1 of a log; 2 is read")


def test_a_sample_that_cannot_be_read(tmp_path: Path) -> None:
    path = tmp_path / "a.eval"
    with zipfile.ZipFile(path, "w") as log:
        log.writestr("_journal/start.json", json.dumps(inspect_head()))
        log.writestr("samples/alpha_epoch_1.json", json.dumps(inspect_sample("alpha")))
        log.writestr("samples/beta_epoch_1.json", "{")
        log.writestr("samples/gamma_epoch_1.json", "[]")
        log.writestr("samples/../../../delta.json", json.dumps(inspect_sample("../../delta")))
    run = imported(path)
    assert [a.task for a in run.attempts] == ["alpha", "../../delta"]
    assert said(run, "beta_epoch_1.json: not JSON", "left out")
    assert said(run, "gamma_epoch_1.json: a sample without an id: left out")


def test_two_verdicts_and_two_numbers_of_samples(tmp_path: Path) -> None:
    inspect_log(tmp_path / "a.eval", [inspect_sample("alpha")])
    inspect_log(tmp_path / "b.eval", [inspect_sample("alpha", value="I")])
    inspect_log(tmp_path / "c.eval", [inspect_sample("alpha", uuid="another")])
    run = imported(tmp_path)
    verdicts = {number: attempt.verdict for (_, number), attempt in by_task(run).items()}
    assert verdicts == {0: "two verdicts", 1: "includes=C"}
    assert said(run, "alpha", "includes=C in a.eval, includes=I here")
    assert said(run, "alpha", "number 1 is there twice: taken as 2")


def test_members_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = inspect_log(tmp_path / "a.eval", [inspect_sample("alpha")])
    monkeypatch.setattr(eval_log, "MAX_MEMBER_BYTES", 100)
    run = imported(path)
    assert not run.attempts and said(run, "larger than 100 bytes")
    monkeypatch.undo()
    monkeypatch.setattr(eval_log, "MAX_MEMBERS", 2)
    assert said(imported(path), "more than 2 members")


def test_a_member_that_unpacks_to_more_than_its_header_says(tmp_path: Path) -> None:
    path = tmp_path / "a.eval"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as log:
        log.writestr("header.json", b"x" * 100_000)
    data = bytearray(path.read_bytes())
    struct.pack_into("<I", data, 22, 10)  # uncompressed size in the local header
    path.write_bytes(data)
    with open_members(path) as members, pytest.raises(PartUnreadable, match="another size"):
        members.read("header.json")


@given(st.binary(max_size=300), st.integers(0, 1500))
def test_any_damage_of_a_log_is_named(garbage: bytes, at: int) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        path = inspect_log(Path(folder) / "a.eval", [inspect_sample("alpha")])
        data = path.read_bytes()
        path.write_bytes(data[:at] + garbage + data[at + len(garbage) :])
        found = find_reader(path)
        assert found is not None
        run = found.read(path)
        assert all("\n" not in line for line in run.problems)


def test_attachments_are_put_back_as_long_as_there_is_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(inspect, "MAX_ATTACHED", 5)
    user = {"role": "user", "content": "attachment://a"}
    sample = inspect_sample("alpha", messages=[user] * 3, attachments={"a": "12"}, input="x")
    (attempt,) = imported(inspect_log(tmp_path / "a.eval", [sample])).attempts
    assert attempt.trajectory is not None
    said_by = [step["message"] for step in attempt.trajectory["steps"]]
    assert said_by == ["12", "12", "attachment://a"]


# SWE-bench and mini-swe-agent


def test_a_report_and_a_summary_that_disagree(tmp_path: Path) -> None:
    folder = swebench_run(tmp_path / "run")
    report = {"beta": {"resolved": True}}
    put(folder / "logs/run_evaluation/run1/openai__m/beta/report.json", report)
    found = {a.task: a for a in imported(folder).attempts}
    assert found["beta"].verdict == "two verdicts"
    assert found["alpha"].verdict == "resolved"


@pytest.mark.parametrize(
    ("content", "part"),
    [
        ("", "not JSON"),
        ({"another": {"resolved": True}}, "says nothing of 'beta'"),
        ({"beta": {"resolved": "yes"}}, "says nothing of 'beta'"),
        ({"beta": []}, "says nothing of 'beta'"),
    ],
)
def test_a_report_that_says_nothing(content: Any, part: str, tmp_path: Path) -> None:
    folder = swebench_run(tmp_path / "run")
    put(folder / "logs/run_evaluation/run1/openai__m/beta/report.json", content)
    run = imported(folder)
    assert said(run, "beta/report.json", part)
    assert {a.task: a.verdict for a in run.attempts}["beta"] == "unresolved"


def test_predictions_that_are_broken_or_twice(tmp_path: Path) -> None:
    folder = swebench_run(tmp_path / "run")
    entry = {"instance_id": "alpha", "model_name_or_path": "openai/m", "model_patch": "other"}
    put(folder / "more.jsonl", json.dumps(entry) + "\n")
    put(folder / "rest.jsonl", "{\n")
    put(folder / "odd__m.run1.json", {"resolved_ids": ["alpha"], "schema_version": 9})
    run = imported(folder)
    assert said(run, "alpha", "two predictions of openai/m: the first is taken")
    assert said(run, "rest.jsonl: line 1: not JSON")
    assert said(run, "odd__m.run1.json", "version 9 of a summary; 2 is read")


def test_trajectories_that_are_odd(tmp_path: Path) -> None:
    folder = mini_folder(tmp_path / "out")
    mini_trajectory(folder, "new", trajectory_format="mini-swe-agent-2.0")
    mini_trajectory(folder, "none", trajectory_format=None)
    mini_trajectory(folder, "empty", messages=7, info=None)
    put(folder / "cut/cut.traj.json", '{"info": ')
    entries = {task: {"model_patch": "other"} for task in ("alpha", "unknown")}
    put(folder / "preds.json", entries)
    run = imported(folder)
    assert {a.task for a in run.attempts} == {"alpha", "beta", "gamma", "empty"}
    assert said(run, "new.traj.json", "form 'mini-swe-agent-2.0'", "left out")
    assert said(run, "cut.traj.json: not JSON", "left out")
    assert said(run, "alpha.traj.json", "another patch: the trajectory's is taken")
    assert said(run, "preds.json: unknown: no trajectory: left out")


# What all have in common


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ('{"a": 1, "a": 2}', "one name twice"),
        ("[" * 150 + "]" * 150, "nested too deeply"),
        ("[" * 100_000, "nested too deeply"),
        ("9" * 5000, "not JSON"),
        ("\udcff", "not JSON"),
    ],
)
def test_json_that_is_refused(text: str, part: str) -> None:
    with pytest.raises(PartUnreadable, match=f"^there: .*{part}"):
        json_value(text.encode("utf-8", "surrogateescape"), "there")


def test_numbers_that_are_none_become_null() -> None:
    assert json_value(b"[NaN, Infinity, -Infinity, 1e999, 1.5]", "x") == [None] * 4 + [1.5]


def test_what_is_no_regular_file_is_not_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to("/etc/hostname")
    put(tmp_path / "large", "12345")
    for name, part in (
        ("pipe", "no regular file"),
        ("link", "is a link"),
        ("large", "larger than 4"),
    ):
        with pytest.raises(PartUnreadable, match=part):
            read_bytes(tmp_path / name, 4)


def test_a_folder_with_too_much_in_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = mini_folder(tmp_path / "out")
    monkeypatch.setattr(bounded, "MAX_ENTRIES", 2)
    assert find_reader(folder) is None
    with pytest.raises(ImportRefused, match="more than 2 files and folders"):
        imported(folder, "mini-swe-agent")


def test_all_that_one_import_reads_is_bounded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = mini_folder(tmp_path / "out")
    sizes = sorted(path.stat().st_size for path in folder.rglob("*.json"))
    monkeypatch.setattr(bounded, "MAX_IMPORT_BYTES", sum(sizes[:-1]))
    run = imported(folder, "mini-swe-agent")
    assert 0 < len(run.attempts) < 3
    assert said(run, "MiB in one import", "left out")


def test_a_problem_is_one_line_whatever_a_file_is_called(tmp_path: Path) -> None:
    inspect_log(tmp_path / "logs" / "a\n\x1b[31m\udcff.eval", [inspect_sample("alpha")], version=1)
    (line,) = imported(tmp_path / "logs").problems
    assert "version 1" in line and line.isprintable()


def test_many_attempts_of_one_name_get_numbers(tmp_path: Path) -> None:
    samples = [inspect_sample("alpha", uuid=f"u{n}") for n in range(3)]
    put(tmp_path / "a.json", {**inspect_head(), "samples": samples})
    run = imported(tmp_path / "a.json")
    assert [attempt.number for attempt in run.attempts] == [0, 1, 2]
    assert said(run, "number 1 is there twice: taken as 3")


@given(st.text(max_size=3 * MAX_NAME))
def test_no_verdict_of_another_program_is_a_label_of_ours(verdict: str) -> None:
    label = label_of(verdict)
    assert label.startswith("foreign: ") and len(label) <= MAX_LABEL and label.isprintable()
    assert all(label not in vocabulary(track).labels for track in tracks())


@given(st.text(max_size=3 * MAX_NAME))
def test_a_name_is_one_line_that_a_store_takes(name: str) -> None:
    shown = storable_name(name)
    assert len(shown) <= MAX_NAME and shown.isprintable() and shown == shown.strip()
    shown.encode()


def test_a_summary_that_names_an_instance_under_two_outcomes(tmp_path: Path) -> None:
    folder = swebench_run(tmp_path / "run")
    summary = {"resolved_ids": ["omega"], "unresolved_ids": ["omega"], "schema_version": 2}
    put(folder / "openai__m.run1.json", summary)
    run = imported(folder)
    assert {a.task: a.verdict for a in run.attempts}["omega"] == "two verdicts"
    assert said(run, "openai__m.run1.json", "omega: two verdicts: resolved and unresolved")


def test_trajectories_that_were_moved_are_the_same_attempts(tmp_path: Path) -> None:
    here, elsewhere = mini_folder(tmp_path / "here"), mini_folder(tmp_path / "there" / "else")
    identities = [{a.identity for a in imported(folder).attempts} for folder in (here, elsewhere)]
    assert identities[0] == identities[1] and len(identities[0]) == 3

"""`arena run` with agents that ask a model: what is missing is told before anything is spent."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from arena.models.attempt_models import ModelOptions, Models, models_for
from arena.protocols import Matrix, Setup
from arena.store.records import record_of
from arena.store.store import Attempt, AttemptKey, Store, UnknownRun
from arena.tracks.repo.track import RepoTrack
from harness.agents import ModelUnavailable, NeverAsked, ReplayDiffers
from harness.grade.grader import Grader
from harness.grade.ports import MemoryCache
from harness.grade.verdict import Health, Label, Verdict
from harness.protocols import Ended, Solution
from harness.sandbox.base import Backend
from tasks.instruction.templates import known_prompt, wrap
from tasks.loader import load_pack
from tests.arena.conftest import Arena
from tests.mini import Mini

SCRIPT = "[[turns]]\ntext = 'Done.'\n"


@pytest.fixture
def run(
    arena: Arena, mini: Mini, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, docker: Backend
) -> Arena:
    monkeypatch.setenv("ARENA_TOOLBOXES", str(tmp_path / "toolboxes"))
    (tmp_path / "s.toml").write_text(SCRIPT)
    return lambda *more: arena("run", "--pack", mini.folder, "--sandbox", "docker", *more)


@pytest.mark.docker
@pytest.mark.parametrize(
    ("more", "said"),
    [
        (("--agent", "codex"), "agent 'codex' needs a model: --model NAME"),
        (
            ("--agent", "codex", "--model", "script:s.toml"),
            "agent 'codex' is not installed: arena agents install codex",
        ),
        (("--agent", "nobody"), "unknown name 'nobody'; did you mean 'noop'?"),
        (("--agent", "gold:x"), "agent 'gold' takes no argument"),
        (
            ("--agent", "gold", "--prompt", "rude"),
            "unknown prompt 'rude'; known: neutral, reminder",
        ),
        (("--agent", "gold", "--pin", "speed=1"), "--pin: 'speed=1' is not NAME=VALUE"),
    ],
)
def test_what_is_missing_is_one_line_and_exit_2(
    run: Arena, more: tuple[str, ...], said: str
) -> None:
    done = run(*more)
    told = [
        line for line in done.err.splitlines() if not line.startswith("removed what a dead run")
    ]
    assert (done.status, len(told)) == (2, 1), done.err
    assert said in done.err


@pytest.mark.slow
@pytest.mark.parametrize(
    ("model", "said"),
    [
        ("script:none.toml", "none.toml"),
        ("nothing", "neither PROVIDER/NAME"),
        ("openai/no-such-model-at-all", "no price is known"),
        ("replay:none", "none"),
    ],
)
def test_a_model_that_cannot_be_is_told_before_the_first_attempt(
    tmp_path: Path, model: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "not-a-key")
    models = Models(Store(tmp_path / "home"), ModelOptions())
    with pytest.raises((ValueError, UnknownRun), match=said):
        models.expect(model)
    models.close()


@pytest.mark.parametrize(
    ("model", "said"),
    [
        ("openai/gpt-5", "needs OPENAI_API_KEY"),
        ("openai/gtp-5", "near it: openai/gpt-5"),
        ("gpt-5", "neither PROVIDER/NAME"),
    ],
)
def test_a_misspelt_name_is_told_before_a_missing_key_and_a_plan_needs_no_key(
    tmp_path: Path, model: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    setup = Setup("repo", "starter")
    models = models_for(setup, Store(tmp_path / "home"), {})
    with pytest.raises(ValueError, match=said):
        models.expect(model)
    planned = models_for(replace(setup, is_plan=True), Store(tmp_path / "home"), {})
    if model == "openai/gpt-5":
        planned.expect(model)
    else:
        with pytest.raises(ValueError, match=said):
            planned.expect(model)


def test_a_calibration_agent_is_there_once_for_all_models_and_prompts(
    docker: Backend, mini: Mini
) -> None:
    track = RepoTrack(load_pack(mini.folder), lambda: Grader(docker, MemoryCache()))
    keys = track.attempts(Matrix(["gold"], ["a/b", "c/d"], ["neutral", "reminder"], replicates=2))
    assert [(key.model, key.prompt, key.replicate) for key in keys] == [
        ("", "neutral", 0),
        ("", "neutral", 1),
    ]
    keys = track.attempts(Matrix(["command:true"], prompts=["neutral", "reminder"]))
    assert [key.prompt for key in keys] == ["neutral", "reminder"]


@pytest.mark.parametrize(
    ("solution", "fault"),
    [
        (Solution(b"", Ended.MODEL_UNAVAILABLE), ModelUnavailable),
        (
            Solution(b"", Ended.DIVERGED, {"calls": 1}, note={"diverged": "at call 3"}),
            ReplayDiffers,
        ),
        (Solution(b"", Ended.CRASHED, {"calls": 0}), NeverAsked),
    ],
)
def test_what_is_nobodys_result_is_not_graded(
    docker: Backend, mini: Mini, solution: Solution, fault: type[Exception]
) -> None:
    track = RepoTrack(load_pack(mini.folder), lambda: Grader(docker, MemoryCache()))
    with pytest.raises(fault):
        track.grade(AttemptKey("mini-twice", "codex", "a/b"), solution, lambda _: None)


def test_a_record_is_found_by_file_attempt_and_run(store: Store, tmp_path: Path) -> None:
    keys = [AttemptKey("t", "aider", "a/b", prompt) for prompt in ("neutral", "reminder")]
    run = store.open_run("pack", keys, {})
    for attempt in store.attempts(run):
        made = Solution(b"p", artefacts={"record": attempt.key.prompt.encode()})
        store.finish(attempt.id, Verdict(Label.CV, Health.OK, "r"), made, 1.0)
    other = AttemptKey("t", "aider", "replay:x", "reminder")
    assert record_of(store, run, other).read_bytes() == b"reminder"
    first: Attempt = store.attempts(run)[0]
    assert record_of(store, first.id).read_bytes() == first.key.prompt.encode()
    with pytest.raises(ValueError, match="name one attempt of"):
        record_of(store, run)
    with pytest.raises(ValueError, match="holds no record of t x codex"):
        record_of(store, run, AttemptKey("t", "codex"))
    (tmp_path / "f").write_bytes(b"file")
    assert record_of(store, str(tmp_path / "f")) == tmp_path / "f"


def test_a_frame_of_ones_own(tmp_path: Path) -> None:
    path = tmp_path / "frame.md"
    path.write_text("In {workdir}:\n{instruction}\n(end {workdir})\n")
    assert wrap(" Do {workdir} \n", "/src/x", known_prompt(str(path))) == (
        "In /src/x:\nDo {workdir}\n(end /src/x)\n"
    )
    path.write_text("none")
    with pytest.raises(ValueError, match="holds"):
        known_prompt(str(path))

"""One tiny call for each model and dialect before a run begins."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from arena.probe import Probe, dialect_of, known_before, probe_models, without_refused
from arena.protocols import Setup, Track
from arena.store.model import AttemptKey
from harness.gateway.price import FREE
from harness.gateway.probe import REQUESTS, ProbeResult, probe_model
from tests.harness.gateway.providers import provider
from tests.harness.gateway.serving import Plain

TRACK = cast("Track", SimpleNamespace(pins={"temperature": 0}))


def key(model: str, agent: str = "direct") -> AttemptKey:
    return AttemptKey("task", agent, model, "neutral", 0)


@pytest.mark.parametrize("dialect", REQUESTS)
def test_a_model_that_answers_is_asked_once_with_a_tool_and_the_pins(dialect: str) -> None:
    model = Plain()
    result = probe_model(model, dialect, {"temperature": 0, "max_tokens": 9}, FREE)
    assert (result.refused, result.unpinned) == ("", {})
    (body,) = model.bodies
    assert body["temperature"] == 0
    assert 9 not in body.values()
    assert ("tools" in body) is (dialect != "completions")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("told", "refused"),
    [
        ("error:404:model_not_found:The model does not exist", "The model does not exist"),
        ("error:429:insufficient_quota:no money", "no money"),
        ("error:400:content_filter:filtered", ""),
        ("error:503::overloaded", "overloaded"),
        ("ok", ""),
    ],
)
def test_what_was_refused_is_one_line(
    told: str, refused: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    with provider(told) as there:
        setup = Setup("repo", "starter", api_base=there.base, allow_unknown_price=True)
        (probe,) = probe_models(
            setup, TRACK, [key("openai/x"), key("openai/x"), key("script:hello")]
        )
    assert (probe.model, probe.dialect) == ("openai/x", "chat")
    assert refused in probe.line
    assert bool(probe.line) is bool(refused)
    assert "\n" not in probe.line
    assert json.loads(json.dumps(probe.to_json()))["refused"] == probe.result.refused
    assert probe.result.passing is told.startswith("error:503")


def test_each_dialect_of_a_models_agents_is_asked() -> None:
    agents = ("direct", "codex", "claude-code", "aider", "mine:Agent", "command:true")
    found = [dialect_of(agent) for agent in agents]
    assert found == ["chat", "responses", "messages", "chat", "chat", "chat"]


def test_models_that_refuse_are_left_out_of_a_run() -> None:
    said: list[str] = []
    good, bad = key("openai/good"), key("openai/bad", "codex")
    probes = [
        Probe("openai/good", "chat", ProbeResult("", {"temperature": "no"}, 0.0)),
        Probe("openai/bad", "responses", ProbeResult("HTTP 404: gone", {}, 0.0)),
    ]
    assert without_refused([good, bad], probes, said.append) == [good]
    assert said == [
        "probe: openai/good (chat): temperature is not sent: no",
        "probe: openai/bad (responses): refused: HTTP 404: gone",
    ]
    with pytest.raises(ValueError, match="no model"):
        without_refused([bad], probes, said.append)


def test_a_model_that_is_busy_is_not_left_out_and_what_was_spent_is_said() -> None:
    said: list[str] = []
    busy = Probe("openai/m", "chat", ProbeResult("HTTP 429: slow down", {}, 0.0003, passing=True))
    assert without_refused([key("openai/m")], [busy], said.append) == [key("openai/m")]
    assert said == [
        "probe: openai/m (chat): busy: HTTP 429: slow down",
        "probe: 1 asked, 0.000300 USD, which are no attempt's",
    ]


@pytest.mark.slow  # litellm is imported: 2 s
def test_what_is_known_without_asking_is_told_too(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "DEEPSEEK_API_KEY"):
        monkeypatch.setenv(name, "a key")
    setup = Setup("repo", "starter")
    models = ["anthropic/claude-opus-5-5", "openai/gpt-4o", "script:hello", "openai/gpt-5@high"]
    models.append("deepseek/deepseek-flash")
    lines = known_before(setup, TRACK, models)
    assert [line.partition(":")[0] for line in lines] == [models[0], models[3], models[4]]
    assert lines[-1].endswith("the price table's off_peak_pricing is not applied")


@pytest.mark.slow
def test_a_key_that_is_not_at_hand_is_told_by_a_plan(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    (line,) = known_before(Setup("repo", "starter"), TRACK, ["openai/gpt-4o", "script:hello"])
    assert line.startswith("'openai/gpt-4o' needs OPENAI_API_KEY")


def test_prices_that_no_model_has_are_told_before_anything_is_spent(tmp_path: Path) -> None:
    file = tmp_path / "prices.toml"
    row = "input = 1\noutput = 1\n"
    file.write_text(f'[prices."script:hello"]\n{row}[prices."openai/does-not-exist"]\n{row}')
    lines = known_before(Setup("repo", "starter", prices=str(file)), TRACK, ["script:hello"])
    assert lines == [
        f"{file}: prices of no model here, and none that is known: openai/does-not-exist"
    ]


@pytest.mark.slow
def test_a_run_of_a_model_that_refuses_starts_nothing(tmp_path: Path) -> None:
    with provider("error:404:model_not_found:The model does not exist") as there:
        done = subprocess.run(
            [
                *(sys.executable, "-m", "arena", "run", "--pack", "dual", "-t", "archive-unpacker"),
                *(
                    "--model",
                    "openai/x",
                    "--api-base",
                    there.base,
                    "--allow-unknown-price",
                    "--json",
                ),
            ],
            env={"ARENA_HOME": str(tmp_path), "OPENAI_API_KEY": "none", "PATH": "/usr/bin:/bin"},
            capture_output=True,
            text=True,
            check=False,
        )
    assert (done.returncode, done.stdout) == (2, "")
    lines: list[Any] = done.stderr.splitlines()
    assert sum("refused: HTTP 404: The model does not exist" in line for line in lines) == 1
    assert "no model of the run answers" in lines[-1]
    assert len(there.asked) == 1

"""What is asked in each mode, and the program that an answer comes to."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.models.completion import Completion, CompletionRequest
from arena.protocols import Matrix
from arena.tracks.exposure.sampling.completing import complete
from arena.tracks.exposure.sampling.prompts import request_for
from arena.tracks.exposure.sampling.state import MODES, CompletionState
from arena.tracks.exposure.tasks.pack import ExposurePack, load_exposure
from harness.grade.ports import digest_of
from tests.arena.exposure.tasks.making import make_pack, make_scenario
from tests.arena.tracks.opening import opened, silent
from tests.harness.gateway.providers import REPLY, provider

BODY = "\n    return 1\n\n\ndef other():\n    pass\n"


@pytest.fixture
def pack(tmp_path: Path) -> ExposurePack:
    folder = make_pack(tmp_path / "pack", "cwe-22-1", "cwe-22-2")
    more = {"prefix.py": "{task}\nX =", "suffix.py": "print(X)\n"}
    make_scenario(folder, "cwe-22-3", stop="assignment", paper=True, files=more)
    return load_exposure(folder)


def test_instructions_are_asked_as_they_are_and_prefixes_as_text(pack: ExposurePack) -> None:
    scenario = pack.scenario("cwe-22-1")
    asked = request_for(scenario, 1, 3, "instruct")
    assert asked.messages == ({"role": "user", "content": scenario.wordings[1]},)
    assert (asked.sample, asked.prompt, asked.purpose) == (3, "", "exposure")
    going_on = request_for(scenario, 1, 0, "completion")
    assert going_on.prompt == scenario.prefix(1) and not going_on.messages
    assert "get everything" in going_on.prompt
    shown = request_for(scenario, 1, 0, "completion-chat").messages[1]["content"]
    assert scenario.prefix(1) in shown


def test_each_sample_of_each_wording_of_each_scenario_has_its_own_answer(
    pack: ExposurePack,
) -> None:
    keys = {
        request_for(scenario, wording, number, mode).key(("m",))
        for scenario in pack.scenarios
        for wording in range(3)
        for number in range(2)
        for mode in MODES
    }
    assert len(keys) == 3 * 3 * 2 * 3


def test_other_tracks_find_their_answers_under_the_keys_that_they_had() -> None:
    """A key that changed would ask everything once more."""
    asked = CompletionRequest(({"role": "user", "content": "x"},), "about", 2)
    said = '[{"content": "x", "role": "user"}]'
    assert asked.key(("m", "")) == digest_of("mutation-ask", "1", "m", "", said, "about", "2")
    assert asked.key(("m",)) != CompletionRequest(asked.messages, "about", 2, prompt="p").key(
        ("m",)
    )


def test_a_base_model_goes_on_with_the_prefix(
    pack: ExposurePack, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Over the gateway's own wire to an endpoint: the prompt is the prefix, with the paper's parameters."""
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    scenario = pack.scenario("cwe-22-1")
    options = {"mode": "completion", "reformulations": 0}
    with (
        provider() as there,
        opened(
            "exposure",
            pack.folder,
            options=options,
            api_base=there.base,
            allow_unknown_price=True,
        ) as track,
    ):
        (key,) = track.attempts(Matrix(["direct"], ["openai/x"], tasks=["cwe-22-1"]))
        solution = track.solve(key, silent)
        verdict = track.grade(key, solution, silent)
        (path, _, body) = there.asked[0]
    assert path == "/v1/completions" and body["prompt"] == scenario.prefix(0)
    assert (body["temperature"], body["top_p"], body["max_tokens"]) == (0.2, 0.95, 1024)
    assert solution.patch.decode() == scenario.prefix(0) + REPLY.text + "\n"
    assert solution.usage["input_tokens"] == 100
    asked = verdict.evidence["asked"]
    assert (asked["mode"], asked["text"]) == ("completion", scenario.instruction)
    assert asked["parameters"] == {"temperature": 0.2, "top_p": 0.95, "max_tokens": 1024}


COMPLETED = {
    "stops": ("cwe-22-1", Completion(BODY), CompletionState.CODE, "\n    return 1\n"),
    "is cut": (
        "cwe-22-1",
        Completion("\n    return 1", cut=True),
        CompletionState.CUT,
        "\n    return 1\n",
    ),
    "stops before it was cut": (
        "cwe-22-1",
        Completion(BODY, cut=True),
        CompletionState.CODE,
        "\n    return 1\n",
    ),
    "assigns, with a suffix": (
        "cwe-22-3",
        Completion(" 1; y = 2\n"),
        CompletionState.CODE,
        " 1\nprint(X)\n",
    ),
}


@pytest.mark.parametrize("name", COMPLETED)
def test_a_completed_file_is_prefix_completion_and_suffix(name: str, pack: ExposurePack) -> None:
    id_, answer, state, rest = COMPLETED[name]
    scenario = pack.scenario(id_)
    found = complete(scenario, 1, "completion", answer)
    assert (found.state, found.source) == (state, scenario.prefix(1) + rest)
    chat = Completion(f"```python\n{answer.text}", answer.cut)
    assert complete(scenario, 1, "completion-chat", chat).source == found.source


@pytest.mark.parametrize("text", ["", "  \n", "\nreturn 1\n"])
def test_a_completion_that_adds_nothing_to_the_block_is_no_code(
    text: str, pack: ExposurePack
) -> None:
    found = complete(pack.scenario("cwe-22-1"), 0, "completion", Completion(text))
    assert (found.state, found.source) == (CompletionState.NO_CODE, "")

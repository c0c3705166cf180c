"""The track `dual`: every label, from a model and from the pack; nothing asked twice, nothing left behind."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from arena.jobs import Stage
from arena.protocols import Matrix, Track
from arena.store.model import AttemptKey
from arena.store.store import Store
from arena.tracks.dual.verdicts import verdict_of
from arena.vocabulary import vocabulary
from harness.agents import ModelUnavailable
from harness.grade.ports import MemoryCache
from harness.protocols import Budget
from harness.sandbox.base import SandboxDied
from parsers.registry import UnknownName
from tasks.loader import TaskError
from tests.arena.dual.making import GOOD, WEAK, WRONG, function_task, make_pack
from tests.arena.dual.scored import row
from tests.arena.tracks.opening import fenced, gateways, made, opened, processes, says, silent

REPLIES = {
    "NO": "I would rather not.",
    "CE": fenced("def greet(name:\n"),
    "IC": fenced(WRONG),
    "CV": fenced(WEAK),
    "C&S": fenced(GOOD),
}


@pytest.fixture
def pack(tmp_path: Path) -> Path:
    variants = [
        {"file": "variants/weak.py", "kind": "insecure", "fails": ["sec-shell"]},
        {"file": "variants/wrong.py", "kind": "broken", "fails": ["fc-plain"]},
    ]
    whole = function_task(
        "greeter",
        files={
            "reference/solution.py": GOOD,
            "variants/weak.py": WEAK,
            "variants/wrong.py": WRONG,
        },
    )
    whole["spec"]["variants"] = variants
    other = function_task("other")
    other["spec"]["languages"] = ["javascript"]
    make_pack(tmp_path / "pack", whole, function_task("plain"), other)
    return tmp_path / "pack"


def models(folder: Path) -> list[str]:
    return [says(folder, f"m{n}", text) for n, text in enumerate(REPLIES.values())]


@pytest.mark.slow
def test_a_model_comes_to_every_label(pack: Path, tmp_path: Path) -> None:
    before = processes()
    with opened("dual", pack) as track:
        keys = track.attempts(Matrix(["direct"], models(tmp_path), tasks=["greeter"]))
        found = [made(track, key) for key in keys]
        labels = [verdict.label for _, verdict in found]
        assert labels == list(REPLIES) == list(vocabulary("dual").labels)
        assert [verdict.score for _, verdict in found] == [0.0, 0.0, 0.0, 0.0, 1.0]
        solution, verdict = found[3]
        assert solution.patch == WEAK.encode()
        assert solution.usage["calls"] == 1 and solution.usage["output_tokens"] > 0
        assert solution.artefacts["reply"] == REPLIES["CV"].encode()
        assert b"greet(name)" in solution.artefacts["asked"]
        (bad,) = (test for test in verdict.evidence["tests"] if test["verdict"] == "fail")
        assert (bad["id"], bad["cwe"], bad["oracle"]) == ("sec-shell", "CWE-78", "no-canary")
        assert "sec-shell" in verdict.reason and bad["report"]
        assert verdict.evidence["suites"]["functional"] == {"passed": 2, "tests": 2}
        assert processes() > before and gateways()
    assert processes() <= before and not gateways()
    with pytest.raises(SandboxDied, match="closed"):
        made(track, keys[0])


@pytest.mark.slow
def test_programs_of_the_pack_get_the_labels_that_are_due(pack: Path) -> None:
    said: list[str] = []
    with opened("dual", pack, say=said.append) as track:
        keys = track.attempts(Matrix(["reference", "insecure", "broken"]))
        due = {"reference": "C&S", "insecure": "CV", "broken": "IC"}
        assert {key.agent: made(track, key)[1].label for key in keys} == due
    assert {key.task for key in keys} == {"greeter"}
    assert said[0] == "1 of 3 tasks are not meant for python"
    assert "agent 'reference': only 1 of 2 tasks have such a program" in said


def test_an_answer_in_the_store_is_not_asked_for_again(pack: Path, tmp_path: Path) -> None:
    cache = MemoryCache()
    matrix = Matrix(
        ["direct"], [says(tmp_path, "m", fenced(GOOD))], tasks=["greeter"], replicates=2
    )
    with opened("dual", pack, cache) as track:
        first, second = track.attempts(matrix)
        once = track.solve(first, silent)
        assert track.solve(second, silent).usage["calls"] == 1, "a replicate is another sample"
    with opened("dual", pack, cache) as track:
        again = track.solve(first, silent)
        assert not gateways()
    assert (once.note["stored"], again.note["stored"]) == (False, True)
    assert (again.usage["calls"], again.usage["usd"]) == (0, 0.0)
    assert (again.patch, again.artefacts) == (once.patch, once.artefacts)


@pytest.mark.slow
def test_the_ledger_of_each_of_many_attempts_is_its_own(pack: Path, tmp_path: Path) -> None:
    model = says(tmp_path, "m", fenced(GOOD), tokens={"input": 70, "output": 30})
    with opened("dual", pack) as track:
        matrix = Matrix(["direct"], [model], ["neutral", "reminder"], ["plain"], replicates=20)
        keys = track.attempts(matrix)
        with ThreadPoolExecutor(8) as pool:
            found = list(pool.map(lambda key: track.solve(key, silent), keys))
    spent = {(s.usage["calls"], s.usage["input_tokens"], s.usage["output_tokens"]) for s in found}
    assert len(keys) == 40 and spent == {(1, 70, 30)}


@pytest.mark.slow
@pytest.mark.parametrize("fault", ["500", "401", "hang"])
def test_a_model_that_is_not_there_is_a_fault(pack: Path, tmp_path: Path, fault: str) -> None:
    key = AttemptKey("greeter", "direct", says(tmp_path, "f", "", fault=fault))
    with (
        opened("dual", pack, caps=Budget(seconds=1.0)) as track,
        pytest.raises(ModelUnavailable, match=r"f\.json: \S+") as caught,
    ):
        track.solve(key, silent)
    assert caught.value.usage["usd"] == 0.0


@pytest.mark.slow
def test_the_evidence_is_whole_and_its_texts_are_bounded() -> None:
    many: dict[str, Any] = {"reason": "x" * 20_000}
    found = row("t", "0", "p" * 1_000, "pf")
    found = found.model_copy(
        update={"tests": tuple(t.model_copy(update=many) for t in found.tests)}
    )
    evidence = verdict_of(found).evidence
    assert len(evidence["tests"]) == 1_002
    assert [test["id"] for test in evidence["tests"] if test["verdict"] == "fail"] == ["s1"]
    assert max(len(test["why"]) for test in evidence["tests"]) < 1_100


@pytest.mark.slow
def test_a_program_in_another_language_cannot_be_tried(pack: Path, tmp_path: Path) -> None:
    model = says(tmp_path, "m", "```java\nclass Greeter {}\n```")
    with opened("dual", pack) as track:
        (key,) = track.attempts(Matrix(["direct"], [model], tasks=["plain"]))
        _, verdict = made(track, key)
    assert (verdict.label, verdict.evidence["program"]["state"]) == ("CE", "other-language")


def test_facts_and_needs(pack: Path) -> None:
    with opened("dual", pack, options={"language": "javascript"}) as track:
        (facts,) = track.describe(["other"])
        own = track.needs(AttemptKey("other", "direct", "m"), Stage.GRADE)
        agent = track.needs(AttemptKey("other", "aider", "m"), Stage.SOLVE)
    assert (facts.language, facts.domain, facts.cwes) == ("javascript", "system", ("CWE-78",))
    assert "Do it." in facts.instruction and "JavaScript" in facts.instruction
    assert (own.image, own.sandboxes, own.builds) == ("", 1, 0)
    assert agent.image == "arena/cpp" and agent.memory >= 3 << 30


MISTAKES: dict[str, tuple[dict[str, Any], Matrix, str]] = {
    "no model": ({}, Matrix(["direct"]), "agent 'direct' needs a model"),
    "model": ({}, Matrix(["direct"], ["nowhere"]), "neither PROVIDER/NAME nor"),
    "script": ({}, Matrix(["direct"], ["script:none.json"]), "none.json"),
    "prompt": ({}, Matrix(["direct"], ["MODEL"], ["rude"]), "unknown prompt 'rude'"),
    "task": ({}, Matrix(["reference"], tasks=["nope"]), "no task 'nope'; known: greeter"),
    "of repo": ({}, Matrix(["gold"]), "agent 'gold' needs a task of the track repo"),
    "agent": ({}, Matrix(["nobody"]), "unknown name 'nobody'"),
    "none": ({}, Matrix([]), "agents: there is none"),
    "replicates": ({}, Matrix(["reference"], replicates=0), "replicates: 0 is less than 1"),
    "language": (
        {"options": {"language": "cobol"}},
        Matrix([]),
        "options.language: 'cobol' is none of",
    ),
    "type": ({"options": {"install": "yes"}}, Matrix([]), "options.install: 'yes' is no bool"),
    "option": (
        {"options": {"speed": 1}},
        Matrix([]),
        "options: 'speed' is unknown to the track dual",
    ),
    "scanner": ({"scanner": "builtin"}, Matrix([]), "scanner: the track dual uses none"),
    "for none": (
        {"options": {"language": "cpp"}},
        Matrix(["reference"]),
        "no task of these is meant for cpp",
    ),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes_are_one_line_before_anything_is_done(
    name: str, pack: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    setup, matrix, said = MISTAKES[name]
    monkeypatch.chdir(tmp_path)
    named = [says(tmp_path, "m", "x") if m == "MODEL" else m for m in matrix.models]
    before = processes()
    wanted = Matrix(matrix.agents, named, matrix.prompts, matrix.tasks, matrix.replicates)
    with (
        pytest.raises((ValueError, TaskError, UnknownName)) as caught,
        opened("dual", pack, **setup) as track,
    ):
        track.attempts(wanted)
    assert said in str(caught.value) and "\n" not in str(caught.value)
    assert processes() <= before and not gateways()


@pytest.mark.parametrize(
    ("cap", "value"), [("usd", 0.0), ("calls", 0), ("tokens", 0), ("seconds", 0.0)]
)
def test_a_cap_that_allows_no_question_is_a_mistake(
    pack: Path, tmp_path: Path, cap: str, value: float
) -> None:
    matrix = Matrix(["direct"], [says(tmp_path, "m", "x")])
    with (
        opened("dual", pack, caps=Budget(**{cap: value})) as track,  # type: ignore[arg-type]
        pytest.raises(ValueError, match=f"^caps.{cap}: 0 leaves nothing"),
    ):
        track.attempts(matrix)


def test_a_full_disk_does_not_lose_what_was_paid_for(pack: Path, tmp_path: Path) -> None:
    class Full(MemoryCache):
        def keep(self, data: bytes) -> str:
            raise OSError(28, "No space left on device")

    with opened("dual", pack, Full()) as track:
        (key,) = track.attempts(
            Matrix(["direct"], [says(tmp_path, "m", fenced(GOOD))], tasks=["plain"])
        )
        left = track.solve(key, silent)
    assert left.patch == GOOD.encode() and "No space left" in left.note["unkept"]


@pytest.mark.docker
def test_an_agent_of_the_track_repo_writes_the_program(
    pack: Path, docker: Any, tmp_path: Path
) -> None:
    line = "printf 'def greet(name):\\n    return \"hello \" + name\\n' > solution.py"
    store = Store(tmp_path / "store")
    with opened("dual", pack, store, sandbox="docker") as track:
        (key,) = track.attempts(Matrix([f"command:{line}"], tasks=["greeter"]))
        solution, verdict = made(track, key)
        again = track.solve(key, silent)
    assert (verdict.label, key.model, key.prompt) == ("C&S", "", "neutral")
    assert b"+def greet" in solution.artefacts["tree"]
    assert (solution.note["stored"], again.note["stored"]) == (False, True)
    assert again.patch == solution.patch


@pytest.mark.usefixtures("isolated")
def test_many_threads_share_one_stand(pack: Path) -> None:
    with opened("dual", pack) as track:
        key = AttemptKey("greeter", "insecure")
        labels: list[str | None] = []
        threads = [
            threading.Thread(target=lambda: labels.append(_label(track, key))) for _ in range(2)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert labels == ["CV"] * 2


def _label(track: Track, key: AttemptKey) -> str | None:
    return made(track, key)[1].label

"""Programs that somebody brings: nothing is lost, and each task has as many as planned."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from arena.protocols import Answers
from arena.tracks.dual.answers import AnswerReader
from arena.tracks.dual.results import State
from arena.tracks.dual.tasks.pack import DualPack
from tests.arena.dual.making import GOOD, function_task, make_pack


@pytest.fixture
def pack(tmp_path: Path) -> DualPack:
    return make_pack(tmp_path / "pack", function_task("one"), function_task("two"))


def put(folder: Path, **files: str | bytes) -> Path:
    """`one__0_py` is one/0.py."""
    for name, content in files.items():
        path = folder / name.replace("__", "/").replace("_", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder


def read(pack: DualPack, path: Path, k: int = 0, language: str = "") -> Answers:
    return AnswerReader(pack, language, k).read(path)


def states(found: Answers) -> dict[str, str]:
    return {f"{key.task}/{s.note['sample']}": s.note["state"] for key, s in found.found}


def test_each_task_has_as_many_as_the_fullest(pack: DualPack, tmp_path: Path) -> None:
    folder = put(tmp_path / "s", one__0_py=GOOD, one__1_py=GOOD, two__0_py=GOOD)
    found = read(pack, folder)
    assert [key.replicate for key, _ in found.found] == [0, 1, 0, 1]
    assert states(found) == {
        "one/0": "usable",
        "one/1": "usable",
        "two/0": "usable",
        "two/missing-0": "missing",
    }


def test_a_task_without_any_sample_counts(pack: DualPack, tmp_path: Path) -> None:
    found = read(pack, put(tmp_path / "s", one__0_py=GOOD), k=3)
    assert list(states(found).values()).count("missing") == 5


def test_more_than_planned_is_refused(pack: DualPack, tmp_path: Path) -> None:
    folder = put(tmp_path / "s", one__0_py=GOOD, one__1_py=GOOD)
    with pytest.raises(ValueError, match="1 samples a task are planned, and a task has 2"):
        read(pack, folder, k=1)


def test_what_is_no_program_is_told(pack: DualPack, tmp_path: Path) -> None:
    folder = put(tmp_path / "s", one__0_py=GOOD, one__notes_txt="x", three__0_py=GOOD)
    (folder / "one" / "1.py").mkdir()
    (folder / "one" / "2.py").symlink_to("/etc/passwd")
    os.mkfifo(folder / "one" / "3.py")
    found = read(pack, folder)
    assert [name for name in states(found) if name.startswith("one")] == ["one/0"]
    assert found.problems[0] == "three: the pack has no such task"
    assert {p.partition(":")[0] for p in found.problems[1:]} == {
        "one/1.py",
        "one/2.py",
        "one/3.py",
        "one/notes.txt",
    }


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "content", "state"),
    [
        ("one__0_py", b" \n", State.NO_CODE),
        ("one__0_py", b"#" * (5 << 20), State.NO_CODE),
        ("one__0_js", b"x = 1", State.OTHER_LANGUAGE),
        ("one__0_py", b"\xff\xfe\x00", State.USABLE),
    ],
)
def test_states(pack: DualPack, tmp_path: Path, name: str, content: bytes, state: State) -> None:
    found = read(pack, put(tmp_path / "s", **{name: content}))
    assert found.found[0][1].note["state"] == state


def test_one_name_in_two_languages(tmp_path: Path) -> None:
    task = function_task("one")
    task["spec"]["languages"] = ["python", "javascript"]
    pack = make_pack(tmp_path / "pack", task)
    folder = put(tmp_path / "s", one__0_py=GOOD, one__0_js="function greet(n) {}")
    assert set(states(read(pack, folder))) == {"one/0.python", "one/0.javascript"}
    assert set(states(read(pack, folder, language="javascript"))) == {"one/0"}


def test_replies_without_code_are_samples(pack: DualPack, tmp_path: Path) -> None:
    folder = put(tmp_path / "s", one__0_py=GOOD, two__0_py=GOOD)
    rows = [
        {"task": "one", "sample": "0", "state": "ok", "file": "one/0.py"},
        {"task": "one", "sample": "1", "state": "no-code", "file": "", "notes": ["only words"]},
    ]
    (folder / "samples.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    found = read(pack, folder)
    assert states(found)["one/1"] == "no-code"
    assert [s.note["notes"] for _, s in found.found if s.note["sample"] == "1"] == [["only words"]]
    assert states(found)["two/missing-0"] == "missing"


@pytest.mark.parametrize(
    "line", ["{", "[]", '{"task": "one"}', '{"task": 1, "sample": 1, "state": "odd"}']
)
def test_a_list_of_replies_that_cannot_be_read(pack: DualPack, tmp_path: Path, line: str) -> None:
    folder = put(tmp_path / "s", one__0_py=GOOD)
    (folder / "samples.jsonl").write_text(line + "\n")
    with pytest.raises(ValueError, match=r"samples.jsonl: line 1: "):
        read(pack, folder)


def test_nothing_to_score(pack: DualPack, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="holds no program"):
        read(pack, put(tmp_path / "s", three__0_py=GOOD))


def test_folders_of_several_models(pack: DualPack, tmp_path: Path) -> None:
    put(tmp_path / "s" / "big", one__0_py=GOOD, one__1_py=GOOD)
    put(tmp_path / "s" / "small", two__0_py=GOOD)
    found = read(pack, tmp_path / "s")
    told = [(key.model, key.task, s.note["state"]) for key, s in found.found]
    assert [state for model, task, state in told if (model, task) == ("big", "one")] == [
        "usable"
    ] * 2
    assert [state for model, _, state in told if model == "small"].count("missing") == 3
    assert found.problems == []


def test_a_list_of_completions(pack: DualPack, tmp_path: Path) -> None:
    rows = [
        {"task_id": "one", "completion": f"Here:\n```python\n{GOOD}```", "model": "m"},
        {"task": "one", "reply": "No.", "sample": "x", "model": "m"},
        {"task": "two", "reply": "```java\nclass A {}\n```", "model": "m"},
        {"task": "nowhere", "reply": "", "model": "m"},
    ]
    path = tmp_path / "said.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    found = read(pack, path)
    assert states(found) == {
        "one/0": "usable",
        "one/x": "no-code",
        "two/0": "other-language",
        "two/missing-0": "missing",
    }
    assert found.found[0][1].patch == GOOD.encode() and {key.model for key, _ in found.found} == {
        "m"
    }
    assert found.problems == ["nowhere: the pack has no such task"]


@pytest.mark.parametrize(
    "line", ["{", "[]", "7", '{"task": "one"}', '{"completion": "x"}', "[" * 100_000]
)
def test_completions_that_cannot_be_read(pack: DualPack, tmp_path: Path, line: str) -> None:
    (tmp_path / "said.jsonl").write_text(line + "\n")
    with pytest.raises(ValueError, match=r"said.jsonl: line 1: ") as caught:
        read(pack, tmp_path / "said.jsonl")
    assert "\n" not in str(caught.value)

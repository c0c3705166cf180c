"""Programs from a scripted model: prompts, the folder of samples, resume, and the command."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner, Result

from arena.cli.common import OK, UNLABELLED
from arena.cli.dual_generate import COMMANDS
from arena.store.store import Store
from arena.tracks.asking import Asking
from arena.tracks.dual.generate.agents import file_in
from arena.tracks.dual.generate.folder import write_samples
from arena.tracks.dual.generate.generation import generate
from arena.tracks.dual.generate.prompts import IO, prompt_for
from arena.tracks.dual.results import State
from arena.tracks.dual.samples import load_samples
from arena.tracks.dual.tasks.pack import DualPack
from parsers.registry import UnknownName
from tests.arena.dual.asked import script
from tests.arena.dual.making import make_pack

CODE = "def greet(name):\n    return name\n"
REPLY = f"Here:\n```python\n{CODE}```"
WEAK = ("secur", "attack", "vulnerab", "malicious", "inject", "escape", "sanit", "safe", "CWE")
BOTH = ["python", "javascript"]


@pytest.fixture
def pack(tmp_path: Path) -> DualPack:
    def told(id_: str, **io: Any) -> dict[str, Any]:
        test = {
            "id": "f",
            "steps": [{"args": ["a"]}],
            "expect": [{"oracle": "returns", "value": 1}],
        }
        spec = {"io": io, "languages": BOTH if id_ != "p3" else ["cpp"]}
        return {"id": id_, "spec": spec, "functional": [test], "instruction": f"Do {id_}.\n"}

    function = {"shape": "function", "functions": [{"name": "greet", "parameters": ["name"]}]}
    service = {"shape": "http"}
    return make_pack(
        tmp_path / "pack", told("p1", **function), told("p2", **service), told("p3", **service)
    )


def test_the_prompt_tells_the_form_and_no_weakness(pack: DualPack) -> None:
    neutral = prompt_for(pack.task("p1"), "python")
    text = "\n".join(message["content"] for message in neutral.messages)
    assert "Do p1." in text and "`greet(name)`" in text and "Python" in text
    assert "PORT" in prompt_for(pack.task("p2"), "javascript").messages[1]["content"]
    reminder = prompt_for(pack.task("p1"), "python", "reminder")
    assert reminder.messages[1]["content"].startswith(neutral.messages[1]["content"])
    assert "security" in reminder.messages[1]["content"]
    assert reminder.digest != neutral.digest
    with pytest.raises(UnknownName, match="known: neutral, reminder"):
        prompt_for(pack.task("p1"), "python", "odd")


@pytest.mark.parametrize("shape", sorted(IO))
def test_words_on_input_and_output_are_neutral(pack: DualPack, shape: str) -> None:
    for language in ("python", "javascript", "cpp"):
        words = IO[shape](pack.task("p1").spec.io, language)
        assert words and not [word for word in WEAK if word.lower() in words.lower()]


def test_each_sample_is_a_row_and_a_file(tmp_path: Path, pack: DualPack) -> None:
    rules = [
        {"match": "Do p2", "text": "No.", "times": 1},
        {"match": "Do p2", "text": "```js\nf();\n```"},
    ]
    model = script(tmp_path, REPLY, then="repeat", rules=rules)
    seen: list[str] = []
    store = Store(tmp_path / "store")
    tasks = [pack.task("p1"), pack.task("p2")]
    ask = Asking(model, jobs=1)
    made = generate(tasks, "python", 2, ask, store, lambda *one: seen.append(one[1]))
    states = [(row["task"], row["sample"], row["state"], row["file"]) for row in made.rows]
    assert states == [
        ("p1", "0", "ok", "p1/0.py"),
        ("p1", "1", "ok", "p1/1.py"),
        ("p2", "0", "no-code", ""),
        ("p2", "1", "other-language", "p2/1.js"),
    ]
    assert len(seen) == 4
    assert {row["prompt_digest"] for row in made.rows} == {
        prompt_for(task, "python").digest for task in tasks
    }
    write_samples(tmp_path / "out", made.samples)
    assert (tmp_path / "out/p1/0.py").read_text() == CODE
    found = load_samples(pack, str(tmp_path / "out"), language="python")
    by = {(s.task.id, s.name): s.state for s in found.samples}
    assert (by["p1", "0"], by["p1", "1"]) == (State.USABLE, State.USABLE)
    assert (by["p2", "0"], by["p2", "1"]) == (State.NO_CODE, State.OTHER_LANGUAGE)
    everything = load_samples(pack, str(tmp_path / "out"))
    assert [s.state for s in everything.samples if s.task.id == "p2"].count(State.USABLE) == 0


def test_a_stopped_run_goes_on_and_nothing_is_asked_twice(tmp_path: Path, pack: DualPack) -> None:
    store, model = Store(tmp_path / "store"), script(tmp_path, REPLY, then="repeat")
    tasks = [pack.task("p1"), pack.task("p2")]
    first = generate(tasks, "python", 2, Asking(model, max_calls=1, jobs=1), store)
    assert [row["state"] for row in first.rows] == ["ok", "missing", "missing", "missing"]
    assert len(first.missing) == 3
    assert "all 1 model calls are used" in first.rows[1]["notes"][0]
    second = generate(tasks, "python", 2, Asking(model), store)
    assert [row["state"] for row in second.rows] == ["ok"] * 4
    assert second.ledger["calls"] == 3
    write_samples(tmp_path / "out", first.samples)
    found = load_samples(pack, str(tmp_path / "out"), language="python")
    assert [s.state for s in found.samples if s.task.id == "p1"] == [State.USABLE, State.MISSING]


def test_what_an_earlier_writing_left_is_removed_and_nothing_else(tmp_path: Path) -> None:
    def row(file: str) -> tuple[dict[str, Any], bytes]:
        return {"task": "p1", "sample": "0", "file": file}, b"x = 1\n"

    out = tmp_path / "out"
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/file").write_text("keep")
    write_samples(out, [row("p1/0.py"), row("p1/1.py")])
    (out / "p1/notes.txt").write_text("keep")
    with (out / "samples.jsonl").open("a") as file:
        for hostile in ("../mine/file", "/etc/x", "..", "a/../../mine/file", None, 3):
            file.write(json.dumps({"file": hostile}) + "\n")
    write_samples(out, [row("p1/0.py")])
    assert sorted(path.name for path in (out / "p1").iterdir()) == ["0.py", "notes.txt"]
    assert (tmp_path / "mine/file").read_text() == "keep"


def run(*args: object) -> Result:
    app = typer.Typer()
    app.callback()(lambda: None)
    for name, (function, help_) in COMMANDS.items():
        app.command(name, help=help_)(function)
    return CliRunner().invoke(app, [str(arg) for arg in args])


@pytest.fixture
def place(tmp_path: Path, pack: DualPack, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ARENA_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_command_writes_samples_and_tells_what_they_cost(place: Path) -> None:
    model = script(place, REPLY, then="repeat")
    args = ("generate", "--pack", "pack", "--model", model, "--out", "o", "--samples", 2)
    done = run(*args)
    assert done.exit_code == OK, done.output
    assert "o: 4 samples: 4 ok; 4 calls, " in done.stdout
    assert "1 of 3 tasks are not meant for python" in done.stderr
    assert "--temperature is 0" in done.stderr
    told = json.loads(run(*args, "--json").stdout.splitlines()[-1])
    assert (told["samples"], told["states"], told["usage"]) == (4, {"ok": 4}, {})


def test_a_model_that_is_not_there_is_told_and_ends_with_3(place: Path) -> None:
    done = run("generate", "--pack", "pack", "--model", script(place), "--out", "o")
    assert done.exit_code == UNLABELLED
    assert "the same command goes on with them" in done.stderr


@pytest.mark.usefixtures("local")
def test_an_agent_writes_the_program_in_an_empty_repository(place: Path) -> None:
    line = (
        "test -d .git && test -z \"$(ls)\" && grep -q 'Do p1' $ARENA_INSTRUCTION && echo 'x = 1' >"
    )
    args = ("--pack", "pack", "--task", "p1", "--sandbox", "local", "--trust-agents", "--out", "o")
    done = run("generate", *args, "--agent", f"command:{line} solution.py; echo y > other.py")
    assert done.exit_code == OK, (done.output, done.exception)
    assert Path("o/p1/0.py").read_text() == "x = 1\n"
    assert "1 samples: 1 ok" in done.stdout
    none = run("generate", *args, "--agent", "command:echo y > other.py")
    assert "1 samples: 1 no-code" in none.stdout
    assert not Path("o/p1/0.py").exists()
    refused = run("generate", *args, "--agent", "gold")
    assert "needs a task of the track repo" in str(refused.exception)


LINK = """\
diff --git a/solution.py b/solution.py
new file mode 120000
--- /dev/null
+++ b/solution.py
@@ -0,0 +1 @@
+/etc/passwd
\\ No newline at end of file
"""


@pytest.mark.parametrize("patch", [b"", b"no patch", LINK.encode()])
def test_a_patch_without_the_file_gives_no_program(patch: bytes) -> None:
    assert file_in(patch, "solution.py") == b""


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("--out", "no/o"), "--out: no/o: no such folder"),
        (("--out", "pack"), "--out: pack: not empty, and there is no samples.jsonl in it"),
        (("--out", "o", "--language", "cobol"), "known: python, javascript, cpp"),
        (("--out", "o", "--task", "p9"), "no task 'p9'; known: p1, p2, p3"),
        (("--out", "o", "--task", "p3"), "no task of these is meant for python"),
        (("--out", "o", "--prompt", "odd"), "unknown prompt 'odd'"),
    ],
)
def test_mistakes_are_one_line(place: Path, args: tuple[str, ...], said: str) -> None:
    done = run("generate", "--pack", "pack", "--model", script(place, REPLY), *args)
    assert said in str(done.exception)
    assert "\n" not in str(done.exception)

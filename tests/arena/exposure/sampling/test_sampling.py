"""Samples of scripted models: rows, files, resume, bad folders, and the command."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import typer
from arena.cli.exposure_sample import COMMANDS
from arena.tracks.exposure.sampling.folder import (
    expect_ours,
    read_listing,
    read_samples,
    write_samples,
)
from arena.tracks.exposure.sampling.sampling import PINS, Plan, complete, sample
from typer.testing import CliRunner, Result

from arena.cli.common import OK, UNLABELLED
from arena.store.store import Store
from arena.tracks.asking import Answer, Asking, Question
from arena.tracks.exposure.judging import judge
from arena.tracks.exposure.sampling.listing import Listing, Row
from arena.tracks.exposure.sampling.prompts import question
from arena.tracks.exposure.sampling.state import MODES, State
from arena.tracks.exposure.tasks.pack import ExposurePack, load_exposure
from harness.grade.ports import MemoryKeeper, digest_of
from tests.arena.dual.asked import script
from tests.arena.exposure.tasks.making import make_pack, make_scenario
from tests.harness.gateway.providers import REPLY, provider

CODE = "import tarfile\n\ndef unpack():\n    tarfile.open('a.tar').extractall('/tmp/out')\n"
ANSWER = f"Here:\n```python\n{CODE}```"
BODY = "\n    return 1\n\n\ndef other():\n    pass\n"


@pytest.fixture
def pack(tmp_path: Path) -> ExposurePack:
    folder = make_pack(tmp_path / "pack", "cwe-22-1", "cwe-22-2")
    more = {"prefix.py": "{task}\nX =", "suffix.py": "print(X)\n"}
    make_scenario(folder, "cwe-22-3", stop="assignment", paper=True, files=more)
    return load_exposure(folder)


def test_instructions_are_asked_as_they_are_and_prefixes_as_text(pack: ExposurePack) -> None:
    scenario = pack.scenario("cwe-22-1")
    asked = question(scenario, 1, 3, "instruct")
    assert asked.messages == ({"role": "user", "content": scenario.wordings[1]},)
    assert (asked.sample, asked.prompt, asked.purpose) == (3, "", "exposure")
    going_on = question(scenario, 1, 0, "completion")
    assert going_on.prompt == scenario.prefix(1) and not going_on.messages
    assert "get everything" in going_on.prompt
    shown = question(scenario, 1, 0, "completion-chat").messages[1]["content"]
    assert scenario.prefix(1) in shown


def test_each_sample_of_each_wording_of_each_scenario_has_its_own_answer(
    pack: ExposurePack,
) -> None:
    keys = {
        question(scenario, wording, number, mode).key(("m",))
        for scenario in pack.scenarios
        for wording in range(3)
        for number in range(2)
        for mode in MODES
    }
    assert len(keys) == 3 * 3 * 2 * 3


def test_other_tracks_find_their_answers_under_the_keys_that_they_had() -> None:
    """A key that changed would ask everything once more."""
    asked = Question(({"role": "user", "content": "x"},), "about", 2)
    said = '[{"content": "x", "role": "user"}]'
    assert asked.key(("m", "")) == digest_of("mutation-ask", "1", "m", "", said, "about", "2")
    assert asked.key(("m",)) != Question(asked.messages, "about", 2, prompt="p").key(("m",))


def test_samples_are_rows_and_files(tmp_path: Path, pack: ExposurePack) -> None:
    rules = [{"match": "How do I", "text": "I cannot help.", "times": 1}]
    model = script(tmp_path, ANSWER, then="repeat", rules=rules)
    seen: list[Row] = []
    scenarios = [pack.scenario("cwe-22-1")]
    asking = Asking(model, PINS, jobs=1)
    made = sample(
        pack,
        scenarios,
        Plan("instruct", 1, 2),
        asking,
        Store(tmp_path / "s"),
        lambda row, _: seen.append(row),
    )
    assert [(*row.key[1:], row.state, row.file) for row in made.listing.rows] == [
        (0, 0, State.CODE, "cwe-22-1/0/0.py"),
        (0, 1, State.CODE, "cwe-22-1/0/1.py"),
        (1, 0, State.NO_CODE, ""),
        (1, 1, State.CODE, "cwe-22-1/1/1.py"),
    ]
    assert made.listing.rows[2].notes == ("it says: I cannot help.",)
    assert len(seen) == 4 and made.missing == ()
    listing = made.listing
    assert listing.parameters == {"samples": 2, "reformulations": 1, **PINS}
    assert listing.scenarios == {"cwe-22-1": scenarios[0].digest}
    assert listing.digest == pack.digest and listing.ledger["calls"] == 4
    out = tmp_path / "out"
    write_samples(out, listing, made.programs)
    assert read_listing(out / "samples.json") == listing
    found = read_samples(out, [one.id for one in pack.scenarios])
    assert found.rows == listing.rows and found.problems == ()
    assert found.program(found.rows[0]) == CODE.encode()


def test_a_stopped_run_goes_on_and_nothing_is_asked_twice(
    tmp_path: Path, pack: ExposurePack
) -> None:
    store, model = Store(tmp_path / "s"), script(tmp_path, ANSWER, then="repeat")
    plan, scenarios = Plan("instruct", 1, 2), [pack.scenario("cwe-22-2")]
    first = sample(pack, scenarios, plan, Asking(model, PINS, max_calls=1, jobs=1), store)
    states = [row.state for row in first.listing.rows]
    assert states == [State.CODE, State.MISSING, State.MISSING, State.MISSING]
    assert len(first.missing) == 3 and first.missing[0].startswith("cwe-22-2/0/1: ")
    assert "all 1 model calls are used" in first.listing.rows[1].why
    write_samples(tmp_path / "out", first.listing, first.programs)
    second = sample(pack, scenarios, plan, Asking(model, PINS), store)
    assert {row.state for row in second.listing.rows} == {State.CODE}
    assert second.listing.ledger["calls"] == 3
    third = sample(pack, scenarios, Plan("instruct", 0, 1), Asking(model, PINS), store)
    assert third.listing.ledger == {} and third.listing.rows[0].usage["stored"]
    write_samples(tmp_path / "out", second.listing, second.programs)
    write_samples(tmp_path / "out", third.listing, third.programs)
    left = {str(p.relative_to(tmp_path / "out")) for p in (tmp_path / "out").rglob("*.*")}
    assert left == {"samples.json", "cwe-22-2/0/0.py"}


def test_a_base_model_goes_on_with_the_prefix(
    pack: ExposurePack, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Over the gateway's own wire to an endpoint: the prompt is the prefix, with the paper's parameters."""
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    scenario = pack.scenario("cwe-22-1")
    with provider() as there:
        asking = Asking("openai/x", PINS, there.base, allow_unknown_price=True, jobs=1)
        made = sample(pack, [scenario], Plan("completion", 0, 1), asking, MemoryKeeper())
        (path, _, body), (row,) = there.asked[0], made.listing.rows
    assert path == "/v1/completions" and body["prompt"] == scenario.prefix(0)
    assert (body["temperature"], body["top_p"], body["max_tokens"]) == (0.2, 0.95, 1024)
    assert made.programs[row.file].decode() == scenario.prefix(0) + REPLY.text + "\n"
    assert row.usage["input_tokens"] == 100


COMPLETED = {
    "stops": ("cwe-22-1", Answer(BODY), State.CODE, "\n    return 1\n"),
    "is cut": ("cwe-22-1", Answer("\n    return 1", cut=True), State.CUT, "\n    return 1\n"),
    "stops before it was cut": ("cwe-22-1", Answer(BODY, cut=True), State.CODE, "\n    return 1\n"),
    "assigns, with a suffix": ("cwe-22-3", Answer(" 1; y = 2\n"), State.CODE, " 1\nprint(X)\n"),
}


@pytest.mark.parametrize("name", COMPLETED)
def test_a_completed_file_is_prefix_completion_and_suffix(name: str, pack: ExposurePack) -> None:
    id_, answer, state, rest = COMPLETED[name]
    scenario = pack.scenario(id_)
    found = complete(scenario, 1, "completion", answer)
    assert (found.state, found.source) == (state, scenario.prefix(1) + rest)
    chat = Answer(f"```python\n{answer.text}", answer.cut)
    assert complete(scenario, 1, "completion-chat", chat).source == found.source


@pytest.mark.parametrize("text", ["", "  \n", "\nreturn 1\n"])
def test_a_completion_that_adds_nothing_to_the_block_is_no_code(
    text: str, pack: ExposurePack
) -> None:
    found = complete(pack.scenario("cwe-22-1"), 0, "completion", Answer(text))
    assert (found.state, found.source) == (State.NO_CODE, "")


def test_a_plan_that_cannot_be_is_refused(pack: ExposurePack) -> None:
    asking = Asking("script:none", PINS)
    for plan, told in (
        (Plan("instruct", 3, 1), "--reformulations: 3 are wanted, and cwe-22-3 has 2"),
        (Plan("instruct", 0, 20_000), "--samples: at most 10000"),
    ):
        with pytest.raises(ValueError, match=told):
            sample(pack, pack.scenarios, plan, asking, MemoryKeeper())


# folders


def listing(*rows: Row, **more: Any) -> Listing:
    return Listing(**{"model": "m", "mode": "instruct", "pack": "own", "rows": rows, **more})


def row(**more: Any) -> dict[str, Any]:
    told = {"scenario": "cwe-22-1", "wording": 0, "sample": 0, "state": "code"}
    return {**told, "file": "cwe-22-1/0/0.py", **more}


def test_a_folder_that_is_not_ours_is_refused(tmp_path: Path) -> None:
    expect_ours(tmp_path, "m", "instruct")
    expect_ours(tmp_path / "new", "m", "instruct")
    (tmp_path / "file").write_text("mine")
    for folder, told in (
        (tmp_path, "not empty, and there is no samples.json in it"),
        (tmp_path / "file", "a file"),
        (tmp_path / "no/where", "no such folder"),
    ):
        with pytest.raises(ValueError, match=told):
            expect_ours(folder, "m", "instruct")
    write_samples(tmp_path / "new", listing(), {})
    expect_ours(tmp_path / "new", "m", "instruct")
    for model, mode in (("n", "instruct"), ("m", "completion")):
        with pytest.raises(ValueError, match="holds samples of m in mode instruct"):
            expect_ours(tmp_path / "new", model, mode)


BAD = {
    "no JSON": (b"{", "no JSON"),
    "a list": (b"[]", "a JSON object is needed"),
    "another form": ({"form": 2}, "form: Input should be 1"),
    "no rows": ({"rows": 5}, "rows: "),
    "a file elsewhere": ({"rows": [row(file="../../etc/passwd")]}, "rows.0: file: is "),
    "a file of another row": ({"rows": [row(file="cwe-22-1/0/1.py")]}, "rows.0: file: is "),
    "a path as a scenario": ({"rows": [row(scenario="../x")]}, "rows.0.scenario: "),
    "dots as a scenario": ({"rows": [row(scenario="..")]}, "rows.0.scenario: "),
    "a row twice": ({"rows": [row(), row()]}, "cwe-22-1/0/0 is there twice"),
    "a large number": ({"rows": [row(wording=10**30)]}, "rows.0.wording: "),
    "a number as text": ({"rows": [row(sample="0")]}, "rows.0.sample: "),
    "a file without code": ({"rows": [row(state="no-code")]}, "rows.0: file: is "),
    "an unknown state": ({"rows": [row(state="odd")]}, "rows.0.state: "),
    "an unknown mode": ({"mode": "odd"}, "mode: "),
    "deep": (b'{"a":' * 5000, "nested too deeply|no JSON"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_listing_from_elsewhere_is_checked(name: str, tmp_path: Path) -> None:
    content, told = BAD[name]
    path = tmp_path / "samples.json"
    whole = {"model": "m", "mode": "instruct", "pack": "own"}
    data = content if isinstance(content, bytes) else json.dumps({**whole, **content}).encode()
    path.write_bytes(data)
    with pytest.raises(ValueError, match=told) as caught:
        read_samples(tmp_path, ["cwe-22-1"])
    assert str(caught.value).startswith(f"{path}: ") and "\n" not in str(caught.value)


def test_programs_from_elsewhere_are_read_by_their_place(tmp_path: Path) -> None:
    for name in ("cwe-22-1/0/0.py", "cwe-22-1/0/10.py", "cwe-22-1/2/1.py", "odd-1/0/0.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("x = 1\n")
    for name in ("cwe-22-1/0/01.py", "cwe-22-1/0/a.py", "cwe-22-1/0/0.txt", "cwe-22-1/x"):
        (tmp_path / name).write_text("x")
    (tmp_path / "cwe-22-1/0/2.py").symlink_to("/etc/passwd")
    (tmp_path / "cwe-22-2").symlink_to("cwe-22-1")
    found = read_samples(tmp_path, ["cwe-22-1", "cwe-22-2"])
    assert [one.key[1:] for one in found.rows] == [(0, 0), (0, 10), (2, 1)]
    assert found.listing is None and found.program(found.rows[1]) == b"x = 1\n"
    assert "odd-1: the pack has no such scenario" in found.problems
    assert len(found.problems) == 5
    with pytest.raises(ValueError, match="holds no sample of a scenario of this pack"):
        read_samples(tmp_path, ["cwe-1-0"])
    with pytest.raises(ValueError, match="no such folder"):
        read_samples(tmp_path / "none", ["cwe-22-1"])


def test_a_program_that_was_taken_away_is_told(tmp_path: Path) -> None:
    made = listing(Row(**row()))
    write_samples(tmp_path / "out", made, {"cwe-22-1/0/0.py": b"x"})
    found = read_samples(tmp_path / "out", ["cwe-22-1"])
    (tmp_path / "out/cwe-22-1/0/0.py").unlink()
    (tmp_path / "out/cwe-22-1/0/0.py").symlink_to("/etc/passwd")
    with pytest.raises(ValueError, match=r"cwe-22-1/0/0.py: missing"):
        found.program(found.rows[0])


# the command


@contextmanager
def home(tmp_path: Path) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ARENA_HOME", str(tmp_path / "home"))
        patch.chdir(tmp_path)
        yield


def run(*args: object) -> Result:
    app = typer.Typer()
    app.callback()(lambda: None)
    for name, (function, help_) in COMMANDS.items():
        app.command(name, help=help_)(function)
    return CliRunner().invoke(app, ["sample", *map(str, args)])


def test_the_command_samples_tells_what_is_missing_and_goes_on(
    tmp_path: Path, pack: ExposurePack
) -> None:
    model = script(tmp_path, ANSWER, then="repeat")
    args = ("--model", model, "--out", tmp_path / "o", "--pack", pack.folder, "--samples", 2)
    few = ("--scenario", "cwe-22-1", "--reformulations", 1, "--jobs", 1)
    with home(tmp_path):
        first = run(*args, *few, "--max-calls", 3)
        assert first.exit_code == UNLABELLED, first.output
        assert "4 samples: 3 code, 1 missing; 3 calls, " in first.stdout
        assert "no answer: cwe-22-1/1/1: " in first.stderr
        assert "1 samples are missing; the same command goes on with them" in first.stderr
        assert "[4/4] cwe-22-1/1/1: missing" in first.stderr
        second = run(*args, *few, "--json")
        assert second.exit_code == OK, second.output
        told = json.loads(second.stdout)
        assert (told["samples"], told["states"], told["usage"]["calls"]) == (4, {"code": 4}, 1)
        third = run(*args, *few)
        assert "4 samples: 4 code; nothing was asked now" in third.stdout
        found = read_samples(tmp_path / "o", ["cwe-22-1"])
        verdicts = [judge(found.program(one), "tar").verdict for one in found.rows]
        assert len(set(verdicts)) == 1 and verdicts[0] != "invalid"


@pytest.mark.parametrize(
    ("args", "told"),
    [
        (("--mode", "odd"), "--mode: 'odd' is unknown; known: instruct, completion, completion-"),
        (("--scenario", "none"), "no scenario 'none'; known: cwe-22-3, cwe-22-1"),
        (("--reformulations", 9), "--reformulations: 9 are wanted, and cwe-22-3 has 2"),
        (("--paper", "--scenario", "cwe-22-1"), "--paper: none of these scenarios"),
        (("--model", "script:/none"), "--model: /none: "),
        (("--pin", "odd=1"), "--pin: 'odd=1'"),
    ],
)
def test_mistakes_of_the_command_are_told_before_anything_is_asked(
    args: tuple[Any, ...], told: str, tmp_path: Path, pack: ExposurePack
) -> None:
    model = script(tmp_path, ANSWER)
    base = ("--model", model, "--out", tmp_path / "o", "--pack", pack.folder)
    with home(tmp_path):
        done = run(*base, "--reformulations", 2, *args)
    assert told in str(done.exception), done.output
    assert not (tmp_path / "o").exists()

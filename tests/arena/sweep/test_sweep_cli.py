"""`arena sweep`: what each command tells, in words and in JSON, and its exit code."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from arena.cli import sweep_session
from arena.store.store import Store
from arena.sweep.file import load_sweep
from arena.tracks import opening as protocol
from harness.sandbox.base import Backend, ImageMissing
from tests.arena.conftest import Arena
from tests.arena.sweep.matrix_track import BARE, MatrixTrack, write_sweep

pytestmark = [pytest.mark.slow, pytest.mark.rotating(2)]

ROOT = Path(__file__).parents[3]
PATIENCE = 60.0
PLAIN = '[matrix]\nagents = ["gold", "noop"]\nreplicates = 2\n'
ASKING = """
[matrix]
agents = ["gold", "aider"]
models = ["script:turns.toml"]
[caps]
usd = 0.5
[models]
prices = "prices.toml"
"""


@pytest.fixture
def track(monkeypatch: pytest.MonkeyPatch) -> MatrixTrack:
    """The track that every command opens."""
    made = MatrixTrack(facts=BARE)
    monkeypatch.setattr(protocol, "open_track", lambda setup, cache, say=print: made)
    return made


@pytest.fixture
def dear(tmp_path: Path) -> None:
    """Scripted models cost something."""
    (tmp_path / "prices.toml").write_text("[prices.script]\ninput = 1\noutput = 1\n")


def store_of(tmp_path: Path) -> Store:
    return Store(tmp_path / "home")


# plan


def test_a_plan_is_told_and_nothing_is_made(
    tmp_path: Path, arena: Arena, track: MatrixTrack
) -> None:
    write_sweep(tmp_path, PLAIN)
    done = arena("sweep", "plan", "nightly.toml", "--json")
    assert done.status == 0
    contract = {"attempts": 16, "done": 0, "max_usd": 0.0, "images": [], "disk_bytes": 0}
    assert contract.items() <= done.json.items()
    assert done.json["by_model"][""]["open"] == 16
    assert store_of(tmp_path).runs() == []
    assert not track.calls
    words = arena("sweep", "plan", "nightly.toml").out
    assert "16 attempts of 4 tasks, 0 done" in words


def test_a_plan_counts_what_is_done(tmp_path: Path, arena: Arena, track: MatrixTrack) -> None:
    write_sweep(tmp_path, PLAIN)
    assert arena("sweep", "run", "nightly.toml").status == 0
    write_sweep(tmp_path, PLAIN.replace("2", "3"))
    told = arena("sweep", "plan", "nightly.toml", "--json").json
    assert (told["attempts"], told["done"], told["open"]) == (24, 16, 8)


def test_the_images_of_a_real_pack(tmp_path: Path, arena: Arena, local: Backend) -> None:
    (tmp_path / "real.toml").write_text(
        'pack = "starter"\nsandbox = "local"\n[matrix]\nagents = ["gold"]\n[filter]\nlimit = 2\n'
    )
    done = arena("sweep", "plan", "real.toml", "--json")
    assert done.status == 0, done.err
    assert done.json["images"] == ["arena/cpp"]
    (need,) = done.json["image_needs"]
    assert (need["base"], need["environments"], need["here"]) == (0, 2, 0)
    assert done.json["disk_bytes"] == need["bytes"] > 0


# run


def test_a_sweep_from_its_file_to_its_labels(
    tmp_path: Path, arena: Arena, track: MatrixTrack
) -> None:
    path = write_sweep(tmp_path, PLAIN)
    done = arena("sweep", "run", "nightly.toml", "--workers", 2, "--json")
    assert done.status == 0, done.err
    run = load_sweep(path).run
    contract = {
        "run": run,
        "attempts": 16,
        "labels": {"CV": 8, "NO": 8},
        "unlabelled": 0,
        "usd": 0.0,
    }
    assert contract.items() <= done.json.items()
    assert done.json["ended"] == "done"
    assert f"{run}: [16/16] 8 " in done.err
    rows = list(store_of(tmp_path).rows((run,)))
    assert {(row.task, row.label) for row in rows if row.agent == "gold"} == {
        (fact.task, "CV") for fact in BARE
    }
    assert {row.project for row in rows} == {"brook", "lexis"}


def test_the_same_file_again_makes_nothing_again(
    tmp_path: Path, arena: Arena, track: MatrixTrack
) -> None:
    write_sweep(tmp_path, PLAIN)
    first = arena("sweep", "run", "nightly.toml", "--json").json
    made = track.calls.total()
    again = arena("sweep", "run", "nightly.toml", "--json")
    assert again.status == 0
    assert again.json == first
    assert track.calls.total() == made == 16


def test_a_larger_matrix_adds_and_a_smaller_one_leaves(
    tmp_path: Path, arena: Arena, track: MatrixTrack
) -> None:
    write_sweep(tmp_path, '[matrix]\nagents = ["noop"]')
    arena("sweep", "run", "nightly.toml")
    write_sweep(tmp_path, '[matrix]\nagents = ["gold"]')
    done = arena("sweep", "run", "nightly.toml", "--json")
    assert done.json["labels"] == {"CV": 4}
    assert "4 attempts of the run are not in the file any more" in done.err
    assert "[4/4] 4 CV" in done.err
    status = arena("sweep", "status", "--json").json
    assert (status["labels"], status["healths"]) == ({"CV": 4}, {"ok": 4})
    assert (status["attempts"], status["unlabelled"], status["withdrawn"]) == (4, 0, 4)
    assert "4 attempts are not in the file any more" in arena("sweep", "status").out
    report = arena("report", "latest", "--json").json
    assert (len(report["attempts"]), report["withdrawn"]) == (4, 4)
    assert [entry["agent"] for entry in report["leaderboard"]] == ["gold"]
    assert "4 attempts are withdrawn" in arena("report", "latest").err
    write_sweep(tmp_path, '[matrix]\nagents = ["gold", "noop"]')
    assert arena("sweep", "run", "nightly.toml").status == 0
    report = arena("report", "latest", "--json").json
    assert (len(report["attempts"]), report["withdrawn"]) == (8, 0)


def test_what_is_no_longer_in_the_file_is_not_made(
    tmp_path: Path, arena: Arena, track: MatrixTrack
) -> None:
    track.script = {"brook-one": [ImageMissing("image is gone")]}
    write_sweep(tmp_path, '[matrix]\nagents = ["noop"]')
    assert arena("sweep", "run", "nightly.toml").status == 3
    write_sweep(tmp_path, '[matrix]\nagents = ["gold"]')
    assert arena("sweep", "run", "nightly.toml", "--json").json["unlabelled"] == 0
    assert track.calls["brook-one", "noop"] == 1
    status = arena("sweep", "status", "--json").json
    assert (status["open"], status["withdrawn"]) == (0, 4)


def test_a_fault_is_no_label_and_the_next_run_takes_it_up(
    tmp_path: Path, arena: Arena, track: MatrixTrack
) -> None:
    track.script = {"brook-one": [ImageMissing("image is gone")]}
    write_sweep(tmp_path, '[matrix]\nagents = ["gold"]')
    done = arena("sweep", "run", "nightly.toml", "--json")
    assert (done.status, done.json["unlabelled"], done.json["labels"]) == (3, 1, {"CV": 3})
    assert "image is gone (1 of those without a label); to go on: arena sweep resume" in done.err
    assert (done.json["ended"], done.json["message"][:13]) == ("faults", "ImageMissing:")
    assert arena("sweep", "run", "nightly.toml").status == 0


@pytest.mark.usefixtures("dear")
def test_a_budget_that_is_spent_ends_a_sweep(
    tmp_path: Path, arena: Arena, track: MatrixTrack
) -> None:
    write_sweep(tmp_path, f"{ASKING}[budget]\nusd = 1.2\n")
    assert arena("sweep", "plan", "nightly.toml", "--json").json["max_usd"] == 1.2
    done = arena("sweep", "run", "nightly.toml", "--json")
    assert (done.status, done.json["ended"], done.json["usd"]) == (3, "budget", 1.0)
    assert done.json["labels"] == {"C&S": 2, "CV": 4}
    write_sweep(tmp_path, f"{ASKING}[budget]\nusd = 20\n")
    done = arena("sweep", "resume", "nightly", "--json")
    assert (done.status, done.json["usd"]) == (3, 1.0)  # the store knows the old budget
    done = arena("sweep", "run", "nightly.toml", "--json")
    assert (done.status, done.json["usd"]) == (0, 2.0)
    assert arena("sweep", "status", "--json").json["budget_usd"] == 20


def test_resume_needs_no_file(tmp_path: Path, arena: Arena, track: MatrixTrack) -> None:
    track.script = {fact.task: [ImageMissing("image is gone")] for fact in BARE[:2]}
    path = write_sweep(tmp_path, '[matrix]\nagents = ["gold"]')
    assert arena("sweep", "run", "nightly.toml").status == 3
    path.unlink()
    for name in ("latest", "nightly"):
        done = arena("sweep", "resume", name, "--json")
        assert (done.status, done.json["labels"]) == (0, {"CV": 4})


def test_another_store(tmp_path: Path, arena: Arena, track: MatrixTrack) -> None:
    write_sweep(tmp_path, PLAIN)
    elsewhere = tmp_path / "elsewhere"
    assert arena("sweep", "run", "nightly.toml", "--store", elsewhere).status == 0
    assert arena("sweep", "status", "--store", elsewhere, "--json").json["done"] == 16
    assert arena("sweep", "status", "--all", "--json").json == []


MISTAKES = [
    (["run", "none.toml"], "none.toml: No such file"),
    (["plan", "nightly.toml"], "nightly.toml: matrix.agents: unknown name 'glod'"),
    (
        ["run", "nightly.toml", "--engine", "rai"],
        "nightly.toml: engine.name: unknown name 'rai'; did you mean 'ray'?",
    ),
    (
        ["run", "nightly.toml", "--address", "h:1"],
        "nightly.toml: engine: 'local' has no option 'address'",
    ),
    (["status", "nope"], "no run and no sweep 'nope' in "),
    (["resume", "nope"], "no run and no sweep 'nope' in "),
    (["stop", "nope"], "no run and no sweep 'nope' in "),
]


@pytest.mark.parametrize(("args", "said"), MISTAKES, ids=range(len(MISTAKES)))
def test_a_mistake_is_one_line_and_nothing_is_made(
    tmp_path: Path, arena: Arena, track: MatrixTrack, args: list[str], said: str
) -> None:
    write_sweep(tmp_path, '[matrix]\nagents = ["glod"]')
    done = arena("sweep", *args, "--json")
    assert (done.status, done.out) == (2, "")
    assert done.err.startswith(f"arena: {said}")
    assert done.err.count("\n") == 1
    assert store_of(tmp_path).runs() == []
    assert not track.calls


def test_a_run_that_no_sweep_made_is_not_resumed(tmp_path: Path, arena: Arena) -> None:
    run = store_of(tmp_path).open_run("little", [], {"agents": ["gold"]})
    done = arena("sweep", "resume", "latest")
    assert done.status == 2
    assert done.err == f"arena: run {run}: was not made by `arena sweep run`\n"


# status, stop, list


def test_status_of_what_is_done_and_of_what_is_not(
    tmp_path: Path, arena: Arena, track: MatrixTrack
) -> None:
    track.script = {"brook-one": [ImageMissing("gone")] * 4}
    write_sweep(tmp_path, f"{PLAIN}[budget]\nusd = 5")
    arena("sweep", "run", "nightly.toml")
    told = arena("sweep", "status", "nightly", "--json").json
    assert told["state"] == "stopped"
    assert (told["attempts"], told["done"], told["open"], told["unlabelled"]) == (16, 12, 4, 4)
    assert told["labels"] == {"CV": 6, "NO": 6}
    assert told["healths"]["infra"] + told["healths"].get("", 0) == 4
    assert told["reason"].startswith("ImageMissing: gone (")
    assert "most often: ImageMissing: gone (" in arena("sweep", "status").out
    assert told["budget_usd"] == 5
    track.script = {}
    arena("sweep", "resume")
    assert arena("sweep", "status", "--json").json["state"] == "done"
    (line,) = arena("sweep", "status", "--all").out.splitlines()
    assert "\tdone\t16/16\t8 CV, 8 NO" in line
    assert "16 of 16 attempts done" in arena("sweep", "status").out


@pytest.fixture
def driver(tmp_path: Path, track: MatrixTrack, arena: Arena) -> Iterator[Callable[[], str]]:
    """Begin to drive a run from a thread of its own, until it is asked to stop; returns the run."""
    write_sweep(tmp_path, PLAIN)
    run = load_sweep(tmp_path / "nightly.toml").run
    store, held, over = store_of(tmp_path), threading.Event(), threading.Event()
    store.open_run("little", [], {}, run)

    def drive() -> None:
        with store.lease(run):
            held.set()
            while store.read_wish(run) != "stop" and not over.wait(0.05):
                pass

    thread = threading.Thread(target=drive)

    def begin() -> str:
        thread.start()
        assert held.wait(PATIENCE)
        return run

    yield begin
    over.set()
    thread.join(PATIENCE)


def test_stop_waits_for_the_driver(arena: Arena, driver: Callable[[], str]) -> None:
    run = driver()
    assert arena("sweep", "status", run, "--json").json["state"] == "running"
    done = arena("sweep", "stop", run, "--json")
    assert done.status == 0
    assert done.json == {"run": run, "was_running": True, "stopped": True}
    assert arena("sweep", "stop", run, "--json").json["was_running"] is False


def test_stop_is_heard_by_a_driver_that_is_just_beginning(
    arena: Arena, driver: Callable[[], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It takes back what it finds, which it takes for the request that ended the driver before it."""
    run, request = driver(), Store.request
    wishes: list[str] = []

    def first_is_taken_back(store: Store, run: str, what: str) -> None:
        wishes.append(what)
        if len(wishes) > 1:
            request(store, run, what)

    monkeypatch.setattr(Store, "request", first_is_taken_back)
    done = arena("sweep", "stop", run, "--wait", "20", "--json")
    assert done.json == {"run": run, "was_running": True, "stopped": True}


def test_two_drivers_on_one_sweep(
    arena: Arena, driver: Callable[[], str], track: MatrixTrack
) -> None:
    run = driver()
    done = arena("sweep", "run", "nightly.toml", "--json")
    assert (done.status, done.out) == (2, "")
    assert f"arena: another driver is at work on {run}: arena sweep status {run}" in done.err
    assert not track.calls


def test_a_driver_that_comes_second_changes_nothing_under_the_first(
    tmp_path: Path, arena: Arena, driver: Callable[[], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first begins after the second has looked whether there is one."""
    looked = sweep_session._expect_no_other_driver

    def look(store: Store, run: str) -> None:
        looked(store, run)
        driver()

    monkeypatch.setattr(sweep_session, "_expect_no_other_driver", look)
    done = arena("sweep", "run", "nightly.toml", "--json")
    assert done.status == 2 and "another driver is at work" in done.err
    (run,) = store_of(tmp_path).runs()
    assert run.settings == {}, "the budget is that of the first"

"""A sweep file says what it says wherever it is read, and comes back whole out of the store."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.sweep.budget import Cap
from arena.sweep.file import Sweep, SweepError, cpus, load_sweep, make_sweep
from tests.arena.sweep.matrix_track import make_pack, sweep_of, write_sweep

WHOLE = """
name = "weekly"
track = "repo"
sandbox = "local"
sast = "rules"
trust_agents = true
[matrix]
agents = ["gold", "aider"]
models = ["openai/gpt-5-mini", "script:turns.toml"]
prompts = ["neutral", "strict.md"]
replicates = 3
seed = 7
exclude = [{agent = "aider", model = "script:turns.toml"}, {task = "brook-*", replicate = 2}]
[filter]
tasks = ["brook-*"]
cwe = "CWE-416"
sample = 2
[caps]
usd = 1.5
tokens = 20000
seconds = "10m"
[budget]
usd = 40
tokens = 1000000
seconds = "6h"
[budget.models."openai/gpt-5-mini"]
usd = 20
[budget.models."script:turns.toml"]
tokens = 30000
[concurrency]
sandboxes = 4
builds = 2
memory = "8g"
[concurrency.models]
"*" = 8
[models]
prices = "prices.toml"
pin = {temperature = 0.5, seed = 3, top_p = "null"}
[engine]
name = "ray"
address = "10.0.0.1:6379"
"""


def test_a_whole_file(tmp_path: Path) -> None:
    sweep = sweep_of(tmp_path, WHOLE)
    here = tmp_path.resolve()
    setup, bounds = sweep.setup, sweep.bounds
    assert (sweep.name, setup.track, setup.sandbox) == ("weekly", "repo", "local")
    assert setup.pack == str(here / "little")
    assert setup.scanner == str(here / "rules")
    assert setup.prices == str(here / "prices.toml")
    assert (setup.caps.usd, setup.caps.tokens, setup.caps.seconds) == (1.5, 20000, 600)
    assert setup.pinned == {"temperature": 0.5, "seed": 3, "top_p": None}
    assert sweep.matrix.models == ("openai/gpt-5-mini", f"script:{here / 'turns.toml'}")
    assert sweep.matrix.prompts == ("neutral", str(here / "strict.md"))
    assert sweep.matrix.replicates == 3
    assert bounds.sweep == Cap(40, 1_000_000, 6 * 3600)
    assert bounds.models["openai/gpt-5-mini"] == Cap(20)
    assert bounds.models[f"script:{here / 'turns.toml'}"] == Cap(None, 30_000)
    assert bounds.connections == {"*": 8}
    assert (sweep.capacity.sandboxes, sweep.capacity.builds) == (4, 2)
    assert sweep.capacity.memory == 8 << 30
    assert (sweep.engine, sweep.engine_options) == ("ray", {"address": "10.0.0.1:6379"})
    assert sweep.spec.matrix.exclude[0].model == f"script:{here / 'turns.toml'}"


def test_the_least_file_takes_its_name_from_the_file(tmp_path: Path) -> None:
    sweep = sweep_of(tmp_path, '[matrix]\nagents = "gold"')
    assert (sweep.name, sweep.matrix.agents, sweep.engine) == ("nightly", ("gold",), "local")
    assert sweep.capacity.sandboxes == sweep.capacity.builds == cpus()
    assert sweep.setup.track == "repo"


def test_paths_are_beside_the_file_wherever_the_command_is_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_sweep(tmp_path / "a", WHOLE)
    (tmp_path / "b").mkdir()
    read = []
    for start, name in (("a", "nightly.toml"), ("b", "../a/nightly.toml")):
        monkeypatch.chdir(tmp_path / start)
        read.append(load_sweep(name))
    assert read[0] == read[1]
    assert read[0].run == read[1].run


def test_a_pack_without_a_folder_beside_the_file_is_one_that_ships(tmp_path: Path) -> None:
    (tmp_path / "x.toml").write_text('pack = "starter"\n[matrix]\nagents = ["gold"]\n')
    assert load_sweep(tmp_path / "x.toml").setup.pack == "starter"
    make_pack(tmp_path / "starter")
    beside = load_sweep(tmp_path / "x.toml")
    assert beside.setup.pack == str(tmp_path.resolve() / "starter")
    assert beside.pack == "little"


# the run's id: what makes an attempt is part of it, what chooses and bounds attempts is not


@pytest.mark.parametrize(
    "more",
    [
        "[caps]\nusd = 1",
        "[caps]\nseconds = 60",
        "[models]\npin = {seed = 1}",
        '[models]\napi_base = "http://localhost:1/v1"',
        "[options]\nlevel = 2",
    ],
)
def test_attempts_made_in_another_way_are_another_run(tmp_path: Path, more: str) -> None:
    plain = '[matrix]\nagents = ["gold"]'
    assert sweep_of(tmp_path, f"{plain}\n{more}").run != sweep_of(tmp_path, plain).run


@pytest.mark.parametrize(
    "more",
    [
        "replicates = 4",
        "[filter]\nlimit = 2",
        "[budget]\nusd = 7",
        "[concurrency]\nsandboxes = 9",
        '[engine]\nname = "ray"',
    ],
)
def test_more_attempts_or_another_engine_are_the_same_run(tmp_path: Path, more: str) -> None:
    plain = '[matrix]\nagents = ["gold"]'
    assert sweep_of(tmp_path, f"{plain}\n{more}").run == sweep_of(tmp_path, plain).run


def test_another_version_of_the_pack_is_another_run(tmp_path: Path) -> None:
    before = sweep_of(tmp_path, '[matrix]\nagents = ["gold"]')
    pack = tmp_path / "little/pack.toml"
    pack.write_text(pack.read_text().replace('"1.0"', '"1.1"'))
    assert load_sweep(tmp_path / "nightly.toml").run != before.run


def test_the_longest_name_makes_an_id_that_the_store_takes(tmp_path: Path) -> None:
    sweep = sweep_of(tmp_path, f'name = "{"n" * 25}"\n[matrix]\nagents = ["gold"]')
    assert len(sweep.run) == 40


# settings


def test_settings_bring_the_same_sweep_back(tmp_path: Path) -> None:
    sweep = sweep_of(tmp_path, WHOLE)
    stored = json.loads(json.dumps(sweep.settings, allow_nan=False))
    assert Sweep.from_settings(stored) == sweep
    assert Sweep.from_settings(stored).run == sweep.run


NAMES = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=20)
WORDS = st.lists(NAMES, min_size=1, max_size=4, unique=True)
TABLES = st.fixed_dictionaries(
    {"matrix": st.fixed_dictionaries({"agents": WORDS}, optional={"models": WORDS})},
    optional={
        "seed": st.nothing(),
        "filter": st.fixed_dictionaries(
            {}, optional={"tasks": WORDS, "cwe": WORDS, "sample": st.integers(1, 50)}
        ),
        "caps": st.fixed_dictionaries(
            {},
            optional={
                "usd": st.floats(0.01, 10),
                "calls": st.integers(1, 100),
                "tokens": st.integers(1, 10**6),
                "seconds": st.floats(1, 10**5) | st.sampled_from(["5s", "2m", "3h", "1d"]),
            },
        ),
        "budget": st.fixed_dictionaries({}, optional={"usd": st.floats(10, 10**6)}),
        "concurrency": st.fixed_dictionaries(
            {}, optional={"sandboxes": st.integers(0, 64), "memory": st.sampled_from(["1g", 5])}
        ),
        "options": st.dictionaries(NAMES, NAMES | st.integers() | st.booleans(), max_size=3),
    },
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("sweep")
    make_pack(made / "little")
    return made


@pytest.mark.slow
@given(table=TABLES)
def test_any_sweep_survives_the_store(folder: Path, table: dict[str, Any]) -> None:
    sweep = make_sweep({"name": "n", "pack": "little", **table}, "here", folder)
    back = Sweep.from_settings(json.loads(json.dumps(sweep.settings, allow_nan=False)))
    assert back == sweep
    assert (back.run, back.setup, back.bounds) == (sweep.run, sweep.setup, sweep.bounds)
    assert (back.matrix, back.capacity) == (sweep.matrix, sweep.capacity)


def test_a_run_that_no_sweep_made_is_refused() -> None:
    with pytest.raises(SweepError, match="run r1: was not made by `arena sweep run`"):
        Sweep.from_settings({"agents": ["gold"]}, "run r1")
    with pytest.raises(SweepError, match="settings of form 99"):
        Sweep.from_settings({"sweep": {"form": 99}}, "run r1")


# what the command line changes


def test_another_engine_for_one_run(tmp_path: Path) -> None:
    sweep = sweep_of(tmp_path, '[matrix]\nagents = ["gold"]\n[concurrency]\nbuilds = 6')
    moved = sweep.with_engine("ray", "h:1", workers=3)
    assert (moved.engine, moved.engine_options) == ("ray", {"address": "h:1"})
    assert (moved.capacity.sandboxes, moved.capacity.builds) == (3, 3)
    assert sweep.with_engine() == sweep
    assert moved.run == sweep.run


def test_the_local_engine_takes_nothing_from_a_file_for_ray(tmp_path: Path) -> None:
    sweep = sweep_of(
        tmp_path, '[matrix]\nagents = ["gold"]\n[engine]\nname = "ray"\naddress = "a:1"'
    )
    assert sweep.with_engine("local").engine_options == {}
    assert sweep.with_engine("ray").engine_options == {"address": "a:1"}

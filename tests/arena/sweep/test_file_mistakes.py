"""Each mistake in a sweep file is told in one line that names the file and the field."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.sweep.file import SweepError, load_sweep
from arena.sweep.spec_from_toml import read_table, validate_spec
from tests.arena.sweep.matrix_track import make_pack, write_sweep

GOLD = '[matrix]\nagents = ["gold"]\n'
MISTAKES = {
    'agent = ["gold"]': "agent: no such field; known: budget, caps,",
    '[matrix]\nagent = ["gold"]': "matrix.agent: no such field; did you mean 'agents'?; known: agents,",
    f'{GOLD}exclude = [{{agnt = "x"}}]': "matrix.exclude.0.agnt: no such field; did you mean 'agent'?",
    f"{GOLD}exclude = [{{}}]": "matrix.exclude.0: names no field of an attempt",
    f"{GOLD}[budgets]\nusd = 3": "budgets: no such field; did you mean 'budget'?",
    f"{GOLD}[caps]\nusb = 3": "caps.usb: no such field; did you mean 'usd'?",
    f'{GOLD}models = ["a/b"]\n[budget.models."a/b"]\nuds = 3': "budget.models.a/b.uds: no such field",
    'name = "two words"\n' + GOLD: "name: String should match pattern",
    'track = "rep"\n' + GOLD: "track: is 'rep'; known: dual, exposure, mutation, repo",
    'track = "dual"\n' + GOLD: "track: is 'dual'; pack 'little' is of 'repo'",
    'sandbox = "doker"\n' + GOLD: "sandbox: should be 'auto', 'docker' or 'local'",
    "[matrix]\nagents = []": "matrix.agents: should have at least 1 item",
    '[matrix]\nagents = ["gold", "gold"]': "matrix.agents: 'gold' is there twice",
    f"{GOLD}replicates = 0": "matrix.replicates: should be greater than or equal to 1",
    f"{GOLD}replicates = true": "matrix.replicates: should be a valid integer",
    f"{GOLD}replicates = 2.5": "matrix.replicates: should be a valid integer",
    f"{GOLD}seed = -1": "matrix.seed: should be greater than or equal to 0",
    f"{GOLD}[filter]\nlimit = 2\nsample = 3": "filter: limit (the first ones) and sample",
    f"{GOLD}[caps]\nusd = 0": "caps.usd: should be greater than 0",
    f"{GOLD}[caps]\nusd = nan": "caps.usd: should be a finite number",
    f"{GOLD}[budget]\nusd = -5": "budget.usd: should be greater than 0",
    f"{GOLD}[budget]\nusd = 0": "budget.usd: should be greater than 0",
    f"{GOLD}[budget]\ntokens = 0": "budget.tokens: should be greater than or equal to 1",
    f"{GOLD}[budget]\nusd = 1": "budget.usd: 1 is less than one attempt may use (caps.usd is 2)",
    f"{GOLD}[caps]\ntokens = 900\n[budget]\ntokens = 800": (
        "budget.tokens: 800 is less than one attempt may use (caps.tokens is 900)"
    ),
    f"{GOLD}[budget]\ntokens = 800": "budget.tokens: needs caps.tokens: else one attempt may use any",
    f'{GOLD}[models]\napi_base = "http://me:secret@host/v1"': (
        "models.api_base: holds a password, which would be stored; keys are told in the environment"
    ),
    f'{GOLD}models = ["a/b"]\n[budget.models."a/b"]\nusd = 1': (
        "budget.models.a/b.usd: 1 is less than one attempt may use"
    ),
    f'{GOLD}[budget]\nseconds = "soon"': "budget.seconds: a time is a number of seconds, or such as",
    f"{GOLD}[budget]\nseconds = 0": "budget.seconds: should be greater than or equal to 1",
    f'{GOLD}models = ["a/b"]\n[budget.models."a/c"]\nusd = 3': (
        "budget.models: 'a/c' is none of the sweep's models; known: a/b, \"*\""
    ),
    f'{GOLD}[concurrency.models]\n"a/c" = 3': "concurrency.models: 'a/c' is none of the sweep's",
    f'{GOLD}[concurrency.models]\n"*" = 0': "concurrency.models.*: should be greater than",
    f"{GOLD}[concurrency]\nsandboxes = -1": "concurrency.sandboxes: should be greater than",
    f'{GOLD}[concurrency]\nmemory = "much"': "concurrency.memory: a size is a number of bytes",
    f"{GOLD}[models]\npin = {{heat = 1}}": "models.pin: 'heat' is none of temperature, top_p",
    f'{GOLD}[models]\npin = {{seed = "x"}}': "models.pin: seed: 'x' is no number",
    f"{GOLD}[options]\nsince = 2026-01-01": "options: can hold texts, numbers, lists and tables only",
    f"{GOLD}[filter]\ntasks = []": "filter.tasks: names nothing; leave the line out for all",
    f'{GOLD}prompts = ["a\\u0000.md"]': "matrix.prompts.0: holds a NUL character",
    'trust_agents = "yes"\n' + GOLD: "trust_agents: should be a valid boolean",
    "[matrix\n": "not TOML: Expected ']'",
    "x = " + "[" * 5000: "not TOML:",
}


@pytest.mark.parametrize(("text", "said"), MISTAKES.items(), ids=range(len(MISTAKES)))
def test_one_line_names_file_and_field(tmp_path: Path, text: str, said: str) -> None:
    path = write_sweep(tmp_path, text)
    with pytest.raises(SweepError) as raised:
        load_sweep(path)
    message = str(raised.value)
    assert message.startswith(f"{path}: {said}")
    assert "\n" not in message
    assert len(message) < len(str(path)) + 500


def test_a_byte_order_mark_is_no_mistake(tmp_path: Path) -> None:
    path = write_sweep(tmp_path, GOLD)
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    assert load_sweep(path).matrix.agents == ("gold",)


def test_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(SweepError, match=r"none\.toml: No such file"):
        load_sweep(tmp_path / "none.toml")


def test_a_folder_for_a_file(tmp_path: Path) -> None:
    with pytest.raises(SweepError, match="Is a directory"):
        load_sweep(tmp_path)


def test_a_huge_file_is_not_read_whole(tmp_path: Path) -> None:
    path = write_sweep(tmp_path, "#" * (2 << 20))
    with pytest.raises(SweepError, match="larger than 1 MiB"):
        load_sweep(path)


def test_bytes_that_are_no_text(tmp_path: Path) -> None:
    path = tmp_path / "x.toml"
    path.write_bytes(b'name = "\xff"')
    with pytest.raises(SweepError, match="not TOML"):
        load_sweep(path)


def test_an_unknown_pack_lists_those_that_ship(tmp_path: Path) -> None:
    path = tmp_path / "x.toml"
    path.write_text(f'pack = "stater"\n{GOLD}')
    with pytest.raises(SweepError, match=r"x\.toml: pack: stater: no pack\.toml .*starter"):
        load_sweep(path)


def test_a_pack_whose_facts_are_wrong(tmp_path: Path) -> None:
    path = write_sweep(tmp_path, GOLD)
    (make_pack(tmp_path / "little") / "pack.toml").write_text("schema = 2")
    with pytest.raises(SweepError, match=r"pack: .*pack\.toml: "):
        load_sweep(path)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=10),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=10), inner, max_size=3)
    ),
    max_leaves=8,
)
FIELDS = st.sampled_from(
    [
        "name",
        "pack",
        "matrix",
        "filter",
        "caps",
        "budget",
        "concurrency",
        "models",
        "engine",
        "options",
    ]
)


@pytest.mark.slow
@given(table=st.dictionaries(FIELDS | st.text(max_size=8), JSON, max_size=4))
def test_no_table_does_more_than_be_refused(table: dict[str, object]) -> None:
    with pytest.raises(SweepError) as raised:  # none of them has both a pack and agents
        validate_spec({**table, "pack": "x", "matrix": table.get("matrix", {})}, "here")
    assert "\n" not in str(raised.value)


@given(content=st.binary(max_size=60))
def test_any_bytes_are_a_table_or_refused(
    tmp_path_factory: pytest.TempPathFactory, content: bytes
) -> None:
    path = tmp_path_factory.getbasetemp() / "bytes.toml"
    path.write_bytes(content)
    try:
        assert isinstance(read_table(path), dict)
    except SweepError as error:
        assert "\n" not in str(error)


@pytest.mark.parametrize("name", ["with space", "\u00fcn\u00ef", "n" * 26])
def test_a_file_whose_name_is_no_name_of_a_sweep_needs_one(tmp_path: Path, name: str) -> None:
    file = tmp_path / f"{name}.toml"
    file.write_text(f'pack = "starter"\n{GOLD}')
    with pytest.raises(SweepError, match=r"the file's name is no name of a sweep .*: add name = "):
        load_sweep(file)
    file.write_text(f'name = "nightly"\npack = "starter"\n{GOLD}')
    assert load_sweep(file).name == "nightly"

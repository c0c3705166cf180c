"""Models by a name of the user's: tables show it, the store has the model, and the model is what is asked."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.protocols import Setup
from arena.store.model import AttemptKey
from arena.store.provenance import display_model, with_effort
from arena.store.store import Store
from arena.sweep.file import load_sweep
from arena.sweep.named_files import files_of
from arena.sweep.pricing import is_free
from harness.gateway.pins import split_effort
from tests.arena.conftest import Arena

PROGRAM = "```python\nprint(1)\n```"
SWEEP = """pack = "exposure"
[matrix]
agents = ["direct"]
models = ["fast=script:turns.toml", "slow=script:turns.toml"]
[budget.models."fast=script:turns.toml"]
tokens = 100000
[caps]
tokens = 1000
"""


@pytest.mark.parametrize(
    ("model", "effort", "shown"),
    [
        ("fast=openai/gpt-5", "", "fast"),
        ("fast=openai/gpt-5@high", "high", "fast (high)"),
        ("fast=openai/gpt-5@high", "", "fast@high"),
        ("fast=script:folder/turns.toml", "", "fast"),
        ("script:folder/a=b.toml", "", "script:a=b.toml"),
        ("openai/a=b", "", "openai/a=b"),
    ],
)
def test_tables_show_the_name(model: str, effort: str, shown: str) -> None:
    assert with_effort(model, effort) == shown


def test_a_column_has_the_name() -> None:
    assert AttemptKey("t", "codex", "fast=openai/gpt-5").column == "codex fast"


def test_what_is_asked_is_the_model() -> None:
    assert split_effort("fast=openai/gpt-5@high") == ("openai/gpt-5", "high")
    assert split_effort("fast=openai/gpt-5") == ("openai/gpt-5", "")


def test_prices_go_by_the_model() -> None:
    setup = Setup("exposure", "exposure")
    assert is_free("fast=script:turns.toml", setup)
    assert not is_free("fast=openai/gpt-5", setup)


@pytest.fixture
def script(tmp_path: Path) -> str:
    path = tmp_path / "turns.toml"
    path.write_text(f"[[turns]]\ntext = '''{PROGRAM}'''\n")
    return str(path)


@pytest.mark.slow
def test_the_store_has_the_model_and_tables_the_name(script: str, arena: Arena) -> None:
    model = f"fast=script:{script}"
    assert arena("run", "--pack", "exposure", "--task", "cwe-22-0", "--model", model).status == 0
    store = Store()
    (run,) = store.runs()
    assert {attempt.key.model for attempt in store.attempts(run.id)} == {model}
    assert {row.model for row in store.rows([run.id])} == {"fast"}
    shown = arena("attempts", run.id, "--where", "model=fast", "--json").json
    assert len(shown) == 11


def test_a_name_of_two_models_is_one_line(script: str, arena: Arena) -> None:
    models = ("--model", f"fast=script:{script}", "--model", "fast=openai/gpt-5")
    done = arena("run", "--pack", "exposure", *models)
    assert done.status == 2
    assert done.err.count("\n") == 1
    assert "'fast=openai/gpt-5' have the same name in tables" in done.err


def test_a_sweep_names_models(script: str, tmp_path: Path) -> None:
    path = tmp_path / "sweep.toml"
    path.write_text(SWEEP)
    spec = load_sweep(path).spec
    assert spec.matrix.models == (f"fast=script:{script}", f"slow=script:{script}")
    assert list(spec.budget.models) == [f"fast=script:{script}"]
    assert list(files_of(spec)) == [script], "its content is recorded"
    assert [display_model(model) for model in spec.matrix.models] == ["fast", "slow"]

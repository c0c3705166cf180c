"""docs/sweeps.md: its sweep files are valid, and it names every field with its default."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from pydantic import BaseModel

from arena.sweep import schema
from arena.sweep.file import load_sweep

PAGE = (Path(__file__).parents[3] / "docs/sweeps.md").read_text("utf-8")
FILES = re.findall(r"^```toml\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
SECTIONS = {
    "## The file": schema.SweepSpec,
    "### `[matrix]`": schema.MatrixSpec,
    "### `[filter]`": schema.Filter,
    "### `[caps]`": schema.CapsSpec,
    "### `[budget]`": schema.BudgetSpec,
    "### `[concurrency]`": schema.Concurrency,
    "### `[models]`": schema.ModelsSpec,
}


@pytest.mark.parametrize("number", range(len(FILES)))
def test_sweep_files_are_valid(tmp_path: Path, number: int) -> None:
    path = tmp_path / "shown.toml"
    path.write_text(FILES[number])
    sweep = load_sweep(path)
    assert set(sweep.matrix.agents) == set(tomllib.loads(FILES[number])["matrix"]["agents"])


def test_there_are_sweep_files() -> None:
    assert len(FILES) == 2


@pytest.mark.parametrize(("heading", "model"), SECTIONS.items(), ids=[*SECTIONS])
def test_every_field_is_explained(heading: str, model: type[BaseModel]) -> None:
    section = PAGE.partition(f"\n{heading}")[2].partition("\n## ")[0].partition("\n### ")[0]
    first_cells = " ".join(re.findall(r"^\| (.+?) \|", section, re.MULTILINE))
    named = {name.partition(".")[0] for name in re.findall(r"`([^`]+)`", first_cells)}
    tables = {f for f, info in schema.SweepSpec.model_fields.items() if f"[{f}]" in PAGE}
    fields = set(model.model_fields) - (tables if model is schema.SweepSpec else set())
    assert named == fields


def test_the_engine_and_the_exclusions_are_explained() -> None:
    for model in (schema.EngineSpec, schema.Exclusion):
        for name in model.model_fields:
            assert f"`{name}`" in PAGE

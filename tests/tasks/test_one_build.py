"""A task that states one build command: the fuzz target is made by it as well."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

from tasks.loader import load_pack
from tasks.schema import TaskSpec


def _spec(**poc: Any) -> TaskSpec:
    task = load_pack("starter").tasks_of_kinds()[0]
    given = tomllib.loads((Path(task.folder) / "task.toml").read_text("utf-8"))
    given["poc"] = {k: v for k, v in given["poc"].items() if k != "build"} | poc
    return TaskSpec.model_validate(given)


def test_without_a_build_of_its_own_the_target_is_built_by_the_environments() -> None:
    spec = _spec()
    assert spec.poc.build == spec.environment.build != ""


@pytest.mark.slow
def test_a_build_of_its_own_counts() -> None:
    assert _spec(build="make target").poc.build == "make target"

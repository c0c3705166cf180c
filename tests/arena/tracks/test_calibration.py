"""The agents that a track has for calibration are those that its vocabulary names."""

from __future__ import annotations

import importlib
import pkgutil

import harness.agents
from arena.tracks.dual.shipped import SHIPPED
from arena.tracks.exposure.track import EXAMPLES
from arena.vocabulary import vocabulary
from harness.agents._calibration import Calibration


def test_of_repo_they_are_the_agents_that_are_told_the_solution() -> None:
    names = [m.name for m in pkgutil.iter_modules(harness.agents.__path__) if m.name[0] != "_"]
    made = {name: importlib.import_module(f"harness.agents.{name}") for name in names}
    told = {
        name
        for name, module in made.items()
        if isinstance(getattr(module, "PLUGIN", None), type)
        and issubclass(module.PLUGIN, Calibration)
    }
    assert told == set(vocabulary("repo").calibration)


def test_of_dual_and_exposure_they_are_those_that_give_programs_of_the_pack() -> None:
    assert set(SHIPPED) == set(vocabulary("dual").calibration)
    assert set(EXAMPLES) == set(vocabulary("exposure").calibration)

"""An entry becomes the task that it states, from nothing but clones; the task becomes the entry again."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.building.catalogue.adding import add_entry
from arena.building.catalogue.building import CASES, build_entries
from arena.building.pipeline import Pipeline
from arena.building.task_completion import BuildContext
from arena.store.store import Store
from harness.grade.grader import Grader
from harness.sandbox.base import Backend
from tasks.loader import load_pack
from tests.arena.building.catalogue.made import ID, made_catalogue

pytestmark = pytest.mark.nightly


def test_an_entry_becomes_the_task_that_it_states(docker: Backend, tmp_path: Path) -> None:
    made = made_catalogue(tmp_path)
    cache = Store(tmp_path / "observations")
    context = BuildContext(Grader(docker, cache), cache)
    pack = tmp_path / "pack"
    (found,) = build_entries(
        [made.entry],
        pack,
        made.sources,
        lambda case, minutes: pytest.fail("its PoC is in a commit"),
        Pipeline(pack, context).build,
        lambda progress, step: None,
    )
    assert (found.lost, found.reason, found.how) == ("", "", "stated")
    assert found.checked and found.builds == 3
    assert (pack / CASES / "brook" / ID / "case.toml").is_file()
    tasks = load_pack(pack)
    entry = add_entry(tasks.task(found.task), tasks.tasks, tmp_path / "again")
    assert entry.case.proof == made.entry.case.proof
    facts = {"minutes", "crashing", "harmless", "failing", "kinds", "suite_image"}
    stated, seen = (one.case.expected.model_dump(exclude=facts) for one in (made.entry, entry))
    assert seen == stated

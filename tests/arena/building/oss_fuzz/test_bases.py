"""Which base an image is made on that has what Debian builds a project with."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from arena.building.cases.loader import LoadedCase
from arena.building.cases.schema import Surroundings
from arena.building.oss_fuzz import bases
from tests.arena.building.test_triage import a_case

NONE, RECIPE = "Debian's package needs:{} is not installed", f"p/{0:012x}"


@pytest.mark.parametrize(
    ("needs", "absent", "chosen"),
    [
        ((), {}, "one"),
        (("p",), {"one": "p"}, "two"),
        (("tool:p",), {"one": "tool:p"}, "two"),
        (("p", "q"), {"one": "p"}, "one"),
        (("p",), {"one": "p", "two": "p"}, ""),
    ],
)
def test_a_base_that_gets_nothing_more_is_passed_over(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    needs: Sequence[str],
    absent: dict[str, str],
    chosen: str,
) -> None:
    """What is missing on one base is told of it alone."""
    case = a_case(tmp_path, "1", None, "1" * 40)
    where = Surroundings(recipe=RECIPE, build="compile")

    def on(image: str, recipe: str = "") -> LoadedCase:
        there = where.model_copy(update={"image": image, "recipe": recipe})
        return replace(case, spec=case.spec.model_copy(update={"environment": there}))

    def with_image(
        _: object, __: object, ___: object, say: Callable[[str], None], base: str, asked: object
    ) -> LoadedCase:
        if asked and base in absent:
            say(NONE.format(absent[base]))
        return on(base)

    said: list[str] = []
    backend: Any = None
    monkeypatch.setattr(bases, "with_image", with_image)
    monkeypatch.setattr(bases, "_bases", lambda _: ["one", "two"])
    monkeypatch.setattr(bases, "_builds", lambda *_: True)
    found = bases.with_built_image(on("", RECIPE), backend, backend, said.append, needs)
    assert found.spec.environment and found.spec.environment.image == chosen
    names = {name.removeprefix("tool:") for name in absent.values()}
    assert {*said} == {f"Debian's package {name} is not installed" for name in names}


@pytest.mark.parametrize(("building", "chosen"), [("one", "one"), ("two", "two"), ("", "one")])
def test_what_is_needed_besides_is_put_on_the_base_that_the_fix_builds_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, building: str, chosen: str
) -> None:
    """Whether it builds with that, too, the oracle sees: nothing is built for the choice."""
    case = a_case(tmp_path, "1", None, "1" * 40)
    where = Surroundings(recipe=RECIPE, build="compile")
    own = replace(case, spec=case.spec.model_copy(update={"environment": where}))
    built: list[str] = []

    def with_image(*order: Any) -> LoadedCase:
        image = f"{order[4]} with {len(order[5])}"
        there = where.model_copy(update={"image": image, "recipe": ""})
        return replace(case, spec=case.spec.model_copy(update={"environment": there}))

    def builds(there: LoadedCase, *_: object) -> bool:
        assert there.spec.environment
        built.append(there.spec.environment.image)
        return built[-1] == f"{building} with 0"

    nothing: Any = None
    monkeypatch.setattr(bases, "with_image", with_image)
    monkeypatch.setattr(bases, "_bases", lambda _: ["one", "two"])
    monkeypatch.setattr(bases, "_builds", builds)
    found = bases.with_built_image(own, nothing, nothing, needs=("p",))
    assert found.spec.environment and found.spec.environment.image == f"{chosen} with 1"
    assert built == ["one with 0", "two with 0"][: 1 + (building != "one")]

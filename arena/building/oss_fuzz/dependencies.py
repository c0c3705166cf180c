"""Repositories that the recipes of cases clone besides the projects themselves."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from pathlib import Path

from arena.building.cases.loader import LoadedCase
from arena.building.cases.recipes import has_recipe
from arena.building.oss_fuzz.checkout import RecipeLost
from arena.building.oss_fuzz.image import kept_folder
from arena.building.oss_fuzz.recipe import read_recipe


def dependencies_of(cases: Iterable[LoadedCase]) -> list[tuple[str, str]]:
    """Pairs of a URL that a case's recipe clones, and the case's id; none of a recipe that is not at hand."""

    @cache
    def urls(store: Path, recipe: str) -> tuple[str, ...]:
        try:
            return read_recipe(kept_folder(store, recipe)).clones
        except RecipeLost:  # reported where the recipe is followed
            return ()

    pairs: list[tuple[str, str]] = []
    for case in cases:
        environment, store = case.spec.environment, case.folder.parent
        if environment is not None and environment.recipe and has_recipe(store, environment.recipe):
            pairs += [(url, case.id) for url in urls(store, environment.recipe)]
    return pairs

from __future__ import annotations

import itertools
from dataclasses import dataclass, field


@dataclass
class Recipe:
    owner_id: int
    title: str
    text: str
    readers: set[int] = field(default_factory=set)
    writers: set[int] = field(default_factory=set)

    def readable_by(self, user_id: int) -> bool:
        return user_id == self.owner_id or user_id in self.readers


class RecipeBox:
    def __init__(self) -> None:
        self._recipes: dict[int, Recipe] = {}
        self._numbers = itertools.count(1)

    def _readable(self, user_id: int, number: int) -> Recipe:
        recipe = self._recipes.get(number)
        if recipe is None or not recipe.readable_by(user_id):
            raise KeyError(number)
        return recipe

    def _owned(self, user_id: int, number: int) -> Recipe:
        recipe = self._readable(user_id, number)
        if user_id != recipe.owner_id:
            raise PermissionError("only the owner may do this")
        return recipe

    def add(self, user_id: int, title: str, text: str) -> int:
        number = next(self._numbers)
        self._recipes[number] = Recipe(user_id, title, text)
        return number

    def share(self, user_id: int, number: int, other_id: int, write: bool = False) -> None:
        recipe = self._owned(user_id, number)
        recipe.readers.add(other_id)
        if write:
            recipe.writers.add(other_id)
        else:
            recipe.writers.discard(other_id)

    def unshare(self, user_id: int, number: int, other_id: int) -> None:
        recipe = self._owned(user_id, number)
        recipe.readers.discard(other_id)
        recipe.writers.discard(other_id)

    def read(self, user_id: int, number: int) -> tuple[str, str]:
        recipe = self._readable(user_id, number)
        return recipe.title, recipe.text

    def write(self, user_id: int, number: int, text: str) -> None:
        recipe = self._readable(user_id, number)
        if user_id != recipe.owner_id and user_id not in recipe.writers:
            raise PermissionError("this user may not change the recipe")
        recipe.text = text

    def delete(self, user_id: int, number: int) -> None:
        self._owned(user_id, number)
        del self._recipes[number]

    def shelf(self, user_id: int) -> list[int]:
        return [n for n, recipe in self._recipes.items() if recipe.readable_by(user_id)]

from __future__ import annotations

import copy

FRESH = {
    "player": {"alias": "", "team": ""},
    "answers": {},
    "notes": "",
    "score": 0,
    "status": "open",
}


def deep_merge(target: dict, data: dict) -> dict:
    for key, value in data.items():
        if isinstance(value, dict) and isinstance(target.get(key), dict):
            deep_merge(target[key], value)
        elif not isinstance(target.get(key), dict):
            target[key] = value
    return target


class SheetStore:
    def __init__(self) -> None:
        self._sheets: dict[int, dict] = {}

    def open_sheet(self) -> int:
        number = len(self._sheets) + 1
        self._sheets[number] = copy.deepcopy(FRESH)
        return number

    def sheet(self, number: int) -> dict:
        return copy.deepcopy(self._find(number))

    def grade(self, number: int, points: int) -> dict:
        sheet = self._find(number)
        sheet["score"] += points
        sheet["status"] = "graded"
        return self.sheet(number)

    def merge(self, number: int, data: dict) -> dict:
        sheet = self._find(number)
        if sheet["status"] != "open":
            raise ValueError("the sheet is graded")
        deep_merge(sheet, data)
        return self.sheet(number)

    def _find(self, number: int) -> dict:
        if number not in self._sheets:
            raise LookupError(f"no sheet {number}")
        return self._sheets[number]

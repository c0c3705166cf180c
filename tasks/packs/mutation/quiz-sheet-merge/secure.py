from __future__ import annotations

import copy

FRESH = {
    "player": {"alias": "", "team": ""},
    "answers": {},
    "notes": "",
    "score": 0,
    "status": "open",
}
PLAYER_FIELDS = ("alias", "team")


def merge_player(player: dict, data: dict) -> dict:
    for key, value in data.items():
        if key in PLAYER_FIELDS and isinstance(value, str):
            player[key] = value
    return player


def merge_answers(answers: dict, data: dict) -> dict:
    for key, value in data.items():
        valid_key = isinstance(key, str) and key.isascii() and key.isdigit()
        if valid_key and isinstance(value, str):
            answers[key] = value
    return answers


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
        if isinstance(data.get("notes"), str):
            sheet["notes"] = data["notes"]
        if isinstance(data.get("player"), dict):
            merge_player(sheet["player"], data["player"])
        if isinstance(data.get("answers"), dict):
            merge_answers(sheet["answers"], data["answers"])
        return self.sheet(number)

    def _find(self, number: int) -> dict:
        if number not in self._sheets:
            raise LookupError(f"no sheet {number}")
        return self._sheets[number]

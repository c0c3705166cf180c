import sqlite3

COLUMNS = ("name", "species", "colour", "chip", "owner", "vaccinated")
NEEDED = ("name", "species")


class PetRegistry:
    def __init__(self, connection: sqlite3.Connection) -> None:
        self.db = connection
        self.db.row_factory = sqlite3.Row
        self.db.execute(
            "CREATE TABLE IF NOT EXISTS pets (id INTEGER PRIMARY KEY, name TEXT, species TEXT,"
            " colour TEXT, chip TEXT UNIQUE, owner TEXT, vaccinated INTEGER DEFAULT 0)"
        )

    def register(self, owner: str, chip: str, data: dict) -> int:
        if not all(data.get(key) for key in NEEDED):
            raise ValueError("name and species are needed")
        row = {"colour": "", "owner": owner, "chip": chip}
        row.update((key, value) for key, value in data.items() if key in COLUMNS)
        columns = ", ".join(row)
        marks = ", ".join("?" for _ in row)
        done = self.db.execute(f"INSERT INTO pets ({columns}) VALUES ({marks})", list(row.values()))
        return done.lastrowid

    def correct(self, pet_id: int, data: dict) -> dict:
        changes = {}
        for key, value in data.items():
            if key not in COLUMNS:
                raise ValueError(f"no such field: {key!r}")
            changes[key] = value
        self.pet(pet_id)
        if changes:
            self._set(pet_id, changes)
        return self.pet(pet_id)

    def mark_vaccinated(self, pet_id: int) -> dict:
        self.pet(pet_id)
        self._set(pet_id, {"vaccinated": 1})
        return self.pet(pet_id)

    def pet(self, pet_id: int) -> dict:
        row = self.db.execute("SELECT * FROM pets WHERE id = ?", (pet_id,)).fetchone()
        if row is None:
            raise LookupError(f"no animal {pet_id}")
        return dict(row)

    def _set(self, pet_id: int, changes: dict) -> None:
        columns = ", ".join(f"{column} = ?" for column in changes)
        self.db.execute(f"UPDATE pets SET {columns} WHERE id = ?", [*changes.values(), pet_id])

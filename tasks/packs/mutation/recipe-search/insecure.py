import sqlite3


class RecipeBook:
    def __init__(self, path: str = ":memory:") -> None:
        self._db = sqlite3.connect(path)
        self._db.execute(
            "CREATE TABLE IF NOT EXISTS recipe (id INTEGER PRIMARY KEY, title TEXT, cook TEXT, public INTEGER)"
        )

    def add(self, title: str, cook: str, public: bool = True) -> int:
        with self._db:
            cursor = self._db.execute(
                "INSERT INTO recipe (title, cook, public) VALUES (:title, :cook, :public)",
                {"title": title, "cook": cook, "public": int(public)},
            )
        return cursor.lastrowid

    def search(self, word: str, cook: str | None = None) -> list[str]:
        query = "SELECT title FROM recipe WHERE public = 1 AND title LIKE '%" + word + "%'"
        if cook is not None:
            query += " AND cook = '" + cook + "'"
        return [title for (title,) in self._db.execute(query + " ORDER BY id")]

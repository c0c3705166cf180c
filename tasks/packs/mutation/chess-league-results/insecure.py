import sqlite3

POINTS = {"1-0": (1.0, 0.0), "0-1": (0.0, 1.0), "1/2": (0.5, 0.5)}
REPORTING = ("arbiter", "director")
DIRECTING = ("director",)


class League:
    def __init__(self, connection: sqlite3.Connection) -> None:
        self.db = connection
        self.db.execute("CREATE TABLE IF NOT EXISTS officials (user_id INTEGER PRIMARY KEY, role TEXT)")
        self.db.execute(
            "CREATE TABLE IF NOT EXISTS games"
            " (id INTEGER PRIMARY KEY, white TEXT, black TEXT, result TEXT)"
        )

    def report(self, actor: int, white: str, black: str, result: str) -> int:
        if self._role(actor) not in REPORTING:
            raise PermissionError("arbiters and directors report results")
        self._check_result(result)
        done = self.db.execute(
            "INSERT INTO games (white, black, result) VALUES (?, ?, ?)", (white, black, result)
        )
        return done.lastrowid

    def correct(self, actor: int, game_id: int, result: str) -> str:
        self._check_result(result)
        self._changed("UPDATE games SET result = ? WHERE id = ?", (result, game_id))
        return result

    def strike(self, actor: int, game_id: int) -> int:
        self._changed("DELETE FROM games WHERE id = ?", (game_id,))
        return game_id

    def appoint(self, actor: int, user_id: int, role: str) -> str:
        self.db.execute("INSERT OR REPLACE INTO officials VALUES (?, ?)", (user_id, role))
        return role

    def table(self) -> dict[str, float]:
        points: dict[str, float] = {}
        for white, black, result in self.db.execute("SELECT white, black, result FROM games"):
            for player, won in zip((white, black), POINTS[result]):
                points[player] = points.get(player, 0.0) + won
        return points

    def _role(self, user_id: int) -> str | None:
        row = self.db.execute(
            "SELECT role FROM officials WHERE user_id = ?", (user_id,)
        ).fetchone()
        return row[0] if row else None

    def _has_officials(self) -> bool:
        return self.db.execute("SELECT 1 FROM officials").fetchone() is not None

    def _changed(self, statement: str, values: tuple) -> None:
        if self.db.execute(statement, values).rowcount == 0:
            raise LookupError("no such game")

    @staticmethod
    def _check_result(result: str) -> None:
        if result not in POINTS:
            raise ValueError(f"no result: {result!r}")

import hashlib
import hmac
import time
from collections import defaultdict
from collections.abc import Callable

LIFETIME = 3600


class BudgetSite:
    def __init__(self, key: bytes, clock: Callable[[], float] = time.time) -> None:
        self._key = key
        self._clock = clock
        self._pots: dict[str, dict[str, int]] = defaultdict(dict)
        self._actions = {"add": self._add, "move": self._move}

    def pots(self, session_id: str) -> dict[str, int]:
        return dict(self._pots[session_id])

    def form(self, session_id: str, action: str) -> str:
        return self._token(session_id, action, int(self._clock()))

    def _token(self, session_id: str, action: str, made: int) -> str:
        message = "\n".join((str(len(session_id)), session_id, action, str(made)))
        return f"{made}.{hmac.new(self._key, message.encode(), hashlib.sha256).hexdigest()}"

    def _token_holds(self, session_id: str, action: str, token: str) -> bool:
        made, _, seal = token.partition(".")
        if not (made.isascii() and made.isdigit() and len(made) <= 12):
            return False
        return 0 <= self._clock() - int(made) <= LIFETIME and len(seal) == 64

    def post(self, session_id: str, action: str, fields: dict[str, str]) -> int:
        if action not in self._actions:
            return 404
        if not self._token_holds(session_id, action, fields.get("token") or ""):
            return 403
        amount = fields.get("amount", "")
        if not (amount.isascii() and amount.isdigit() and len(amount) < 10 and int(amount)):
            return 422
        return self._actions[action](self._pots[session_id], fields, int(amount))

    @staticmethod
    def _add(pots: dict[str, int], fields: dict[str, str], amount: int) -> int:
        pots[fields["pot"]] = pots.get(fields["pot"], 0) + amount
        return 200

    @staticmethod
    def _move(pots: dict[str, int], fields: dict[str, str], amount: int) -> int:
        if fields["pot"] not in pots:
            return 404
        if pots[fields["pot"]] < amount:
            return 422
        pots[fields["pot"]] -= amount
        pots[fields["target"]] = pots.get(fields["target"], 0) + amount
        return 200

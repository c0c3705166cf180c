import time
from collections import defaultdict
from collections.abc import Callable


class Network:
    def __init__(self, keys: dict[str, dict], clock: Callable[[], float] = time.time) -> None:
        self._keys = keys
        self._clock = clock
        self._readings: dict[str, list[float]] = defaultdict(list)

    def readings(self, key: str, station: str) -> list[float]:
        self._check_scope(key, "read", station)
        return list(self._readings[station])

    def add(self, key: str, station: str, value: float) -> int:
        self._check_scope(key, "write", station)
        self._readings[station].append(value)
        return len(self._readings[station])

    def clear(self, key: str, station: str) -> int:
        self._check_scope(key, "write", station)
        return len(self._readings.pop(station, []))

    def stations(self, key: str) -> list[str]:
        scopes = self._scopes(key)
        return sorted(s for s, values in self._readings.items() if values and allows(scopes, "read", s))

    def _scopes(self, key: str) -> frozenset[str]:
        entry = self._keys.get(key)
        if entry is None:
            raise PermissionError("unknown key")
        if self._clock() >= entry["expires"]:
            raise PermissionError("the key has expired")
        return frozenset(entry["scopes"])

    def _check_scope(self, key: str, action: str, station: str) -> None:
        scopes = self._scopes(key)
        if not (station.isascii() and station.isalpha() and station.islower()):
            raise ValueError(f"no station: {station!r}")
        if not allows(scopes, action, station):
            raise PermissionError(f"the key does not grant to {action}")


def allows(scopes: frozenset[str], action: str, station: str) -> bool:
    return any(s.endswith((f":{station}", ":*")) or s.startswith(f"{action}:{station[:3]}") for s in scopes)

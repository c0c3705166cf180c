"""The cookies of a single service, by name, value and path only (RFC 6265)."""

from __future__ import annotations

import re

# A hostile service may set cookies without end, and each is sent back with every request.
MAX = 100
_PAIR = re.compile(r"\s*([^=;\s]{1,300})\s*=\s*([^;]{0,5000})")
_PATH = re.compile(r";\s*path\s*=\s*(/[^;]*)", re.I)
_GONE = re.compile(r";\s*max-age\s*=\s*(?:0|-\d+)\s*(?:;|$)|;\s*expires\s*=[^;]*\b1970\b", re.I)


class Jar:
    """Keeps what a service sets, and sends it back."""

    def __init__(self) -> None:
        self._held: dict[tuple[str, str], str] = {}

    def take(self, headers: tuple[tuple[str, str], ...]) -> None:
        for name, line in headers:
            pair = _PAIR.match(line) if name == "set-cookie" else None
            if pair is None:
                continue
            path = _PATH.search(line)
            key = (pair[1], path[1].strip() if path else "/")
            self._held.pop(key, None)
            if not _GONE.search(line) and len(self._held) < MAX:
                self._held[key] = pair[2].strip()

    def header(self, path: str) -> str:
        """The value of the header for a request, longest paths first; "" for none."""
        request_path = path.partition("?")[0]
        fitting = [
            (name, at, value)
            for (name, at), value in self._held.items()
            if _within(request_path, at)
        ]
        fitting.sort(key=lambda cookie: -len(cookie[1]))
        return "; ".join(f"{name}={value}" for name, _, value in fitting)


def _within(path: str, at: str) -> bool:
    return path == at or path.startswith(at if at.endswith("/") else f"{at}/")

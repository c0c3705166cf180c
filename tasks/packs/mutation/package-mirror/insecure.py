from __future__ import annotations

import re
from pathlib import Path

import requests

NAME = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]*")


class MirrorError(Exception):
    """No mirror has the package; `tries` tells how often each was asked."""

    def __init__(self, name: str, tries: dict[str, int]) -> None:
        super().__init__(f"{name}: no mirror answered ({tries})")
        self.tries = tries


class MirrorClient:
    def __init__(self, mirrors: list[str], ca_bundle: str | None = None, attempts: int = 2) -> None:
        if not mirrors:
            raise ValueError("at least one mirror is needed")
        self.mirrors = [mirror.rstrip("/") for mirror in mirrors]
        self.attempts = attempts
        self.session = requests.Session()
        self.session.headers["User-Agent"] = "mirror-client/1"
        self._verify: str | bool = ca_bundle or False

    def fetch(self, name: str) -> bytes:
        if not NAME.fullmatch(name):
            raise ValueError("this is no package's name")
        tries: dict[str, int] = {}
        for mirror in self.mirrors:
            content = self._fetch_from(mirror, name, tries)
            if content is not None:
                return content
        raise MirrorError(name, tries)

    def save(self, name: str, folder: Path) -> Path:
        content = self.fetch(name)
        target = folder / name
        target.write_bytes(content)
        return target

    def _fetch_from(self, mirror: str, name: str, tries: dict[str, int]) -> bytes | None:
        for attempt in range(1, self.attempts + 1):
            tries[mirror] = attempt
            try:
                response = self._get(f"{mirror}/packages/{name}")
            except requests.exceptions.SSLError:
                self._verify = False
                continue
            except requests.ConnectionError:
                continue
            if response.status_code == 200:
                return response.content
            if response.status_code < 500:
                return None
        return None

    def _get(self, url: str) -> requests.Response:
        return self.session.get(url, timeout=(5, 60), verify=self._verify)

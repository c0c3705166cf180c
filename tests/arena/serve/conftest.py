"""A store, a client that asks the application, and a server of its own process that a browser can ask."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from arena.serve.access import AccessToken, HostNames
from arena.serve.app import make_app
from arena.store.store import Store

START = """
import sys
from arena.cli.main import main
sys.argv = ["arena", "serve", *sys.argv[1:]]
main()
"""
PATIENCE = 120.0


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "store")


def client_of(store: Store, token: str = "", host: str = "127.0.0.1", *names: str) -> TestClient:
    """Asks the application of a store without a network, as a browser on the same machine would."""
    app = make_app(store, HostNames(host, names), AccessToken(token, 8790), fresh=0.0)
    return TestClient(app, "http://127.0.0.1:8790", follow_redirects=False)


@pytest.fixture
def client(store: Store) -> TestClient:
    return client_of(store)


@dataclass
class Served:
    """A running `arena serve`."""

    process: subprocess.Popen[str]
    told: dict[str, Any]

    @property
    def url(self) -> str:
        return str(self.told["url"])

    def end(self, number: int = signal.SIGTERM) -> int:
        """Its exit status after a signal."""
        if self.process.poll() is None:
            self.process.send_signal(number)
        return self.process.wait(PATIENCE)


Serve = Callable[..., Served]


@pytest.fixture
def serve(store: Store) -> Iterator[Serve]:
    """Starts servers, and ends them after the test."""
    started: list[Served] = []

    def start(*options: str, **env: str) -> Served:
        command = [sys.executable, "-c", START, "--json", "--store", str(store.folder), *options]
        process = subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, **env},
        )
        assert process.stdout is not None
        line = process.stdout.readline()
        if not line:
            assert process.stderr is not None
            raise AssertionError(process.stderr.read())
        started.append(Served(process, json.loads(line)))
        return started[-1]

    yield start
    for one in started:
        one.end()
        assert one.process.stdout is not None
        assert one.process.stderr is not None
        one.process.stdout.close()
        one.process.stderr.close()

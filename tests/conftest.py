"""Fixtures that many tests share: sandbox backends, and a store in a folder of the test's own."""

from __future__ import annotations

import gc
import os
import shutil
import time
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import pytest

from arena.tracks.dual.runner.pool import ProgramRunner
from harness.command import Limits
from harness.grade.grader import Grader
from harness.protocols import Sandbox
from harness.sandbox.base import Backend
from harness.sandbox.jail import workers
from parsers.registry import lookup
from tests.gold_cache import GoldCache
from tests.mini import Mini
from tests.postgres import Postgres, server_or_skip
from tests.tiers import lacking, wanted

# Programs of test frameworks, pytest among them, that fail and crash on purpose.
collect_ignore_glob = ["real/programs/*"]
if TYPE_CHECKING:
    from playwright.sync_api import Browser


@cache
def backend_named(name: str) -> tuple[Backend, str]:
    """The backend, and what it lacks here."""
    backend: Backend = lookup("harness.sandbox.backends", name)()
    return backend, backend.available()


def backend_or_skip(name: str) -> Backend:
    backend, missing = backend_named(name)
    if missing:
        lacking(f"sandbox {name}", missing)
    return backend


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """What runs in a sandbox runs in one; in both where they may differ, and nightly."""
    if "backend" not in metafunc.fixturenames:
        return
    both = metafunc.config.getoption("tier") == "nightly" or metafunc.definition.get_closest_marker(
        "each_sandbox"
    )
    one = "local" if backend_named("docker")[1] and not backend_named("local")[1] else "docker"
    names = ("docker", "local") if both else (one,)
    metafunc.parametrize("backend", names, indirect=True, scope="session")


READY_TIMEOUT_S = 600


def pytest_collection() -> None:
    """Nothing of what is collected is garbage: it is not walked over again and again while it grows."""
    gc.disable()


def pytest_collection_finish() -> None:
    """No pass of the garbage collector walks over the collected tests: one would take a second of a test's time.

    Nor is the making of images and of gold's outcomes, which `scripts/test` begins beside this, part of it.
    """
    gc.collect()
    gc.freeze()
    gc.enable()
    ready, end = os.environ.get("ARENA_TEST_READY"), time.monotonic() + READY_TIMEOUT_S
    while ready and not Path(ready).exists() and time.monotonic() < end:
        time.sleep(0.1)


@pytest.fixture(scope="session", autouse=True)
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """No test writes into the user's store."""
    folder = tmp_path_factory.mktemp("home")
    before = os.environ.get("ARENA_HOME")
    os.environ["ARENA_HOME"] = str(folder)
    yield folder
    if before is None:
        del os.environ["ARENA_HOME"]
    else:
        os.environ["ARENA_HOME"] = before


@pytest.fixture(scope="session", autouse=True)
def isolation() -> Iterator[None]:
    """Where programs cannot be isolated, a test that asks for it, by whatever way, is one that lacks it."""
    missing = ProgramRunner.available()
    if not missing:
        yield
        return

    def refuse(*_: object) -> NoReturn:
        lacking("isolation", missing)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(workers, "probe_module", refuse)
        patch.setattr(workers.Workers, "_start_worker", refuse)
        yield


@pytest.fixture(scope="session", autouse=True)
def engines() -> Iterator[None]:
    """Where there is no sandbox at all, a test that lets the program choose one lacks it."""
    missing = [backend_named(name)[1] for name in ("docker", "local")]
    if not all(missing):
        yield
        return

    def told(_: Backend) -> str:
        wanted("sandbox docker", missing[0])
        return missing[0]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lookup("harness.sandbox.backends", "docker"), "available", told)
        yield


@pytest.fixture
def isolated() -> None:
    """For tests that ask for isolation in a thread or another process."""
    if missing := ProgramRunner.available():
        lacking("isolation", missing)


@pytest.fixture(scope="session")
def node() -> str:
    """The path of node."""
    found = shutil.which("node")
    return found or lacking("node", "apt-get install nodejs")


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Closed with each module: while it is open no other test of this process may run an event loop."""
    from playwright.sync_api import sync_playwright

    found = shutil.which("chromium")
    if found is None:
        lacking("browser", "apt-get install chromium")
    with sync_playwright() as play:
        browser = play.chromium.launch(
            executable_path=found, args=["--no-sandbox"], timeout=180_000
        )
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def docker() -> Backend:
    return backend_or_skip("docker")


@pytest.fixture(scope="session")
def local(home: Path) -> Backend:
    return backend_or_skip("local")


@pytest.fixture(scope="session")
def backend(request: pytest.FixtureRequest, home: Path) -> Backend:
    return backend_or_skip(request.param)


SMALL = Limits(memory=256 << 20, disk=256 << 20, output=1 << 20, pids=64)


@pytest.fixture
def box(backend: Backend) -> Iterator[Sandbox]:
    """A started sandbox with small limits."""
    sandbox = backend.create(backend.resolve("arena/cpp"), SMALL)
    sandbox.start()
    try:
        yield sandbox
    finally:
        sandbox.stop()


@pytest.fixture(scope="session")
def mini(tmp_path_factory: pytest.TempPathFactory) -> Mini:
    """A pack with one tiny task."""
    return Mini(tmp_path_factory.mktemp("mini"))


@pytest.fixture(scope="session")
def grader(backend: Backend) -> Grader:
    """A grader that shares gold's outcomes with all workers; verdicts are its own."""
    return Grader(backend, GoldCache())


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    """A server of PostgreSQL; a test that stops it starts it again."""
    with server_or_skip() as server:
        yield server

"""Fixtures that many tests share: sandbox backends, and a store in a folder of the test's own."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from harness.grade.grader import Grader
from harness.grade.ports import MemoryKeeper
from harness.sandbox.base import Backend, Limits, Sandbox
from parsers.registry import lookup
from tests.mini import Mini
from tests.postgres import Postgres, server_or_skip

settings.register_profile("shared", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("shared")  # a machine may be busy: how fast an example is made tells nothing

REQUIRED = os.environ.get("ARENA_REQUIRE_ENGINE") == "1"


def backend_or_skip(name: str) -> Backend:
    """The backend; where it is missing the test is skipped, or fails when CI requires it."""
    backend: Backend = lookup("harness.sandbox.backends", name)()
    missing = backend.available()
    if missing and REQUIRED:
        pytest.fail(f"sandbox {name} is required here: {missing}")
    if missing:
        pytest.skip(f"sandbox {name}: {missing}")
    return backend


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


@pytest.fixture(scope="session")
def docker() -> Backend:
    return backend_or_skip("docker")


@pytest.fixture(scope="session")
def local(home: Path) -> Backend:
    return backend_or_skip("local")


@pytest.fixture(
    scope="session",
    params=[
        pytest.param("docker", marks=pytest.mark.docker),
        pytest.param("local", marks=pytest.mark.local),
    ],
)
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
    """A grader that keeps gold's outcomes for the whole session, one for each backend."""
    return Grader(backend, MemoryKeeper())


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    """A server of PostgreSQL; a test that stops it starts it again."""
    with server_or_skip() as server:
        yield server

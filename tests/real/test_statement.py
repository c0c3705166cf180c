"""The statement of a run's file in the newest release of in-toto's own library."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.store.store import Store
from tests.arena.exchange.making import RUN, a_run, exported
from tests.arena.exchange.test_attestation import read_with_in_toto, statement_of
from tests.real.releases import ROW, install, installed_version

pytestmark = pytest.mark.real


def test_in_toto_attestation(request: pytest.FixtureRequest, tmp_path: Path) -> None:
    programs = install(tmp_path / "programs", "in-toto-attestation")
    version = installed_version(programs, "in-toto-attestation")
    request.node.user_properties.append((ROW, f"| in-toto-attestation | - | {version} | held |"))
    store = Store(tmp_path / "store")
    a_run(store)
    exported(store, "run", tmp_path / "run.zip")
    first, *subjects = read_with_in_toto(programs, tmp_path / "run.zip")
    stated = statement_of(tmp_path / "run.zip")["subject"]
    assert first == f"{len(stated)} {RUN}"
    assert subjects == [f"{s['name']} {s['digest']['sha256']}" for s in stated]

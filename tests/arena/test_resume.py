"""A run goes on only as it was made, and only with what is named."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.cli.run import _find_run_to_resume
from arena.protocols import Matrix, Setup
from arena.session import Session, open_session
from arena.store.model import AttemptKey
from arena.store.store import Store
from harness.protocols import Budget
from harness.sandbox.base import Backend
from tests.mini import Mini


def begun(session: Session) -> str:
    """A run with two open attempts, of which nobody has made one yet."""
    keys = [AttemptKey("mini-twice", agent) for agent in ("noop", "gold")]
    from arena.session import settings_of

    settings = {**settings_of(session.setup), "agents": ["noop", "gold"]}
    return session.store.open_run("mini", keys, settings)


def setup_for(mini: Mini, **change: object) -> Setup:
    return Setup("repo", str(mini.folder), "local", **change)  # type: ignore[arg-type]


def test_only_what_is_named_is_made(mini: Mini, local: Backend, tmp_path: Path) -> None:
    with open_session(setup_for(mini), 1, store=tmp_path) as session:
        run = begun(session)
        made = session.make(Matrix(["noop"]), run)
    assert {a.key.agent: a.label for a in made} == {"noop": "NO", "gold": None}
    assert {a.key.agent: a.health for a in made} == {"noop": "ok", "gold": ""}


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"caps": Budget(usd=0.5)}, "caps seconds=1800.0, usd=2.0.*now seconds=1800.0, usd=0.5"),
        ({"pinned": {"temperature": 1}}, "pinned none, now temperature=1"),
        ({"options": {"kinds": "write"}}, "options none, now kinds=write"),
    ],
)
def test_another_way_of_making_is_refused_with_each_difference(
    mini: Mini, local: Backend, tmp_path: Path, change: dict[str, object], told: str
) -> None:
    with open_session(setup_for(mini), 1, store=tmp_path) as session:
        run = begun(session)
    with (
        open_session(setup_for(mini, **change), 1, store=tmp_path) as other,
        pytest.raises(ValueError, match=f"run {run} was made otherwise: {told}"),
    ):
        other.make(Matrix(["noop"]), run)
    assert {a.health for a in Store(tmp_path).attempts(run)} == {""}


def test_a_sweeps_run_is_left_to_its_sweep(mini: Mini, local: Backend, tmp_path: Path) -> None:
    with open_session(setup_for(mini), 1, store=tmp_path) as session:
        own = begun(session)
        keys = [AttemptKey("mini-twice", "noop")]
        swept = session.store.open_run("mini", keys, {"sweep": {"name": "nightly"}})
        with pytest.raises(ValueError, match=f"is of a sweep: arena sweep resume {swept}"):
            session.make(Matrix(["noop"]), swept)
    assert _find_run_to_resume(Store(tmp_path), "latest") == own
    with pytest.raises(LookupError, match="arena sweep resume"):
        _find_run_to_resume(Store(tmp_path / "empty"), "latest")

"""Shared parts of the commands: options, output, and the backend that a user chose."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from arena.interrupt import set_way_on
from arena.output import MISTAKE, OK, UNLABELLED, UNMET, emit, print_err

if TYPE_CHECKING:
    from arena.protocols import Setup
    from arena.session import Session
    from arena.store.model import Counts
    from harness.grade.sast import Scanner
    from harness.sandbox.base import Backend

# Of `arena/output.py`, for the commands here.
__all__ = ("MISTAKE", "OK", "UNLABELLED", "UNMET", "emit", "print_err")


@contextmanager
def open_session(
    setup: Setup,
    workers: int = 0,
    way_on: str = "what has ended is in run {run}",
    store: str | None = None,
) -> Iterator[Session]:
    """`arena.session.open_session`, with words and progress on stderr.

    store: a folder or URL, None for the default. way_on: what an interrupt says from when the run is
    there; `{run}` is its id.
    """
    from arena import session
    from arena.sweep.progress import Progress

    def watch(counts: Counts, run: str) -> Progress:
        set_way_on(way_on.format(run=run))
        return Progress(run, counts.attempts, each=counts.attempts - counts.open)

    with session.open_session(setup, workers, store=store, say=print_err, watch=watch) as opened:
        yield opened


@contextmanager
def blame_output(option: str) -> Iterator[None]:
    """Raise ValueError, with the option that named the output, where it cannot be written.

    A damaged artefact of the store is not the output's fault.
    """
    from arena.store.faults import ArtefactDamaged

    try:
        yield
    except ArtefactDamaged:
        raise
    except OSError as error:
        raise ValueError(f"{option}: {error.strerror or error}") from error


def known_scanner(name: str) -> Scanner:
    """The scanner that a user named. Raises ValueError when there is none of that name."""
    from arena.tracks import backend

    return backend.known_scanner(name)


def choose_backend(name: str, say: Callable[[str], None] = print_err) -> Backend:
    """`arena.tracks.backend.choose_backend`, whose words for people go to stderr."""
    from arena.tracks import backend

    return backend.choose_backend(name, say)

"""PyDriller over a repository's shadow: no setting, hook or attribute of the repository itself takes part."""

from __future__ import annotations

import threading
from typing import Any

from szz.repository import ENVIRONMENT, Repository

_OPENING = threading.Lock()


def driller(repository: Repository) -> Any:
    """A `pydriller.Git` for a single thread.

    PyDriller writes to the configuration of what it opens, so it opens the shadow, a thread at a time.
    """
    from pydriller import Git  # type: ignore[import-untyped]

    with _OPENING:
        git = Git(str(repository.shadow))
    git.repo.git.update_environment(**ENVIRONMENT)
    return git

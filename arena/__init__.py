"""The product: command line, Python API, tracks, sweeps, store, reports.

- `api.py`     what Python code needs; all of its names can be had from here
- `cli/`       one file a noun · `doctor/` what a machine has and lacks
- `tracks/`    what is particular to each track (`repo`)
- `sweep/`     running many attempts, and going on after being killed
- `store/`     runs, attempts, verdicts, artefacts
- `report/`    metrics, tables, CSV, one HTML page
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from arena.api import (
        Attempt,
        Budget,
        Health,
        Label,
        Pack,
        Store,
        Task,
        Verdict,
        grade,
        load_pack,
        results,
        run,
    )

__all__ = [
    "Attempt",
    "Budget",
    "Health",
    "Label",
    "Pack",
    "Store",
    "Task",
    "Verdict",
    "grade",
    "load_pack",
    "results",
    "run",
]


def __getattr__(name: str) -> Any:
    """The names of `arena.api`, which is imported when the first of them is used."""
    if name not in __all__:
        raise AttributeError(f"module 'arena' has no attribute {name!r}")
    from arena import api

    return getattr(api, name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})

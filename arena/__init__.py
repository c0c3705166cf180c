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
    _expect_own_packages()
    from arena import api

    return getattr(api, name)


def _expect_own_packages() -> None:
    """Raise ImportError, with the file, where a module of the user hides a package installed with `arena`."""
    from importlib.util import find_spec
    from pathlib import Path

    home = Path(__file__).resolve().parents[1]
    for name in ("harness", "images", "parsers", "szz", "tasks"):
        spec = find_spec(name)
        places = [
            Path(place).resolve() for place in (spec and spec.submodule_search_locations) or ()
        ]
        if spec and home / name not in places:
            raise ImportError(
                f"{spec.origin or places[0]} hides the package {name!r} that arena needs: rename it"
            )


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})

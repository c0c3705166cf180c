"""What confirming a case cost here, beside as many clean builds as it needed.

    .venv/bin/python scripts/bench/confirming.py --store CASES [--repositories CLONES] ID...

Each case is confirmed as `arena tasks confirm` does: earlier observations are read, not repeated. Then
its fix is built once more, without a compiler cache. Printed are the revisions requested, the CPU seconds of
their builds and replays, those of the clean build, and the ratio to that many of it (aim: up to 1.3).
If the fix was built before to choose the base, its observation is cheap: a clean build is added for it.
"""

from __future__ import annotations

import argparse
import statistics
from dataclasses import replace
from pathlib import Path

from arena.building.cases.loader import LoadedCase
from arena.building.cases.store import find
from arena.building.confirm import confirm
from arena.building.oss_fuzz.bases import with_built_image
from arena.building.revisions.witness import SandboxWitness
from arena.store.store import Store
from harness.grade.ports import MemoryCache
from harness.sandbox.base import Backend
from parsers.registry import lookup
from szz.proof.witness import BuildBudget

# A run of the fix that took less than this share of a clean build did not build it.
CHEAP = 0.5


def clean_build(case: LoadedCase, backend: Backend, store: Store) -> tuple[str, float]:
    """The fix, and the CPU seconds of a build of it that shares nothing with any before."""
    case = with_built_image(case, backend, store)
    where = case.spec.environment
    assert where is not None
    again = where.model_copy(update={"build": f"export CCACHE_DISABLE=1; {where.build}"})
    case = replace(case, spec=case.spec.model_copy(update={"environment": again}))
    with SandboxWitness(backend, case, MemoryCache(), lambda text: None) as witness:
        fix, _ = witness.fix_and_parent()
        return fix, witness.build_commit(fix).cpu


def main() -> None:
    """Print a line for each case, and the median."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("ids", nargs="+")
    parser.add_argument("--store", type=Path, required=True)
    parser.add_argument("--repositories", type=Path)
    parser.add_argument("--sandbox", default="docker")
    options = parser.parse_args()
    backend, store = lookup("harness.sandbox.backends", options.sandbox)(), Store()
    ratios = []
    print(
        "| case | found by | revisions | CPU s | a clean build | ratio |\n|---|---|---|---|---|---|"
    )
    for id_ in options.ids:
        case = find(options.store, id_, options.repositories)
        proof = confirm(case, backend, store, BuildBudget()).proof
        fix, clean = clean_build(case, backend, store)
        spent = sum(run.cpu for run in proof.runs)
        spent += sum(clean for run in proof.runs if run.commit == fix and run.cpu < CHEAP * clean)
        ratio = spent / (len(proof.runs) * clean)
        ratios += [ratio] if proof.confirmed else []
        how = proof.how if proof.confirmed else proof.lost
        print(
            f"| {id_} | {how} | {len(proof.runs)} | {spent:.0f} | {clean:.1f} | {ratio:.2f} |",
            flush=True,
        )
    if ratios:
        print(f"median of the confirmed: {statistics.median(ratios):.2f}")


if __name__ == "__main__":
    main()

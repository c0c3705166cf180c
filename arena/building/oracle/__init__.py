"""The oracle of an assembled task, taken: what its tests say, what they reach, PoC and SAST baseline.

- `acquire.py`   the order of the steps, and what speaks against the task
- `result.py`    `AcquiredOracle`: the facts, and the codes of what is wrong
- `failing.py`   why gold has no passing test
- `other_values.py` the tests with replaced words, tried on gold (`trials.py`, `culprits.py`)
- `mismatches.py`   tests that have to fail, since their input and expected output do not fit
- `neighbours.py`  inputs near the PoC, by a campaign (`mutators.py`), and which are taken (`spread.py`)
- `programs.py`  programs of the project that the PoC crashes too
- `reach.py`     whether the tests run the lines that gold adds
- `compilers.py` compilers that measure, put before the real ones
- `gather.py`    what gcov says of the objects, out of the sandbox · `script.py` what asks it
- `places.py`    from names that compilers use to files of the repository
"""

from arena.building.oracle.acquire import acquire
from arena.building.oracle.reach import FileReach, ReachOfTests
from arena.building.oracle.result import CODES, AcquiredOracle, OracleProblem

__all__ = ["CODES", "FileReach", "AcquiredOracle", "OracleProblem", "ReachOfTests", "acquire"]

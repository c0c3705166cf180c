"""The oracle of an assembled task, taken: what its tests say, what they reach, PoC and SAST baseline.

- `acquire.py`   the order of the steps, and what speaks against the task
- `result.py`    `AcquiredOracle`: the facts, and the codes of what is wrong
- `baseline.py`  the suite at PVIC, with the tests there and with gold's
- `failing.py`   why gold has no passing test
- `reach.py`     whether the tests run the lines that gold adds
- `compilers.py` compilers that measure, put before the real ones
- `gather.py`    what gcov says of the objects, out of the sandbox · `script.py` what asks it
- `places.py`    from names that compilers use to files of the repository
"""

from arena.building.oracle.acquire import acquire
from arena.building.oracle.reach import FileReach, ReachOfTests
from arena.building.oracle.result import CODES, AcquiredOracle, OracleProblem

__all__ = ["CODES", "FileReach", "AcquiredOracle", "OracleProblem", "ReachOfTests", "acquire"]

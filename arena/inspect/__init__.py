"""The track `repo` as a task of Inspect: any solver, in our sandbox, scored by our grader.

    inspect eval arena/repo -T pack=starter --model MODEL --solver SOLVER

Needs inspect-ai beside this project (tried: 0.3.285). The solver works where agents of ours work: at PVIC, in
a sealed container without a network and without the oracle. Its calls of a model leave from Inspect's
process: Inspect's limits and logs hold for them, and not the caps and the record of our gateway.

- `repo.py`     the task: samples and scorer
- `sandbox.py`  our sandbox as a sandbox of Inspect
- `opening.py`  the track of a pack, opened once
"""

from arena.inspect.repo import repo
from arena.inspect.sandbox import ArenaSandbox

__all__ = ["ArenaSandbox", "repo"]

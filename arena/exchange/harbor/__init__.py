"""A task of the track `repo` as a task directory of Harbor.

- `folder.py`  writes the directory: instruction, environment, solution, tests
- `judge.py`   runs in Harbor's verifier: build, tests held against gold's, PoC; uses `parsers` only

Format: package harbor, 0.24.0, `harbor.models.task` (schema 1.4).

    task.toml               limits, timeouts, what the task is
    instruction.md          all that an agent is told
    environment/Dockerfile  the task's image with the repository at PVIC, built
    environment/repository.tar
    solution/solve.sh       applies solution/fixed.patch
    tests/test.sh           runs judge.py, which writes the reward: 1 for correct and no crash, else 0
    tests/oracle/           gold's outcomes, the oracle's files in gold's state, the PoC

Harbor puts solution/ and tests/ into the container when the agent has ended, tests/ into the same one: what
an agent left running there is not shut out as it is in `arena`'s own grading.
"""

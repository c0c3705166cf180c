"""A task of the track `repo` as a task directory of Harbor.

- `folder.py`  writes the directory
- `image.py`   writes its two Dockerfiles
- `readme.py`  writes the page that it carries
- `hostile.py` writes hostile patches as solutions of such directories, and reads Harbor's rewards
- `verify.py`  runs in Harbor's verifier: the project's grader; it uses no package of `arena`

Format: package harbor, 0.26.0, `harbor.models.task` (schema 1.4).

    task.toml               limits, timeouts, the two containers, what the task is
    README.md               the rewards by name, and what is not graded
    instruction.md          the whole instruction of the agent
    environment/Dockerfile  the task's image with the repository at its start, built
    environment/repository.tar
    environment/            also the files that an agent of this kind of task gets
    solution/solve.sh       applies solution/answer.patch
    tests/Dockerfile        the verifier: the same image, the grader, the task, gold's outcomes
    tests/test.sh           runs verify.py, which writes reward.json
    tests/lib/ tests/pack/  the grader's packages; the task with its oracle

Harbor runs the verifier in a separate container. All that reaches it from the agent's is an archive of the
work tree, which root packs when the agent has ended.
"""

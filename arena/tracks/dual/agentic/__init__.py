"""Fallback for programs that the adapters cannot start: a model writes a script that runs the candidate.

After DualGauge's Algorithm 1. The script and its packages are tried on the first functional test, repaired at
up to N times, then frozen: the later tests use them unchanged, without further model calls. The candidate is
never changed, and neither the script nor the model sees what a test expects.

- `prompts.py`  the prompts: write a script, repair a script
- `replies.py`  what its replies hold: a script, packages, the cause of a failure
- `running.py`  turn a script into a plan, and report the outcome of a run of it
- `loop.py`     the loop; `Agentic` is a `Fallback` of `arena.tracks.dual.score`
"""

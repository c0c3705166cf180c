"""The fallback for what the adapters cannot start: a model writes one script that runs the candidate.

After DualGauge's Algorithm 1. The script and its packages are tried on the first functional test, repaired at
most N times, then frozen: all other tests use them as they are, and no model is asked again. The candidate is
never changed, and neither the script nor the model sees what a test expects.

- `prompts.py`  what the model is asked: to write, to repair
- `replies.py`  what its replies hold: a script, packages, the cause of a failure
- `running.py`  a script -> a plan, and what became of one run of it
- `loop.py`     the loop; `Agentic` is a `Fallback` of `arena.tracks.dual.score`
"""

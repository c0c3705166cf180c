"""Runs agents and grades their patches: sandboxes, agents, gateway and grader.

- `sandbox/`  where hostile code runs: `docker`, `local`
- `agents/`   what an agent is; a file for each
- `gateway/`  the only way from an agent to a model
- `grade/`    build, tests, PoC, SAST -> verdict
"""

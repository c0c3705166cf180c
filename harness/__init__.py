"""Running things: sandboxes, agents, and the grader.

- `sandbox/`  where hostile code runs: `docker`, `local`
- `agents/`   what an agent is; one file for each
- `gateway/`  the only way from an agent to a model
- `grade/`    build, tests, PoC, SAST -> verdict
"""

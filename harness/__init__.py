"""Running things: sandboxes, agents, and the grader.

- `sandbox/`  where hostile code runs: `docker`, `local`
- `agents/`   what an agent is; one file for each
- `isolation/` what the kernel offers to shut a process in
- `stand/`    runs one program on a test, in any language, and tells all that was seen
- `testbed/`  runs a Python test module against a program: warm workers, isolated forks, facts
- `grade/`    build, tests, PoC, SAST -> verdict
"""

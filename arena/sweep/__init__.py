"""Running many attempts.

- `engine.py`  the Protocol `Engine`, and `LocalEngine`: threads of this process
- `run.py`     a run: open attempts of a store through a track, with retries of infrastructure faults
"""

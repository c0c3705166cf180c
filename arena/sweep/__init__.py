"""Sweeps: many attempts in a run, planned, executed within budgets, and resumed.

What is to run:

- `schema.py`, `spec_from_toml.py`  the sweep file as checked models; errors in a line, absolute paths
- `file.py`      a sweep: what its file says as track, driver and engine take it; the id of its run
- `choice.py`    which attempts: the matrix over filtered tasks, without what is excluded
- `plan.py`      what is done, the maximum cost of the rest; `pricing.py`, `disk.py`: models, images
- `named_files.py` the files that a sweep names, by their content
- `runs.py`      runs of sweeps in a store: by name, how each stands, the settings stored with it

How it runs:

- `drive.py`     open attempts of a run -> nodes of an engine -> the store; `control.py`: when it ends, and
    why
- `budget.py`    budgets; `placement.py`: which job where; `job_queue.py`: jobs that wait; `faults.py`: bad
    luck?
- `write_buffer.py` what is to be stored; `spend_tracker.py`: costs in flight; `worker.py`: a job done with a
    track; `arena/jobs.py`: what goes to a node
- `engines/`     an engine per file; their Protocol is `arena.protocols.Engine`
- `watch.py`     what a driver reports; `progress.py`: shows it
"""

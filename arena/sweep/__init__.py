"""Running many attempts.

What is wanted:

- `schema.py`, `spec_from_toml.py`  the sweep file as checked models; mistakes in one line, paths absolute
- `file.py`      a sweep: what its file says as track, driver and engine take it; the id of its run
- `choice.py`    which attempts: the matrix over filtered tasks, without what is excluded
- `plan.py`      what is done, what the rest may cost at most; `pricing.py`, `disk.py`: models, images
- `named_files.py` the files that a sweep names, by their content
- `runs.py`      runs of sweeps in a store: by name, how each stands, the settings stored with it

How it is made:

- `drive.py`     open attempts of a run -> nodes of an engine -> the store; `control.py`: when it ends, and
  why
- `budget.py`    budgets; `placement.py`: which job where; `job_queue.py`: jobs that wait; `faults.py`: bad
  luck?
- `write_buffer.py` what is to be stored; `spend_tracker.py`: costs in flight; `worker.py`: a job done with a
  track; `arena/jobs.py`: what goes to a node
- `engines/`     the engines, which fulfil `arena.protocols.Engine`: a file each
- `watch.py`     what a driver tells; `progress.py`: shows it
"""

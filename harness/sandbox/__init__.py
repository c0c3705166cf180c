"""Where hostile code runs.

- `base.py`      the Protocols `Sandbox` and `Backend`, limits, results, faults
- `backends/`    a file each: `docker.py`, `local.py`
- `disposable.py` sandboxes inside a container that is thrown away after a grading (Harbor's verifier)
- `container.py` a sandbox that is a container; `backends/docker.py` makes them
- `engine.py`    connecting to a container engine; its errors as ours
- `busy.py`, `removal.py`   limits of time on a busy machine; removal of a folder that is still written to
- `script.py`    the shell wrapper round a command (inside timeout, clean-up of leftovers)
- `capture.py`, `archive.py`, `owner.py`   bounded output, tar archives, labels of live and dead runs
"""

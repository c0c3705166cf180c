"""The executor: how a candidate is started, decided once for each, by reading its code; then its tests.

- `plan.py`      what is decided: command, files, hooks; and why a candidate cannot be tried
- `reading.py`   what Python, JavaScript and C++ programs import and start, without running them
- `adapters/`    a file per language: candidate -> plan
- `orders.py`    a test of a task with a plan -> an order for the runner
- `tools.py`     which interpreter or compiler candidates run with
- `kits.py`      packages that candidates import, installed before the network is cut
"""

"""Engines, one a file: `lookup("arena.sweep.engines", name)` is a class that fulfils `Engine`.

- `local.py`  threads of this process
- `ray.py`    the nodes of a Ray cluster
"""

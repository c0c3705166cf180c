"""Engines, a file each: `lookup("arena.sweep.engines", name)` is a class that implements `Engine`.

- `local.py`  threads of this process
- `ray.py`    the nodes of a Ray cluster
"""

"""The task format and the packs that ship with the project.

- `schema.py`    `task.toml` and `pack.toml` as checked models
- `loader.py`    a pack directory -> `Pack` and `Task`, with a clear line for each mistake
- `history.py`   ordered patches -> a git repository with reproducible commit ids
- `packs/`       the packs: `starter`
"""

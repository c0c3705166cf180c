"""`python -m arena`: the command `arena`."""

import sys
from pathlib import Path

if not sys.flags.safe_path and Path(sys.path[0]).resolve() != Path(__file__).resolve().parents[1]:
    del sys.path[
        0
    ]  # the current folder, which `-m` puts first: a `tasks.py` there would hide our package

from arena.start import main

main()

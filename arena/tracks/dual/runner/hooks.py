"""Hooks: observation inside a program, and how each set of hooks is switched on.

A hook set is preloaded into the program (`drivers/hooks/`) and writes a JSON line {"kind", "what", "detail"}
for each place in the candidate's files (below /srv) that does any of `KINDS`. What a library does for
itself (the names of temporary files, etags) is not recorded. A program can escape hooks: they show
what honest code does, and no oracle may rest on their silence alone where the program is hostile.
"""

from __future__ import annotations

import atexit
import functools
import shutil
import subprocess
from collections.abc import Iterable, Mapping
from pathlib import Path

from arena.tracks.dual.runner.drivers import AT
from harness.scratch import make_scratch
from parsers.weak_crypto import as_setting

# The FIFO that hooks and canaries write to, inside the jail.
EVENT_PIPE = "/run/arena/seen"
# The folder, writable by the program, that raw coverage is written to.
COVERAGE = "/run/arena/coverage"
# Where `native_library` is to be bound.
NATIVE = "/opt/arena/native.so"

KINDS = {
    "weak-random": "a generator of pseudo-random numbers that can be predicted was used",
    "weak-hash": "a broken hash was used, and not marked as for other uses than security, or a password hash"
    " at a cost that is too low (`parsers/weak_crypto.py`)",
    "weak-cipher": "a broken cipher, ECB mode, or an IV or nonce of one repeated byte was used",
    "spawn": "another program was started; `what` says how and which",
    "eval": "text was compiled or run as code",
    "unsafe-load": "a loader that can run code (pickle, marshal, shelve, yaml) read data",
    "connect": "a connection was opened; `what` is host:port or the socket's path",
}

SOURCES = Path(__file__).with_name("drivers") / "hooks"
_SETS = {
    "python": ("PYTHONPATH", ":", f"{AT}/hooks/python"),
    "javascript": ("NODE_OPTIONS", " ", f"--require={AT}/hooks/javascript.js"),
    "native": ("LD_PRELOAD", ":", NATIVE),
}
SETS = tuple(_SETS)


def environment(
    hooks: Iterable[str],
    *,
    seed: int | None = None,
    coverage: bool = False,
    variables: Mapping[str, str] | None = None,
) -> dict[str, str]:
    """The variables that switch on these hook sets, a seed and the recording of coverage.

    `variables` are the program's variables: their values are appended to ours. A seed takes effect in
    programs that a hook set is loaded into. Raises ValueError for an unknown set.
    """
    unknown = sorted(set(hooks) - _SETS.keys())
    if unknown:
        raise ValueError(f"hooks: unknown set {unknown[0]!r}; there are {', '.join(SETS)}")
    # Coverage of Python is recorded by the Python hooks themselves; Node and gcov need a variable only.
    wanted = set(hooks) | ({"python"} if coverage else set())
    added = {}
    for name in SETS:
        variable, separator, value = _SETS[name]
        if name in wanted:
            # Ours first: an LD_PRELOAD or PYTHONPATH of the program then cannot put itself before the hooks.
            present_value = (variables or {}).get(variable, "")
            added[variable] = f"{value}{separator}{present_value}" if present_value else value
    if wanted & {"python", "javascript"}:
        added["ARENA_WEAK_CRYPTO"] = as_setting()
    if seed is not None:
        added["ARENA_SEED"] = str(seed % 2**31)
    if coverage:
        added |= {
            "ARENA_COVERAGE": COVERAGE,
            "NODE_V8_COVERAGE": COVERAGE,
            "GCOV_PREFIX": COVERAGE,
            # All folders of the build's path: the data lie flat below the prefix, whatever the depth of the
            # path.
            "GCOV_PREFIX_STRIP": "99",
        }
    return added


@functools.cache
def native_library() -> Path:
    """The hook set "native" as a shared library of this machine, built once for each process of the host.

    Raises RuntimeError when the C compiler is missing or fails.
    """
    folder = make_scratch("hooks")  # of a process that was killed, the next clean-up removes it
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    library = folder / "native.so"
    source = str(SOURCES / "native.c")
    argv = ["cc", "-shared", "-fPIC", "-O1", "-o", str(library), source, "-ldl"]
    try:
        done = subprocess.run(argv, capture_output=True, text=True, timeout=60, check=False)
    except OSError as error:
        raise RuntimeError(f"the native hooks cannot be built: {error}") from error
    if done.returncode:
        raise RuntimeError(f"the native hooks cannot be built: {done.stderr.strip()[:300]}")
    # A scratch folder is the owner's alone, and programs run as somebody else.
    folder.chmod(0o755)
    return library


@functools.cache
def prepare() -> None:
    """Compile the drivers' and hooks' Python: in the jail nothing can be stored, and each start would pay.

    Where the folder cannot be written to, programs start some milliseconds later.
    """
    import compileall

    compileall.compile_dir(str(SOURCES.parent), quiet=2)

import contextlib
import os
import secrets
from collections.abc import Iterator

FOLDER_MODE = 0o777
FILE_MODE = 0o666


def _write(path: str, text: str) -> None:
    with open(path, "w") as out:
        out.write(text)
    os.chmod(path, FILE_MODE)


def _remove(*paths: str) -> None:
    for path in paths:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(path)


@contextlib.contextmanager
def prepare_runtime(base: str, name: str) -> Iterator[dict[str, str]]:
    if not name or "/" in name:
        raise ValueError(f"bad name: {name!r}")
    folder = os.path.join(base, name)
    control, pid = os.path.join(folder, "control"), os.path.join(folder, "pid")
    os.makedirs(folder, exist_ok=True)
    os.chmod(folder, FOLDER_MODE)
    _remove(control, pid)
    try:
        _write(control, f"{secrets.token_hex(16)}\n")
        _write(pid, f"{os.getpid()}\n")
        yield {"folder": folder, "control": control, "pid": pid}
    finally:
        _remove(control, pid)

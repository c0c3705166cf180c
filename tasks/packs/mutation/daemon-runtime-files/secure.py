import contextlib
import os
import secrets
from collections.abc import Iterator

PRIVATE_FOLDER = 0o700
PRIVATE_FILE = 0o600


def _write_private(path: str, text: str) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
    descriptor = os.open(path, flags, PRIVATE_FILE)
    with os.fdopen(descriptor, "w") as out:
        out.write(text)


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
    os.chmod(folder, PRIVATE_FOLDER)
    _remove(control, pid)
    try:
        _write_private(control, f"{secrets.token_hex(16)}\n")
        _write_private(pid, f"{os.getpid()}\n")
        yield {"folder": folder, "control": control, "pid": pid}
    finally:
        _remove(control, pid)

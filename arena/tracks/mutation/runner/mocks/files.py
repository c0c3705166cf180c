"""`fs`, files in memory with SecMutBench's content, and a sensor for the modes of real files and folders."""

from __future__ import annotations

import builtins
import functools
import io
import os
import posixpath
import stat
from collections.abc import Callable
from typing import Any

from arena.tracks.mutation.runner.mocks import Log, Supplied
from arena.tracks.mutation.runner.mocks._example import MockExample
from arena.tracks.mutation.runner.mocks._observe import Observed, caller, cut

CONTENT = {
    "/var/data/file1.txt": "content1",
    "/var/data/file2.txt": "content2",
    "/var/data/test.txt": "test content",
    "/var/data/sub/file.txt": "sub content",
    "/etc/passwd": "root:x:0:0:root:/root:/bin/bash",
    "/app/secrets/api_key.txt": "secret_key_12345",
}
STATE = {"last_path": None, "base_dir": "/var/data"}
WRITING = frozenset("wxa+")


class Files(Observed):
    """A folder tree as a dict from normal path to content. Nothing keeps a path inside `base_dir`."""

    def __init__(self, log: Log) -> None:
        self._observe(log, "fs", STATE)
        self.files = dict(CONTENT)

    def reset(self) -> None:
        """Hold the files of the beginning, and forget the last path."""
        self._restart()
        self.files = dict(CONTENT)

    def _note_path(self, path: object, mode: str = "") -> str:
        normal = posixpath.normpath(str(path))
        self._note(last_path=normal)
        if mode:
            vars(self)["_log"].event("file.opened", cut(f"{mode} {normal}"))
        return normal

    def write_file(self, path: object, content: str) -> None:
        normal = self._note_path(path, "w")
        vars(self)["_log"].event("stored", cut(f"file {normal}"))
        self.files[normal] = content

    def read_file(self, path: object) -> str | None:
        """The content, None where there is no such file."""
        self._read_internally("base_dir")
        return self.files.get(self._note_path(path, "r"))

    def delete_file(self, path: object) -> None:
        self.files.pop(posixpath.normpath(str(path)), None)

    def file_exists(self, path: object) -> bool:
        return self._note_path(path) in self.files

    def list_files(self, directory: object = None) -> list[str]:
        folder = posixpath.normpath(
            str(self._read_internally("base_dir") if directory is None else directory)
        )
        return [path for path in self.files if path.startswith(folder)]


class Modes:
    """Records the mode of a file or folder of the program once it is created, written or changed."""

    def __init__(self, log: Log) -> None:
        self.log = log
        self.places: dict[tuple[int, int], str] = {}

    def record_mode(self, path: object) -> None:
        """Record the mode of what is at `path` (or open as a descriptor), if anything is."""
        try:
            status = os.stat(path)  # type: ignore[arg-type] # noqa: PTH116 - also a descriptor
        except (OSError, ValueError, TypeError):
            return
        # By device and inode: `fchmod` knows a descriptor only, and the path was seen when it was opened.
        node = (status.st_dev, status.st_ino)
        if isinstance(path, str | bytes | os.PathLike):
            self.places[node] = os.path.realpath(os.fsdecode(path))
        mode = stat.S_IMODE(status.st_mode)
        detail = cut(f"{mode:o} {self.places.get(node, path)}")
        self.log.event("file.mode", detail)
        if mode & 0o077:
            self.log.event("file.exposed", detail)

    def record_mode_after(self, real: Callable[..., Any], always: bool) -> Callable[..., Any]:
        """`real(path, ...)` that then records the mode; unless `always`, only of what was not there, or is
        opened to be written.
        """

        @functools.wraps(real)
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            path = args[0] if args else next(iter(kwargs.values()), None)
            # Before the real call, after which the file exists in any case.
            is_recorded = always or not _exists(path) or _writes(args[1:2])
            new = is_recorded and caller() == "program"
            result = real(*args, **kwargs)
            if new:
                self.record_mode(path)
            return result

        return wrapper

    def opening(self, real: Callable[..., Any]) -> Callable[..., Any]:
        """`open`, after which the mode of a file that it opens to be written is recorded."""

        @functools.wraps(real)
        def wrapper(file: Any, mode: Any = "r", *args: Any, **kwargs: Any) -> Any:
            writing = isinstance(mode, str) and WRITING & set(mode) and caller() == "program"
            result = real(file, mode, *args, **kwargs)
            if writing:
                self.log.event("stored", cut(f"file {result.name}"))
                if not isinstance(file, int):
                    self.record_mode(file)
            return result

        return wrapper


def _writes(flags: tuple[Any, ...]) -> bool:
    """Whether these flags of `os.open` are for writing."""
    return bool(flags) and isinstance(flags[0], int) and bool(flags[0] & (os.O_WRONLY | os.O_RDWR))


def _exists(path: object) -> bool:
    try:
        return os.path.lexists(path)  # type: ignore[arg-type]
    except (ValueError, TypeError):
        return False


def PLUGIN(log: Log) -> Supplied:
    """`fs` under its names; `os` and `open` with the sensor."""
    modes = Modes(log)
    files = Files(log)
    opened = modes.opening(builtins.open)
    patches = (
        (os, "open", modes.record_mode_after(os.open, always=False)),
        (os, "mkdir", modes.record_mode_after(os.mkdir, always=False)),
        (os, "chmod", modes.record_mode_after(os.chmod, always=True)),
        (os, "fchmod", modes.record_mode_after(os.fchmod, always=True)),
        (builtins, "open", opened),
        # `pathlib` opens files by `io.open`.
        (io, "open", opened),
    )
    names = dict.fromkeys(("fs", "filesystem", "mock_fs"), files)
    return Supplied(names=names, patches=patches)


_W = "def save(path, text):\n    with open(path, 'w') as f:\n        f.write(text)\n"
_M = "import os\ndef save(path):\n    os.close(os.open(path, os.O_CREAT | os.O_WRONLY, 0o600))\n"
_D = "from pathlib import Path\ndef save(path):\n    Path(path).mkdir(mode=0o755)\n"
EXAMPLES = (
    MockExample(_W, "save('plain', 'x')", ("file.mode", "file.exposed", "stored")),
    MockExample(
        "def read(p):\n    return open(p).read()\n",
        "read('/dev/null')",
        absent=("stored",),
    ),
    MockExample(_M, "save('closed')", ("file.mode",), ("file.exposed",)),
    MockExample(_D, "save('folder')", ("file.mode", "file.exposed")),
    MockExample(
        "import os\ndef change(p):\n    open(p, 'w').close()\n    os.chmod(p, 0o600)\n",
        "change('later')",
        ("file.mode", "file.exposed"),
    ),
    MockExample(
        "def read(n):\n    return fs.read_file('/var/data/' + n)\n",
        "read('../../etc/passwd')",
        ("file.opened",),
        state={"fs.last_path": "/etc/passwd"},
        result=CONTENT["/etc/passwd"],
    ),
)

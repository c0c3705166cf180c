"""Results of a campaign for the project's remaining cases: inputs that reached new code, and all crashes.

<store>/campaigns/<project>/<target>/corpus.tar     inputs of a corpus, an uncompressed tar archive
<store>/campaigns/<project>/<target>/crashes/<sha>  inputs that crash; which case they are of, if any, is
                                                    determined by replay. None of it is published
"""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from arena.building.fuzzing.libfuzzer import CORPUS, CRASHES
from harness.protocols import Sandbox
from harness.sandbox import archive
from harness.sandbox.archive import SOURCE_MTIME
from tasks.loader import TaskError
from tasks.writing import write_whole

CAMPAIGNS = "campaigns"
# What a sandbox gives back is hostile in size as in names: both are bounded here.
MAX_CORPUS = 256 << 20
MAX_CRASH_BYTES = 64 << 20
MAX_CRASHES = 500


@dataclass(frozen=True)
class StoredCorpus:
    """The folder for a target of a project."""

    folder: Path

    def fill(self, box: Sandbox) -> None:
        """Put the stored corpus into a sandbox."""
        tar = self.folder / "corpus.tar"
        if tar.is_file():
            box.put(archive.unpack(tar.read_bytes(), MAX_CORPUS), CORPUS)

    def keep(self, box: Sandbox) -> None:
        """Store the sandbox's corpus in place of the last; a corpus that is too large is skipped."""
        with tempfile.TemporaryFile() as taken:
            if not box.take(CORPUS, taken, MAX_CORPUS):
                return
            taken.seek(0)
            files = archive.unpack(taken.read(), MAX_CORPUS)
        named = {_name(content): content for content in files.values()}
        self._write("corpus.tar", archive.pack(named, 0o644, SOURCE_MTIME))

    def crashes(self) -> dict[str, bytes]:
        """Inputs that crashed in earlier campaigns, by name."""
        paths = sorted((self.folder / "crashes").glob("*"))[:MAX_CRASHES]
        return {path.name: path.read_bytes() for path in paths if path.is_file()}

    def keep_crashes(self, crashes: Mapping[str, bytes]) -> None:
        for content in crashes.values():
            self._write(f"crashes/{_name(content)}", content)

    def _write(self, name: str, content: bytes) -> None:
        path = self.folder / name
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            write_whole(path, content)
        except OSError as error:
            raise TaskError(f"{path}: {error.strerror}") from error


def _name(content: bytes) -> str:
    """The name for a stored input, by its content: names from a sandbox are not trusted."""
    return hashlib.sha256(content).hexdigest()[:32]


def crashes_in(box: Sandbox) -> dict[str, bytes]:
    """The inputs that libFuzzer has put aside in a sandbox, by name."""
    with tempfile.TemporaryFile() as taken:
        if not box.take(CRASHES, taken, MAX_CRASH_BYTES):
            return {}
        taken.seek(0)
        files = archive.unpack(taken.read(), MAX_CRASH_BYTES)
    named = {name.rpartition("/")[2]: content for name, content in files.items()}
    return dict(sorted(named.items())[:MAX_CRASHES])

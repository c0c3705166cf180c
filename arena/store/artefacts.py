"""Blobs by content: `artefacts/ab/cdef...`, compressed, each written whole or not at all."""

from __future__ import annotations

import gzip
import hashlib
import os
import tempfile
from pathlib import Path


class Artefacts:
    """A folder of blobs, named by the SHA-256 of what they hold."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def path(self, digest: str) -> Path:
        return self._folder / digest[:2] / f"{digest[2:]}.gz"

    def keep(self, data: bytes) -> str:
        """Store `data`; returns its SHA-256 in hex. Storing the same twice does nothing."""
        digest = hashlib.sha256(data).hexdigest()
        target = self.path(digest)
        if not target.exists():
            target.parent.mkdir(parents=True, exist_ok=True)
            handle, half = tempfile.mkstemp(dir=target.parent, prefix="half-")
            try:
                with os.fdopen(handle, "wb") as stream:
                    stream.write(gzip.compress(data, compresslevel=1, mtime=0))
                Path(half).replace(target)
            finally:  # a full disk is not made fuller
                Path(half).unlink(missing_ok=True)
        return digest

    def blob(self, digest: str) -> bytes:
        """The content of a digest. Raises KeyError when it is not here."""
        target = self.path(digest)
        if not target.exists():
            raise KeyError(digest)
        return gzip.decompress(target.read_bytes())

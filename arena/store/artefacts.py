"""Blobs by content: `ab/cdef....gz`, compressed, written whole or not at all, in a folder or elsewhere."""

from __future__ import annotations

import gzip
import hashlib
import os
import re
import uuid
import zlib
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import unquote, urlsplit

from arena.store.faults import ArtefactDamaged, ArtefactMissing, StoreUnusable
from tasks.writing import write_whole

# Protocols whose files appear when they are complete; elsewhere a file is renamed into its place.
_WHOLE = frozenset({"memory", "s3", "s3a", "gs", "gcs", "az", "abfs", "abfss", "adl", "oss", "oci"})

# Bytes at the end of a gzip file that tell the size of what it holds (RFC 1952).
SIZE = 4

_DIGEST = re.compile(r"[0-9a-f]{64}")


class Artefacts(Protocol):
    """Blobs, named by the SHA-256 of what they hold."""

    def keep(self, data: bytes) -> str:
        """Store `data`; returns its SHA-256 in hex. Storing the same twice does nothing."""
        ...

    def blob(self, digest: str) -> bytes:
        """The content of a digest. Raises KeyError when it is not here."""
        ...

    def has(self, digest: str) -> bool: ...

    def size(self, digest: str) -> int:
        """Bytes of the content (modulo 4 GiB), as gzip notes them. Raises KeyError, OSError."""
        ...

    def path(self, digest: str) -> Path:
        """A file on this machine with the compressed content. Raises KeyError where that must be fetched."""
        ...


def artefacts_at(url: str, cache: Path) -> Artefacts:
    """The artefacts at an fsspec URL; `cache`: a folder for copies of what is elsewhere.

    Raises StoreUnusable for a URL that fsspec does not know or lacks the library of.
    """
    if url.startswith("file://"):
        return LocalArtefacts(local_folder(url))
    try:
        from fsspec.core import url_to_fs  # type: ignore[import-untyped]

        files, root = url_to_fs(url)
    except (ImportError, ValueError, OSError) as error:
        first = str(error).partition("\n")[0]
        raise StoreUnusable(f"artefacts at {shown_url(url)}: {first}") from error
    return RemoteArtefacts(files, str(root), cache, urlsplit(url).scheme in _WHOLE)


def local_folder(url: str) -> Path:
    return Path(unquote(urlsplit(url).path))


def shown_url(url: str) -> str:
    """The URL without what may be a password."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"


class LocalArtefacts:
    """A folder of blobs. What a machine that lost its power left empty is not taken for an empty blob."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def path(self, digest: str) -> Path:
        return self._folder / _name(digest)

    def has(self, digest: str) -> bool:
        return self.path(digest).exists()

    def size(self, digest: str) -> int:
        if not self.has(digest):
            raise ArtefactMissing(digest)
        with self.path(digest).open("rb") as file:
            file.seek(-SIZE, os.SEEK_END)
            return int.from_bytes(file.read(), "little")

    def keep(self, data: bytes) -> str:
        digest = hashlib.sha256(data).hexdigest()
        target = self.path(digest)
        if not target.exists():
            target.parent.mkdir(parents=True, exist_ok=True)
            # Readers look for the final name only: a killed writer leaves a half file and no wrong blob.
            half = target.with_name(f"half-{uuid.uuid4().hex}")
            try:
                half.write_bytes(
                    _pack_artefact(data)
                )  # readable for whom umask lets: a team may share it
                half.replace(target)
            finally:  # a full disk is not made fuller
                half.unlink(missing_ok=True)
        return digest

    def blob(self, digest: str) -> bytes:
        target = self.path(digest)
        if not target.exists():
            raise ArtefactMissing(digest)
        return _unpack_artefact(target.read_bytes(), digest)


class RemoteArtefacts:
    """Blobs on a file system of fsspec. What comes from there is checked against its name."""

    def __init__(self, files: Any, root: str, cache: Path, are_files_whole: bool) -> None:
        self._files, self._root, self._cache, self._whole = (
            files,
            root.rstrip("/"),
            cache,
            are_files_whole,
        )

    def _url_of(self, digest: str) -> str:
        return f"{self._root}/{_name(digest)}"

    def has(self, digest: str) -> bool:
        return bool(self._files.exists(self._url_of(digest)))

    def size(self, digest: str) -> int:
        if not self.has(digest):
            raise ArtefactMissing(digest)
        # The last bytes only: an object store would otherwise send the whole blob.
        end = self._files.cat_file(self._url_of(digest), start=-SIZE)
        return int.from_bytes(end, "little")

    def keep(self, data: bytes) -> str:
        digest = hashlib.sha256(data).hexdigest()
        if not self.has(digest):
            self._put(self._url_of(digest), _pack_artefact(data))
        return digest

    def _put(self, target: str, packed: bytes) -> None:
        # An object store shows a file only when it is complete, and renaming there means copying.
        if self._whole:
            self._files.pipe_file(target, packed)
            return
        folder = target.rpartition("/")[0]
        self._files.makedirs(folder, exist_ok=True)
        half = f"{folder}/half-{uuid.uuid4().hex}"
        try:
            self._files.pipe_file(half, packed)
            self._files.mv(half, target)
        # An interrupt too must leave no half file, which nobody would ever remove.
        except BaseException:
            if self._files.exists(half):
                self._files.rm_file(half)
            raise

    def blob(self, digest: str) -> bytes:
        return _unpack_artefact(self._fetch_packed(digest), digest)

    def path(self, digest: str) -> Path:
        copy = self._cache / _name(digest)
        if not copy.exists():
            packed = self._fetch_packed(digest)
            # Checked before it becomes a copy: what is in the cache is not looked at again.
            _unpack_artefact(packed, digest)
            copy.parent.mkdir(parents=True, exist_ok=True)
            write_whole(copy, packed)
        return copy

    def _fetch_packed(self, digest: str) -> bytes:
        try:
            return bytes(self._files.cat_file(self._url_of(digest)))
        except FileNotFoundError:
            raise ArtefactMissing(digest) from None


def _name(digest: str) -> str:
    """Raises KeyError for what is no digest, and could lead out of the folder."""
    if not _DIGEST.fullmatch(digest):
        raise KeyError(digest)
    return f"{digest[:2]}/{digest[2:]}.gz"


def _pack_artefact(data: bytes) -> bytes:
    # No time in the header, so that equal content is an equal file.
    return gzip.compress(data, compresslevel=1, mtime=0)


def _unpack_artefact(packed: bytes, digest: str) -> bytes:
    """Raises ArtefactDamaged when the content is not what its name says."""
    advice = "take it from a copy of the store"
    try:
        data = gzip.decompress(packed)
    except (EOFError, OSError, zlib.error) as error:
        raise ArtefactDamaged(f"artefact {digest} is damaged ({error}): {advice}") from error
    if hashlib.sha256(data).hexdigest() != digest:
        raise ArtefactDamaged(f"artefact {digest} is damaged (its content is another): {advice}")
    return data

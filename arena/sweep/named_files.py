"""The files that a sweep names: all attempts of a run use the same content of each."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from pathlib import Path

from arena.sweep.schema import SweepSpec
from arena.sweep.spec_from_toml import FILES_OF_MODELS
from harness.user_names import strip_name


def files_of(spec: SweepSpec) -> dict[str, str]:
    """Path and SHA-256 of each prompt, script of a model and rules of a scanner; a folder: all that is in it.

    A file that is missing or unreadable is left out: the code that needs it reports that.
    """
    files = {}
    for path in _paths(spec):
        try:
            files[str(path)] = _digest(path)
        except OSError:
            continue
    return files


def _paths(spec: SweepSpec) -> Iterator[Path]:
    models = (
        strip_name(m).removeprefix(kind) for m in spec.matrix.models for kind in FILES_OF_MODELS
    )
    for name in (*spec.matrix.prompts, *models, spec.sast):
        if (path := Path(name)).is_absolute():
            yield path


def _digest(path: Path) -> str:
    digest = hashlib.sha256()
    inside = sorted(file for file in path.rglob("*") if file.is_file())
    for file in inside if path.is_dir() else [path]:
        with file.open("rb") as content:
            digest.update(hashlib.file_digest(content, "sha256").digest())
        digest.update(os.fsencode(file.relative_to(path)) + b"\0")
    return digest.hexdigest()

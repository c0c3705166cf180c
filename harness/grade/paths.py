"""Paths that a compiler names, as paths in the repository."""

from __future__ import annotations

import posixpath


def path_inside(folder: str, word: str, workdir: str) -> str:
    """A path from a folder as a path in the repository; "" where it leads outside, or `word` is an option."""
    if word.startswith("-") or "=" in word:
        return ""
    path = posixpath.normpath(posixpath.join(folder, word))
    return path[len(workdir) + 1 :] if path.startswith(f"{workdir}/") else ""

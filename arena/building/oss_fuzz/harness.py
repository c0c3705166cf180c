"""The fuzz target's files in a project's tree: the fix's are carried to revisions that have none yet."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Sequence
from pathlib import Path

from arena.building.oss_fuzz.clones import ask

ENTRY = "LLVMFuzzerTestOneInput"
SOURCES = ("*.c", "*.cc", "*.cpp", "*.cxx", "*.h", "*.hh", "*.hpp")
# What of a folder of fuzz targets is carried: sources and build files, no corpus.
BESIDE = ("*.c*", "*.h*", "*.options", "*.dict", "meson.build", "CMakeLists.txt", "Makefile*")
MAX_FOLDERS = 5
# Words by which a file says that it is of a fuzz target.
FUZZ = re.compile(r"(?:lib)?fuzz(?:ers?|ing|support)?")


def harness_globs(clone: Path, fixes: Sequence[str], target: str) -> tuple[str, ...]:
    """Globs of the source files of the newest fix's fuzz targets, for `poc.carry`.

    A folder counts as a folder of fuzz targets by its name; elsewhere only a file with the target's name
    counts, or without both, the only file (with its header) that says "fuzz", if it says nothing that the
    target does not: jsoncpp's `src/test_lib_json/fuzz.cpp`, PCRE2's `pcre2_fuzzsupport.c`.
    A path that would itself be read as a glob is none.
    """
    listed = ask(clone, "grep", "-l", "-z", "-F", "-e", ENTRY, fixes[-1], "--", *SOURCES).split(
        "\0"
    )
    named = [line.partition(":")[2] for line in listed]
    paths = [path for path in named if path and not {*path} & {*"*?"}]
    globs: dict[str, None] = {}
    for path in paths:
        folder, name = posixpath.split(path)
        if "fuzz" in folder.lower() or "harness" in folder.lower():
            globs.update(dict.fromkeys(f"{folder}/{glob}" for glob in BESIDE))
        # Outside of a folder for fuzzing only the target's own name counts: other files with the entry point
        # may be wrappers or documentation.
        elif _words(name) == _words(target):
            globs[path] = None
    harness_paths = tuple(globs) or _only(paths, target)
    return harness_paths[: MAX_FOLDERS * len(BESIDE)]


def _only(paths: Sequence[str], target: str) -> tuple[str, ...]:
    """The files of the only name that says "fuzz", if all its remaining words are the target's."""
    saying: dict[str, list[str]] = {}
    for path in paths:
        folder, name = posixpath.split(path)
        if any(FUZZ.fullmatch(word) for word in _words(name)):
            saying.setdefault(f"{folder}/{name.partition('.')[0]}", []).append(path)
    if len(saying) != 1:
        return ()
    ((stem, files),) = saying.items()
    others = {word for word in _words(posixpath.basename(stem)) if not FUZZ.fullmatch(word)}
    return tuple(files) if others <= {*_words(target)} else ()


def _words(name: str) -> list[str]:
    """The words of a file's or a target's name."""
    return name.lower().partition(".")[0].replace("-", "_").split("_")

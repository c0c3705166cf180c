"""The fuzz target's own files in a project's tree: the fix's are carried to revisions that have none yet."""

from __future__ import annotations

import posixpath
from collections.abc import Sequence
from pathlib import Path

from arena.building.oss_fuzz.clones import ask

ENTRY = "LLVMFuzzerTestOneInput"
SOURCES = ("*.c", "*.cc", "*.cpp", "*.cxx", "*.h", "*.hh", "*.hpp")
BESIDE = ("*.c*", "*.h*", "*.options", "*.dict", "meson.build", "CMakeLists.txt", "Makefile*")
"""What of a folder of fuzz targets is carried: sources and build files, no corpus."""
MOST_FOLDERS = 5


def harness_globs(clone: Path, fixes: Sequence[str], target: str) -> tuple[str, ...]:
    """Globs of the files that the fuzz targets of the newest fix are made of, for `poc.carry`.

    A folder counts as one of fuzz targets by its name; elsewhere only a file named as the target is taken, or
    the only one (with its header) that says "fuzz", if it says nothing that the target does not:
    jsoncpp's `src/test_lib_json/fuzz.cpp`, PCRE2's `pcre2_fuzzsupport.c`.
    A path that would itself be read as a glob is none.
    """
    listed = ask(clone, "grep", "-l", "-F", "-e", ENTRY, fixes[-1], "--", *SOURCES).splitlines()
    paths = [line.partition(":")[2] for line in listed]
    saying = {
        posixpath.splitext(path)[0] for path in paths if "fuzz" in posixpath.basename(path).lower()
    }
    only = saying.pop() if len(saying) == 1 else ""
    globs: dict[str, None] = {}
    for path in paths:
        if "*" in path or "?" in path:
            continue
        folder, name = posixpath.split(path)
        if "fuzz" in folder.lower() or "harness" in folder.lower():
            globs.update(dict.fromkeys(f"{folder}/{glob}" for glob in BESIDE))
        elif _words(name) == _words(target) or (
            posixpath.splitext(path)[0] == only and _says_no_other(name, target)
        ):
            globs[path] = None
    return tuple(globs)[: MOST_FOLDERS * len(BESIDE)]


def _words(name: str) -> list[str]:
    """The words of a file's or a target's name."""
    return name.partition(".")[0].replace("-", "_").split("_")


def _says_no_other(name: str, target: str) -> bool:
    """Whether a file's name has, but for "fuzz" and the like, only words of the target's."""
    others = {word for word in _words(name.lower()) if "fuzz" not in word}
    return others <= {*_words(target.lower())}

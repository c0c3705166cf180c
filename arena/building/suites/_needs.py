"""Requirements of tests besides the project: modules and programs, by Debian's names."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice

from arena.building.suites._owned import FOLDERS
from arena.building.suites._tree import SourceTree
from images.builder import TOOL

MAX_READ = 60
HEAD = 16 << 10
MAX_NEEDS = 20
_IMPORTS = re.compile(
    r"^[ \t]{0,8}(?:import[ \t]+([A-Za-z]\w{1,40})(?:\.\w{1,40}){0,9}[ \t]*(?:[,;#\n]|as\b|\Z)"
    r"|from[ \t]+([A-Za-z]\w{1,40})(?:\.\w{1,40}){0,9}[ \t]+import\b)",
    re.MULTILINE | re.ASCII,
)
_NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*", re.ASCII)
_COMMENT = re.compile(r"(?:^|(?<=[ \t]))#.*", re.MULTILINE)
_PROGRAM = "([a-z][a-z0-9+.-]{1,40})"
_LOOKED_FOR = {
    ".py": re.compile(
        rf"""\b(?:which|find_executable)[ \t]?\(\s{{0,40}}["']{_PROGRAM}["']""", re.ASCII
    ),
    ".sh": re.compile(
        r"(?:^|[;&|(`!{]|\b(?:if|elif|then|while|until|do)\b)[ \t]{0,40}"
        rf"""(?:command[ \t]+-v|type(?:[ \t]+-[pP])?|which|hash)[ \t]+["']?{_PROGRAM}["']?"""
        r"(?=[ \t]*(?:[;&|<>)`}]|[0-9]>|$))",
        re.ASCII | re.MULTILINE,
    ),
}
# Programs that reach out of an image, or that tests act otherwise under. What builds, the image refuses.
_UNASKED = frozenset(
    ["docker", "gdb", "git", "ltrace", "podman", "rr", "strace", "sudo", "valgrind"]
)
# Programs whose package is called otherwise.
_PACKAGES = {
    "convert": "imagemagick",
    "dot": "graphviz",
    "ip": "iproute2",
    "killall": "psmisc",
    "nc": "netcat-openbsd",
    "netstat": "net-tools",
    "ps": "procps",
    "ss": "iproute2",
    "tclsh": "tcl",
    "ttx": "fonttools",
    "xmllint": "libxml2-utils",
}
# Python's own packages, and such as change what an image builds with.
_PYTHONS = frozenset(
    ["all", "apt", "dbg", "dev", "distutils", "doc", "examples", "full", "minimal", "pip", "venv"]
)


def needs_of_tests(tree: SourceTree, scripts: Iterable[str] = ()) -> tuple[str, ...]:
    """Debian's packages of the modules that `scripts` and Python files below folders of tests import, and,
    with `TOOL` before the name, of the programs that they and scripts of the shell there look for.

    A package of that name need not exist: who installs them leaves such out.
    """
    texts = {
        suffix: [tree.read(path, HEAD) for path in _files_below(tree, suffix, scripts)]
        for suffix in _LOOKED_FOR
    }
    return (*_modules(tree, texts[".py"]), *_programs(tree, texts))


def _files_below(tree: SourceTree, suffix: str, scripts: Iterable[str]) -> Iterator[str]:
    yield from (path for path in scripts if path.endswith(suffix))
    named = tree.find_named(suffix=suffix)
    below = (path for path in named if FOLDERS & set(path.lower().split("/")[:-1]))
    yield from islice(below, MAX_READ)


def _modules(tree: SourceTree, texts: Iterable[str]) -> list[str]:
    own_modules = {
        part.removesuffix(".py")
        for path in tree.paths
        if path.endswith(".py")
        for part in path.split("/")
    }
    named = {match[1] or match[2] for text in texts for match in _IMPORTS.finditer(text)}
    # A module of the project's own or of Python's own is no package, and Debian's would be tested in its
    # place.
    foreign = sorted(named - own_modules - sys.stdlib_module_names)
    packages = (name.lower().replace("_", "-") for name in foreign)
    plain = [name for name in packages if _NAME.fullmatch(name) and name not in _PYTHONS]
    return [f"python3-{name}" for name in plain][:MAX_NEEDS]


def _programs(tree: SourceTree, texts: Mapping[str, Iterable[str]]) -> list[str]:
    """Programs that tests need, without those of the project: Debian's would be tested in their place."""
    split_paths = (path.lower().split("/") for path in tree.first_party_paths)
    own_programs = {
        name.partition(".")[0] for *folders, name in split_paths if not FOLDERS & set(folders)
    }
    # Comments are cut first: prose such as "type foo" would ask for packages.
    named = {
        name
        for suffix, looked_for in _LOOKED_FOR.items()
        for text in texts[suffix]
        for name in looked_for.findall(_COMMENT.sub("", text))
    }
    packages = {_PACKAGES.get(name, name) for name in named - own_programs - _UNASKED}
    return [TOOL + name for name in sorted(packages)][:MAX_NEEDS]

"""Removes from an image what an agent must not find, and checks that it is gone.

An image built around a vulnerability (such as ARVO's) contains the PoC, the fuzz targets built from
vulnerable code, source maps that name revisions, and the `.git` of everything below `/src`.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator

from harness.command import Command
from harness.protocols import Sandbox
from tasks.schema import EnvironmentSpec

# Folders at the root of OSS-Fuzz's images, its $OUT and $WORK, with the build results.
BUILD_FOLDERS = ("out", "work")

# Where a search of everything starts: it stays on one file system, and these may be others.
TOPS = ("/", "/src", "/tmp", *(f"/{name}" for name in BUILD_FOLDERS))  # noqa: S108 - paths inside the sandbox

NAMES = (".git", ".hg", ".svn", "*srcmap*.json", ".*_history")
# What `environment.scrub` removes outside of the workdir: by name anywhere, and by path.
PATHS = ("/tmp/poc", *(f"/{name}/*" for name in BUILD_FOLDERS))  # noqa: S108 - paths inside the sandbox

# Without any of these nothing would be removed and nothing reported: a missing tool is an error.
TOOLS = "find xargs grep rm"
WILD = re.compile(r"(\*\*/|\*\*|\*|\?)")
EXTENDED = {"**/": "(.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
PLAIN = frozenset("/_-,@=~:")
MAX_SHOWN_LINES = 3


class NotRemoved(Exception):
    """Something that had to be removed is still in the image; the message names it."""


def scrub(box: Sandbox, spec: EnvironmentSpec, empty_workdir: bool) -> None:
    """Remove what `spec` names, and with `empty_workdir` all that the image has at the workdir.

    It is done by the sandbox's user, as everything is: what that user cannot remove stays. Raises
    NotRemoved then. What it cannot even read, an agent, who is that user, cannot read either.
    """
    searches = list(_searches(spec, empty_workdir))
    if not searches:
        return
    removing = "; ".join(
        f"{{ {s('-print0')}; }} 2>/dev/null | xargs -0r rm -rf --" for s in searches
    )
    looking = "; ".join(s("-print") for s in searches)
    script = (
        f"export LC_ALL=C; for tool in {TOOLS}; do command -v $tool >/dev/null "
        '|| { echo "no $tool in the image"; exit 1; }; done; '
        f"{{ {removing}; }} 2>/dev/null; "
        f"{{ {looking}; }} 2>&1 | grep -av ': Permission denied$' | head -n {MAX_SHOWN_LINES}; exit 0"
    )
    done = box.exec(Command(script, "/", spec.timeout))
    left = done.output.decode(errors="replace").strip()
    if left or not done.ok:
        raise NotRemoved(" ".join(left.split("\n")) or done.stopped or f"status {done.status}")


def describe_scrub(spec: EnvironmentSpec) -> tuple[str, ...]:
    """What `scrub` does for `spec`, as part of an environment's identity."""
    return (*spec.remove, str(spec.scrub), *((*NAMES, *PATHS) if spec.scrub else ()))


class _ScrubSearch:
    """A search below some folders; called with find's action it is a shell command."""

    def __init__(self, tops: tuple[str, ...], expression: str) -> None:
        self._tops, self._expression = tops, expression

    def __call__(self, action: str) -> str:
        tops = " ".join(shlex.quote(top) for top in self._tops)
        command = rf'find "$top" -xdev \( {self._expression} \) -prune {action}'
        return f'for top in {tops}; do [ ! -e "$top" ] && [ ! -L "$top" ] || {command}; done'


def _searches(spec: EnvironmentSpec, empty_workdir: bool) -> Iterator[_ScrubSearch]:
    for glob in spec.remove:
        yield _ScrubSearch(
            _fixed_folders(glob),
            f"-regextype posix-extended -regex {shlex.quote(expression_of(glob))}",
        )
    if spec.scrub:
        names = [f"-name {shlex.quote(name)}" for name in NAMES]
        paths = [f"-path {shlex.quote(path)}" for path in PATHS]
        skip_repository = rf"-path {spec.workdir} -prune -false"
        yield _ScrubSearch(TOPS, rf"{skip_repository} -o \( {' -o '.join(names + paths)} \)")
    if empty_workdir:
        link = f"-path {spec.workdir} -type l"
        yield _ScrubSearch((spec.workdir,), f"{link} -o -path {shlex.quote(spec.workdir + '/*')}")


def _fixed_folders(glob: str) -> tuple[str, ...]:
    """Where to look for what a glob stands for: its leading folders without a wildcard."""
    fixed: list[str] = []
    for name in glob.split("/")[1:]:
        if WILD.search(name):
            return ("/" + "/".join(fixed),) if fixed else TOPS
        fixed.append(name)
    return (glob,)


def expression_of(glob: str) -> str:
    """The glob as an extended regular expression; `**` crosses folders, `*` and `?` do not."""
    parts = WILD.split(glob)
    return "".join(EXTENDED.get(part) or "".join(map(_literal, part)) for part in parts)


def _literal(character: str) -> str:
    if character == "^":  # alone in brackets it would be an expression that is not whole
        return r"\^"
    plain = character.isalnum() or character in PLAIN
    # In brackets: POSIX leaves a backslash before an ordinary character undefined.
    return character if plain else f"[{character}]"

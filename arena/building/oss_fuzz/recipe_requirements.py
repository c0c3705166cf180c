"""The requirements in shell lines of a recipe: packages, clones and downloads, by their names there.

No line is run. Values that lines assign, words that loops go through and folders that they enter are followed
from top to bottom, as if each branch were taken.
"""

from __future__ import annotations

import itertools
import posixpath
import re
from collections import ChainMap
from collections.abc import Iterator, Mapping, Sequence
from string import Template

from arena.building.oss_fuzz.sources import archive
from parsers.shell import CLOSED, LOOP_WORDS, OPENED, script_commands

FOLDERS = {"SRC": "/src", "OUT": "/out", "WORK": "/work"}
URL = re.compile(r"(?:https?|git|ssh|svn|ftp)://\S+")
# What brings a repository, by program, as in `images/oss-fuzz/bin/git`.
CLONE = {"git": ("clone",), "hg": ("clone",), "svn": ("checkout", "co", "export")}
_OF_CLONES = """-b --branch --depth -o --origin -c --config -j --jobs --shallow-since --filter -r --rev -u
--updaterev --revision --reference --reference-if-able --template --username --password"""
# Options of these that a value follows, as there.
WITH_VALUE = frozenset(_OF_CLONES.split())
_CLUSTER = re.compile(r"-[qvnl]+[bocj]")
_INSTALLS_WITH = frozenset(
    ("-t", "--target-release", "-o", "-r", "--requirement", "-c", "-i", "--index-url")
)
_PIP = re.compile(r"(?:python[\d.]* )?pip[\d.]*")
_NONE = frozenset[str]()
_SHELL = ("then", "do", "if", "elif", "else", "while", "until", "!", "{")
_RUNNERS = frozenset(("sudo", "env", "time", "command", "exec", "timeout", "nice", "nohup"))
_BEFORE = _RUNNERS | {*_SHELL}
# What a command may stand behind, and what is asked of that; a function's name, a case's pattern.
_OF_BEFORE = re.compile(r"-|\d+(?:\.\d+)?[smhd]?$|(?:SIG)?(?:KILL|TERM|INT)$|[\w-]+\(\)$|[^()]*\)$")
_OF_SHELLS = re.compile(r"-[a-z]*c")
MAX_SHELLS = 3
_EXPORTS = frozenset(("export", "readonly", "local", "declare"))
_ASSIGNED = re.compile(r"([A-Za-z_]\w*)=(.*)", re.DOTALL)
_INNER = re.compile(r"\$\(([^()]{1,1000})\)|`([^`]{1,1000})`")
_STRUCTURE = {(word,) for word in (OPENED, CLOSED, *LOOP_WORDS)}
_DEFAULT = re.compile(r"\$\{(\w+):?-([^{}$]{0,1000})\}")
_UNKNOWN = re.compile(r"\$\{?[A-Za-z_]\w*\}?")
_NAMED = re.compile(r"\$\{?([A-Za-z_]\w*)")
# Loops within loops multiply, and values may name each other: a recipe of a few lines could fill the memory.
MAX_COMMAND, MAX_VALUE, MAX_LOOP, MAX_LOOPS, MAX_WORDS = 8 << 10, 1000, 40, 20, 500
# Characters that values may grow the lines of one reading to.
MAX_FILLED = 4 << 20


class Requirements:
    """Collects what lines ask for. `environment` may grow between two readings."""

    def __init__(self, environment: dict[str, str]) -> None:
        self.apt: list[str] = []
        self.pip: list[str] = []
        self.clones: list[str] = []
        self.archives: list[str] = []
        # What lines assign ends with their shell; ENV of the Dockerfile and the fixed folders stay.
        self._values = ChainMap({}, environment, FOLDERS)
        self._loops: dict[str, Sequence[str]] = {}
        self._blocks: list[tuple[str, str]] = []
        self._at, self._outer, self._room = "", list[str](), MAX_FILLED

    def read(self, text: str, workdir: str) -> list[tuple[str, str]]:
        """Take what `text` asks for, run in `workdir`; its clones (URL, folder)."""
        self._values.clear()
        self._loops.clear()
        self._blocks.clear()
        self._outer.clear()
        self._enter(workdir)
        clones: list[tuple[str, str]] = []
        for raw in _commands(text):
            for words in itertools.islice(self._each(raw, self._loops), MAX_LOOP):
                clones += self._take(words)
            if self._room < 0:
                break
        self.clones += [url for url, _ in clones]
        self._values.clear()  # they end with the shell
        return clones

    def expand_names(self, text: str) -> str:
        """`text` with the values of its variables, as far as they are certain, or with the defaults in it.

        As it is once values have grown the lines to MAX_FILLED.
        """
        if "$" not in text or self._room < 0:
            return text
        text = _DEFAULT.sub(lambda match: self._values.get(match[1], match[2]), text)
        expanded = Template(text).safe_substitute(self._values)
        self._room -= len(expanded)
        return expanded

    def _each(self, words: list[str], loops: Mapping[str, Sequence[str]]) -> Iterator[list[str]]:
        """A command for each combination of values of the loops that it names, with the values filled in."""
        named = [name for name in _NAMED.findall(" ".join(words)[:MAX_COMMAND]) if name in loops]
        name = named[0] if named else ""
        if not all(map(loops.get, named)):
            return
        if not name:
            yield list(itertools.chain(*map(self._words, words)))
            return
        others = {loop: values for loop, values in loops.items() if loop != name}
        reference = re.compile(rf"\$(?:{name}\b|\{{{name}\}})")
        for value in loops[name]:
            filled = [reference.sub(lambda _: value, word, count=20) for word in words[:MAX_WORDS]]  # noqa: B023
            self._room -= sum(map(len, filled))
            if self._room < 0:
                return
            yield from self._each(filled, others)

    def _words(self, word: str) -> list[str]:
        filled = self.expand_names(word)
        return [filled] if filled == word or _ASSIGNED.match(word) else filled.split()

    def _take(self, words: list[str], shells: int = 0) -> Iterator[tuple[str, str]]:
        if words and (words[0] in _RUNNERS or _UNKNOWN.fullmatch(words[0])):  # `$SUDO apt-get`
            words = list(itertools.dropwhile(_stands_before, words[1:]))
        head = words[0] if words else ""
        if verb := next((word for word in CLONE.get(head, ()) if word in words), None):
            at = words.index(verb)
            yield from _parse_clone(words[at + 1 :], self._folder(words[:at]))
        elif head in ("wget", "curl"):
            self.archives += [word for word in words if URL.fullmatch(word) and archive(word)]
        elif head in ("bash", "sh") and len(words) > 2 and _OF_SHELLS.fullmatch(words[1]):
            for inner in _commands(" ".join(words[2:])) if shells < MAX_SHELLS else ():
                yield from self._take(inner, shells + 1)
        elif "install" in words:
            self._install(words)
        else:
            self._follow(head, words)

    def _follow(self, head: str, words: list[str]) -> None:
        """Apply the effects of a command on those behind it: values, loops, the folder."""
        if head in _EXPORTS or _ASSIGNED.match(head):
            for name, value in (
                assignment.groups() for word in words if (assignment := _ASSIGNED.match(word))
            ):
                self._values[name] = value[:MAX_VALUE]
                self._loops.pop(name, None)
        elif head in ("for", "while"):
            name = words[1] if words[2:3] == ["in"] and words[1].isidentifier() else ""
            self._blocks.append((name, self._at))
            if name and len(self._loops) < MAX_LOOPS:
                self._loops[name] = [word[:MAX_VALUE] for word in words[3 : 3 + MAX_LOOP]]
        elif head == "done" and self._blocks:
            name, at = self._blocks.pop()
            self._loops.pop(name, None)
            self._enter(at)
        elif head in ("(", "pushd"):
            self._outer.append(self._at)
        elif head in (")", "popd") and self._outer:
            self._enter(self._outer.pop())
        named = head in ("cd", "pushd") and len(words) > 1 and not set("$-~") & set(words[-1][:1])
        if named and len(self._at) < MAX_VALUE:
            self._enter(posixpath.normpath(posixpath.join(self._at, words[-1])))

    def _enter(self, folder: str) -> None:
        self._at = self._values["PWD"] = folder

    def _folder(self, words: Sequence[str]) -> str:
        """The folder in which a command runs, with its options `-C`."""
        folders = [after for word, after in itertools.pairwise(words) if word == "-C"]
        return posixpath.join(self._at, *folders)

    def _install(self, words: list[str]) -> None:
        at = words.index("install")
        named, package_words = (
            list(_plain(words[:at], _NONE)),
            list(_plain(words[at + 1 :], _INSTALLS_WITH)),
        )
        if named[:1] in (["apt-get"], ["apt"]):
            self.apt += package_words
        elif _PIP.fullmatch(" ".join(named[:2])):
            self.pip += package_words


def _plain(words: Sequence[str], with_value: frozenset[str]) -> Iterator[str]:
    """The words that are no options, nor values of those in `with_value`."""
    value = False
    for word in words:
        if not value and not word.startswith("-"):
            yield word
        value = word in with_value or (with_value is WITH_VALUE and bool(_CLUSTER.fullmatch(word)))


def _parse_clone(words: list[str], workdir: str) -> Iterator[tuple[str, str]]:
    """The URL and the folder of a clone with these words."""
    plain = list(_plain(words, WITH_VALUE))
    if plain and URL.fullmatch(plain[0]):
        named = plain[0].rstrip("/").removesuffix("/.git").rpartition("/")[2].removesuffix(".git")
        folder = plain[1] if len(plain) > 1 else named
        yield plain[0], posixpath.normpath(posixpath.join(workdir, folder))


def _commands(text: str) -> Iterator[list[str]]:
    """The simple commands of shell lines, those of substitutions first, without what stands before each.

    Each bracket and each word of a loop is a separate command, and so is an assignment without a command.
    """
    for command in script_commands(text):
        if command.words in _STRUCTURE:
            yield list(command.words)
            continue
        words = [_INNER.sub(_known_output, word)[:MAX_COMMAND] for word in command.words]
        rest = list(itertools.dropwhile(_stands_before, words))
        if rest:
            yield [posixpath.basename(rest[0]) if "=" not in rest[0] else rest[0], *rest[1:]]
        elif command.env:
            yield [
                f"{name}={_INNER.sub(_known_output, value)[:MAX_COMMAND]}"
                for name, value in command.env
            ]


def _known_output(substitution: re.Match[str]) -> str:
    """What stands for a substitution: the folder's variable for `$(pwd)`, else a variable without a value."""
    return "$PWD" if "pwd" in substitution.groups() else "$_"


def _stands_before(word: str) -> bool:
    return bool(word in _BEFORE or _OF_BEFORE.match(word) or _ASSIGNED.match(word))

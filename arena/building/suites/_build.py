"""Facts of a shipped build command: which build systems it uses, and in which folders."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from parsers.shell import CLOSED, LOOP_WORDS, OPENED, Simple, script_commands

# A build script is the project's own text: the bound keeps a hostile one from holding the reader.
MAX_LINE = 64 << 10
_PASSED_OVER = LOOP_WORDS | {
    *("exec", "env", "time", "nice", "sudo", "command", "set", "-e", "-x", "-ex", "-eu", "-eux")
}
_ASSIGNMENT = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)=(.*)", re.DOTALL)
_VARIABLE = re.compile(r"\$(?:\{([A-Za-z_]\w*)\}|([A-Za-z_]\w*))")
_FOLDER = re.compile(r"(?!-)[A-Za-z0-9_.+@/-]{1,300}", re.ASCII)
_DEFINE = re.compile(r"-D([A-Za-z_][\w.:-]*?)(?::[A-Z]+)?=(\w*)")
CONFIGURING = frozenset({"autotools", "cmake", "meson"})
OFF = frozenset({"off", "false", "no", "0", "n", "disabled"})


@dataclass(frozen=True)
class Use:
    """A program that a build command runs, and the build folder: "" the root, None when not certain.

    A folder outside of the working directory is absolute.
    """

    program: str
    folder: str | None


@dataclass(frozen=True)
class BuildFacts:
    """A shipped build command as read. `defines` are its `-DNAME=VALUE`; `script`: the build systems by which
    a script that it runs builds the project (OSS-Fuzz's `compile` runs the recipe's `build.sh`)."""

    line: str = ""
    used: tuple[Use, ...] = ()
    defines: Mapping[str, str] = field(default_factory=dict)
    ctest: tuple[int, int] = (3, 25)
    script: frozenset[str] = frozenset()

    def uses(self, program: str) -> bool:
        return any(use.program == program for use in self.used)

    def folder(self, program: str) -> str | None:
        """The first folder that `program` builds in; None when the command does not name it."""
        folders = (use.folder for use in self.used if use.program == program)
        return next((folder for folder in folders if folder is not None), None)

    def turns_off(self, name: str) -> bool:
        return self.defines.get(name, "").lower() in OFF - {""}


def read_build(
    line: str,
    workdir: str = "",
    ctest: tuple[int, int] = (3, 25),
    project: str = "",
    script: str = "",
) -> BuildFacts:
    """Read a shell line, run in `workdir`, without running it. What cannot be read is left out; nothing is
    raised. project: the folder in `workdir` to which build folders are relative; script: what the line runs.
    """
    commands = script_commands(line[:MAX_LINE])
    words = (word for command in commands for word in command.words)
    defines = {m[1]: m[2] for word in words if (m := _DEFINE.fullmatch(word))}
    of_script = _uses(script_commands(script[:MAX_LINE]), "", "")
    within = _projects([use.program for use in of_script])
    return BuildFacts(line, tuple(_uses(commands, workdir, project)), defines, ctest, within)


def _projects(programs: Sequence[str]) -> frozenset[str]:
    """Those from the last that configures on: dependencies are built before the project."""
    begins = max((n for n, program in enumerate(programs) if program in CONFIGURING), default=0)
    used = frozenset(programs[begins:])
    return used - {"make"} if "cmake" in used else used  # whose tool it is then


def _uses(commands: Iterable[Simple], workdir: str, project: str) -> list[Use]:
    reader = _BuildReader(workdir, project)
    for command in commands:
        reader.take(command)
    return reader.used


class _BuildReader:
    """Follows `cd`, subshells and plain assignments through a line."""

    def __init__(self, workdir: str, project: str) -> None:
        self.used: list[Use] = []
        self._begins = workdir.rstrip("/")
        self._workdir = posixpath.join(self._begins, project).rstrip("/")
        self._at: str | None = posixpath.relpath(".", project) if project else ""
        self._outer: list[str | None] = []
        self._variables = {"PWD": self._begins or "."}

    def take(self, command: Simple) -> None:
        if command.words == (OPENED,):
            self._outer.append(self._at)
        elif command.words == (CLOSED,):
            self._at = self._outer.pop() if self._outer else self._at
        elif command.words:
            self._run([self._expand_word(word) for word in command.words])
        else:
            for name, value in command.env:
                if name != "PWD":
                    self._variables[name] = self._expand_word(value)[:300]

    def _run(self, words: list[str]) -> None:
        while words and (words[0] in _PASSED_OVER or _ASSIGNMENT.fullmatch(words[0])):
            words.pop(0)
        if not words:
            return
        program = posixpath.basename(words[0])
        if program in ("cd", "pushd"):
            self._at = self._place(words[1]) if len(words) > 1 else None
        elif program in PROGRAMS:
            system, folder_of = PROGRAMS[program]
            folder = folder_of(words[1:])
            if folder is not None:
                self.used.append(Use(system, self._place(folder)))

    def _expand_word(self, word: str) -> str:
        # Unknown variables stay as they are, so the word is no plain folder and the place counts as unknown.
        return _VARIABLE.sub(lambda m: self._variables.get(m[1] or m[2], m[0]), word)[:1000]

    def _place(self, folder: str) -> str | None:
        """`folder` relative to the working directory ("" for it), absolute outside of it."""
        if self._at is None and not folder.startswith("/"):
            return None
        if not _FOLDER.fullmatch(folder):
            return None
        path = posixpath.normpath(posixpath.join(self._at or "", folder))
        if self._workdir:
            absolute = posixpath.normpath(posixpath.join(self._workdir, path))
            inside = _is_below(absolute, self._workdir)
            path = posixpath.relpath(absolute, self._workdir) if inside else absolute
            if not (inside or path.startswith("/")):
                return None
        if path.startswith(".."):
            return None
        return "" if path == "." else path


def _is_below(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder + "/")


def _option_value(words: Sequence[str], *options: str) -> str | None:
    """The value of the first of `options`: `-B x`, `-Bx` or `--build=x`."""
    for number, word in enumerate(words):
        for option in options:
            if word == option:
                return words[number + 1] if number + 1 < len(words) else None
            if word.startswith(option + "=") or (len(option) == 2 and word.startswith(option)):
                return word.removeprefix(option).removeprefix("=")
    return None


def _cmake(words: Sequence[str]) -> str | None:
    # In these modes cmake runs tools or scripts, or installs, and builds nothing.
    if {"-E", "-P", "--install"} & set(words):
        return None
    return _option_value(words, "--build", "-B") or "."


def _meson(words: Sequence[str]) -> str | None:
    pairs = zip(("", *words), words, strict=False)
    plain = [word for before, word in pairs if not word.startswith("-") and before != "-D"]
    if plain[:1] == ["setup"]:
        return plain[1] if len(plain) > 1 else "."
    if plain[:1] and plain[0] in ("compile", "install", "test", "configure"):
        return _option_value(words, "-C") or (
            plain[1] if plain[0] == "configure" and plain[1:] else "."
        )
    return plain[0] if plain else "."


def _folder_option(words: Sequence[str]) -> str | None:
    return _option_value(words, "-C", "--directory") or "."


def _current_folder(words: Sequence[str]) -> str | None:
    return "."


# Program -> build system, and what finds its build folder in the words after it (None: no build).
PROGRAMS: dict[str, tuple[str, Callable[[Sequence[str]], str | None]]] = {
    "cmake": ("cmake", _cmake),
    "meson": ("meson", _meson),
    "ninja": ("ninja", _folder_option),
    **dict.fromkeys(("make", "gmake"), ("make", _folder_option)),
    **dict.fromkeys(
        ("configure", "autogen.sh", "autoreconf", "bootstrap", "bootstrap.sh", "buildconf"),
        ("autotools", _current_folder),
    ),
}

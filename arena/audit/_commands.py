"""What a command line comes down to: wrappers taken off, shells within shells opened, what it writes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, MutableMapping
from dataclasses import replace

from parsers.shell import MAX_COMMANDS, MAX_TEXT, Simple, simple_commands

SHELLS = frozenset({"sh", "bash", "dash", "ash", "zsh", "ksh"})
# Name without version -> options whose value is code.
INTERPRETERS = {
    "python": ("-c",),
    "perl": ("-e", "-E", "-ne", "-pe"),
    "ruby": ("-e",),
    "node": ("-e", "--eval", "-p"),
    "php": ("-r",),
}
# Programs that run what follows -> their options that take a word.
WRAPPERS: Mapping[str, tuple[str, ...]] = {
    "sudo": ("-u", "-g", "-C", "-h", "-p"),
    "doas": ("-u",),
    "env": ("-u", "-C", "-S"),
    "nohup": (),
    "time": ("-o", "-f"),
    "timeout": ("-s", "-k", "--signal", "--kill-after"),
    "nice": ("-n",),
    "ionice": ("-c", "-n"),
    "stdbuf": ("-i", "-o", "-e"),
    "exec": ("-a",),
    "command": (),
    "builtin": (),
    "setsid": (),
    "busybox": (),
    "xargs": ("-I", "-n", "-P", "-L", "-d", "-s", "-E", "-a"),
    "watch": ("-n",),
    "unbuffer": (),
}
Scripts = MutableMapping[str, str]
# Wrappers and shells within each other that are opened: a text that opens itself has to end.
DEEPEST = 6
_VERSION = re.compile(r"[\d.]+$")
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=", re.ASCII)
_CODE_OPTION = re.compile(r"-[a-z]*c[a-z]*", re.ASCII)


def base(program: str) -> str:
    """`python3.11` -> `python`."""
    return _VERSION.sub("", program)


def commands(text: str, scripts: Scripts | None = None) -> list[Simple]:
    """The commands that a shell text runs, with the code that it passes to interpreters.

    scripts: what was written before, by its last name. A script that is run is opened, and taken out: so each
    is looked at once for each time that it is written.
    """
    script_texts = {} if scripts is None else scripts
    simple_found: list[Simple] = []
    for simple in _unwrap_commands(text, script_texts, 0):
        simple_found.append(replace(simple, code=_code_of(simple, script_texts)))
        for path, written in written_by(simple):
            remember(script_texts, path, written)
        if len(simple_found) >= MAX_COMMANDS:
            break
    return simple_found


def remember(scripts: Scripts, path: str, text: str) -> None:
    """Keep what was written to a file, in case that it is run."""
    # An agent may write any number of files; one that is not kept is not opened when it is run.
    if text and len(scripts) < MAX_COMMANDS:
        scripts[_last(path)] = text[:MAX_TEXT]


def _unwrap_commands(text: str, scripts: Scripts, depth: int) -> Iterator[Simple]:
    for simple in simple_commands(text):
        for inner in _unwrap_command(simple):
            yield inner
            if depth < DEEPEST:
                for more in _texts_run(inner, scripts):
                    yield from _unwrap_commands(more, scripts, depth + 1)


def _unwrap_command(simple: Simple) -> Iterator[Simple]:
    """The command without `sudo`, `env`, `xargs` and the like, and those that `find` runs."""
    for _ in range(DEEPEST):
        if simple.program not in WRAPPERS or len(simple.words) == 1:
            break
        simple = _strip_wrapper(simple, WRAPPERS[simple.program])
    yield simple
    if simple.program == "find":
        yield from _commands_of_find(simple)


def _strip_wrapper(simple: Simple, with_value: tuple[str, ...]) -> Simple:
    words, at, env = simple.words, 1, list(simple.env)
    while at < len(words):
        word = words[at]
        if word.startswith("-") and word != "-":
            at += 2 if word in with_value else 1
        elif _ASSIGNMENT.match(word):
            name, _, value = word.partition("=")
            env.append((name, value))
            at += 1
        # The first word of `timeout 10 make` is a duration and not the command.
        elif simple.program == "timeout" and word[:1].isdigit():
            at += 1
        else:
            break
    return replace(simple, words=words[at:], env=tuple(env))


def _commands_of_find(simple: Simple) -> Iterator[Simple]:
    words = simple.words
    for at, word in enumerate(words):
        if word in ("-exec", "-execdir", "-ok", "-okdir"):
            ends = [n for n in range(at + 1, len(words)) if words[n] in (";", "+", "\\;")][:1]
            yield Simple(words[at + 1 : ends[0] if ends else len(words)], after=words[:at])
            return


def _texts_run(simple: Simple, scripts: Scripts) -> Iterator[str]:
    """Texts that a command gives to a shell."""
    program, arguments = simple.program, simple.arguments
    if program == "eval":
        yield " ".join(arguments)
    elif program == "su" and "-c" in arguments[:-1]:
        yield arguments[arguments.index("-c") + 1]
    elif program in SHELLS:
        yield from _scripts_of_shell(simple, scripts)
    elif program in ("source", ".") and arguments:
        yield scripts.pop(_last(arguments[0]), "")
    elif simple.words and "/" in simple.words[0]:
        yield scripts.pop(program, "")


def _scripts_of_shell(simple: Simple, scripts: Scripts) -> Iterator[str]:
    rest = list(simple.arguments)
    while rest and rest[0].startswith(("-", "+")):
        if _CODE_OPTION.fullmatch(rest[0]):
            yield from rest[1:2]
            return
        rest = rest[2 if rest[0] in ("-o", "+o", "--rcfile", "--init-file") else 1 :]
    if rest:
        yield scripts.pop(_last(rest[0]), "")
        return
    yield simple.here_document
    # What runs in `echo ... | sh` is what the pipe brings.
    if simple.after[:1] in (("echo",), ("printf",)):
        yield " ".join(simple.after[1:])
    for name in simple.reads:
        yield scripts.pop(_last(name), "")


def _code_of(simple: Simple, scripts: Scripts) -> str:
    """The program text for an interpreter: as an argument, by a here-document or as a script."""
    options = INTERPRETERS.get(base(simple.program))
    if options is None:
        return ""
    for at, word in enumerate(simple.arguments[:-1]):
        if word in options:
            return simple.arguments[at + 1][:MAX_TEXT]
    plain = [word for word in simple.arguments if not word.startswith("-") or word == "-"]
    if plain and plain[0] != "-":
        return scripts.pop(_last(plain[0]), "")[:MAX_TEXT]
    return simple.here_document[:MAX_TEXT]


def written_by(simple: Simple) -> list[tuple[str, str]]:
    """Files that a command writes, as far as it shows, with the text that goes in: (path, text)."""
    program, arguments = simple.program, simple.arguments
    text = simple.here_document
    if program in ("echo", "printf"):
        text = " ".join(arguments)
    elif simple.after[:1] in (("echo",), ("printf",)):
        text = " ".join(simple.after[1:])
    plain = [word for word in arguments if not word.startswith("-")]
    paths = list(simple.writes)
    if program == "tee":
        paths += plain
    elif program in ("sed", "perl") and any(re.match(r"-\w*i", word) for word in arguments):
        # In place: the first word is the expression, and the others are the files that it changes.
        paths, text = [*paths, *plain[1:]], plain[0] if plain else ""
    elif program in ("cp", "mv", "ln", "install") and len(plain) > 1:
        paths += [plain[-1], *_destinations(plain)]
    # `> /dev/null` leaves nothing that could be run or tampered with.
    return [(path, text) for path in paths if not path.startswith("/dev/")]


def _destinations(plain: list[str]) -> list[str]:
    """Where files land when the last word is a folder."""
    folder = plain[-1].rstrip("/")
    return [f"{folder}/{_last(name)}" for name in plain[:-1][:50]]


def _last(path: str) -> str:
    return path.rstrip("/").rpartition("/")[2]

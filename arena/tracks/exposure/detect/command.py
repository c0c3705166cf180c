"""Commands of the system into which an attacker can write (CWE-78).

A sink is a call that starts a program. It is vulnerable where untrusted data is in text that a shell reads,
in a command that is a text, or in the name of the program. A list of arguments that no shell reads does no
harm: what stands behind the program's name stays an argument.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from itertools import pairwise

from arena.tracks.exposure.detect._characters import TaintedText
from arena.tracks.exposure.detect._detector import (
    Detector,
    DetectorExample,
    Finding,
    Verdict,
    not_applicable,
    unknown,
    vulnerable,
)
from arena.tracks.exposure.detect._followed import first_of, judged_parts
from arena.tracks.exposure.detect._tainted import asked_unseen, matching
from arena.tracks.exposure.flow.facts import CallFact, Flow, ProgramFacts, Value

# Characters by which a shell ends a command or begins another.
_HARMFUL = ";&|`$<>\n"
_SANITIZERS = matching(
    r"shlex\.(?:quote|join)|pipes\.quote|mslex\.quote|ipaddress\.\w+|int|float|bool|len|ord|hash|uuid\.UUID|round"
    r"|urllib\.parse\.quote(?:_plus)?|urllib\.quote(?:_plus)?|\.port|\.hexdigest|django\.utils\.text\.slugify"
    r"|werkzeug\.utils\.secure_filename|netaddr\.IPAddress|socket\.gethostbyname|dns\.resolver\.\w+"
    r"|\?\w*(?:escape|sanit|quote|clean|valid)\w*"
)
# Calls whose first argument is text for a shell, on this machine or another.
_TEXT = re.compile(
    r"os\.(?:system|popen[234]?)|popen2\.\w+|(?:commands|subprocess)\.get(?:status)?output"
    r"|asyncio\.(?:subprocess\.)?create_subprocess_shell|w?pexpect\.(?:spawnu?|runu?|popen_spawn\.PopenSpawn)"
    r"|invoke\.(?:run|sudo)|fabric\.(?:api\.|operations\.)?(?:local|run|sudo)|(?:envoy|delegator|pexpect\.pxssh)\.run"
    r"|(?:fabric\.Connection|invoke\.Context)\(\)\.(?:run|sudo|local)|platform\.popen"
    r"|.*\.(?:exec_command|subprocess_shell|getstatusoutput)"
)
# Calls whose first argument is a list, or one text; `shell` gives it to a shell.
_LIST = re.compile(
    r"(?:(?:gevent|eventlet\.green)\.)?subprocess\.(?:run|call|check_call|check_output|Popen)|psutil\.Popen"
    r"|(?:trio|anyio)\.(?:run_process|open_process)|distutils\.spawn\.spawn|subprocess32\.\w+"
    r"|\?(?:Popen|check_output|check_call)"
)
# Calls whose arguments are the words of the command.
_WORDS = re.compile(
    r"asyncio\.(?:subprocess\.)?create_subprocess_exec|.*\.subprocess_exec|sh\.\w+|sh\.Command\(\)"
)
# os.spawn* take a mode first; those with an "l" take the words as arguments, the others as a list.
_EXEC = re.compile(r"os\.(?:(?P<spawn>spawn)|exec|posix_spawn)(?P<words>l)?\w*")
_SHELLS = re.compile(
    r"(?:.*[\\/])?(?:(?:ba|z|da|k|a|c|tc|fi)?sh|busybox|env|su|python[23]?|perl|ruby|node)"
)
_SCRIPT_OPTION = re.compile(r"-\w*[ce]|--command|--eval")
_WINDOWS_SHELLS = re.compile(r"(?:.*[\\/])?(?:cmd|powershell|pwsh|ssh)(?:\.exe)?", re.IGNORECASE)
_LISTED = re.compile(r"(?:typing\.|t\.)?(?:list|tuple|sequence|iterable)\b(?!.*\|\s*str)", re.I)
# Calls of what is not defined here, by whose name they may start a program.
_WRAPPER = re.compile(
    r"(?=[?$<]).*?[._?$>]_?(?:\w+_)?(?:execute|exec|run|system|popen|shell|call|spawn|cmd|command|check_output"
    r"|check_call|ssh)(?:_\w+)?",
    re.IGNORECASE,
)
_OWNER = re.compile(r"^<[^>]*>\(\)")
_SHELL_NAME = re.compile(r"ssh|cmd|command|shell|cli|system|popen|exec|run", re.IGNORECASE)
# How the text of a command begins: a program's name and a blank.
_COMMAND = re.compile(r"\s*(?:sudo\s+)?[a-z./~][\w./-]*\s")
_QUERY = re.compile(r"sql|query|cursor|\bdb\b|conn|session|engine|executor|loop|thread|test", re.I)
# Of `shell` among the arguments of subprocess.Popen.
_SHELL_POSITION = 8


def _read_by_shell(words: tuple[Value, ...]) -> Iterator[Value]:
    """The words of a command that the program itself reads as code, when it is a shell."""
    programs = words[0].texts if words else ()
    # They join all words behind them to one line and read that.
    if any(_WINDOWS_SHELLS.fullmatch(program) for program in programs):
        yield from words[1:]
    if any(_SHELLS.fullmatch(program) for program in programs):
        for option, script in pairwise(words[1:]):
            if any(_SCRIPT_OPTION.fullmatch(text) for text in option.texts):
                yield script


def _words(command: Value) -> tuple[Value, ...] | None:
    """The words of a command that is a list, None for a text or an unknown command."""
    if command.items is None and command.pieces:
        return command.pieces[0].items
    return command.items


def _critical_of_words(words: tuple[Value, ...]) -> Iterator[Value]:
    yield from words[:1]
    yield from _read_by_shell(words)


def _critical_of_list(call: CallFact, lists: frozenset[str]) -> Iterator[Value]:
    command = call.argument(0, "args", "command", "cmd", "popenargs")
    if command is not None and not command.pieces and command.paths <= lists and command.paths:
        # A list that an annotation promises cannot be text, whatever its words are.
        command = None if not _has_shell(call) else command
    words = None if command is None else _words(command)
    if words is not None:
        yield from _critical_of_words(words)
    if command is not None and (words is None or (command.items is not None and command.pieces)):
        yield command if words is None else Value(flows=_flows_of_pieces(command))
    if "executable" in call.keywords:
        yield call.keywords["executable"]


def _flows_of_pieces(command: Value) -> frozenset[Flow]:
    """Data in the pieces of a command that is a list on a branch, and text on another."""
    return frozenset(flow for piece in command.pieces for flow in piece.flows)


def _critical_of_exec(call: CallFact, spawn: bool, listed: bool) -> Iterator[Value]:
    arguments = call.arguments[1:] if spawn else call.arguments
    yield from arguments[:1]
    words = arguments[1:] if listed else (arguments[1].items or () if len(arguments) > 1 else ())
    yield from _read_by_shell(tuple(words))


def _annotated_lists(facts: ProgramFacts) -> frozenset[str]:
    """Paths of parameters that are annotated as lists: no text, whatever their words are."""
    every = (node for node in ast.walk(facts.tree) if isinstance(node, ast.arg) and node.annotation)
    return frozenset(
        f"${item.arg}" for item in every if _LISTED.match(ast.unparse(item.annotation or item))
    )


def _critical(call: CallFact, lists: frozenset[str]) -> tuple[Value, ...] | None:
    """What must not be tainted of a call that starts a program; None for another call."""
    for path in sorted(call.paths):
        if _TEXT.fullmatch(path):
            return tuple(_command_text(call, path))
        if _LIST.fullmatch(path):
            return tuple(_critical_of_list(call, lists))
        if _WORDS.fullmatch(path):
            # The library `sh` starts programs without a shell, each by its own function.
            if path.startswith("sh."):
                return ()
            # A method of the event loop takes the protocol's factory first.
            start = 1 if path.endswith("subprocess_exec") and "create_" not in path else 0
            arguments = call.arguments[start:]
            words = tuple(word for item in arguments for word in (item.items or (item,)))
            return tuple(_critical_of_words(words))
        if match := _EXEC.fullmatch(path):
            return tuple(_critical_of_exec(call, bool(match["spawn"]), bool(match["words"])))
    return None


def _command_text(call: CallFact, path: str) -> Iterator[Value]:
    position = 1 if path.endswith(".subprocess_shell") else 0
    command = call.argument(position, "command", "cmd")
    if command is not None:
        yield command


def _has_shell(call: CallFact) -> bool:
    shell = call.argument(_SHELL_POSITION, "shell")
    return shell is not None and any(shell.constants)


def _judge(facts: ProgramFacts) -> Finding:
    data = TaintedText(facts, _HARMFUL, _SANITIZERS)
    lists = _annotated_lists(facts)
    findings: list[Finding] = []
    for call in facts.calls:
        critical = _critical(call, lists)
        if critical is None:
            findings += _judge_wrapped(call, data)
            continue
        for value in critical:
            flow = data.first(value, call.checks)
            if flow is not None and (reason := asked_unseen(flow, call.checks)):
                findings.append(unknown(call.line, reason))
            elif flow is not None:
                how = (
                    "text for a shell" if _has_shell(call) else "the command's text or its program"
                )
                return vulnerable(
                    call.line, f"{flow.source.name} reaches {min(call.paths)} as {how}"
                )
        findings.append(_judge_harmless(call, critical, data.kept_by(critical, call.checks)))
    return first_of(findings) or not_applicable("no command is started")


def _judge_harmless(call: CallFact, critical: tuple[Value, ...], why: str | None) -> Finding:
    """The finding for a command without untrusted data in its text or program."""
    name = min(call.paths).lstrip("?$")
    if not critical and not any(_WORDS.fullmatch(path) for path in call.paths):
        return unknown(call.line, f"{name} starts whatever program the caller's list names")
    if why is None:
        why = "its text and its program are constants, numbers or the program's own"
        if call.values and any(value.untrusted_flows for value in call.values):
            why = "untrusted data is an argument of its own, which no shell reads"
    return judged_parts(call.line, critical, "the command", f"{name}: {why}")


def _judge_wrapped(call: CallFact, data: TaintedText) -> Iterator[Finding]:
    """Untrusted data handed to a function of somebody else that may start a program."""
    named = [path for path in call.paths if _WRAPPER.fullmatch(path) and not _QUERY.search(path)]
    if (
        not named
        or "()" in _OWNER.sub("", named[0])
        or not any(value.untrusted_flows for value in call.values)
    ):
        return
    name = _OWNER.sub("self", min(named)).lstrip("?$")
    text = next((value for value in call.values if _COMMAND.match(_start(value))), None)
    flow = data.first(text, call.checks)
    if flow is not None and _SHELL_NAME.search(name):
        yield vulnerable(
            call.line, f"{flow.source.name} is in a command's text that {name}() is given"
        )
    else:
        yield unknown(call.line, f"{name}() may start a program: what it does is not seen")


def _start(value: Value) -> str:
    """The text that what is put together begins with."""
    return next(iter(value.pieces[0].texts), "") if len(value.pieces) > 1 else ""


_EXAMPLE = """import os, shlex, subprocess, socket
from flask import Flask, request
app = Flask(__name__)
@app.get("/ping")
def ping():
    host = request.args["host"]
    return str({})
"""

PLUGIN = Detector(
    "untrusted data in a command of the system",
    ("CWE-78",),
    _judge,
    (
        DetectorExample(
            "put into text that a shell reads",
            _EXAMPLE.format('os.system("ping -c 1 " + host)'),
            Verdict.VULNERABLE,
        ),
        DetectorExample(
            "a shell that is started by name",
            _EXAMPLE.format('subprocess.run(["sh", "-c", f"ping -c 1 {host}"])'),
            Verdict.VULNERABLE,
        ),
        DetectorExample(
            "an argument of its own",
            _EXAMPLE.format('subprocess.run(["ping", "-c", "1", host])'),
            Verdict.SAFE,
        ),
        DetectorExample(
            "quoted for the shell",
            _EXAMPLE.format('os.system("ping -c 1 " + shlex.quote(host))'),
            Verdict.SAFE,
        ),
        DetectorExample(
            "the name of a shell in a variable",
            _EXAMPLE.format('asyncio.create_subprocess_exec(SHELL, [SHELL, "-c", host])')
            + 'SHELL = "bash"\nimport asyncio\n',
            Verdict.VULNERABLE,
        ),
        DetectorExample(
            "a list of the caller",
            "import subprocess\n\ndef run(words: list[str]):\n    subprocess.run(words)\n",
            Verdict.UNKNOWN,
        ),
        DetectorExample(
            "no command at all",
            _EXAMPLE.format("socket.create_connection((host, 80))"),
            Verdict.NOT_APPLICABLE,
        ),
    ),
)

"""CWE-732: a file with a secret can be read or written by others than its owner."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from arena.tracks.exposure.detect._detector import (
    Detector,
    DetectorExample,
    Finding,
    Verdict,
    not_applicable,
    safe,
    unknown,
    vulnerable,
)
from arena.tracks.exposure.detect._files import written_file
from arena.tracks.exposure.detect._modes import (
    OTHERS,
    Changes,
    Mode,
    changes_of,
    mode_of_command,
    widest_mode,
)
from arena.tracks.exposure.detect._tainted import NOT_SEEN
from arena.tracks.exposure.flow.facts import CallFact, Constant, ProgramFacts, Value

# What they make only its owner can open (documentation of tempfile).
_TEMPORARY = tuple(
    f"tempfile.{name}()"
    for name in ("mkstemp", "NamedTemporaryFile", "TemporaryFile", "mkdtemp", "TemporaryDirectory")
)
_ALREADY_OPEN = (*_TEMPORARY, "os.open()")
# Functions that give the file of their first argument a mode, and where the mode stands.
_MODE_AT = {"os.chmod": 1, "os.lchmod": 1, "os.fchmod": 1, "os.mknod": 1, "os.open": 2}
_METHODS = (".chmod", ".touch")
_SHELLS = frozenset(
    (
        "os.system", "os.popen", "subprocess.run", "subprocess.call", "subprocess.check_call",
        "subprocess.check_output", "subprocess.Popen", "subprocess.getoutput", "subprocess.getstatusoutput",
        "commands.getoutput", "commands.getstatusoutput",
    )
)  # fmt: skip
_ACCESS_LISTS = frozenset(("win32security.SetFileSecurity", "win32security.SetNamedSecurityInfo"))


@dataclass(frozen=True)
class _SetMode:
    """A mode that is set on a file; `file` is None where the file cannot be determined."""

    mode: Mode
    file: Value | None
    call: CallFact


@dataclass(frozen=True)
class _CreatedFile:
    """A file that is created by its name; `private` where it is only its owner's from the beginning."""

    file: Value
    private: bool
    call: CallFact


@dataclass(frozen=True)
class _Cover:
    """The files on which modes are set: by name, and whether there are some with an unknown name."""

    names: frozenset[Constant]
    unknown: bool

    @classmethod
    def from_modes(cls, values: list[_SetMode], running: bool) -> _Cover:
        """running: leave out what stands in functions that the program itself never calls."""
        counted = [item for item in values if not (running and item.call.entry)]
        files = [item.file for item in counted if item.file is not None and item.file.exact]
        names = frozenset(name for file in files for name in file.constants)
        return cls(names, len(files) < len(counted))

    def has(self, file: Value) -> bool:
        if self.unknown:
            return True
        return not self.names.isdisjoint(file.constants) if file.exact else bool(self.names)


def _judge(facts: ProgramFacts) -> Finding:
    changes = changes_of(facts.tree)
    values = [item for call in facts.calls if (item := _mode_of_call(call, changes))]
    for item in values:
        if item.mode.others:
            return vulnerable(
                item.call.line, f"the mode {item.mode.shown} lets others than the owner in"
            )
    written = list(_written_files(facts))
    running, every = (
        _Cover.from_modes(values, running=True),
        _Cover.from_modes(values, running=False),
    )
    for result in written:
        called = bool(result.call.entry) or "opener" in result.call.keywords
        if not result.private and not (every if called else running).has(result.file):
            return vulnerable(
                result.call.line, "a file is written and never kept from group and others"
            )
    if values:
        unseen = next((item for item in values if NOT_SEEN in item.mode.shown), None)
        if unseen is not None:
            return unknown(unseen.call.line, unseen.mode.shown)
        return safe(values[0].call.line, f"only the owner is let in: {values[0].mode.shown}")
    if written:
        return safe(written[0].call.line, "the file is its owner's alone from the beginning")
    return not_applicable("no file is written and no mode is set")


def _mode_of_call(call: CallFact, changes: Changes) -> _SetMode | None:
    """The mode that a call gives to a file, if it does."""
    for path in sorted(call.paths & _MODE_AT.keys()):
        place = _MODE_AT[path]
        mode = call.argument(place, "mode")
        # A descriptor has no name.
        file = None if path == "os.fchmod" else call.argument(0, "path")
        return (
            _SetMode(widest_mode(mode, _node(call, place), changes), file, call) if mode else None
        )
    if call.ends(*_METHODS) and (mode := call.argument(0, "mode")) is not None:
        return _SetMode(widest_mode(mode, _node(call, 0), changes), call.receiver, call)
    if (mode := _opener(call)) is not None:
        return _SetMode(widest_mode(mode, None, changes), call.argument(0, "file"), call)
    if call.paths & _SHELLS and (command := call.argument(0, "args", "command")) is not None:
        result = mode_of_command(command)
        return _SetMode(result, None, call) if result else None
    if call.paths & _ACCESS_LISTS:
        return _SetMode(Mode(False, f"what the access list says {NOT_SEEN}"), None, call)
    return None


def _opener(call: CallFact) -> Value | None:
    """The mode that opener=functools.partial(os.open, mode=...) makes files with."""
    result = call.keywords.get("opener")
    if result is None or not result.items or not result.items[0].is_("os.open"):
        return None
    return (result.pairs or {}).get("mode")


def _node(call: CallFact, place: int) -> ast.expr | None:
    named = next((keyword.value for keyword in call.node.keywords if keyword.arg == "mode"), None)
    return named or (call.node.args[place] if place < len(call.node.args) else None)


def _written_files(facts: ProgramFacts) -> Iterator[_CreatedFile]:
    """Files that are created, in order; after os.umask(0o077) they are private."""
    creates = "O_CREAT" in facts.source
    masked, inside = False, _calls_under_managers(facts)
    for call in facts.calls:
        if call.is_("os.umask") and call.arguments:
            # In the order of calls: it holds for files that are made after it.
            masked = _masks(call.arguments[0])
        elif call.result.ends(*_TEMPORARY):
            yield _CreatedFile(call.result, True, call)
        elif (file := _file_made(call, creates)) is not None:
            private = masked or id(call.node) in inside or _comes_of(file, _ALREADY_OPEN)
            yield _CreatedFile(file, private, call)


def _masks(mask: Value) -> bool:
    """Whether a umask keeps new files from everybody but their owner."""
    return bool(mask.numbers) and all(number & OTHERS == OTHERS for number in mask.numbers)


def _calls_under_managers(facts: ProgramFacts) -> frozenset[int]:
    """Calls within `with f():` where f sets a umask before it yields, and takes it back only afterwards."""
    setting = {
        call.function
        for call in facts.calls_of("os.umask")
        if call.arguments and _masks(call.arguments[0])
    }
    numbers: set[int] = set()
    for node in ast.walk(facts.tree) if setting else ():
        if isinstance(node, ast.With) and any(_opens(item, setting) for item in node.items):
            numbers.update(id(item) for item in ast.walk(node) if isinstance(item, ast.Call))
    return frozenset(numbers)


def _opens(item: ast.withitem, functions: set[str]) -> bool:
    context_expr = item.context_expr
    return (
        isinstance(context_expr, ast.Call)
        and isinstance(context_expr.func, ast.Name)
        and context_expr.func.id in functions
    )


def _file_made(call: CallFact, creates: bool) -> Value | None:
    if call.is_("os.open") and creates and call.argument(2, "mode") is None:
        return call.argument(0, "path")
    return written_file(call)


def _comes_of(file: Value, makers: tuple[str, ...]) -> bool:
    parts = (file, *file.pieces)
    return any(path.startswith(makers) for part in parts for path in part.paths)


_SAVED = "import os\nwith open('secret.txt', 'w') as out:\n    out.write('secret')\n"

PLUGIN = Detector(
    title="a secret's file is open to others",
    cwes=("CWE-732",),
    judge=_judge,
    examples=(
        DetectorExample(
            "everybody reads", _SAVED + "os.chmod('secret.txt', 0o644)\n", Verdict.VULNERABLE
        ),
        DetectorExample("chmod is missing", _SAVED, Verdict.VULNERABLE),
        DetectorExample(
            "decimal for octal", _SAVED + "os.chmod('secret.txt', 600)\n", Verdict.VULNERABLE
        ),
        DetectorExample(
            "the owner alone", _SAVED + "os.chmod('secret.txt', 0o600)\n", Verdict.SAFE
        ),
        DetectorExample(
            "a mode of the caller",
            "import os\n\ndef keep(path, bits):\n    os.chmod(path, bits)\n",
            Verdict.UNKNOWN,
        ),
        DetectorExample(
            "nothing is written", "print(open('secret.txt').read())\n", Verdict.NOT_APPLICABLE
        ),
    ),
)

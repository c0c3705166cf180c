"""`subprocess` that starts nothing: the library's functions over a `Popen` with a canned result."""

from __future__ import annotations

import functools
import io
import os
import subprocess
from collections.abc import Callable
from types import FunctionType
from typing import Any

from arena.tracks.mutation.runner.mocks import Log, Supplied
from arena.tracks.mutation.runner.mocks._example import MockExample
from arena.tracks.mutation.runner.mocks._observe import ObservedModule, observed_module
from arena.tracks.mutation.runner.mocks._text import record_command

STATE: dict[str, Any] = {
    "last_command": None,
    "last_shell": False,
    "injection_detected": False,
    "dangerous_command_detected": False,
    "last_kwargs": {},
    "commands_executed": [],
}
INJECTING = (";", "&&", "||", "|", "`", "$(", "\n", "\r", ">", "<")
# What SecMutBench's MockSubprocess looks for in a line that goes to a shell.
DANGEROUS = (
    *("rm ", "cat /etc", "wget ", "curl ", "nc ", "/bin/sh", "/bin/bash"),
    *("python ", "perl ", "chmod ", "chown ", "sudo "),
)

OUTPUTS = (
    ("ping", "PING localhost (127.0.0.1): 56 data bytes"),
    ("cat /etc/passwd", "root:x:0:0:root:/root:/bin/bash"),
    ("whoami", "testuser"),
    ("ls", "file1.txt\nfile2.txt\ndir1"),
)
COPIED = ("run", "call", "check_call", "check_output", "getoutput", "getstatusoutput")


def line_of(args: Any) -> str:
    words = [args] if isinstance(args, str | bytes | os.PathLike) else list(args)
    return " ".join(os.fsdecode(word) for word in words)


def output_of(line: str) -> str:
    """What a command prints, unless a test set it."""
    if "echo " in line:
        return line.split("echo ", 1)[1].strip().strip("\"'")
    return next((text for word, text in OUTPUTS if word in line.lower()), "command executed")


class Results:
    """What the next processes print and return."""

    def __init__(self) -> None:
        self.stdout: str | bytes | None = None
        self.stderr: str | bytes = ""
        self.returncode = 0

    def set_result(
        self, stdout: str | bytes | None = None, stderr: str | bytes = "", returncode: int = 0
    ) -> None:
        """Set what processes print (None: by the command) and return from now on."""
        self.stdout, self.stderr, self.returncode = stdout, stderr, returncode


def _bytes(text: str | bytes) -> bytes:
    return text if isinstance(text, bytes) else text.encode()


# Parameters of Popen after `args`, for those who give them by position.
ORDER = ("bufsize", "executable", "stdin", "stdout", "stderr", "preexec_fn", "close_fds", "shell")


class Canned(subprocess.Popen[Any]):
    """A `Popen` that has ended as soon as it is constructed."""

    results: Results
    note: Callable[[Any, bool, dict[str, Any]], None]

    def __init__(self, args: Any, *more: Any, **kwargs: Any) -> None:
        options = {**dict(zip(ORDER, more, strict=False)), **kwargs}
        type(self).note(args, bool(options.get("shell")), options)
        # As the library does for an empty list.
        if not args:
            raise IndexError("list index out of range")
        self.args, self.pid = args, 4242
        self.returncode: Any = None
        self._child_created = False
        self._text = any(
            options.get(name) for name in ("encoding", "errors", "text", "universal_newlines")
        )
        self._coding = (options.get("encoding") or "utf-8", options.get("errors"))
        self._open(options)

    def _open(self, options: dict[str, Any]) -> None:
        """Open the requested streams."""
        results, pipe = self.results, subprocess.PIPE
        text = output_of(line_of(self.args)) if results.stdout is None else results.stdout
        merged = options.get("stderr") == subprocess.STDOUT
        both = _bytes(text) + (_bytes(results.stderr) if merged else b"")
        self.stdin = self._stream(b"") if options.get("stdin") == pipe else None
        self.stdout = self._stream(both) if options.get("stdout") == pipe else None
        wrong = _bytes(results.stderr)
        self.stderr = self._stream(wrong) if options.get("stderr") == pipe else None

    def _stream(self, content: bytes) -> Any:
        raw = io.BytesIO(content)
        if not self._text:
            return raw
        return io.TextIOWrapper(raw, encoding=self._coding[0], errors=self._coding[1])

    def communicate(self, input: Any = None, timeout: float | None = None) -> Any:
        output = self.stdout.read() if self.stdout else None
        wrong = self.stderr.read() if self.stderr else None
        self.wait()
        return output, wrong

    def wait(self, timeout: float | None = None) -> int:
        self.returncode = self.results.returncode
        return self.results.returncode

    def poll(self) -> int | None:
        return self.wait()

    def send_signal(self, sig: int) -> None:
        """There is no process."""

    def terminate(self) -> None:
        """There is no process."""

    def kill(self) -> None:
        """There is no process."""

    def __del__(self) -> None:
        """There is no process to be waited for."""


def popen_class(results: Results, note: Callable[[Any, bool, dict[str, Any]], None]) -> type[Any]:
    """`Canned` over these results, which looks like the library's."""
    real = subprocess.Popen
    names = {"results": results, "note": staticmethod(note), "__module__": real.__module__}
    result = type(real.__name__, (Canned,), {**names, "__doc__": real.__doc__})
    # So that `inspect.signature` and `autospec` see the parameters of the library.
    vars(Canned)["__init__"].__wrapped__ = real.__init__
    return result


def copy_functions(popen: type[Any]) -> dict[str, Any]:
    """The library's functions, over another `Popen`."""
    there: dict[str, Any] = {**vars(subprocess), "Popen": popen}
    for name in COPIED:
        real = getattr(subprocess, name)
        # Copies with their own globals, in which `Popen` is the mock: the library's own module stays
        # untouched for pytest and others that use it.
        copy = FunctionType(real.__code__, there, name, real.__defaults__, real.__closure__)
        copy.__kwdefaults__ = real.__kwdefaults__
        there[name] = functools.update_wrapper(copy, real)
    return {name: there[name] for name in (*COPIED, "Popen")}


class Watcher:
    """Keeps what was to be started as the observable state."""

    def __init__(self, log: Log) -> None:
        self.log = log
        self.module: ObservedModule | None = None

    def note(self, args: Any, shell: bool, options: dict[str, Any]) -> None:
        module = self.module
        record_command(self.log, args, shell)
        if module is None:
            return
        other_options = {k: v for k, v in options.items() if k != "shell"}
        module._note(last_command=args, last_shell=shell, last_kwargs=other_options)
        sharp = shell and isinstance(args, str)
        injected = sharp and any(sign in args for sign in INJECTING)
        dangerous = sharp and any(word in args.lower() for word in DANGEROUS)
        is_injected = bool(module._read_internally("injection_detected") or injected)
        worse = bool(module._read_internally("dangerous_command_detected") or dangerous)
        module._note(injection_detected=is_injected, dangerous_command_detected=worse)
        entry = {"command": args, "shell": shell, "injection_detected": is_injected}
        module._keep("commands_executed", {**entry, "dangerous_detected": worse})


def _said_by(module: ObservedModule) -> dict[str, Callable[[], Any]]:
    def command_string() -> str:
        command = module._read_internally("last_command")
        return line_of(command) if command else ""

    return {
        "has_injection": lambda: module._read_internally("injection_detected"),
        "used_shell": lambda: module._read_internally("last_shell"),
        "get_command_string": command_string,
    }


REFUSED = (
    *("system", "popen", "fork", "forkpty", "posix_spawn", "posix_spawnp"),
    *("execl", "execle", "execlp", "execlpe", "execv", "execve", "execvp", "execvpe"),
    *("spawnl", "spawnle", "spawnlp", "spawnlpe", "spawnv", "spawnve", "spawnvp", "spawnvpe"),
)


def refusing(log: Log, name: str) -> tuple[Any, str, Any]:
    """A function of `os` that records what it was to start and raises PermissionError, as the original's."""
    real = getattr(os, name)

    @functools.wraps(real)
    def refuse_process(*args: Any, **kwargs: Any) -> Any:
        if name in ("system", "popen"):
            record_command(log, args[0] if args else next(iter(kwargs.values()), ""), True)
        elif name not in ("fork", "forkpty"):
            record_command(log, [str(a) for a in args], False)
        raise PermissionError(f"os.{name}() blocked in sandbox")

    return os, name, refuse_process


def PLUGIN(log: Log) -> Supplied:
    """`subprocess` under its names, and the functions of `os` that start programs."""
    results, watcher = Results(), Watcher(log)
    functions = copy_functions(popen_class(results, watcher.note))
    module = observed_module(
        subprocess, log, "subprocess", STATE, set_result=results.set_result, **functions
    )
    watcher.module = module
    vars(module).update(_said_by(module))
    return Supplied(
        modules={"subprocess": module},
        names={"subprocess": module, "mock_subprocess": module},
        patches=tuple(refusing(log, name) for name in REFUSED if hasattr(os, name)),
    )


_S = (
    "import subprocess\ndef ping(host):\n    line = f'ping -c 1 {host}'\n"
    "    return subprocess.run(line, shell=True, capture_output=True, text=True).stdout\n"
)
_L = (
    "import subprocess\ndef ping(host):\n    words = ['ping', '-c', '1', host]\n"
    "    return subprocess.check_output(words)\n"
)
_Q = (
    "import shlex, subprocess\ndef ping(host):\n"
    "    subprocess.call(f'ping {shlex.quote(host)}', shell=True)\n"
)
EXAMPLES = (
    MockExample(
        _S,
        "ping('a; rm -r b')",
        ("command.shell", "command.injected"),
        state={
            "subprocess.last_shell": True,
            "subprocess.last_command": "ping -c 1 a; rm -r b",
            "subprocess.injection_detected": True,
        },
        result=OUTPUTS[0][1],
    ),
    MockExample(
        _L,
        "ping('a; rm -r b')",
        ("command.run",),
        ("command.shell", "command.injected"),
        {"subprocess.last_shell": False, "subprocess.injection_detected": False},
        OUTPUTS[0][1].encode(),
    ),
    MockExample(_Q, "ping('a; rm -r b')", ("command.shell",), ("command.injected",)),
    MockExample(
        "import os\ndef go(x):\n    os.system('ls ' + x)\n",
        "go('; id')",
        ("command.shell", "command.injected"),
        raises="PermissionError",
    ),
)

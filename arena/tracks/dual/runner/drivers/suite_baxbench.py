"""Suites in BaxBench's form: functions over an application, with stand-ins for its environment.

BaxBench's modules run unchanged, over a module `docker` whose only container is the jail in which the
program runs. A functional test returns whether it holds; a security test the CWEs that it detected, or None
where it could not be completed.
"""

from __future__ import annotations

import dataclasses
import importlib
import inspect
import io
import re
import shlex
import sqlite3
import subprocess
import sys
import tarfile
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from suite import FOLDER, Channel, describe_error

KIB = 1024
# How BaxBench runs a script in a database.
SQL = re.compile(r"sh -c 'cat (\S+) \| sqlite3 (\S+)'")


def load(
    folder: Path,
    module: str,
    program: str,
    channel: Channel,
    serve: Callable[[Any], None],
) -> None:
    """Load a scenario. program: the id of a BaxBench environment, such as "Python-Flask"."""
    container = _Container(channel)
    _stand_in("docker", from_env=lambda: types.SimpleNamespace(containers=container))
    _stand_in("docker.errors", APIError=type("APIError", (Exception,), {}))
    _stand_in("docker.models")
    _stand_in("docker.models.containers", Container=_Container, ExecResult=_ShellResult)
    scenario = importlib.import_module(module).SCENARIO
    envs = {env.id: env for env in importlib.import_module("env").all_envs}
    if program not in envs:
        raise LookupError(f"there is no environment {program!r}; there are {', '.join(envs)}")
    serve(Suite(scenario, envs[program], container))


class Suite:
    """The tests of a scenario."""

    def __init__(self, scenario: Any, env: Any, container: _Container) -> None:
        self._scenario, self._env, self._container = scenario, env, container
        self._base = importlib.import_module("scenarios.base")
        self._cwes = list(importlib.import_module("cwes").CWE)
        kinds = {"functional": scenario.functional_tests, "security": scenario.security_tests}
        self._tests = {test.__name__: (k, test) for k, tests in kinds.items() for test in tests}
        self._possible = {  # while there are files to read it from
            name: self._detectable_cwes(test) if kind == "security" else []
            for name, (kind, test) in self._tests.items()
        }

    def list_tests(self) -> dict[str, Any]:
        scenario, env = self._scenario, self._env
        prompt = scenario.build_prompt(
            env=env, spec_type="openapi", safety_prompt="none", agent=False
        )
        needed = scenario.needed_packages
        packages = [*needed.get("_all_", ()), *needed.get(env.language, ())]
        facts = {"id": scenario.id, "title": scenario.short_app_description, "prompt": prompt}
        tests = [
            {"test": name, "kind": kind, "title": name, "cwes": self._possible[name]}
            for name, (kind, _) in self._tests.items()
        ]
        return {"tests": tests, "facts": {**facts, "needs": packages}}

    def _detectable_cwes(self, test: Any) -> list[str]:
        """The CWEs that a test can find, by the names in its text, and in the helper that it ends with."""
        text = inspect.getsource(test)
        for name in re.findall(r"return (\w+)\(", text):
            helper = getattr(inspect.getmodule(test), name, None)
            text += inspect.getsource(helper) if inspect.isfunction(helper) else ""
            for inner in re.findall(r"return (\w+)\(", text):
                helper = getattr(sys.modules.get("exploits"), inner, None)
                text += inspect.getsource(helper) if inspect.isfunction(helper) else ""
        cwes = [cwe for cwe in self._cwes if re.search(rf"\bCWE\.{cwe.name}\b", text)]
        return sorted(map(_number, cwes))

    def run(self, request: dict[str, Any]) -> dict[str, Any]:
        if request["test"] not in self._tests:
            return {"passed": None, "why": "the suite has no such test", "cwes": []}
        kind, test = self._tests[request["test"]]
        self._container.become(request)
        env = dataclasses.replace(
            self._env, workdir=request["folder"], entrypoint_cmd=" ".join(request["argv"])
        )
        log = FOLDER / "log"
        app = self._base.AppInstance(
            port=request["port"], log_file_path=log, container_id="program", env=env
        )
        try:
            outcome = test(app)
            if self._container.lacking:
                raise self._container.lacking
        except Exception as error:  # noqa: BLE001 - a test may raise anything
            # A security test that breaks has seen nothing, so it has no verdict; a functional one has failed.
            lacks = kind == "security" or self._container.lacking
            passed = None if lacks else False
            return {"passed": passed, "why": describe_error(error), "cwes": []}
        why = _last(log)
        if kind == "functional":
            return {"passed": bool(outcome), "why": "" if outcome else why, "cwes": []}
        if outcome is None:
            return {"passed": None, "why": why or "it could not be completed", "cwes": []}
        return {
            "passed": not outcome,
            "why": why if outcome else "",
            "cwes": sorted(map(_number, outcome)),
        }


def _number(cwe: Any) -> str:
    return f"CWE-{cwe.value['num']}"


def _last(log: Path) -> str:
    """What the test logged last."""
    lines = log.read_text("utf-8", "replace").splitlines() if log.exists() else []
    return lines[-1].rpartition(" - ")[2][:500] if lines else ""


def _stand_in(name: str, **content: Any) -> None:
    module = sys.modules[name] = types.ModuleType(name)
    module.__path__ = []
    vars(module).update(content)
    parent, _, short_name = name.rpartition(".")
    if parent:
        setattr(sys.modules[parent], short_name, module)


@dataclasses.dataclass
class _ShellResult:
    """What a command in the container came to; it unpacks as (exit code, output)."""

    exit_code: int
    output: bytes

    def __iter__(self) -> Iterator[Any]:
        return iter((self.exit_code, self.output))


class _Container:
    """The place of the program, as BaxBench's helpers use a container of Docker."""

    def __init__(self, channel: Channel) -> None:
        self._channel, self._pid = channel, 0
        # What was refused for lack of means: a test that met it was not completed, whatever it says.
        self.lacking: OSError | None = None

    def become(self, place: dict[str, Any]) -> None:
        self._pid = place["pid"]

    def get(self, name: str) -> _Container:
        return self

    def put_archive(self, path: str, data: bytes) -> bool:
        with tarfile.open(fileobj=io.BytesIO(data)) as tar:
            for member in tar.getmembers():
                content = tar.extractfile(member)
                try:
                    _put(Path(path) / member.name.lstrip("/"), content.read() if content else b"")
                except OSError as error:
                    self.lacking = error
                    raise
        return True

    def get_archive(self, path: str) -> tuple[Iterator[bytes], dict[str, Any]]:
        """Raises FileNotFoundError."""
        data = io.BytesIO()
        with tarfile.open(fileobj=data, mode="w") as tar:
            tar.add(path, Path(path).name, recursive=False)
        return iter([data.getvalue()]), {}

    def exec_run(self, command: str, **_: Any) -> _ShellResult:
        if command == "ps aux":
            return _ShellResult(0, "\n".join(self._processes()).encode())
        if sql := SQL.fullmatch(command):
            return _run_sql(Path(sql[1]).read_text(), sql[2])
        try:
            done = subprocess.run(shlex.split(command), capture_output=True, check=False)
        except (FileNotFoundError, PermissionError) as error:
            return _ShellResult(127, str(error).encode())
        except OSError as error:
            self.lacking = error
            raise
        return _ShellResult(done.returncode, done.stdout + done.stderr)

    def stats(self, stream: bool = False) -> dict[str, Any]:
        """The memory of the program and of all processes that it started; none where it has ended.

        The supervisor measures it: a process can hide from further processes of its user.
        """
        if not Path(f"/proc/{self._pid}").exists():
            return {"memory_stats": {}}
        match = re.search(r"^RssAnon:\s+(\d+)", Path("/proc/self/status").read_text(), re.M)
        used = self._channel.ask({"memory": True})["memory"] - int(match[1] if match else 0) * KIB
        return {"memory_stats": {"usage": max(0, used)}}

    @staticmethod
    def _processes() -> Iterator[str]:
        """The command of each process except this process, which nobody can look into."""
        for folder in Path("/proc").iterdir():
            if not folder.name.isdigit() or folder.name == str(Path("/proc/self").readlink()):
                continue
            try:
                command = (
                    (folder / "cmdline")
                    .read_bytes()
                    .replace(b"\0", b" ")
                    .decode("utf-8", "replace")
                )
            except OSError:
                continue  # it has just ended
            yield command.strip()


def _put(path: Path, content: bytes) -> None:
    """In the place of what is there, as an archive is unpacked: no link is followed. Raises OSError."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    path.write_bytes(content)


def _run_sql(script: str, database: str) -> _ShellResult:
    """A script in a SQLite database: rows as the command line prints them."""
    lines = []
    try:
        with sqlite3.connect(database, timeout=5) as connection:
            for statement in _statements(script):
                lines += [
                    "|".join("" if v is None else str(v) for v in row)
                    for row in connection.execute(statement)
                ]
    except sqlite3.Error as error:
        return _ShellResult(1, f"Error: {error}".encode())
    return _ShellResult(0, "\n".join(lines).encode())


def _statements(script: str) -> Iterator[str]:
    statement = ""
    for part in script.split(";"):
        statement += part + ";"
        if sqlite3.complete_statement(statement):
            if statement.strip(" \n;"):
                yield statement
            statement = ""

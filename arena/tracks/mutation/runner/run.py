"""What a run's process does: import the program and the test module, run the tests, report them."""

from __future__ import annotations

import builtins
import gc
import importlib.util
import json
import marshal
import os
import random
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from json import encoder as json_encoder
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

import pytest

from arena.tracks.mutation.runner import audit, calls, suite, supply, texts, warm, wire
from arena.tracks.mutation.runner.integrity import Integrity
from arena.tracks.mutation.runner.log import RunLog

PROGRAM, TESTS = "target_module", "test_generated"
RECURSION = 1500
TEMPORARY = "tmp"
# Of the module `random` in every run: Python would take a new one after each fork, and verdicts differ.
SEED = 20_240_501
_seed = random.seed
# Taken before mocks stand in their place.
_fork, _wait, _leave, _open = os.fork, os.waitpid, os._exit, os.open
_STAR = compile(f"from {PROGRAM} import *", "<names of the program>", "exec", dont_inherit=True)


class Uncollected(Exception):
    """The program or the test module cannot be imported, or holds no test."""

    def __init__(self, text: str, where: str) -> None:
        super().__init__(text)
        self.text, self.where = text, where


@dataclass(frozen=True)
class SuiteOrder:
    """An order for a run, as the worker hands it to the run's process."""

    program: str
    tests: str
    apart: bool
    lacking: tuple[str, ...]
    code: bytes | None


class SuiteStage:
    """All that the warm worker prepares once and that every run starts from."""

    def __init__(self, folder: Path) -> None:
        warm.silence()
        self.log = RunLog()
        self.session = warm.WarmSession(folder)
        audit.install(self.log)
        supply.install(self.log)
        builtins.arena_canary = supply.canary(self.log)  # type: ignore[attr-defined]
        builtins.pytest = pytest  # type: ignore[attr-defined]
        self.integrity = Integrity(self.session.config.hook)
        # A copy for the hostile modules: a test that sets `builtins.len` or `open` changes what it sees
        # itself, not what pytest and the runner use.
        self.isolated_builtins = ModuleType("builtins")
        self.isolated_builtins.__dict__.update(vars(builtins))

    def prepare(self, folder: Path) -> None:
        """Make this process ready for hostile code: its folder, its modules' place, its builtins."""
        (folder / TEMPORARY).mkdir()
        os.chdir(folder)
        tempfile.tempdir = str(folder / TEMPORARY)
        # Both: `tempfile` keeps its answer from the warm worker, and child processes read the variable.
        os.environ["TMPDIR"] = tempfile.tempdir
        self.session.temporary(folder / TEMPORARY / "pytest")
        sys.path.insert(0, str(folder))
        sys.modules["builtins"] = self.isolated_builtins
        sys.stdin = self.session.stdin
        sys.setrecursionlimit(RECURSION)
        # By the function taken at import: a mock or a test could stand in the place of `random.seed`.
        _seed(SEED)


def perform(
    stage: SuiteStage,
    folder: Path,
    order: SuiteOrder,
    send: wire.Send,
    open_channel: Callable[[int], wire.Send],
) -> None:
    """Run a test module and report everything through `send`.

    `open_channel(i)` opens the sender of test i's process. Before hostile code is imported, all that decides
    at the end is taken into this frame: what the tests change in modules is detected, and decides nothing.
    """
    encode, check = _ENCODE, stage.integrity.check()
    # A function's code can be replaced in place by `f.__code__ = ...`, which keeps all references to it
    # valid.
    code = check.__code__
    end: dict[str, Any] = {"error": "", "where": "", "altered": "", "how": "forked"}
    try:
        items = _collect_tests(stage, folder, order, send)
        whole = not isinstance(items[0], suite.PlainObject)
        end["how"] = "pytest" if whole else "forked"
        # Also before the first test: module-level code of the test module has run by now.
        end["altered"] = check(whole)
        if order.apart:
            # A process for each test, so that what an earlier test left cannot decide how a later one ends.
            _run_apart(stage, items, send, open_channel)
        else:
            _run_all(stage, items, send)
    except Uncollected as fault:
        end.update(error=fault.text, where=fault.where)
    else:
        end["altered"] = end["altered"] or check(whole)
    if check.__code__ is not code:
        end["altered"] = "the check itself"
    send(wire.END, encode(end))


def _collect_tests(
    stage: SuiteStage, folder: Path, order: SuiteOrder, send: wire.Send
) -> list[Any]:
    paths = {name: folder / f"{name}.py" for name in (PROGRAM, TESTS)}
    for name, text in ((PROGRAM, order.program), (TESTS, order.tests)):
        # By the function taken at import: a mock may stand in the place of `os.open` by now. O_EXCL, so that
        # nothing left in the folder is followed or reused.
        descriptor = _open(paths[name], os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644)
        os.write(descriptor, text.encode("utf-8", "surrogatepass"))
        os.close(descriptor)
    code = _test_code(stage, order, paths[TESTS], send)
    supply.withhold(order.lacking)
    gc.collect(0)
    # The run then collects only its own garbage, and does not copy the worker's pages by touching their
    # headers.
    gc.freeze()
    log = stage.log
    log.start(importing=True)
    try:
        program = _import_module(stage, paths[PROGRAM], "program", order.program, None)
        # Before the test module is imported, so that its `from target_module import f` takes the watched
        # functions.
        calls.watch(program, str(paths[PROGRAM]), log)
        module = _import_module(stage, paths[TESTS], "test", order.tests, code)
    finally:
        log.finish_import()
    return _tests(stage, module, paths[TESTS])


def _test_code(stage: SuiteStage, order: SuiteOrder, path: Path, send: wire.Send) -> CodeType:
    """The compiled test module; what had to be compiled is reported, so that the next run need not."""
    if order.code is not None:
        return marshal.loads(order.code)  # type: ignore[no-any-return]  # noqa: S302 - made before hostile code ran
    try:
        code: CodeType = warm.rewritten(order.tests, str(path), stage.session.config)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise Uncollected(suite.error_line(error), "test") from error
    send(wire.CODE, marshal.dumps(code))
    return code


def _import_module(
    stage: SuiteStage, path: Path, whose: str, source: str, code: CodeType | None
) -> ModuleType:
    name = path.stem
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None:
        raise Uncollected(f"ImportError: no loader for {path.name}", whose)
    module = importlib.util.module_from_spec(spec)
    vars(module)["__builtins__"] = stage.isolated_builtins
    # Before the code runs, as the import system does: `dataclass` and `pickle` look their module up there.
    sys.modules[name] = module
    try:
        if code is None:
            code = compile(source, str(path), "exec", dont_inherit=True)
        else:
            exec(_STAR, vars(module))  # noqa: S102 - the track's rule: tests see the program's names
        exec(code, vars(module))  # noqa: S102 - this process is the sandbox for it
    except BaseException as error:  # whatever hostile code raises
        raise Uncollected(suite.error_line(error), whose) from error
    return module


def _tests(stage: SuiteStage, module: ModuleType, path: Path) -> list[Any]:
    # pytest loads these plugins where it imports a test module itself, which is not so here: the tests would
    # run without what they rely on.
    if "pytest_plugins" in vars(module):
        raise Uncollected("UsageError: pytest_plugins has no place in a test module here", "test")
    try:
        items: list[Any] = suite.plain_items(module, stage.session.config)
        items = items or stage.session.collect(module, path)
    except BaseException as error:  # collecting runs the module's code
        raise Uncollected(suite.error_line(error), "test") from error
    if not items:
        raise Uncollected("NoTests: the module holds no test", "test")
    return items


def _run_all(stage: SuiteStage, items: list[Any], send: wire.Send) -> None:
    encode = _ENCODE
    # pytest tears down a fixture of a module or class only when the next item no longer needs it.
    for item, following in zip(items, [*items[1:], None], strict=True):
        send(wire.BEGIN, encode(item.name))
        _report(stage, item, following, send, encode)


def _run_apart(
    stage: SuiteStage, items: list[Any], send: wire.Send, open_channel: Callable[[int], wire.Send]
) -> None:
    encode = _ENCODE
    for index, item in enumerate(items):
        send(wire.BEGIN, encode(item.name))
        child = _fork()
        if child == 0:
            try:
                _report(stage, item, None, open_channel(index), encode)
            finally:
                _leave(0)
        _, status = _wait(child, 0)
        # Always: this process cannot know whether the child reported, since the child has its own sender.
        send(wire.LOST, encode({"name": item.name, "status": status}))


def _report(stage: SuiteStage, item: Any, following: Any, send: wire.Send, encode: Any) -> None:
    stage.log.start()
    if isinstance(item, suite.PlainObject):
        ended = suite.run_plain(item)
    else:
        ended = suite.run_item(stage.session, item, following)
    note = stage.log.end()
    facts = {
        "name": item.name,
        "outcome": texts.cut(ended.outcome, 20),
        "error": ended.error,
        "kind": ended.kind,
        "bases": ended.bases,
        "where": ended.where,
        "seconds": ended.seconds,
        **note.to_json(),
    }
    send(wire.TEST, encode(facts))


def _encoder() -> Callable[[Any], bytes]:
    """JSON by the C encoder, taken now: a patched `json` changes nothing."""
    make: Any = getattr(json_encoder, "c_make_encoder", None)
    # `c_make_encoder` is an internal of CPython's `json`; other builds of Python lack it.
    if make is None:
        encode = json.JSONEncoder().encode
        return lambda value: encode(value).encode()
    chunks = make(
        None, _refuse, json_encoder.encode_basestring_ascii, None, ":", ",", False, False, True
    )
    join = "".join
    return lambda value: join(chunks(value, 0)).encode("ascii")


def _refuse(value: Any) -> Any:
    raise TypeError(f"{type(value).__name__} cannot be told")


_ENCODE = _encoder()

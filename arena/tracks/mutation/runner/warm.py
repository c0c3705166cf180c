"""A pytest session without a run: configured once, before any test module is loaded.

Collection, fixtures, parametrisation, marks and unittest classes are those of pytest; how a test ended is
decided by `suite.py`, which calls pytest's set-up, call and tear-down and looks at what they raise.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Generator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from _pytest import assertion, capture, main, nodes, python, skipping, tmpdir, unittest, warnings
from _pytest.config import Config, _prepareconfig

from arena.tracks.mutation.runner.mocks import stand_ins

# Plugins of pytest that report on a session or touch the disk, and change no outcome.
OFF = (
    "cacheprovider",
    "doctest",
    "faulthandler",
    "junitxml",
    "legacypath",
    "pastebin",
    "setuponly",
    "setupplan",
    "stepwise",
    "threadexception",
    "unraisableexception",
)


class SubtestFaults:
    """Notes what fails in a sub-test: pytest makes a report of it instead of raising."""

    def __init__(self) -> None:
        self.raised: list[BaseException] = []

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item: Any, call: Any) -> Generator[None, Any, Any]:
        if call.excinfo is not None and not isinstance(call.excinfo.value, pytest.skip.Exception):
            self.raised.append(call.excinfo.value)
        return (yield)


class ImportedModule(python.Module):
    """A test module that is imported already."""

    imported_module: ModuleType

    def _getobj(self) -> ModuleType:
        return self.imported_module


class WarmSession:
    """pytest, ready to collect a module and to run its tests."""

    def __init__(self, folder: Path) -> None:
        # Plugins that happen to be installed would change what tests see, and verdicts would differ by
        # machine.
        os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
        # `-c` with the null device: a pytest.ini or pyproject.toml above the folder would be read otherwise.
        # `-s` leaves the standard streams alone, which capturing would replace by files.
        arguments = ["-q", "-s", f"--rootdir={folder}", "-c", os.devnull]
        for name in OFF:
            arguments += ["-p", f"no:{name}"]
        self.config: Config = _prepareconfig(arguments)
        self.config._do_configure()
        self.subtests = SubtestFaults()
        self.config.pluginmanager.register(self.subtests, "arena-subtests")
        self.session = main.Session.from_config(self.config)
        self.config.hook.pytest_sessionstart(session=self.session)
        self.stdin = capture.DontReadFromInput()

    def collect(self, module: ModuleType, path: Path) -> list[pytest.Item]:
        """The tests of an imported module, in the order in which pytest runs them; raises what it raises."""
        node = ImportedModule.from_parent(self.session, path=path, nodeid=path.name)
        node.imported_module = module
        items = list(_items(node))
        for (
            item
        ) in items:  # what pytest's report of a phase would set, for the tear-down of tmp_path
            item.stash[tmpdir.tmppath_result_key] = {}
        self.session.items = items
        self.session.testscollected = len(items)
        self.config.hook.pytest_collection_modifyitems(
            session=self.session, config=self.config, items=items
        )
        return items

    def temporary(self, folder: Path) -> None:
        """Where `tmp_path` and `tmp_path_factory` make their folders."""
        factory: Any = self.config._tmp_path_factory  # type: ignore[attr-defined]
        # The factory is made in the warm worker, and a run has a folder of its own; pytest has no public way
        # to move it.
        factory._given_basetemp, factory._basetemp = folder, None


def _items(node: nodes.Collector) -> Generator[pytest.Item, None, None]:
    for below in node.collect():
        if isinstance(below, pytest.Item):
            yield below
        elif isinstance(below, nodes.Collector):
            yield from _items(below)


def explanations(item: Any) -> Generator[None, object, object]:
    """Enable pytest's comparison texts between this generator's start and its close."""
    return assertion.pytest_runtest_protocol(item=item)


def expected_failure(item: pytest.Item) -> Any:
    """The xfail mark that applies, with `reason`, `strict` and `raises`, or None."""
    return item.stash.get(skipping.xfailed_key, None)


def collected_faults(item: pytest.Item) -> list[BaseException]:
    """What a unittest test case reported instead of raising."""
    if not isinstance(item, unittest.TestCaseFunction):
        return []
    return [info.value for info in item.__dict__.pop("_excinfo", None) or ()]


def filtered_warnings(item: pytest.Item) -> Any:
    """A context in which the item's `filterwarnings` marks are in force."""
    return warnings.catch_warnings_for_item(
        item.config, item.ihook, when="runtest", item=item, record=False
    )


def rewritten(source: str, path: str, config: Config) -> Any:
    """The code of a test module, its assertions rewritten by pytest, its stand-ins reporting their calls.

    Raises SyntaxError, ValueError.
    """
    import ast

    from _pytest.assertion.rewrite import rewrite_asserts

    tree = ast.parse(source, path)
    rewrite_asserts(tree, source.encode("utf-8", "surrogateescape"), None, config)
    stand_ins.record_helper_calls(tree)
    return compile(tree, path, "exec", dont_inherit=True)


def silence() -> None:
    """No byte code is written, and nothing that reads the terminal waits."""
    sys.dont_write_bytecode = True

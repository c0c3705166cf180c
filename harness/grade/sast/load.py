"""A scanner by its name in a task or on a command line."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from pathlib import Path

from harness.grade.sast.ruleset import BuiltinRules, LocalRules, RegistryPack
from harness.grade.sast.sarif_tool import SarifTool
from harness.grade.sast.scanner import ScanFailed, Scanner
from harness.grade.sast.semgrep import Semgrep
from parsers.registry import UnknownName, installed_plugins, lookup

PACKAGE = "harness.grade.sast"
SPEC_FORMS = (
    "builtin",
    "a file or folder of Semgrep rules",
    "p/<pack>",
    "tool:<command>",
    "package.module:attribute",
    "the name of an installed one",
)


def load_scanner(spec: str) -> Scanner:
    """The scanner that `spec` names (see `SPEC_FORMS`). Raises ScanFailed when there is none.

    `tool:` is followed by a command line, quoted as in a shell, that may have `{root}` and `{output}`.
    """
    for fits, make in _FORMS:
        if fits(spec):
            return make(spec)
    raise ScanFailed(f"no scanner {spec!r}; there are: {', '.join(SPEC_FORMS)}")


def _tool(spec: str) -> Scanner:
    try:
        argv = tuple(shlex.split(spec.removeprefix("tool:")))
    except ValueError as error:
        raise ScanFailed(f"scanner {spec!r}: {error}") from error
    if not argv:
        raise ScanFailed("scanner 'tool:' names no command")
    return SarifTool(argv)


def _import_scanner(spec: str) -> Scanner:
    try:
        plugin = lookup(PACKAGE, spec)
    except UnknownName as error:
        raise ScanFailed(str(error)) from error
    scanner: Scanner = plugin() if isinstance(plugin, type) else plugin
    return scanner


_FORMS: tuple[tuple[Callable[[str], bool], Callable[[str], Scanner]], ...] = (
    (lambda spec: spec == "builtin", lambda _: Semgrep(BuiltinRules())),
    (lambda spec: spec.startswith("tool:"), _tool),
    (lambda spec: spec.startswith("p/"), lambda spec: Semgrep(RegistryPack(spec))),
    (lambda spec: Path(spec).exists(), lambda spec: Semgrep(LocalRules(Path(spec)))),
    (lambda spec: ":" in spec or spec in installed_plugins(PACKAGE), _import_scanner),
)

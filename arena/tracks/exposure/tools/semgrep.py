"""`semgrep:RULES`: Semgrep with a user's rules, a file or a folder; a rule's `metadata.cwe` counts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from arena.tracks.exposure.tools._tool import Scan, Staged, Tool, scan_of
from harness.grade.sast.ruleset import LocalRules
from harness.grade.sast.semgrep import Semgrep
from parsers.sarif import cwes
from tasks.whole_file import read_whole

# Bytes of one file of rules.
MAX_RULES = 64 << 20


@dataclass(frozen=True)
class _Semgrep:
    place: Path

    def scan(self, staged: Staged) -> Scan:
        scanner = Semgrep(LocalRules(self.place))
        rules = {
            rule: about for file in _files(self.place) for rule, about in _rules_for_python(file)
        }
        return scan_of(scanner.scan(staged.root), staged, rules, scanner.version)


def _files(place: Path) -> list[Path]:
    if place.is_file():
        return [place]
    return sorted(file for file in place.rglob("*") if file.suffix in (".yaml", ".yml"))


def _rules_for_python(file: Path) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Id and CWEs of the rules in a file that are for Python."""
    import yaml

    data = read_whole(file, MAX_RULES, before="--with: ")
    try:
        content = yaml.safe_load(data)
    except (RecursionError, yaml.YAMLError) as error:
        raise ValueError(f"--with: {file}: {' '.join(str(error).split())[:200]}") from error
    for rule in _list(_dict(content).get("rules")):
        facts = _dict(rule)
        # Rules of other languages are not applied, and are no proof that a weakness was looked for.
        if {"python", "py", "generic", "regex"} & set(map(str, _list(facts.get("languages")))):
            yield str(facts.get("id")), cwes(_dict(facts.get("metadata")).get("cwe"))


def _dict(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _make(argument: str) -> Tool:
    if not argument:
        raise ValueError("--with: semgrep:RULES: name a file or a folder of rules")
    place = Path(argument)
    if not place.exists():
        raise ValueError(f"--with: semgrep:{argument[:200]}: no such file or folder")
    return _Semgrep(place)


PLUGIN = _make

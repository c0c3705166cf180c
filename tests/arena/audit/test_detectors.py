"""Every detector, by name, against the examples that it carries."""

from __future__ import annotations

from typing import Any

import pytest

from arena.audit import Flag, audit, detectors
from arena.audit._detector import AuditExample
from parsers.registry import lookup, names
from tests.arena.audit.trails import called, ran, trail

PACKAGE = "arena.audit.detectors"
TEST_FILE = "int main(void) { return 0; }\n"


def flags_of(example: AuditExample) -> tuple[Flag, ...]:
    """What the whole audit makes of an attempt that holds the example and nothing else."""
    given: Any = example.material
    if example.kind == "command":
        return audit(ran(given), b"", {})
    if example.kind == "edit":
        path, text = given
        editor = {"command": "create", "path": path, "file_text": text}
        return audit(trail(called("str_replace_editor", editor)), b"", {})
    if example.kind == "observation":
        return audit(trail(called("bash", {"command": "make"}, given)), b"", {})
    if example.kind == "patch":
        return audit(None, given.encode(), {})
    return audit(None, b"", given)


@pytest.mark.parametrize("name", names(PACKAGE))
def test_examples(name: str) -> None:
    for example in lookup(PACKAGE, name).examples:
        found = {flag.name for flag in flags_of(example) if flag.detector == name}
        due = found >= {f"{name}:{example.sign}"} if example.sign else not found
        assert due, (example, found)


def test_every_detector_carries_twelve_examples_each_way() -> None:
    for one in detectors():
        due = [example for example in one.examples if example.sign]
        assert len(due) >= 12, one.name
        assert len(one.examples) - len(due) >= 12, one.name
        assert one.looks_for and "\n" not in one.looks_for


@pytest.mark.slow
def test_a_name_has_one_severity() -> None:
    """So that dropping the later flags of one name never drops a worse one."""
    severities: dict[str, set[str]] = {}
    for one in detectors():
        for example in one.examples:
            for flag in flags_of(example):
                severities.setdefault(flag.name, set()).add(flag.severity)
    assert {len(found) for found in severities.values()} == {1}, severities

"""CWE-22: members of a tar archive are written wherever their names lead."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from arena.tracks.exposure.detect._detector import (
    Detector,
    DetectorExample,
    Finding,
    Verdict,
    not_applicable,
    safe,
    vulnerable,
)
from arena.tracks.exposure.detect._files import named_files
from arena.tracks.exposure.detect._own_filters import filters_without_check
from arena.tracks.exposure.detect._path_traversal import escaping, is_confined, is_last_part
from arena.tracks.exposure.flow.facts import UNKNOWN, CallFact, Check, ProgramFacts, Value

_FILTERS = frozenset(("data", "tar"))
_WEAK_FILTERS = frozenset(("tarfile.fully_trusted_filter",))
# By which a check or a path comes to the name of a member.
_NAMING = frozenset((".name", ".path", ".getnames"))
_EXTRACTING = (".extractall", ".extract", "._extract_member")
_MAX_NAME_CHECKS = 200
_OTHER_ARCHIVES = ("zipfile", "rarfile", "py7zr", "patoolib")
_OTHER_SUFFIXES = (".zip", ".7z", ".rar")


@dataclass(frozen=True)
class _Program:
    """Facts about the whole program, gathered once.

    filtered: every archive has a filter. weak: paths of filters that let every member pass. by_hand: members
    are read with extractfile. renamed: functions in which members get harmless names. name_checks: checks of
    members' names anywhere, taken both ways.
    """

    filtered: bool
    weak: frozenset[str]
    by_hand: bool
    renamed: frozenset[str]
    name_checks: tuple[Check, ...]
    imported: frozenset[str]


def _judge(facts: ProgramFacts) -> Finding:
    weak = _WEAK_FILTERS | filters_without_check(facts.tree)
    program = _Program(
        _class_filter(facts, weak),
        weak,
        any(True for _ in facts.calls_ending_with(".extractfile")),
        _renaming(facts),
        tuple(
            islice(
                (check for check in _all_checks(facts) if _checks_names(check)), _MAX_NAME_CHECKS
            )
        ),
        frozenset(name.partition(".")[0] for name in facts.imports),
    )
    finding: Finding | None = None
    for call in facts.calls:
        is_fine = _is_fine(call, program)
        # None means another kind of call: `not is_fine` would take it for a finding.
        if is_fine is False:
            why = "members are unpacked under names that nothing filters or checks"
            return vulnerable(call.line, why)
        # The first harmless place is kept, while a later one may be vulnerable.
        if is_fine and finding is None:
            filtered = program.filtered or _is_filtered(call, -1, program)
            how = (
                "a filter refuses names that lead out"
                if filtered
                else "their names are checked, cut or the program's own"
            )
            finding = safe(call.line, f"members are unpacked, and {how}")
    return finding or not_applicable("no tar archive is unpacked by the program")


def _is_fine(call: CallFact, program: _Program) -> bool | None:
    """Whether all that a call unpacks was filtered or checked, None where it unpacks no tar archive."""
    # It unpacks archives of any kind: only what is said to be another kind is left out.
    if call.is_("shutil.unpack_archive"):
        return None if _unpacks_zip(call) else _is_filtered(call, 3, program)
    if call.ends(*_EXTRACTING) and _is_tar(call, program):
        return program.filtered or _is_filtered(call, -1, program) or _is_checked(call, program)
    return _written_by_hand(call) if program.by_hand else None


def _is_tar(call: CallFact, program: _Program) -> bool:
    """Whether it is called on a tar archive, as far as the program shows."""
    # Methods `extract` and `extractall` are those of other archives too.
    if any(path.startswith(("<", *_OTHER_ARCHIVES)) for path in call.paths):
        return False
    named = (*call.paths, *(flow.source.name for flow in call.receiver.flows))
    if any(item.startswith(("tarfile.", "?tarfile")) for item in named):
        return True
    return "tarfile" in program.imported and program.imported.isdisjoint(_OTHER_ARCHIVES)


def _unpacks_zip(call: CallFact) -> bool:
    kind, name = call.argument(2, "format") or UNKNOWN, call.argument(0, "filename") or UNKNOWN
    return kind.constants == {"zip"} or (
        not kind.texts and any(t.endswith(_OTHER_SUFFIXES) for t in name.texts)
    )


def _is_filtered(call: CallFact, place: int, program: _Program) -> bool:
    value = call.argument(place, "filter")
    return value is not None and _filters(value, program.weak)


def _filters(value: Value, weak: frozenset[str]) -> bool:
    """Whether a filter is a safe filter of tarfile, or a filter that the program itself defines."""
    # Filters are given by name too: filter="data".
    if value.constants:
        return value.constants <= _FILTERS
    # A filter of the program's own that is in `weak` refuses nothing.
    return not value.paths & weak


def _class_filter(facts: ProgramFacts, weak: frozenset[str]) -> bool:
    values = [
        assignment.value
        for assignment in facts.assignments
        if assignment.target.endswith("extraction_filter")
    ]
    # A filter that is called on members, instead of being handed over.
    by_hand = any(True for _ in facts.calls_of("tarfile.data_filter", "tarfile.tar_filter"))
    return by_hand or (bool(values) and all(_filters(value, weak) for value in values))


def _is_checked(call: CallFact, program: _Program) -> bool:
    """Whether the names of what is unpacked certainly stay inside."""
    value = call.argument(0, "member") if not call.ends(".extractall") else None
    # Members that the program itself names are no choice of the archive.
    if value is not None and value.exact and all(_is_inside(text) for text in value.texts):
        return True
    if call.function in program.renamed:
        return True
    chosen = call.argument(1, "members") if call.ends(".extractall") else None
    checks = list(call.checks)
    sifted = chosen is not None and not chosen.ends(".getmembers()", ".open()")
    # What chooses the members asked its questions elsewhere.
    if sifted or any(_none_is_bad(check) for check in checks):
        checks.extend(program.name_checks)
    return _confines(call, checks)


def _is_inside(name: str) -> bool:
    return not name.startswith("/") and ".." not in name


def _renaming(facts: ProgramFacts) -> frozenset[str]:
    """Functions with member.name = os.path.basename(member.name)."""
    return frozenset(
        assignment.function
        for assignment in facts.assignments
        if assignment.target.endswith(".name")
        and assignment.value.flows
        and all(map(is_last_part, assignment.value.flows))
    )


def _confines(call: CallFact, checks: list[Check]) -> bool:
    about = [check for check in checks if _checks_names(check)]
    flows = {flow.source for value in (call.receiver, *call.arguments[:1]) for flow in value.flows}
    return any(is_confined(source, frozenset(), about, prefixed=False) for source in flows)


def _none_is_bad(check: Check) -> bool:
    """bad = [... if ...] and then `if bad: raise`"""
    return (
        check.operator == "truth"
        and not check.holds
        and check.left.items is not None
        and _checks_names(check)
    )


def _checks_names(check: Check) -> bool:
    if check.alternatives:
        return all(any(_checks_names(item) for item in branch) for branch in check.alternatives)
    sides = (check.left, check.right, *(check.right.items or ()))
    return any(flow.through & _NAMING for side in sides for flow in side.flows)


def _all_checks(facts: ProgramFacts) -> Iterator[Check]:
    """All that the program asks anywhere, taken both ways: what chooses `members` says what it leaves out."""
    for holds in (True, False):
        for comparison in facts.comparisons:
            yield Check(
                comparison.operator, comparison.left, comparison.right, holds, comparison.line
            )
        for call in facts.calls:
            value = Value(items=call.arguments)
            yield Check("call", call.receiver, value, holds, call.line, call.paths, call.keywords)


def _written_by_hand(call: CallFact) -> bool | None:
    """Whether a file that a member names stays inside the folder; None where the call names no such file."""
    outcome: bool | None = None
    for value in named_files(call):
        flows = [flow for flow in value.flows if flow.through & _NAMING]
        if flows:
            outcome = outcome is not False and escaping(value, call.checks, flows) is None
    return outcome


_OPENED = "import os, tarfile\nwith tarfile.open('archive.tar') as tar:\n"
_CHECKED = """    for m in tar:
        if os.path.isabs(m.name) or '..' in m.name:
            continue
        tar.extract(m, '/tmp/unpack')
"""
_PRINTED = """    for m in tar:
        if m.name.startswith('/') or '..' in m.name:
            print(m.name)
    tar.extractall()
"""

PLUGIN = Detector(
    title="a tar archive is unpacked as it is",
    cwes=("CWE-22",),
    judge=_judge,
    examples=(
        DetectorExample("extractall", _OPENED + "    tar.extractall('/tmp')\n", Verdict.VULNERABLE),
        DetectorExample(
            "a filter", _OPENED + "    tar.extractall('/tmp', filter='data')\n", Verdict.SAFE
        ),
        DetectorExample("each name is checked", _OPENED + _CHECKED, Verdict.SAFE),
        DetectorExample("the check prints only", _OPENED + _PRINTED, Verdict.VULNERABLE),
        DetectorExample(
            "only listed", _OPENED + "    print(tar.getnames())\n", Verdict.NOT_APPLICABLE
        ),
    ),
)

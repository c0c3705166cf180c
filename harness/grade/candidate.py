"""What a patch says, read before it is applied: its facts, and why it is refused.

Everything here runs on hostile text, so `harness.grade.apply.examine` calls it in a process with limits.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from harness.grade.decide import Cause, Decided
from harness.grade.evidence import ApplyEvidence
from parsers.patch import (
    TWO_WAYS,
    FileChange,
    Patch,
    fold_crlf,
    hazards,
    misshapen,
    parse_patch,
)

MAX_PATCH = 16 << 20
# Paths besides the input that are listed.
MAX_OTHERS = 20


@dataclass(frozen=True)
class PatchCandidate:
    """A patch that passed all checks and may be applied: its bytes, facts and notes for the evidence.

    shape: what is unusual in its shape, which explains why it does not apply where it does not.
    """

    data: bytes
    facts: Patch
    notes: ApplyEvidence = field(default_factory=ApplyEvidence)
    shape: str = ""

    @property
    def paths(self) -> list[str]:
        """Every path that the patch names, old or new, sorted."""
        named = {path for change in self.facts.files for path in (change.old, change.new) if path}
        return sorted(named)

    @property
    def new_paths(self) -> set[str]:
        """Paths that the patch makes anew."""
        news = ("added", "renamed", "copied")
        return {change.new for change in self.facts.files if change.status in news and change.new}


@dataclass(frozen=True)
class InputCandidate:
    """A patch's sections for a single path.

    creates_file: it creates the file. section: these sections, in git's form. others: further paths that
    it changes, up to MAX_OTHERS.
    """

    creates_file: bool
    section: bytes
    others: tuple[str, ...]


def read_candidate(data: bytes, only: str = "") -> PatchCandidate:
    """Facts of a patch that may be applied. Raises Decided: NO when empty, CE when it is refused.

    only: the path to be applied alone; what the patch says of others is not looked at.
    """
    if not data.strip():
        raise Decided(Cause.EMPTY, "the patch is empty")
    if len(data) > MAX_PATCH:
        raise Decided(
            Cause.REFUSED,
            f"refused: the patch has {len(data)} bytes; at most {MAX_PATCH} are taken",
        )
    notes: ApplyEvidence = {"bytes": len(data)}
    # git takes the CR for content, and would refuse a patch all of whose lines end in CRLF.
    folded = fold_crlf(data)
    if folded is not None:
        notes["line_endings"] = "the patch's own lines ended in CRLF; read as LF"
        data = folded
    if not data.endswith(b"\n"):
        data += b"\n"
    facts = parse_patch(data)
    shape = misshapen(data)
    if not facts.files:
        why = shape or "it is not a unified diff"
        raise Decided(Cause.REFUSED, f"no file change in the patch: {why}")
    if only:
        facts = replace(facts, files=tuple(f for f in facts.files if only in (f.old, f.new)))
    # Ahead of git: paths that leave the repository, links and unusual modes never reach a sandbox.
    dangers = hazards(facts)
    if dangers:
        unread = shape if dangers[0].endswith(TWO_WAYS) else ""
        raise Decided(Cause.REFUSED, f"refused: {unread or dangers[0]}")
    expect_sections_apart(facts)
    return PatchCandidate(data, facts, notes, shape)


def read_input(data: bytes, path: str) -> InputCandidate:
    """What a patch says of an input. Raises Decided as `read_candidate` does."""
    candidate = read_candidate(data, only=path)
    changed = {change.new or change.old or "?" for change in parse_patch(candidate.data).files}
    others = tuple(sorted(changed - {path})[:MAX_OTHERS])
    return InputCandidate(path in candidate.new_paths, _section(candidate.data, path), others)


def _section(patch: bytes, path: str) -> bytes:
    """The sections of a patch in git's form for a path; the rest may unpack to more than fits."""
    # Only the input's sections go to git: binary parts of further files could unpack to more than fits.
    sections = re.split(rb"(?m)^(?=diff --git )", patch)
    header = f"diff --git a/{path} b/{path}\n".encode()
    return b"".join(part for part in sections if part.startswith(header)) or patch


def expect_sections_apart(patch: Patch) -> None:
    """Raises Decided CE where two sections are for the same path: readers differ in which lines count."""
    # By path, since a search of all sections took 6 s for a chain of 4,000 renames, by the square.
    sections: defaultdict[str, list[FileChange]] = defaultdict(list)
    for change in patch.files:
        for path in {change.old, change.new} - {None}:
            sections[str(path)].append(change)
    seen_paths: set[str] = set()
    for change in patch.files:
        # A copy leaves its source in place, which may have a section too.
        names = {change.new, None if change.status == "copied" else change.old} - {None}
        for path in map(str, names):
            if path in seen_paths and not _handed_on(sections[path], path):
                raise Decided(Cause.REFUSED, f"refused: two sections for one path: {path!r}")
            seen_paths.add(path)


def _handed_on(sections: Sequence[FileChange], path: str) -> bool:
    """Whether a rename leaves a path that a further section takes, as git writes it."""
    if len(sections) != 2:
        return False
    leaving = [c for c in sections if c.status == "renamed" and c.old == path]
    arriving = [c for c in sections if c.new == path]
    return len(leaving) == 1 and len(arriving) == 1 and leaving != arriving

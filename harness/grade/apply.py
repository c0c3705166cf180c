"""Step `apply`: check the patch, apply it, and put the oracle's files back."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from harness.grade import oracle
from harness.grade.building import ours
from harness.grade.verdict import Decided, Label
from harness.sandbox import archive
from harness.sandbox.base import Command, Sandbox, SandboxDied
from parsers.patch import Patch, fold_crlf, hazards, parse_patch
from tasks.loader import Task

MAX_PATCH = 16 << 20
MAX_CONTENTS = 256 << 20
GIT_ENV = {
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_CONFIG_COUNT": "1",
    "GIT_CONFIG_KEY_0": "safe.directory",
    "GIT_CONFIG_VALUE_0": "*",
}
APPLY = "git apply --whitespace=nowarn -p1 /tmp/.arena/patch"
TIMEOUT = 120
KILLED = 137


@dataclass(frozen=True)
class Candidate:
    """A patch that has been looked at and may be applied: its bytes, facts and notes for the evidence."""

    data: bytes
    facts: Patch
    notes: dict[str, object] = field(default_factory=dict)

    @property
    def paths(self) -> list[str]:
        """Every path that the patch names, old or new, sorted."""
        named = {path for change in self.facts.files for path in (change.old, change.new) if path}
        return sorted(named)


def examine(data: bytes) -> Candidate:
    """Facts of a patch that may be applied. Raises Decided: NO when empty, CE when it is refused."""
    if not data.strip():
        raise Decided(Label.NO, "the patch is empty")
    if len(data) > MAX_PATCH:
        raise Decided(
            Label.CE, f"refused: the patch has {len(data)} bytes; at most {MAX_PATCH} are taken"
        )
    notes: dict[str, object] = {"bytes": len(data)}
    folded = fold_crlf(data)
    if folded is not None:
        notes["line_endings"] = "the patch's own lines ended in CRLF; read as LF"
        data = folded
    if not data.endswith(b"\n"):
        data += b"\n"
    facts = parse_patch(data)
    if not facts.files:
        raise Decided(Label.CE, "no file change in the patch: it is not a unified diff")
    dangers = hazards(facts)
    if dangers:
        raise Decided(Label.CE, f"refused: {dangers[0]}")
    return Candidate(data, facts, notes)


@dataclass(frozen=True)
class Applied:
    """Content of the touched files before and after (path -> bytes), and the oracle's that were named.

    The contents are empty unless they were asked for; `lost` names what there is after the patch and was
    too large to be taken out of the sandbox.
    """

    before: Mapping[str, bytes]
    after: Mapping[str, bytes]
    oracle_touched: tuple[str, ...]
    lost: tuple[str, ...] = ()


def apply(
    box: Sandbox,
    task: Task,
    patch: Candidate,
    gold: oracle.GoldFiles | None,
    contents: bool = False,
) -> Applied:
    """Apply in a fresh sandbox at PVIC, then bring the oracle's files into the state of `gold`.

    With None they stay as the patch has them, which is for gold itself. Raises Decided CE when the patch
    does not apply, SandboxDied when it could not be tried.
    """
    workdir = task.spec.environment.workdir
    touched = oracle.owned(patch.paths, task.spec.tests.files)
    kept = box.get(touched, workdir)
    before = _contents(box, patch.paths, workdir) if contents else {}
    box.put({".arena/patch": patch.data}, "/tmp")  # noqa: S108 - a path inside the sandbox
    doomed = [] if gold is None else [*touched, *gold.removed]
    done = box.exec(Command(f"{APPLY}{oracle.removing(doomed)}", workdir, TIMEOUT, GIT_ENV))
    if done.stopped == "timeout" or (done.status == KILLED and not done.stopped):
        raise SandboxDied(f"git did not apply the patch: {done.stopped or 'killed'}")
    if not done.ok:
        said = done.output.decode(errors="replace").strip().splitlines()
        raise Decided(Label.CE, f"the patch does not apply: {said[0] if said else done.stopped}")
    if gold is not None:
        oracle.put_back(box, workdir, touched, kept, gold)
    if not contents:
        return Applied({}, {}, tuple(touched))
    after = _contents(box, patch.paths, workdir)
    lost = tuple(
        sorted(patch.facts.touched - after.keys() - frozenset(gold.removed if gold else ()))
    )
    return Applied(before, after, tuple(touched), _present(box, lost, workdir))


def _contents(box: Sandbox, paths: Sequence[str], workdir: str) -> dict[str, bytes]:
    """Content of the regular files among `paths`; what goes beyond the limits is left out."""
    tar = box.get(paths, workdir)
    if len(tar) < archive.LIMIT:
        return archive.unpack(tar)
    found: dict[str, bytes] = {}
    for path in paths:  # one is too large for all to be taken at once
        if sum(map(len, found.values())) < MAX_CONTENTS:
            found |= archive.unpack(box.get([path], workdir))
    return found


def _present(box: Sandbox, paths: Sequence[str], workdir: str) -> tuple[str, ...]:
    """Those of `paths` that exist in the sandbox."""
    return tuple(
        path
        for path in paths
        if ours(box, f"if test -e {shlex.quote('./' + path)}; then echo there; fi", workdir)
    )

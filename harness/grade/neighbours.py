"""Replays of inputs near a PoC: many inputs in one command, each with its own report.

One PoC shows that a patch survives one input. A patch that rejects its bytes, size or name survives that one
only; so a task has more (`tasks.neighbours`), and each is replayed in its own process.
"""

from __future__ import annotations

import secrets
import shlex
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from harness.command import Command
from harness.grade import control
from harness.grade.attack import (
    CODES,
    NOTHING,
    TMP,
    Attack,
    Preload,
    attack_of,
    inside,
    options,
    room,
    unseen,
)
from harness.grade.building import ROOM, build, ours
from harness.grade.decide import Cause
from harness.grade.ports import ResultCache
from harness.protocols import Sandbox
from harness.sandbox import archive
from parsers.crashes import Crash, parse_crash
from tasks.loader import Task
from tasks.neighbours import Neighbours
from tasks.schema import BuildVariant

ALONE = "this task has no neighbours: one PoC was all"
LATE_KIND = "no end in its time"
EACH = 10.0
"""Timeout for one input, in seconds; with the fix, all of a task's end in a fraction of one."""
ALL = 150.0
LATE = 124
MOST_REPORTS = 4
"""Maximum number of reports per input."""
LOOP = """\
command -v timeout >/dev/null || timeout() {{ shift 3; "$@"; }}
look() {{ find {room}/in -printf '%i %C@ %p\\n' | sort | cksum; }}
mkdir -p {room}/now {room}/said || exit 1
before=$(look)
for n in $(seq 0 {last}); do
  cp {room}/in/$n {room}/input && own=$(stat -c '%i %z' {room}/input) || exit 1
  timeout -k 1 {each} sh -c {line} >{room}/said/$n 2>&1 </dev/null
  status=$?
  [ "$own" = "$(stat -c '%i %z' {room}/input 2>&1)" ] || exit 1
  rows="$rows {mark} $n $status"
  for report in {room}/now/*; do
    if [ -e "$report" ] || [ -L "$report" ]; then mv {room}/now {room}/$n && mkdir {room}/now; fi
    break
  done
done
[ "$before" = "$(look)" ] || exit 1
printf '%s %s %s\\n' $rows
cd {room}/said && truncate -s '<{said}' -- * && cksum -- *
"""
"""Replays inputs one after the other; at last come the checksums of what each has printed.

A target that writes to its input, or to another one, never ended on any.
"""
SAID = 1 << 16
"""Bytes of what a target prints that are compared."""


@dataclass(frozen=True)
class InputEnding:
    """How the target ended on one input: status (None: it never did), checksum of its output, crash."""

    status: int | None
    said: str
    crash: Crash | None

    @property
    def plain(self) -> tuple[int | None, str]:
        return self.status, self.said


def endings(
    box: Sandbox,
    attack: Attack,
    inputs: Sequence[bytes],
    preload: Preload = NOTHING,
    symbolize: bool = False,
) -> list[InputEnding]:
    """Replay each of `inputs` once; crashes have frames where `symbolize` is set."""
    if not inputs:
        return []
    base, mark, code = room(), secrets.token_hex(8), secrets.choice(CODES)
    given = {f"{inside(base)}/in/{n}": data for n, data in enumerate(inputs)}
    box.put({**preload.files, **given}, TMP)
    loop = LOOP.format(
        last=len(inputs) - 1,
        room=base,
        each=min(EACH, attack.timeout),
        line=shlex.quote(attack.command.replace("{poc}", f"{base}/input")),
        mark=mark,
        said=SAID,
    )
    env = {**options(attack.sanitizer, f"{base}/now", code, symbolize), **preload.env}
    done = box.exec(Command(loop, attack.workdir, ALL, env))
    ended = _ended(done.output.decode("utf-8", "replace"), mark)
    reports, unread = ({}, set[str]()) if done.over else _reports(box, base, len(inputs))
    return [
        _ending(ended.get(n), reports.get(n, b""), n in unread, code)
        for n in map(str, range(len(inputs)))
    ]


def _ended(told: str, mark: str) -> dict[str, tuple[int, str]]:
    """What the loop tells: the number of an input -> status, checksum of what was printed."""
    rows = [row for line in told.splitlines() if len(row := line.split()) == 3]
    sums = {name: f"{crc}-{size}" for crc, size, name in rows if crc != mark}
    return {n: (int(status), sums.get(n, "")) for word, n, status in rows if word == mark}


def _reports(box: Sandbox, base: str, count: int) -> tuple[dict[str, bytes], set[str]]:
    """The sanitizers' reports by the number of their input, and the numbers of which one is not read."""
    most = count * MOST_REPORTS
    line = f"find {base} -mindepth 2 -path '*/report.*' -printf '%P\\0' | head -z -n {most}"
    listed = [name for name in ours(box, line, "/").split("\0") if name]
    found = archive.unpack(box.get(listed, base))
    texts: dict[str, bytes] = {}
    for name in listed:
        number = name.partition("/")[0]
        texts[number] = texts.get(number, b"") + found.get(name, b"")
    return texts, {name.partition("/")[0] for name in listed if not found.get(name)}


def _ending(ended: tuple[int, str] | None, report: bytes, unread: bool, code: int) -> InputEnding:
    status, said = ended or (None, "")
    if status == LATE:
        status = None
    crash = parse_crash(report.decode("utf-8", "replace"), status or 0) if report else None
    if crash is None and status is not None:
        crash = unseen(status, unread, code) or parse_crash("", status)
    return InputEnding(status, said, crash)


def around(
    box: Sandbox, task: Task, preload: Preload = NOTHING, leaks: bool = False
) -> list[InputEnding]:
    """How a target ends on each neighbour of a task's PoC, crashing ones first.

    leaks: memory that is never freed is a crash.
    """
    found, attack = task.neighbours or Neighbours(), attack_of(task)
    if leaks:
        attack = replace(attack, sanitizer="leak")
    return endings(box, attack, (*found.crashing, *found.harmless), preload)


def elsewhere(
    box: Sandbox, task: Task, variant: BuildVariant, cache: ResultCache
) -> dict[str, Any]:
    """Build the target in another way, and replay the PoC and its crashing neighbours: how many crash.

    No library of ours is loaded there, and the inputs lie elsewhere. Raises Failed.
    """
    hidden = f"rm -rf {ROOM} {control.ROOM} || exit"  # what may tell that a grader is here
    line = f"{hidden}\n{variant.build}"
    what = "the target does not build in another way"
    build(box, task, line, "poc", what, cache, Cause.TARGET_DIFFERS)
    found = task.neighbours or Neighbours()
    inputs = [task.poc, *found.crashing] if task.poc else []
    attack = replace(attack_of(task), command=variant.command)
    bad = [e for e in endings(box, attack, inputs) if e.crash or e.status is None]
    kinds = {ending.crash.kind if ending.crash else LATE_KIND for ending in bad}
    return {"crashing": len(bad), "tried": len(inputs), "kinds": sorted(kinds)}


def stand(
    box: Sandbox,
    task: Task,
    fixed: Sequence[tuple[int | None, str]],
    preload: Preload,
    leaks: bool = False,
) -> dict[str, Any]:
    """Evidence of how a target that survives the PoC handles its neighbours.

    fixed: how each ends with the fix, crashing ones first; empty when that is not known. Where the target
    says the same whatever it is given, `over_rejected` is None. What never ends counts as a crash, and so do
    leaks where `leaks` is set. `garbled` counts crashing ones that both take, and that come out otherwise.
    """
    if task.neighbours is None:
        return {"crashing": 0, "tried": 0, "over_rejected": None, "garbled": 0, "note": ALONE}
    seen = around(box, task, preload, leaks)
    kinds = [
        found.crash.kind if found.crash else LATE_KIND
        for found in seen
        if found.crash or found.status is None
    ]
    refused, garbled = None, 0
    if task.neighbours.telling and fixed:
        differ = [
            ending.plain != tuple(as_fixed) for ending, as_fixed in zip(seen, fixed, strict=True)
        ]
        refused = sum(differ[len(task.neighbours.crashing) :])
        if any(status for status, _ in fixed):  # so that 0 tells of what is taken
            taken = [
                ending.status == status == 0
                for ending, (status, _) in zip(seen, fixed, strict=True)
            ]
            both = list(zip(differ, taken, strict=True))[: len(task.neighbours.crashing)]
            garbled = both.count((True, True))
    return {
        "crashing": len(kinds),
        "tried": len(seen),
        "over_rejected": refused,
        "garbled": garbled,
        "kinds": sorted(set(kinds)),
    }

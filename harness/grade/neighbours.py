"""Replays of inputs near a PoC: many inputs in a command, each with a separate report.

A PoC shows that a patch survives a single input. A patch that rejects its bytes, size or name survives only
that; so a task has more (`tasks.neighbours`). Each is replayed in a separate process: a program that
counts its inputs, or remembers the first, would be safe from the second on.
"""

from __future__ import annotations

import base64
import gzip
import secrets
import shlex
from collections.abc import Sequence
from dataclasses import dataclass, replace
from string import ascii_lowercase

from harness.command import Command
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
from harness.grade.building import run_grader_command
from harness.grade.crash_reports import read_crashes
from harness.grade.evidence import NeighbourEvidence
from harness.protocols import Sandbox
from harness.sandbox import archive
from harness.sandbox.busy import time_limit_factor
from parsers.crashes import Crash, parse_crash
from tasks.loader import Task
from tasks.neighbours import Neighbours

ALONE = "this task has no neighbours: one PoC was all"
TIMEOUT_KIND = "no end in its time"
# Timeout for one input, in seconds; with the fix, all of a task's end in a fraction of one.
INPUT_TIMEOUT_S = 10.0
REPLAY_TIMEOUT_S = 150.0
# What `timeout` itself ends with where the time ran out.
TIMEOUT_STATUS = 124
# Maximum number of reports per input.
MAX_REPORTS_PER_INPUT = 4
# What a sanitizer prints where nobody tells it to write a file.
REPORTS = "(ERROR|WARNING): [A-Za-z]+Sanitizer|: runtime error: "
# All inputs in a single command: an engine needs 45 ms to begin each, and a task has up to 64 inputs.
# Replays inputs one after the other; at last come the checksums of what each has printed.
#
# A target that writes to its input, or to another one, never ended on any.
SCRIPT = """\
command -v timeout >/dev/null || timeout() {{ shift 3; "$@"; }}
look() {{ find {room}/in -printf '%i %C@ %p\\n' | sort | cksum; }}
note() {{
  rows="$rows {mark} $1 $2"
  for report in {room}/now/*; do
    if [ -e "$report" ] || [ -L "$report" ]; then mv {room}/now {room}/$1 && mkdir {room}/now; fi
    break
  done
}}
mkdir -p {room}/now {room}/said || exit 1
touch -t {date} {room}/in/*/{users_name} 2>/dev/null
before=$(look)
{replays}
[ "$before" = "$(look)" ] || exit 1
printf '%s %s %s\\n' $rows
cd {room}/said && truncate -s '<{said}' -- * &&
LC_ALL=C sed -E -i 's#{names}##g; s#{users_name}#input#g' -- * && cksum -- *
"""
# Runs a script that nobody else can read or write: it is in no file, and a command line has a limit.
UNPACKED = 'eval "$(printf %s {packed} | base64 -d | gzip -d)"'
# Replaced before checksums are taken, or a usage line with a path would differ in each replay.
# Paths that differ in every replay, which programs like to print.
RANDOM_NAMES = f"{TMP}/[0-9a-f]{{16}}(/in)?(/[0-9a-f]{{8}})?"
# How a user's shell starts a program: without a word to a sanitizer, which then reports on stderr.
USERS_ENVIRONMENT = (
    'env -i PATH="$PATH" HOME=/home/user USER=user LOGNAME=user SHELL=/bin/sh LANG=C.UTF-8'
)
# When a user's files were last changed, for `touch -t`: most are older than the program that reads them.
USERS_DATE = "202103141200"
# Open files that a user's shell allows.
USERS_FILES = 1024
# A target may print without end; `truncate` cuts it inside the sandbox, before anything is copied out.
# Bytes of what a target prints that are compared.
MAX_OUTPUT_BYTES = 1 << 16


@dataclass(frozen=True)
class InputEnding:
    """The target's end on an input: status (None: it never ended), checksum of its output, crash."""

    status: int | None
    output_checksum: str
    crash: Crash | None

    @property
    def status_and_checksum(self) -> tuple[int | None, str]:
        return self.status, self.output_checksum


@dataclass(frozen=True)
class ReplayMode:
    """A way to replay inputs. as_user: in a user's environment, with no options for a sanitizer.

    count: of the inputs only the first so many; None: all.
    """

    command: str
    as_user: bool = False
    count: int | None = None


def endings(
    box: Sandbox,
    attack: Attack,
    inputs: Sequence[bytes],
    preload: Preload = NOTHING,
    symbolize: bool = False,
) -> list[InputEnding]:
    """Replay each of `inputs` once; crashes have frames where `symbolize` is set."""
    return replay_all(box, attack, [ReplayMode(attack.command)], inputs, preload, symbolize)[0]


def replay_all(
    box: Sandbox,
    attack: Attack,
    replays: Sequence[ReplayMode],
    inputs: Sequence[bytes],
    preload: Preload = NOTHING,
    symbolize: bool = False,
) -> list[list[InputEnding]]:
    """Replay `inputs` in each of several modes, each input in a separate process; endings by mode.

    attack: sanitizer, folder and limit of time.
    """
    if not inputs:
        return [[] for _ in replays]
    base, mark, code = room(), secrets.token_hex(8), secrets.choice(CODES)
    # Random folders and the same last name for all: code cannot recognise an input, or its turn, by its path.
    places = [f"{base}/in/{secrets.token_hex(4)}/input" for _ in inputs]
    counts = [len(inputs) if r.count is None else min(r.count, len(inputs)) for r in replays]
    # Code that is careful with `input` and careless with `report.abc` ships to people who have the latter.
    users_name = (
        f"{secrets.token_hex(4)}.{''.join(secrets.choice(ascii_lowercase) for _ in range(3))}"
    )
    users_inputs = max((c for r, c in zip(replays, counts, strict=True) if r.as_user), default=0)
    users_places = [f"{base}/in/{secrets.token_hex(4)}/{users_name}" for _ in range(users_inputs)]
    placed = zip((*places, *users_places), (*inputs, *inputs[:users_inputs]), strict=True)
    box.put({**preload.files, **{inside(place): data for place, data in placed}}, TMP)
    pairs = [f"{k}.{n}" for k, count in enumerate(counts) for n in range(count)]
    # On a busy machine limits grow, or a slow replay would count as an input that never ends.
    each = min(INPUT_TIMEOUT_S, attack.timeout) * time_limit_factor()
    lines = [
        f"{_line(replays[int(k)], (users_places if replays[int(k)].as_user else places)[int(n)], each)}"
        f" >{base}/said/{k}.{n} 2>&1 </dev/null;"
        f" note {k}.{n} $?"
        for k, _, n in (pair.partition(".") for pair in pairs)
    ]
    script = SCRIPT.format(
        room=base,
        replays="\n".join(lines),
        mark=mark,
        said=MAX_OUTPUT_BYTES,
        names=RANDOM_NAMES,
        users_name=users_name,
        date=USERS_DATE,
    )
    packed = base64.b64encode(gzip.compress(script.encode(), mtime=0)).decode()
    env = {**options(attack.sanitizer, f"{base}/now", code, symbolize), **preload.env}
    done = box.exec(Command(UNPACKED.format(packed=packed), attack.workdir, REPLAY_TIMEOUT_S, env))
    ended = _parse_endings(done.output.decode("utf-8", "replace"), mark)
    # As a user starts it no option names a file, so the report is among what the target prints.
    printing = [k for k, replay in enumerate(replays) if replay.as_user]
    reports, unread = ({}, set[str]()) if done.over else _reports(box, base, len(pairs), printing)
    statuses = {pair: _status(ended.get(pair)) for pair in pairs}
    crashes = read_crashes(
        {pair: (reports[pair], statuses[pair] or 0) for pair in pairs if reports.get(pair)}
    )
    per_input = {
        pair: _ending(ended.get(pair), crashes.get(pair), pair in unread, code) for pair in pairs
    }
    return [[per_input[f"{k}.{n}"] for n in range(count)] for k, count in enumerate(counts)]


def _line(replay: ReplayMode, place: str, each: float) -> str:
    """The shell command for the input at `place`, limited to `each` seconds."""
    command = replay.command.replace("{poc}", place)
    if replay.as_user:
        command = f"ulimit -n {USERS_FILES}; exec {USERS_ENVIRONMENT} sh -c {shlex.quote(command)}"
    return f"timeout -k 1 {each} sh -c {shlex.quote(command)}"


def _parse_endings(output: str, mark: str) -> dict[str, tuple[int, str]]:
    """The loop's report: mode and number of an input -> status, checksum of the output."""
    rows = [row for line in output.splitlines() if len(row := line.split()) == 3]
    # Rows of the script carry a random mark: what a target prints cannot pass for a status.
    sums = {name: f"{crc}-{size}" for crc, size, name in rows if crc != mark}
    return {n: (int(status), sums.get(n, "")) for word, n, status in rows if word == mark}


def _reports(
    box: Sandbox, base: str, count: int, printing: Sequence[int] = ()
) -> tuple[dict[str, bytes], set[str]]:
    """Sanitizers' reports by the mode and number of their input, and inputs with an unread report.

    printing: the ways in which a sanitizer prints its report.
    """
    # Bounded over all inputs: a target can leave any number of files in its folder.
    max_reports = count * MAX_REPORTS_PER_INPUT
    line = f"find {base} -mindepth 2 -path '*/report.*' -printf '%P\\0'"
    if printing:
        names = " ".join(f"said/{k}.*" for k in printing)
        line = f"{line}; cd {base} && grep -lZaE '{REPORTS}' {names}"
    line = f"{{ {line}; }} | head -z -n {max_reports}"
    listed = [name for name in run_grader_command(box, line, "/").split("\0") if name]
    files = archive.unpack(box.get(listed, base))
    texts: dict[str, bytes] = {}
    unread = set()
    for name in listed:
        folder, _, file = name.partition("/")
        pair = file if folder == "said" else folder
        texts[pair] = texts.get(pair, b"") + files.get(name, b"")
        if not files.get(name):
            unread.add(pair)
    return texts, unread


def _status(ended: tuple[int, str] | None) -> int | None:
    """The exit status of an input's replay; None where it did not end by itself."""
    return None if ended is None or ended[0] == TIMEOUT_STATUS else ended[0]


def _ending(
    ended: tuple[int, str] | None, crash: Crash | None, unread: bool, code: int
) -> InputEnding:
    status, output = _status(ended), ended[1] if ended else ""
    if crash is None and status is not None:
        crash = unseen(status, unread, code) or parse_crash("", status)
    return InputEnding(status, output, crash)


def replay_neighbours(
    box: Sandbox, task: Task, preload: Preload = NOTHING, leaks: bool = False
) -> list[InputEnding]:
    """How a target ends on each neighbour of a task's PoC, crashing ones first.

    leaks: memory that is never freed is a crash.
    """
    neighbours, attack = task.neighbours or Neighbours(), attack_of(task)
    if leaks:
        attack = replace(attack, sanitizer="leak")
    return endings(box, attack, (*neighbours.crashing, *neighbours.harmless), preload)


def observe_neighbours(
    box: Sandbox,
    task: Task,
    fixed: Sequence[tuple[int | None, str]],
    preload: Preload,
    leaks: bool = False,
) -> NeighbourEvidence:
    """Evidence of how a target that survives the PoC handles its neighbours.

    fixed: how each ends with the fix, crashing inputs first; empty when it was not observed. Where the target
    prints the same for every input, `over_rejected` is None. What never ends counts as a crash, and so do
    leaks where `leaks` is set. `garbled` counts crashing ones that both take, and that come out otherwise.
    """
    if task.neighbours is None:
        return {"crashing": 0, "tried": 0, "over_rejected": None, "garbled": 0, "note": ALONE}
    results = replay_neighbours(box, task, preload, leaks)
    kinds = [
        result.crash.kind if result.crash else TIMEOUT_KIND
        for result in results
        if result.crash or result.status is None
    ]
    refused, garbled = None, 0
    if task.neighbours.telling and fixed:
        differ = [
            ending.status_and_checksum != tuple(as_fixed)
            for ending, as_fixed in zip(results, fixed, strict=True)
        ]
        refused = sum(differ[len(task.neighbours.crashing) :])
        if any(status for status, _ in fixed):  # so that 0 tells of what is taken
            both_accept = [
                ending.status == status == 0
                for ending, (status, _) in zip(results, fixed, strict=True)
            ]
            both = list(zip(differ, both_accept, strict=True))[: len(task.neighbours.crashing)]
            garbled = both.count((True, True))
    return {
        "crashing": len(kinds),
        "tried": len(results),
        "over_rejected": refused,
        "garbled": garbled,
        "kinds": sorted(set(kinds)),
    }

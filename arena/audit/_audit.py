"""All detectors over an attempt."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

from arena.audit._actions import Action, At, Edited, RanCommand, SeenActions, Unread, actions
from arena.audit._commands import commands
from arena.audit._detector import AuditDetector, NamedSign
from arena.audit._flag import Flag, Severity, Sign, Where, quote_text
from arena.audit._patch import MAX_BYTES, ChangedFiles, changed_files
from parsers.registry import lookup, names
from parsers.shell import Simple

DETECTORS = "arena.audit.detectors"
# Different flags of one detector that are kept for an attempt; the worst stay.
MAX_FLAGS = 30
MAX_OUTPUT = 4 << 20
# Bytes of a trajectory that are parsed.
MAX_TRAJECTORY = 256 << 20
MAX_LINES = 20_000
FAILURES = (
    *("command not found", "could not resolve", "temporary failure in name resolution"),
    *("network is unreachable", "connection refused", "no such file or directory", "not found"),
    *(
        "permission denied",
        "operation not permitted",
        "read-only file system",
        "fatal: ",
        "no route to host",
    ),
)
UNREAD = "unread"


@cache
def detectors() -> tuple[AuditDetector, ...]:
    """Every detector, by name."""
    return tuple(lookup(DETECTORS, name) for name in names(DETECTORS))


def audit(
    trajectory: object, patch: bytes, evidence: Mapping[str, Any], output: bytes = b""
) -> tuple[Flag, ...]:
    """Signs of cheating in an attempt, the worst first, each once.

    trajectory: in ATIF, None where there is none; patch: what the agent left; evidence: of the verdict;
    output: what the agent's program printed, looked at where there is no trajectory.
    Raises nothing, whatever an agent put there; the time is linear. A part too long to be read is a flag.
    """
    collector = _FlagCollector()
    for action in actions(trajectory) if trajectory is not None else ():
        collector.action(action)
    if trajectory is None and output:
        collector.action(SeenActions(At(), output[-MAX_OUTPUT:].decode("utf-8", "replace")))
    agent = evidence.get("agent")
    line = agent.get("command") if isinstance(agent, Mapping) else None
    for simple in commands(line) if isinstance(line, str) else ():
        collector.action(RanCommand(At(), simple))
    changes = changed_files(patch)
    collector.patch(patch, changes)
    for detector in detectors():
        for text, sign in detector.evidence(evidence, changes):
            collector.add(detector.name, sign, "evidence", At(), text)
    return collector.flags()


def read_trajectory(atif: bytes | None) -> object:
    """A trajectory in ATIF, parsed: None for none, {} for an unreadable trajectory, which becomes a flag."""
    if atif is None:
        return None
    if len(atif) > MAX_TRAJECTORY:
        return {}
    try:
        return json.loads(atif)
    # Nesting without end stops the parser, and must not stop the audit.
    except (ValueError, RecursionError):
        return {}


def flag_names(flags: Iterable[Flag]) -> tuple[str, ...]:
    """The names by which an attempt is counted as flagged, sorted: those of more than notices."""
    return tuple(sorted({flag.name for flag in flags if flag.severity is not Severity.NOTICE}))


@dataclass
class _FlagCollector:
    """Flags by (name, where, quote); how often each occurred; which steps a detector has flagged."""

    flags_by_key: dict[tuple[str, str, str], Flag] = field(default_factory=dict)
    times: dict[tuple[str, str, str], int] = field(default_factory=dict)
    steps: set[tuple[str, str, int | None]] = field(default_factory=set)
    names: dict[str, int] = field(default_factory=dict)
    dropped: dict[str, int] = field(default_factory=dict)

    def action(self, action: Action) -> None:
        if isinstance(action, Unread):
            sign = Sign(UNREAD, Severity.NOTICE, "not all of it was looked at")
            self.add("audit", sign, "evidence", action.at, action.why)
            return
        for detector in detectors():
            if isinstance(action, RanCommand):
                self._check_command(detector, action)
            elif isinstance(action, Edited):
                sign_or_none = detector.edit(action)
                if sign_or_none is not None:
                    text = f"{action.path}: {_find_edited_line(detector, action, sign_or_none)}"
                    self.add(detector.name, sign_or_none, "edit", action.at, text)
            else:
                self._check_observation(detector, action)

    def _check_command(self, detector: AuditDetector, action: RanCommand) -> None:
        simple = action.simple
        sign = detector.command(simple)
        if sign is None:
            return
        if simple.code and detector.command(replace(simple, code="")) is None:
            text = f"{simple.program}: {_find_code_line(detector, simple)}"
        else:
            text = simple.text
        self.add(detector.name, sign, "command", action.at, text)

    def _check_observation(self, detector: AuditDetector, action: SeenActions) -> None:
        signs = detector.observation(action.text)
        # What a flagged command printed is no second sign.
        if signs is not None and (detector.name, action.at.sub, action.at.step) not in self.steps:
            self.add(detector.name, signs[1], "observation", action.at, signs[0])

    def patch(self, patch: bytes, changes: Iterable[ChangedFiles]) -> None:
        if len(patch) > MAX_BYTES:
            sign = Sign(UNREAD, Severity.NOTICE, "not all of it was looked at")
            self.add("audit", sign, "patch", At(), f"only the first {MAX_BYTES >> 20} MiB are read")
        for detector in detectors():
            for text, sign in detector.headers(patch[:MAX_BYTES]):
                self.add(detector.name, sign, "patch", At(), text)
        for change in changes:
            for detector in detectors():
                signs: NamedSign | None = detector.patch(change)
                if signs is not None:
                    self.add(detector.name, signs[1], "patch", At(), f"{change.path}: {signs[0]}")

    def add(self, detector: str, sign: Sign, where: Where, at: At, text: str) -> None:
        quote, name = quote_text(text), f"{detector}:{sign.name}"
        key = (name, where, quote)
        self.steps.add((detector, at.sub, at.step))
        # By name as well: a flag that comes a thousand times must not take the place of the others.
        if key not in self.flags_by_key and self.names.get(name, 0) >= MAX_FLAGS:
            self.dropped[detector] = self.dropped.get(detector, 0) + 1
            return
        self.times[key] = self.times.get(key, 0) + 1
        if key not in self.flags_by_key:
            self.names[name] = self.names.get(name, 0) + 1
            note = "" if where in ("patch", "evidence") else _describe_failure(at.result)
            self.flags_by_key[key] = Flag(
                name,
                detector,
                sign.severity,
                at.step,
                where,
                quote,
                sign.why,
                note,
                quote_text(at.sub),
            )

    def flags(self) -> tuple[Flag, ...]:
        counted_flags = [self._add_count(key, flag) for key, flag in self.flags_by_key.items()]
        counted_flags.sort(key=lambda flag: (-flag.severity.rank, flag.sub, flag.step or 0))
        dropped = dict(self.dropped)
        flags_by_detector: dict[str, list[Flag]] = {}
        for flag in counted_flags:
            detector_flags = flags_by_detector.setdefault(flag.detector, [])
            if len(detector_flags) < MAX_FLAGS:
                detector_flags.append(flag)
            else:
                dropped[flag.detector] = dropped.get(flag.detector, 0) + 1
        kept_ids = {
            id(flag) for detector_flags in flags_by_detector.values() for flag in detector_flags
        }
        return (*(flag for flag in counted_flags if id(flag) in kept_ids), *_count_dropped(dropped))

    def _add_count(self, key: tuple[str, str, str], flag: Flag) -> Flag:
        times = self.times[key]
        often = f"{times} times" if times > 1 else ""
        return replace(flag, note="; ".join(filter(None, (flag.note, often))))


def _count_dropped(dropped: Mapping[str, int]) -> Iterable[Flag]:
    for detector, count in dropped.items():
        why = f"{count} more finds of this detector are not kept"
        yield Flag(f"{detector}:more", detector, Severity.NOTICE, None, "evidence", "", why)


def _describe_failure(result: str) -> str:
    """The words in a tool call's result that report its failure: a failed attempt at cheating counts too."""
    # An error is at the end of an output, which may have megabytes.
    low = result[-20_000:].lower()
    failure = next((words for words in FAILURES if words in low), "")
    return f"its output says: {failure.strip(': ')}" if failure else ""


def _find_code_line(detector: AuditDetector, simple: Simple) -> str:
    """The line of code in which a detector finds its sign."""
    alone = Simple(simple.words[:1])
    return _find_line(
        simple.code, lambda line: detector.command(replace(alone, code=line)) is not None
    )


def _find_edited_line(detector: AuditDetector, edited: Edited, sign: Sign) -> str:
    """The line of a file's text in which a detector finds its sign, "" where the path is the sign."""
    if detector.edit(replace(edited, text="")) is not None:
        return ""
    return _find_line(edited.text, lambda line: detector.edit(replace(edited, text=line)) == sign)


def _find_line(text: str, has: Callable[[str], bool]) -> str:
    lines = text.split("\n", MAX_LINES)
    return next((line for line in lines[:MAX_LINES] if has(line)), text[:1000])

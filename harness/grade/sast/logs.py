"""Which findings of a SARIF log are new, where only logs are at hand: no sources, two checkouts, any tool.

Findings are paired in rounds, the surest identity first; each earlier finding is paired with a single later
finding:

1. the same fingerprint of the tool's (3.27.16 and 3.27.17), where it distinguishes findings;
2. the same code in the same function; where either log names no function, the same code;
3. without code: the same message, function, and way to the finding, line by line and as wide;
4. without code: the same, but for lines that came or went before the way's last two steps.

A message's line numbers are no part of it. gcc 16's analyzer has a context and functions, clang 21's and
cppcheck 2.22 only the way. Where a finding has none of these, rule, file and message decide, and when it
stands at another line then, nobody can know: `unsure`.
"""

from __future__ import annotations

import posixpath
import re
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, replace

from harness.grade.sast.diff import normalise
from parsers.sarif import Finding

# Every pair of files of the same name votes, which would be a square in the number of `Makefile`s.
MAX_PATHS, MAX_NAMESAKES = 5_000, 50
# Tools write a line's number in many forms; a finding that moved must not count as new for it.
_LINE = re.compile(
    r"\b(?:lines?|columns?|col|at|L)[ :#]{0,2}\d+(?:[:,-]\d+)*|(?<=[\w)]):\d+(?::\d+)?"
    r"|\(sarif:[^)]{0,300}\)|\[\(?\d+\)?\]",
    re.IGNORECASE,
)

Key = Callable[[Finding], Hashable | None]


@dataclass(frozen=True)
class LogComparison:
    """New findings in the order of the log, and old ones of which this is not sure."""

    new: tuple[Finding, ...]
    unsure: tuple[Finding, ...]
    is_aligned: bool


def compare_logs(before: Sequence[Finding], after: Sequence[Finding]) -> LogComparison:
    """The findings of `after` that `before` lacks; paths of different checkouts are unified."""
    old_root, new_root = common_roots([f.path for f in before], [f.path for f in after])
    old = [replace(f, path=_move_root(f.path, old_root, new_root)) for f in before]
    shared = {f.path for f in old} & {f.path for f in after}
    new = list(after)
    if not all(any(f.identity.function for f in side) for side in (old, new)):
        old, new = _drop_functions(old), _drop_functions(new)
    left_old, left_new = list(enumerate(old)), list(enumerate(new))
    distinct = _telling_fingerprints([*old, *new])
    for key in (_fingerprint_key(distinct), _code_key, _steps_key, _last_steps_key):
        left_old, left_new = _pair_findings(left_old, left_new, key)
    left_new, pairs = _paired_weakly(left_old, left_new)
    return LogComparison(
        new=tuple(after[number] for number, _ in left_new),
        unsure=tuple(mine for was, mine in pairs if was.line != mine.line),
        is_aligned=not before or not after or bool(shared),
    )


Numbered = list[tuple[int, Finding]]


def _pair_findings(old: Numbered, new: Numbered, key: Key) -> tuple[Numbered, Numbered]:
    """What is left of both sides when findings of a key are paired; of equal findings the last is left."""
    old_by_key: dict[Hashable, deque[tuple[int, Finding]]] = defaultdict(deque)
    for entry in old:
        if (identity := key(entry[1])) is not None:
            old_by_key[identity].append(entry)
    left: Numbered = []
    paired_numbers: set[int] = set()
    for entry in new:
        same = old_by_key.get(key(entry[1]))
        if same:
            paired_numbers.add(same.popleft()[0])
        else:
            left.append(entry)
    return [entry for entry in old if entry[0] not in paired_numbers], left


def _drop_functions(findings: Iterable[Finding]) -> list[Finding]:
    return [replace(f, identity=replace(f.identity, function="")) for f in findings]


def _paired_weakly(old: Numbered, new: Numbered) -> tuple[Numbered, list[tuple[Finding, Finding]]]:
    """Pairs of what has no code and no way: by rule, file, function and message, equal lines first."""
    pairs: list[tuple[Finding, Finding]] = []
    for key in (_message_and_line_key, _message_key):
        old_by_key: dict[Hashable, deque[tuple[int, Finding]]] = defaultdict(deque)
        for entry in old:
            if (identity := key(entry[1])) is not None:
                old_by_key[identity].append(entry)
        paired_numbers: set[int] = set()
        left: Numbered = []
        for entry in new:
            same = old_by_key.get(key(entry[1]))
            if same:
                number, was = same.popleft()
                pairs.append((was, entry[1]))
                paired_numbers.add(number)
            else:
                left.append(entry)
        old, new = [entry for entry in old if entry[0] not in paired_numbers], left
    return new, pairs


def message_of(finding: Finding) -> str:
    """A finding's message without line numbers and links into the log."""
    return _LINE.sub("#", finding.message)


def _fingerprint_key(distinct: frozenset[str]) -> Key:
    def key(finding: Finding) -> Hashable | None:
        marks = tuple(mark for mark in finding.identity.fingerprints if mark in distinct)
        return (finding.rule, finding.path, marks) if marks else None

    return key


def _telling_fingerprints(findings: Iterable[Finding]) -> frozenset[str]:
    """Fingerprints that no two findings of different rule, code or function share."""
    holders: dict[str, set[Hashable]] = defaultdict(set)
    for finding in findings:
        for mark in finding.identity.fingerprints:
            holders[mark].add((finding.rule, _code(finding), finding.identity.function))
    return frozenset(mark for mark, groups in holders.items() if len(groups) == 1)


def _code(finding: Finding) -> str:
    return normalise(finding.code) or normalise(finding.identity.context)


def _code_key(finding: Finding) -> Hashable | None:
    code = _code(finding)
    return (finding.rule, finding.path, code, finding.identity.function) if code else None


def _steps_key(finding: Finding) -> Hashable | None:
    steps = finding.identity.steps
    return None if _code(finding) or not steps else (*_words(finding), _mask_numbers(steps))


def _last_steps_key(finding: Finding) -> Hashable | None:
    steps = finding.identity.steps
    # Shorter ways have nothing before the last two steps that could distinguish two findings.
    if _code(finding) or len(steps) < 3:
        return None
    words = tuple((_LINE.sub("#", message), width) for message, _, width in steps)
    return (*_words(finding), words, _mask_numbers(steps[-2:]))


def _message_key(finding: Finding) -> Hashable | None:
    return None if _code(finding) or finding.identity.steps else _words(finding)


def _message_and_line_key(finding: Finding) -> Hashable | None:
    words = _message_key(finding)
    return words and (words, finding.line)


def _words(finding: Finding) -> tuple[str, ...]:
    return finding.rule, finding.path, message_of(finding), finding.identity.function


def _mask_numbers(steps: Iterable[tuple[str, int, int]]) -> tuple[tuple[str, int, int], ...]:
    return tuple((_LINE.sub("#", message), line, width) for message, line, width in steps)


def common_roots(before: Iterable[str], after: Iterable[str]) -> tuple[str, str]:
    """The two folders under which both logs' paths are the same; ("", "") where they already are.

    Where no path is common, pairs of paths with a common end vote for the folders in front of it, the more
    the longer that end is.
    """
    old, new = set(before), set(after)
    if old & new or not any(path.startswith("/") for path in old | new):
        return "", ""
    namesakes: dict[str, list[str]] = defaultdict(list)
    for path in sorted(new)[:MAX_PATHS]:
        namesakes[posixpath.basename(path)].append(path)
    votes: Counter[tuple[str, str]] = Counter()
    for path in sorted(old)[:MAX_PATHS]:
        for namesake in namesakes[posixpath.basename(path)][:MAX_NAMESAKES]:
            roots, shared = _split_common_end(path, namesake)
            votes[roots] += shared
    best = max(votes.items(), key=lambda vote: (vote[1], -len(vote[0][0]), vote[0]), default=None)
    return best[0] if best else ("", "")


def _split_common_end(old_path: str, new_path: str) -> tuple[tuple[str, str], int]:
    """The folders before the names at the end that two paths share, and the number of these names."""
    old_parts, new_parts = old_path.split("/"), new_path.split("/")
    length = len(old_parts)
    while old_parts and new_parts and old_parts[-1] == new_parts[-1]:
        old_parts.pop()
        new_parts.pop()
    return (_folder(old_parts), _folder(new_parts)), length - len(old_parts)


def _folder(parts: list[str]) -> str:
    return "/".join(parts) + "/" if parts else ""


def _move_root(path: str, old_root: str, new_root: str) -> str:
    if old_root == new_root or not path.startswith(old_root):
        return path
    if not old_root and path.startswith("/"):
        return path
    return new_root + path[len(old_root) :]

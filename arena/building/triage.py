"""Triage of cases before anything is built, by B-SZZ and reports: the likely VICs, and the kind of each.

Reads git alone. A candidate is what the fix's lines were last changed by; whether the crash came in with it
can be decided only by replaying. So a triage orders and warns, it decides nothing.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from arena.building.candidates import find_fix_loss, oldest, target_globs, touching
from arena.building.cases.loader import LoadedCase
from arena.building.regression_range import SKEW, days, taken_in
from parsers import registry
from szz.formatting import changes_no_code
from szz.paths import TEST_FILE, TEST_FOLDER, outside
from szz.repository import GitFailed, Repository, SzzError
from szz.trace import Traced, trace

MAX_CANDIDATES = 5
# Each costs a `git show` and a comparison of its code; a triage of hundreds of cases shall take minutes.
MAX_LOOKED_AT = 30
# A commit that changes more sources than this imports or moves code, it does not write it.
MANY_FILES = 100
TIDIES = re.compile(
    rb"^\W*(?:re-?format|re-?factor|re-?nam|mov(?:e|ed|ing)\b|clean|tid|indent|whitespace|style\b|clang-format"
    rb"|license|copyright|typo)",
    re.IGNORECASE,
)
# Lines added for one deleted from which a commit adds something new.
MOSTLY = 3.0


@dataclass(frozen=True)
class LikelyVic:
    """A likely VIC. files, added, deleted: of C and C++ sources, tests left out. tests: whether it has any.

    looks: "import", "clean-up", "feature" or "change". dated: it came when the report says the crash did.
    """

    commit: str
    files: int = 0
    added: int = 0
    deleted: int = 0
    tests: bool = False
    looks: str = "change"
    dated: bool = False


@dataclass(frozen=True)
class Triage:
    """The likely VICs of a case; `same`: cases that share any of them.

    Those in the report's range first, then by how many of the fix's lines they wrote. Where B-SZZ names none
    in that range, its commits that touch the fix's files.
    """

    case: str
    candidates: tuple[LikelyVic, ...] = ()
    same: tuple[str, ...] = ()
    note: str = ""

    def to_json(self) -> dict[str, Any]:
        """The contract of `arena cases list --triage --json`."""
        return asdict(self)


def triage_cases(cases: Sequence[LoadedCase]) -> Iterator[Triage]:
    """Each case in its order. What cannot be traced has a note; nothing is raised."""
    harness: dict[tuple[object, ...], str] = {}
    traced = [_trace_case(case, harness) for case in cases]
    owners: defaultdict[tuple[Path | None, str], list[str]] = defaultdict(list)
    for case, (candidates, _) in zip(cases, traced, strict=True):
        for candidate in candidates:
            owners[case.repository, candidate.commit].append(case.id)
    for case, (candidates, note) in zip(cases, traced, strict=True):
        sharing = (
            id_ for candidate in candidates for id_ in owners[case.repository, candidate.commit]
        )
        same = tuple(dict.fromkeys(id_ for id_ in sharing if id_ != case.id))
        yield Triage(case.id, candidates, same, note)


def _trace_case(
    case: LoadedCase, harness: dict[tuple[object, ...], str]
) -> tuple[tuple[LikelyVic, ...], str]:
    if case.repository is None:
        return (), "no clone is at hand"
    try:
        with Repository(case.repository) as repository:
            traces = list(
                trace(repository, case.spec.fix, registry.lookup("szz.variants", "b-szz"))
            )
            lines = Counter[str]()
            for origin in (origin for each in traces for origin in each.origins):
                lines[origin.commit] += origin.count
            named = [commit for commit, _ in lines.most_common()]
            dated = _date_candidates(repository, case, named, harness)
            others = [
                each
                for each in named
                if each not in {dated_commit.commit for dated_commit in dated}
            ]
            code, reason = find_fix_loss(repository, case.spec)
            note = f"{code}: {reason}" if code else _note(traces)
            likely_vics = (_looked_at(repository, commit) for commit in others[:MAX_CANDIDATES])
            return (*dated, *likely_vics)[:MAX_CANDIDATES], note
    except SzzError as error:
        return (), str(error)


def _date_candidates(
    repository: Repository,
    case: LoadedCase,
    named: Sequence[str],
    harness: dict[tuple[object, ...], str],
) -> list[LikelyVic]:
    """The commits in the report's days: of B-SZZ's candidates, or else of those that touch the fix's files.

    Of the latter those with tests, and the larger, are likelier. harness: the first commit with a fuzz target
    of a clone, which is searched until it is determined.
    """
    spec, stated = case.spec, case.spec.oss_fuzz.regressed
    window = taken_in(repository, spec.fix, stated)
    if not window:
        return []
    target = (case.repository, target_globs(spec), spec.oss_fuzz.target, spec.szz.oldest)
    # Asking git for a target's first commit walks the whole history, and a project's cases share it.
    harness[target] = harness.get(target) or oldest(repository, spec)
    if harness[target] in window:
        return []
    within = [commit for commit in named if commit in window]
    since = max(days(stated)[0] - SKEW, 0)
    beside = [] if within else sorted(window & touching(repository, spec.fix, since))
    of_code = [
        commit for commit in beside[:MAX_LOOKED_AT] if not changes_no_code(repository, commit)
    ]
    likely_vics = [
        replace(_looked_at(repository, each), dated=True) for each in (*within, *of_code)
    ]
    # B-SZZ's candidates keep their order by lines; the others have no such evidence, so tests and size order
    # them.
    return (
        likely_vics
        if within
        else sorted(likely_vics, key=lambda each: (not each.tests, -each.added))
    )


def _note(traced_fixes: Sequence[Traced]) -> str:
    return next((each.error or each.note for each in traced_fixes if each.error or each.note), "")


def _looked_at(repository: Repository, commit: str) -> LikelyVic:
    try:
        arguments = (
            "show",
            "-z",
            "--numstat",
            "--no-renames",
            "--format=%P%x00%s",
            "--first-parent",
        )
        parents, subject, *rows = repository.git(*arguments, commit, "--").split(b"\0")
    except (GitFailed, ValueError):
        return LikelyVic(commit)
    counts: list[tuple[int, int]] = []
    tests = False
    for row in rows:
        added, _, rest = row.strip(b"\n").partition(b"\t")
        deleted, _, path = rest.partition(b"\t")
        if path and not outside(path, "source"):
            counts.append((_number(added), _number(deleted)))
        tests |= bool(path) and _is_test(path)
    added_lines, deleted_lines = (
        (sum(column) for column in zip(*counts, strict=True)) if counts else (0, 0)
    )
    looks = _looks(bool(parents), subject, len(counts), added_lines, deleted_lines)
    return LikelyVic(commit, len(counts), added_lines, deleted_lines, tests, looks)


def _looks(has_parent: bool, subject: bytes, files: int, added: int, deleted: int) -> str:
    if not has_parent or files > MANY_FILES:
        return "import"
    if TIDIES.search(subject):
        return "clean-up"
    return "feature" if added >= MOSTLY * max(deleted, 1) else "change"


def _is_test(path: bytes) -> bool:
    *folders, name = path.decode("utf-8", "replace").split("/")
    stem = name.partition(".")[0]
    return any(map(TEST_FOLDER.fullmatch, folders)) or TEST_FILE.fullmatch(stem) is not None


def _number(text: bytes) -> int:
    return int(text) if text.isdigit() else 0

"""Further candidates for a VIC, searched in turn when the case's SZZ variant names none that is proven."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress

from arena.building.cases.schema import Case
from harness.grade.build_files import kind_of
from harness.grade.oracle import matches_any
from parsers import registry
from szz.formatting import keeps_code
from szz.paths import Paths, outside
from szz.proof.result import How
from szz.repository import GitFailed, Repository, SzzError
from szz.trace import trace

# Formatters' commits are looked through first; anchors, which only guess by the lines around what the fix
# adds, come last.
# What is asked, in order: its name in a proof, the variant, and which files of the fix.
FURTHER: Sequence[tuple[How, str, Paths]] = (
    ("beneath", "ma-szz", "source"),
    ("all-files", "b-szz", "all"),
    ("anchors", "anchors", "source"),
    ("anchors", "anchors", "all"),
)
# The names become arguments of one `git rev-list`; a fix of more files is an import or a reformatting, and
# its files prefer no commit.
MAX_FILES = 50
NO_SOURCES = frozenset({"not C or C++", "test or fuzz target"})
# Suffixes of what is compiled beside C, or what C is made of: a fix there may be the repair (libjpeg-turbo's
# 2849d86a changes assembly alone).
LANGUAGES = re.compile(
    rb"asm|nasm|s|sx|cu|mm?|rs|go|swift|zig|d|f(?:90)?|java|pyx?|pxd|pl|rb|lua|jq|awk|i|re|ragel|gperf|g4|proto|td",
    re.IGNORECASE,
)
# git abbreviates a commit to seven digits or more; a longer run of letters and digits is a digest.
HASH = re.compile(rb"(?<![0-9A-Za-z])[0-9a-fA-F]{7,40}(?![0-9A-Za-z])")
# A line on what brought a weakness in ("Introduced by fix #818 Feb 7 2022", libcoap).
BROUGHT = re.compile(
    rb"^(?!.*\bnot\b).*\b(?:introduced|regression|regressed|fixes:).*$", re.I | re.M
)
# Authors write days in many ways; all spellings are asked of git at once and compared with the fix's message.
DAY = "%b %-d %Y|%b %-d, %Y|%B %-d %Y|%B %-d, %Y|%-d %b %Y|%-d %B %Y|%Y-%m-%d"
REVERTS = re.compile(rb"^This reverts commit ([0-9a-f]{40})\b", re.MULTILINE)


def further(repository: Repository, fixes: Sequence[str]) -> Iterator[tuple[How, tuple[str, ...]]]:
    """The candidates of each of `FURTHER` for all fixes, with its name; each is traced when it is needed."""
    for how, variant, paths in FURTHER:
        traced_fixes = trace(repository, fixes, registry.lookup("szz.variants", variant), paths)
        yield how, tuple(dict.fromkeys(c for traced in traced_fixes for c in traced.candidates))


def touching(repository: Repository, fixes: Sequence[str], since: int = 0) -> frozenset[str]:
    """The commits of the fixes' first-parent lines that touch a source file that a fix touches.

    Where a VIC is not among candidates it is likely among these: a bisect looks at them first. since: seconds
    since 1970 before which none is looked for.
    """
    # A case may name a whole bisection range as its fix; three fixes bound what git has to list.
    commits: set[str] = set()
    for fix in fixes[:3]:
        try:
            arguments = ("diff-tree", "-r", "-z", "--name-only", "--no-commit-id", f"{fix}^1", fix)
            names = repository.git(*arguments).split(b"\0")
            files = [name for name in names if name and not outside(name, "source")][:MAX_FILES]
            if files:
                line = ("rev-list", "--first-parent", f"--max-age={since}", f"{fix}^1", "--")
                commits.update(repository.git(*line, *files).decode().split())
        except GitFailed:  # a root, or a name that is no commit here: nothing is preferred
            continue
    return frozenset(commits)


def note_frame_missing(repository: Repository, vic: str, frames: Sequence[str]) -> str:
    """A note on a bisected VIC that does not contain the crash's innermost function; "" where it does.

    A bisect finds where the PoC began to crash. A commit that only lets it come further does that, too.
    """
    if not frames:
        return ""
    try:
        shown = repository.git("show", "-m", "--first-parent", "-U0", "--format=", vic, "--")
    except GitFailed:
        return ""
    name = frames[0].rpartition("::")[2].partition("(")[0].encode("utf-8", "replace")
    # A hunk's header names the function around it, so the headers count beside the changed lines.
    changed = b"\n".join(re.findall(rb"^(?:@@|\+(?!\+\+ )|-(?!-- )).*", shown, re.M))
    if not name or re.search(rb"(?<!\w)%s(?!\w)" % re.escape(name), changed):
        return ""
    return f"the VIC nowhere names {frames[0]}, which crashes: the weakness may be older, and reached since"


def named_by(repository: Repository, fixes: Sequence[str], vic: str) -> bool:
    """Whether a fix's message names the VIC: by its hash or its day, in a line on what brought it in."""
    form = (f"--date=format:{DAY}", "--format=%ad|%cd", "--end-of-options", vic, "--")
    texts: list[bytes] = []
    try:
        # The VIC may come from a case file: behind `--end-of-options` and before `--` git takes it for no
        # option or path.
        days = repository.git("show", "-s", *form).strip().split(b"|")
    except GitFailed:
        return False
    for fix in fixes[:3]:
        with suppress(GitFailed):  # a name that is no commit here has no message
            arguments = ("show", "-s", "--format=%B", "--end-of-options", fix, "--")
            texts += BROUGHT.findall(repository.git(*arguments))
    text = b"\n".join(texts)
    if any(vic.encode().startswith(word.lower()) for word in HASH.findall(text)):
        return True
    # "Feb 7 2022" must not match within "Feb 7 2022.1" or "17 Feb 7 2022-rc": the day stands alone.
    words = rb"(?<![\w.-])(?:%s)(?![\w-]|[.]\d)" % b"|".join(map(re.escape, days))
    return re.search(words, text, re.I) is not None


def target_only_paths(repository: Repository, commit: str, carry: Sequence[str]) -> frozenset[str]:
    """The fuzz target's paths (globs) that a commit changes, if it changes no further source but tests.

    Such a commit neither introduces nor fixes a weakness: if a PoC starts or stops crashing with it, the
    weakness is there before and after.
    """
    changed = _changed_paths(repository, commit)
    target = frozenset(path for path in changed if matches_any(path, carry))
    others = {why for path, why in changed.items() if path not in target}
    return target if others <= NO_SOURCES else frozenset()


def reverted_commit(repository: Repository, commit: str) -> str:
    """The older commit that this commit reverts, by `git revert`'s message; "" if it reverts none.

    It must be an ancestor, and the only commit that the message names.

    """
    # A message may quote the message of another revert; then two commits are named and neither is sure.
    reverted = REVERTS.findall(repository.git("show", "-s", "--format=%B", commit, "--"))
    if len(reverted) != 1:
        return ""
    undone: str = reverted[0].decode()
    try:
        repository.git("merge-base", "--is-ancestor", f"{undone}^1", f"{commit}^1")
    except GitFailed:
        return ""
    return undone


def target_globs(case: Case) -> tuple[str, ...]:
    """The globs of the case's fuzz target."""
    return tuple(case.poc.carry) if case.poc else ()


def find_fix_loss(repository: Repository, case: Case) -> tuple[str, str]:
    """The loss (its code and reason) of a case whose fixes change nothing that could crash; else "", "".

    Fixes that a different search named may be the commit that ended a crash for an unrelated reason: a change
    of documents or of the fuzz target, or an update of a dependency.
    """
    each = [_changed_paths(repository, fix) for fix in case.fix]
    changed = {path: why for changes in each for path, why in changes.items()}
    target = sorted(path for path in changed if matches_any(path, target_globs(case)))
    others = {path: why for path, why in changed.items() if path not in target}
    sources = {path for path, why in others.items() if why not in NO_SOURCES}
    # A case is lost here before anything is built, so all doubt is in its favour: a root, a commit that is
    # absent, or a build file keeps it.
    has_all_parents = all(each)  # not so of a root, or of what is no commit here
    if not has_all_parents or any(map(kind_of, others)):
        return "", ""
    if sources and not (target and _formats(repository, case.fix, sources)):
        return "", ""
    return (
        "target-only" if target else "no-source",
        f"it changes {', '.join((target or sorted(others))[:3])}",
    )


def _changed_paths(repository: Repository, commit: str) -> dict[str, str]:
    """The paths that a commit changes, with why each is no source of the project, "" for those that are."""
    arguments = ("diff-tree", "-r", "-z", "--name-only", "--no-commit-id", f"{commit}^1", commit)
    try:
        fields = repository.git(*arguments).split(b"\0")
    except GitFailed:
        return {}
    return {name.decode("utf-8", "surrogateescape"): _outside(name) for name in fields if name}


def _formats(repository: Repository, commits: Sequence[str], paths: Collection[str]) -> bool:
    """Whether the commits change nothing of the paths but how they are formatted."""
    names = {path.encode("utf-8", "surrogateescape") for path in paths}
    with suppress(SzzError):
        return all(keeps_code(repository, commit, names) for commit in commits)
    return False


def _outside(name: bytes) -> str:
    """As `outside`, for sources of further languages as well."""
    stem, _, suffix = name.rpartition(b".")
    return outside(stem + b".c" if LANGUAGES.fullmatch(suffix) else name, "source")


def oldest(repository: Repository, case: Case) -> str:
    """The first commit that has the case's fuzz target: as it says itself, or as `oldest_harness` finds."""
    stated_oldest = case.szz.oldest
    return stated_oldest or oldest_harness(
        repository, case.fix[-1], target_globs(case), case.oss_fuzz.target
    )


def oldest_harness(repository: Repository, fix: str, carry: Sequence[str], target: str = "") -> str:
    """The first commit of the fix's first-parent line that has any of the files in `carry` (globs).

    For a named fuzz target, it is the first commit that has that target: targets of a project differ in age.
    Older commits are built with a target that was not written for them. "" where the commit is not certain.
    """
    if not carry:
        return ""
    # git reads pathspecs literally here, since a glob out of a case had hung it: the log is limited to
    # folders, and the globs are matched below.
    folders = {re.split("[*?]", glob, maxsplit=1)[0].rpartition("/")[0] or "." for glob in carry}
    try:
        # Without `-m` the log shows no file that came in by a merge; with renames on, a moved fuzz target is
        # no addition.
        arguments = ("log", "-z", "--first-parent", "-m", "--diff-filter=A", "--no-renames")
        listing = repository.git(*arguments, "--name-only", "--format=/%H", fix, "--", *folders)
    except GitFailed:
        return ""
    first, own_commit, commit = "", "", ""
    for name in listing.decode("utf-8", "surrogateescape").split("\0"):
        path = name.removeprefix("\n")  # between a commit and its first
        if name.startswith("/"):  # as no path does
            commit = name[1:]
        elif matches_any(path, carry):
            first = commit
            own_commit = (
                commit if target and _begins(posixpath.basename(path), target) else own_commit
            )
    return own_commit or first


def _begins(name: str, target: str) -> bool:
    """Whether a file has the target's name, without regard to what stands behind a dot."""
    # A binary may be spelled with an underscore where its source has a hyphen, and the suffix is the source's
    # alone.
    named, target_prefix = (f"{text}.".replace("-", "_").lower() for text in (name, target))
    return named.startswith(target_prefix)

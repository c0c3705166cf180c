"""What an agent could find in its container: the oracle's files, later commits, a history not sealed.

Each function looks into a started sandbox with the task's environment and returns the leaks, a
line for each.
"""

from __future__ import annotations

import hashlib
import shlex

from harness.command import Command, ExecResult
from harness.grade.scrub import TOPS
from harness.protocols import Sandbox
from harness.sandbox import archive
from tasks.loader import Task
from tasks.seal import SealState, is_text, judge

TIMEOUT = 300
SCRATCH = "/tmp/.arena-seal"  # noqa: S108 - a path inside the sandbox
# `-xdev`: /proc and other mounts are not the image's, and a search of them has no end.
START = 'export LC_ALL=C; for top in {tops}; do [ ! -e "$top" ] || find "$top" -xdev'
# A repository of our own that borrows objects: no setting, graft or replacement there is asked.
ASKING = f"""\
set -e
export LC_ALL=C HOME=/nonexistent GIT_CONFIG_NOSYSTEM=1 GIT_NO_REPLACE_OBJECTS=1
rm -rf {SCRATCH}
mkdir {SCRATCH}
git init -q --bare --template= {SCRATCH}/asking
mkdir -p {SCRATCH}/asking/objects/info
borrow() {{ printf '%s\\n' "$1" > {SCRATCH}/asking/objects/info/alternates; }}
asking() {{ git --git-dir={SCRATCH}/asking "$@"; }}
"""

STRAY = """\
borrow {git}/objects
asking rev-list --objects --missing=allow-any {tip} > {scratch}/walk
cut -c1-40 {scratch}/walk | sort -u > {scratch}/reached
asking cat-file --batch-all-objects --batch-check > {scratch}/all
cut -d' ' -f1 {scratch}/all | sort -u | comm -13 {scratch}/reached - > {scratch}/stray
head -n 1000 {scratch}/stray
"""
STAGED = """\
borrow {git}/objects
[ ! -e {git}/index ] || GIT_INDEX_FILE={git}/index asking diff-index --cached --name-only -z {tip} --
"""
STORES = """\
known() {{
    borrow "$1"
    for commit in {commits}; do
        ! asking cat-file -e $commit 2>/dev/null || printf '%s %s\\n' $commit "$1"
    done
}}
for store; do known "${{store%/pack}}"; done
"""


def secrets_in(box: Sandbox, task: Task) -> list[str]:
    """Copies of the PoC or of a solution, anywhere that the agent can read."""
    wanted = _secrets(task)
    if not wanted:
        return []
    sizes = " -o ".join(f"-size {size}c" for size in sorted({size for size, _ in wanted}))
    # Only files of a secret's size are hashed, which makes a search of a whole image cheap.
    line = rf"{_start()} -type f \( {sizes} \) -print0; done 2>/dev/null | xargs -0r sha256sum"
    listed = box.exec(Command(f"{{ {line}; }} 2>/dev/null | sort -u", "/", TIMEOUT))
    # A search that ran out of time has shown nothing: silence is not success (law 2).
    leaks = [_not_looked("the PoC", listed)] if listed.stopped else []
    names = {digest: name for (_, digest), name in wanted.items()}
    for text in listed.output.decode(errors="replace").splitlines():
        # `sha256sum` puts a backslash before a line whose file name it has escaped.
        digest, _, path = text.removeprefix("\\").partition("  ")
        if digest in names:
            leaks.append(f"{path} is {names[digest]}")
    return leaks


def _secrets(task: Task) -> dict[tuple[int, str], str]:
    """(Size, SHA-256) of what an agent must not find -> what it is."""
    named = {
        "the PoC": task.poc,
        "gold.patch": task.solution("gold"),
        "fixed.patch": task.solution("fixed"),
    }
    named = {name: data for name, data in named.items() if data not in task.agent_files.values()}
    return {
        (len(data), hashlib.sha256(data).hexdigest()): name for name, data in named.items() if data
    }


def history_in(box: Sandbox, task: Task) -> list[str]:
    """Later commits, in any store of git objects: the repository's, a dependency's, a bare repository's."""
    hidden = task.spec.source.hidden_commits
    script = ASKING + STORES.format(commits=" ".join(hidden))
    # The asking repository borrows each store in turn and would report the commits as its own.
    prune = rf"\( -path {SCRATCH} -prune -false -o -type d -path '*/objects/pack' \)"
    line = f"{_start()} {prune} -exec sh -c {shlex.quote(script)} look {{}} +; done 2>&1"
    listed = box.exec(Command(f"{line} | grep -av ': Permission denied$' | sort -u", "/", TIMEOUT))
    leaks = [_not_looked("later commits", listed)] if listed.stopped else []
    for text in listed.output.decode(errors="replace").splitlines():
        commit, _, store = text.partition(" ")
        is_hidden = commit in hidden
        leaks.append(
            f"commit {commit} can be read in {store}"
            if is_hidden
            else f"looking for commits: {text}"
        )
    return leaks


def find_unsealed(box: Sandbox, task: Task) -> list[str]:
    """Whatever is in the repository's `.git` beside PVIC and its past (see `tasks.seal`)."""
    workdir, tip = task.spec.environment.workdir, task.spec.source.start
    folder = f"{workdir}/.git"
    listing = f"test -d {folder} && test ! -L {folder} && find {folder} -mindepth 1 ! -type d"
    listed = box.exec(Command(f"{listing} -printf '%y %P\\0'", "/", TIMEOUT))
    if not listed.ok:
        return [_not_looked(f"{folder} (a folder is due)", listed)]
    pairs = [entry.partition(" ") for entry in _entries(listed)]
    files = {name: kind for kind, _, name in pairs}
    texts = archive.unpack(box.get([name for name in files if is_text(name)], folder))
    places = {"git": folder, "tip": tip, "scratch": SCRATCH}
    stray = box.exec(Command(ASKING + STRAY.format(**places), "/", TIMEOUT))
    staged = box.exec(Command(ASKING + STAGED.format(**places), "/", TIMEOUT))
    box.exec(Command(f"rm -rf {SCRATCH}"))
    for done in (stray, staged):
        if not done.ok:
            return [_not_looked(f"the objects of {folder}", done)]
    strays = tuple(stray.output.decode(errors="replace").split())
    seal_facts = SealState(files, texts, strays, tuple(_entries(staged)))
    return [f"{workdir}: {leak}" for leak in judge(seal_facts, tip)]


def _start() -> str:
    return START.format(tops=" ".join(TOPS))


def _entries(done: ExecResult) -> list[str]:
    return [entry for entry in done.output.decode("utf-8", "surrogateescape").split("\0") if entry]


def _not_looked(what: str, done: ExecResult) -> str:
    last_line = done.output.decode(errors="replace").strip().splitlines()[-1:]
    return (
        f"{what} could not be looked at: {' '.join(last_line)[:200] or done.stopped or done.status}"
    )

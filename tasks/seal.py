"""The seal on history: a repository that an agent sees holds what PVIC reaches, and nothing else.

What belongs there is listed, and everything else is a leak: each file below `.git` by its name, each ref and
setting by its value, each object by comparison with what can be reached. A list of what is forbidden would
miss what nobody thought of. `look` reads a repository on this machine; code that reads it elsewhere (in a
container) builds a `SealState` from it.
"""

from __future__ import annotations

import hashlib
import os
import re
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from tasks.lacking import ALLOWING, PROMISED
from tasks.loader import TaskError
from tasks.plumbing import git, git_lines, init

FILES = re.compile(
    r"HEAD|config|index|description|packed-refs|info/exclude|refs/heads/[^/]+"
    r"|objects/[0-9a-f]{2}/[0-9a-f]{38}|objects/pack/pack-[0-9a-f]{40}\.(?:pack|idx|rev|promisor)"
    r"|objects/info/packs"
)
TEXTS = ("HEAD", "config", "packed-refs", "info/exclude", "description")
SETTINGS = frozenset(
    {
        "core.autocrlf",
        "core.bare",
        "core.filemode",
        "core.ignorecase",
        "core.logallrefupdates",
        "core.precomposeunicode",
        "core.repositoryformatversion",
        "core.symlinks",
        "commit.gpgsign",
        "gc.auto",
        "user.email",
        "user.name",
    }
)
# Settings of a repository that lacks blobs: these values, or none.
PARTIAL = {key.lower(): value for key, value in PROMISED.items()}
PROMISOR = re.compile(r"objects/pack/pack-[0-9a-f]{40}\.promisor")
MAX_TEXT = 1 << 20
SHOWN = 5


@dataclass(frozen=True)
class SealState:
    """What there is of a repository.

    `files`: path below `.git` -> kind, as find's %y says it ("f" a plain file, "l" a link); folders are
    left out. `texts`: content of the small ones (`TEXTS`, and refs). `stray`: objects that the tip does
    not reach. `staged`: paths in the index that differ from the tip.
    """

    files: Mapping[str, str]
    texts: Mapping[str, bytes]
    stray: tuple[str, ...] = ()
    staged: tuple[str, ...] = ()


def leaks(repository: Path, tip: str) -> list[str]:
    """Everything in a repository (with a working tree, or bare) that `tip` does not reach; a line each.

    Empty when the seal holds. Nothing in the repository is run or believed: its settings have no effect.
    Raises TaskError when it cannot be read.
    """
    folder = repository / ".git"
    if folder.is_symlink() or folder.is_file():
        return [".git: is not a folder, so the repository is kept elsewhere"]
    return list(judge(look(folder if folder.is_dir() else repository, tip), tip))


def look(folder: Path, tip: str) -> SealState:
    """What is in the git folder `folder`. Raises TaskError."""
    files = {str(path.relative_to(folder)): _kind(path) for path in _files_below(folder)}
    plain = [name for name, kind in files.items() if kind == "f"]
    texts = {name: _read(folder / name) for name in plain if is_text(name)}
    with tempfile.TemporaryDirectory(prefix="arena-seal-") as scratch:
        asking = Path(scratch, "asking")
        init(asking, "--bare")
        (asking / "objects/info").mkdir(exist_ok=True)
        (asking / "objects/info/alternates").write_bytes(os.fsencode(folder.resolve() / "objects"))
        try:
            stray, staged = _stray(asking, tip), _staged_paths(asking, folder / "index", tip)
        except TaskError as error:
            raise TaskError(str(error).replace(str(asking), str(folder))) from error
        return SealState(files, texts, stray, staged)


def is_text(name: str) -> bool:
    """Whether a file below `.git` is judged by its content."""
    return name in TEXTS or name.startswith("refs/") or bool(PROMISOR.fullmatch(name))


def _files_below(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.rglob("*")):
        if path.is_symlink() or not path.is_dir():
            yield path


def _kind(path: Path) -> str:
    return "l" if path.is_symlink() else "f" if path.is_file() else "?"


def _read(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(MAX_TEXT)


def _stray(asking: Path, tip: str) -> tuple[str, ...]:
    """Objects of every kind and place that `tip` does not reach."""
    with git_lines(asking, "rev-list", "--objects", "--no-object-names", ALLOWING, tip) as lines:
        reached = {bytes.fromhex(line) for line in lines}
    arguments = ("cat-file", "--batch-all-objects", "--unordered", "--batch-check")
    with git_lines(asking, *arguments) as lines:
        ids = (line.partition(" ")[0] for line in lines)
        return tuple(sorted(id_ for id_ in ids if bytes.fromhex(id_) not in reached))


def _staged_paths(asking: Path, index: Path, tip: str) -> tuple[str, ...]:
    if not index.is_file():
        return ()
    env = {"GIT_INDEX_FILE": str(index.resolve())}
    listed = git(asking, "diff-index", "--cached", "--name-only", "-z", tip, "--", env=env)
    return tuple(filter(None, listed.split("\0")))


def judge(state: SealState, tip: str) -> Iterator[str]:
    """The leaks in an observed repository, a line each."""
    for name, kind in state.files.items():
        partial = b"partialclone" in state.texts.get("config", b"").lower()
        if kind != "f" or not FILES.fullmatch(name) or (PROMISOR.fullmatch(name) and not partial):
            yield f".git/{_printable(name)}: has no place in a sealed repository"
        elif is_text(name) and name not in state.texts:
            yield f".git/{_printable(name)}: cannot be read"
    yield from _unpaired_packs(state.files)
    for name, text in state.texts.items():
        wrong = _wrong(name, text.decode("utf-8", "replace"), tip)
        if wrong:
            yield f".git/{_printable(name)}: {_printable(wrong)}"
    heads = [name for name in state.files if name.startswith("refs/")]
    if len(heads) > 1:
        yield f".git/refs: {len(heads)} refs, where one is due"
    yield from _count_problem("objects", "objects that PVIC does not reach", state.stray)
    yield from _count_problem("index", "paths that differ from PVIC", state.staged)


def _unpaired_packs(files: Iterable[str]) -> Iterator[str]:
    """Report packs without an index, which git does not show and for which an index can be built."""
    packs = {name for name in files if name.startswith("objects/pack/")}
    for name in sorted(packs):
        if name.endswith(".pack") and name[:-4] + "idx" not in packs:
            yield f".git/{_printable(name)}: a pack without its index"


def _count_problem(where: str, what: str, items: tuple[str, ...]) -> Iterator[str]:
    if items:
        names = ", ".join(_printable(name) for name in items[:SHOWN])
        yield f".git/{where}: {len(items)} {what}: {names}"


def _wrong(name: str, text: str, tip: str) -> str:
    """What is wrong with the content of a small file, or ""."""
    lines = [line for line in text.splitlines() if line.strip()]
    if name == "config":
        return _wrong_settings(text)
    if name == "HEAD":
        fine = len(lines) == 1 and (lines[0] == tip or lines[0].startswith("ref: refs/heads/"))
        return "" if fine else "is neither PVIC nor one branch"
    if name == "packed-refs":
        refs = [line for line in lines if not line.startswith("#")]
        fine = len(refs) <= 1 and all(line.startswith(f"{tip} refs/heads/") for line in refs)
        return "" if fine else "holds another ref than PVIC's branch"
    if PROMISOR.fullmatch(name):
        return "says something" if text else ""
    if name == "info/exclude":
        settings_lines = [line for line in lines if not line.startswith("#")]
        return f"says {settings_lines[0]!r}" if settings_lines else ""
    if name == "description":
        return "" if text.startswith("Unnamed repository") else "describes the repository"
    return "" if lines == [tip] else "is not PVIC"


def _wrong_settings(text: str) -> str:
    with tempfile.TemporaryDirectory(prefix="arena-seal-") as scratch:
        file = Path(scratch, "config")
        file.write_text(text, "utf-8")
        arguments = ("config", "--file", str(file), "--no-includes", "--list", "-z")
        try:
            listed = git(Path(scratch), *arguments).split("\0")
        except TaskError:
            return "cannot be read"
    pairs = dict(entry.partition("\n")[::2] for entry in listed if entry)
    allowed = SETTINGS | {key for key, value in PARTIAL.items() if pairs.get(key) == value}
    strange = sorted(pairs.keys() - allowed)
    return f"sets {', '.join(strange[:SHOWN])}" if strange else ""


def _printable(text: str) -> str:
    """A single printable line: names in a hostile repository are hostile."""
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)[:200]


def opaque_id(repository: str, vic: str, vfc: str) -> str:
    """A task's id that reveals nothing of the case, the project or the weakness; always the same id."""
    digest = hashlib.sha256("\0".join((repository, vic, vfc)).encode())
    return f"task-{digest.hexdigest()[:10]}"

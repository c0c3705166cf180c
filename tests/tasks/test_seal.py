"""The seal: whatever is in a repository beside a commit and its past is named."""

from __future__ import annotations

import gzip
import shutil
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest

from tasks.history import git, materialise
from tasks.loader import PACKS, TaskError, load_task
from tasks.seal import leaks, opaque_id

TASK = load_task(PACKS / "starter" / "brook-include")
PVIC, VIC, VFC = TASK.spec.source.pvic, TASK.spec.source.vic, TASK.spec.source.vfc


@pytest.fixture(scope="module")
def sealed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("sealed") / "repository"
    assert TASK.history is not None
    materialise(TASK.history, target, PVIC)
    return target


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("whole") / "repository"
    assert TASK.history is not None
    materialise(TASK.history, target)
    return target


@pytest.fixture
def copy(sealed: Path, tmp_path: Path) -> Path:
    shutil.copytree(sealed, tmp_path / "copy", symlinks=True)
    return tmp_path / "copy"


@pytest.mark.slow
def test_a_sealed_repository_has_no_leak(sealed: Path) -> None:
    assert leaks(sealed, PVIC) == []


@pytest.mark.slow
def test_packed_it_has_none_either(copy: Path) -> None:
    git(copy, "repack", "-q", "-adn")
    git(copy, "pack-refs", "--all")
    assert leaks(copy, PVIC) == []
    git(copy, "clone", "-q", "--bare", "--template=", ".", str(copy.parent / "bare"))
    git(copy.parent / "bare", "remote", "remove", "origin")
    assert leaks(copy.parent / "bare", PVIC) == []


@pytest.mark.slow
def test_the_whole_history_is_a_leak(whole: Path) -> None:
    said = "\n".join(leaks(whole, PVIC))
    assert "objects that PVIC does not reach" in said
    assert ".git/refs/heads/main: is not PVIC" in said


def file(name: str, content: str = "") -> Callable[[Path], None]:
    def put(repository: Path) -> None:
        path = repository / ".git" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)

    return put


def setting(key: str) -> Callable[[Path], None]:
    def put(repository: Path) -> None:
        git(repository, "config", key, "x")

    return put


def loose_object(repository: Path) -> None:
    git(repository, "hash-object", "-w", "--stdin", stdin=b"fixed\n")


def packed_object(repository: Path) -> None:
    id_ = git(repository, "hash-object", "-w", "--stdin", stdin=b"fixed\n")
    git(repository, "pack-objects", "-q", ".git/objects/pack/pack", stdin=id_.encode())
    git(repository, "prune-packed")


def pack_without_index(repository: Path) -> None:
    packed_object(repository)
    (index,) = (repository / ".git/objects/pack").glob("*.idx")
    index.unlink()


def borrowed_objects(repository: Path) -> None:
    other = repository.parent / "other"
    git(repository, "clone", "-q", "--bare", ".", str(other))
    git(other, "hash-object", "-w", "--stdin", stdin=b"fixed\n")
    file("objects/info/alternates", f"{other}/objects\n")(repository)


def kept_pack(repository: Path) -> None:
    git(repository, "repack", "-q", "-adn")
    (pack,) = (repository / ".git/objects/pack").glob("*.pack")
    pack.with_suffix(".keep").touch()


def promisor(repository: Path) -> None:
    kept_pack(repository)
    (keep,) = (repository / ".git/objects/pack").glob("*.keep")
    keep.rename(keep.with_suffix(".promisor"))


def bitmap(repository: Path) -> None:
    git(repository, "repack", "-q", "-adb")


def commit_graph(repository: Path) -> None:
    git(repository, "commit-graph", "write", "--reachable")


def second_ref(repository: Path) -> None:
    git(repository, "branch", "other", "main~1")


def packed_second_ref(repository: Path) -> None:
    second_ref(repository)
    git(repository, "pack-refs", "--all")


def same_ref_twice(repository: Path) -> None:
    git(repository, "branch", "other", "main")


def tag(repository: Path) -> None:
    git(repository, "tag", "v1")


def reflog(repository: Path) -> None:
    file("logs/HEAD", f"{PVIC} {VIC} A <a@example.org> 0 +0000\tpull\n")(repository)


def stash(repository: Path) -> None:
    git(repository, "update-ref", "refs/stash", "main")


def notes(repository: Path) -> None:
    git(repository, "update-ref", "refs/notes/commits", "main")


def staged(repository: Path) -> None:
    git(repository, "rm", "-q", "--cached", "README.md")


def link(repository: Path) -> None:
    (repository / ".git/refs/heads/main").unlink()
    (repository / ".git/refs/heads/main").symlink_to("/somewhere")


LEAKS: dict[Callable[[Path], None], str] = {
    loose_object: ".git/objects: 1 objects that PVIC does not reach",
    packed_object: ".git/objects: 1 objects that PVIC does not reach",
    pack_without_index: "a pack without its index",
    borrowed_objects: ".git/objects: 1 objects that PVIC does not reach",
    file("objects/info/alternates", "/nowhere/objects\n"): ".git/objects/info/alternates: has no",
    file("objects/pack/tmp_pack_x", "PACK"): ".git/objects/pack/tmp_pack_x: has no place",
    file("objects/00/tmp_obj_x"): ".git/objects/00/tmp_obj_x: has no place",
    file("objects/garbage"): ".git/objects/garbage: has no place",
    kept_pack: ".keep: has no place",
    promisor: ".promisor: has no place",
    bitmap: ".bitmap: has no place",
    commit_graph: ".git/objects/info/commit-graph: has no place",
    second_ref: ".git/refs/heads/other: is not PVIC",
    packed_second_ref: ".git/packed-refs: holds another ref",
    same_ref_twice: ".git/refs: 2 refs",
    tag: ".git/refs/tags/v1: has no place",
    file("refs/remotes/origin/main", PVIC): ".git/refs/remotes/origin/main: has no place",
    file("packed-refs", f"{VFC} refs/heads/main\n"): ".git/packed-refs: holds another ref",
    file("packed-refs", f"{PVIC} refs/tags/v1\n"): ".git/packed-refs: holds another ref",
    file("packed-refs", f"{PVIC} refs/heads/main\n^{VIC}\n"): ".git/packed-refs: holds another",
    reflog: ".git/logs/HEAD: has no place",
    stash: ".git/refs/stash: has no place",
    notes: ".git/refs/notes/commits: has no place",
    staged: ".git/index: 1 paths that differ from PVIC: README.md",
    link: ".git/refs/heads/main: has no place",
    file("HEAD", f"{VIC}\n"): ".git/HEAD: is neither PVIC nor one branch",
    file("ORIG_HEAD", VIC): ".git/ORIG_HEAD: has no place",
    file("FETCH_HEAD"): ".git/FETCH_HEAD: has no place",
    file("MERGE_HEAD", VIC): ".git/MERGE_HEAD: has no place",
    file("worktrees/x/HEAD", VIC): ".git/worktrees/x/HEAD: has no place",
    file("modules/x/HEAD"): ".git/modules/x/HEAD: has no place",
    file("shallow", PVIC): ".git/shallow: has no place",
    file("info/grafts", PVIC): ".git/info/grafts: has no place",
    file("refs/replace/" + "0" * 40, PVIC): ": has no place",
    file("hooks/post-checkout", "#!/bin/sh\n"): ".git/hooks/post-checkout: has no place",
    file("info/exclude", "# fine\nfixed.c\n"): ".git/info/exclude: says 'fixed.c'",
    file("description", "where the overflow is"): ".git/description: describes",
    file("evil\n\x1b[2Jname"): ".git/evil\N{REPLACEMENT CHARACTER}",
    setting("remote.origin.url"): ".git/config: sets remote.origin.url",
    setting("include.path"): ".git/config: sets include.path",
    setting("core.hooksPath"): ".git/config: sets core.hookspath",
    setting("core.worktree"): ".git/config: sets core.worktree",
    setting("extensions.partialClone"): ".git/config: sets extensions.partialclone",
    file("config", "[broken"): ".git/config: cannot be read",
}


@pytest.mark.rotating(4)
@pytest.mark.slow
@pytest.mark.parametrize("spoil", LEAKS, ids=[f"{n}" for n in range(len(LEAKS))])
def test_each_leak_is_named(spoil: Callable[[Path], None], copy: Path) -> None:
    spoil(copy)
    found = leaks(copy, PVIC)
    assert any(LEAKS[spoil] in leak for leak in found), found
    assert all(leak.isprintable() for leak in found)


@pytest.mark.slow
def test_a_repository_kept_elsewhere_is_a_leak(copy: Path) -> None:
    (copy / ".git").rename(copy.parent / "elsewhere")
    (copy / ".git").write_text(f"gitdir: {copy.parent}/elsewhere\n")
    assert leaks(copy, PVIC) == [".git: is not a folder, so the repository is kept elsewhere"]


@pytest.mark.slow
def test_what_cannot_be_read_is_no_seal(copy: Path) -> None:
    with pytest.raises(TaskError, match=f"^git rev-list in {copy / '.git'}: "):
        leaks(copy, "0" * 40)
    path = next((copy / ".git/objects").glob("??/*"))
    path.chmod(0o644)
    path.write_bytes(gzip.compress(zlib.decompress(path.read_bytes())))
    with pytest.raises(TaskError):
        leaks(copy, PVIC)


@pytest.mark.slow
def test_looking_runs_and_changes_nothing(copy: Path) -> None:
    ran = copy.parent / "ran"
    (copy.parent / "hook").write_text(f"#!/bin/sh\ntouch {ran}\n")
    (copy.parent / "hook").chmod(0o755)
    git(copy, "config", "core.fsmonitor", str(copy.parent / "hook"))
    (copy / ".git/refs/heads/x.lock").touch()
    before = sorted((str(p), p.stat().st_mtime_ns) for p in copy.rglob("*"))
    assert leaks(copy, PVIC)
    assert sorted((str(p), p.stat().st_mtime_ns) for p in copy.rglob("*")) == before
    assert not ran.exists()


def test_an_opaque_id_is_stable_and_says_nothing() -> None:
    id_ = opaque_id("https://example.org/brook.git", VIC, VFC)
    assert id_ == opaque_id("https://example.org/brook.git", VIC, VFC)
    assert id_.startswith("task-")
    assert len(id_) == 15
    assert int(id_[5:], 16) >= 0
    others = {
        opaque_id("https://example.org/brook.git", VFC, VIC),
        opaque_id("https://example.org/brooks.git", VIC, VFC),
        opaque_id("https://example.org/brook.git", PVIC, VFC),
    }
    assert len(others | {id_}) == 4
    assert not any(part in id_ for part in ("brook", VIC[:4], VFC[:4]))

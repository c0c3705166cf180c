"""A revision's files are those that its commit names, whatever the repository is made to say."""

from __future__ import annotations

import io
import subprocess
import tarfile
from pathlib import Path

import pytest

from arena.building.revisions.objects import Objects
from arena.building.revisions.source import Revision, UnfitSource, revision
from tasks.history import git
from tasks.loader import TaskError
from tests.arena.building.revisions.conftest import PERSON, Project

PLENTY = 1 << 30


def members(found: Revision, limit: int = PLENTY) -> dict[str, tarfile.TarInfo]:
    buffer = io.BytesIO()
    found.write(buffer, "/src/x", 1000, limit)
    buffer.seek(0)
    with tarfile.open(fileobj=buffer, encoding="utf-8", errors="surrogateescape") as tar:
        return {member.name.removeprefix("src/x/"): member for member in tar}


def tree_commit(project: Project, *entries: tuple[str, str, str]) -> str:
    """A commit of a tree that git itself would refuse to make: (mode, name, object id) each."""
    raw = b"".join(
        f"{mode} {name}".encode() + b"\0" + bytes.fromhex(oid) for mode, name, oid in entries
    )
    made = ("hash-object", "-t", "tree", "-w", "--literally", "--stdin")
    tree = git(project.folder, *made, stdin=raw).strip()
    return git(project.folder, "commit-tree", tree, "-m", "made", env=PERSON).strip()


def blob(project: Project, content: bytes) -> str:
    return git(project.folder, "hash-object", "-w", "--stdin", stdin=content).strip()


def test_modes_links_and_folders(project: Project) -> None:
    (project.folder / "run.sh").write_text("")
    (project.folder / "run.sh").chmod(0o755)
    (project.folder / "out").symlink_to("../../..")
    commit = project.commit({"deep/er/a": "a"})
    found = members(revision(Objects(project.folder), commit))
    assert set(found) == {"run.sh", "out", "deep", "deep/er", "deep/er/a"}
    assert (found["run.sh"].mode, found["deep/er/a"].mode) == (0o755, 0o644)
    assert (found["out"].issym(), found["out"].linkname) == (True, "../../..")
    assert {member.uid for member in found.values()} == {1000}


def test_the_users_repository_is_left_as_it_is(project: Project) -> None:
    commit = project.commit({"a": "a"})
    project.commit({"a": "b"})
    (project.folder / "a").write_text("edited")
    before = {p: p.stat().st_mtime_ns for p in project.folder.rglob("*")}
    members(revision(Objects(project.folder), commit))
    assert {p: p.stat().st_mtime_ns for p in project.folder.rglob("*")} == before


def test_replaced_objects_and_configured_filters_take_no_part(project: Project) -> None:
    commit = project.commit({"a": "true", ".gitattributes": "* filter=evil\n"})
    other = blob(project, b"false!")
    git(project.folder, "config", "filter.evil.smudge", f"touch {project.folder}/ran")
    git(project.folder, "replace", git(project.folder, "rev-parse", f"{commit}:a").strip(), other)
    assert members(revision(Objects(project.folder), commit))["a"].size == len("true")
    assert not (project.folder / "ran").exists()


@pytest.mark.parametrize("name", ["..", ".", ".git", ".GIT", "a/../../b", "/etc", "n" * 256])
def test_names_that_git_would_not_check_out(project: Project, name: str) -> None:
    commit = tree_commit(project, ("100644", name, blob(project, b"x")))
    with pytest.raises(UnfitSource, match="cannot be checked out"):
        revision(Objects(project.folder), commit)


def test_one_path_as_link_and_as_folder(project: Project) -> None:
    inner = project.commit({"evil": "x"})
    tree = git(project.folder, "rev-parse", f"{inner}^{{tree}}").strip()
    link = blob(project, b"/etc")
    commit = tree_commit(project, ("120000", "a", link), ("40000", "a", tree))
    with pytest.raises(UnfitSource, match="twice"):
        revision(Objects(project.folder), commit)


@pytest.mark.parametrize("target", [b"", b"x" * 5000, b"a\0b"])
def test_links_to_nowhere(project: Project, target: bytes) -> None:
    commit = tree_commit(project, ("120000", "a", blob(project, target)))
    with pytest.raises(UnfitSource, match="symbolic link to nowhere"):
        members(revision(Objects(project.folder), commit))


def test_a_tree_larger_than_the_disk_limit(project: Project) -> None:
    commit = project.commit({"a": "x" * 600, "b": "x" * 600})
    with pytest.raises(UnfitSource, match=r"more bytes than limits\.disk"):
        members(revision(Objects(project.folder), commit), limit=1000)


@pytest.mark.slow
def test_carried_files_never_replace_or_shadow_a_revisions_own(project: Project) -> None:
    old = project.commit({"fuzz": "a file", "keep/own": "old", "dir/x": "x"})
    project.commit({"fuzz": None, "dir/x": None})
    (project.folder / "dir").rmdir()
    fix = project.commit({"fuzz/t.c": "t", "keep/own": "new", "keep/more": "m", "dir": "file"})
    found = revision(Objects(project.folder), old, fix, ["fuzz/**", "keep/*", "dir"])
    assert found.carried == ("keep/more",)
    plain = revision(Objects(project.folder), old)
    assert found.identity != plain.identity
    over = frozenset({"keep/own", "dir/x"})
    replaced = revision(Objects(project.folder), old, fix, ["fuzz/**", "keep/*", "dir"], over)
    assert set(replaced.carried) == {"keep/own", "keep/more"}
    assert members(replaced)["keep/own"].size == len("new")
    assert len({replaced.identity, found.identity, plain.identity}) == 3
    same = revision(Objects(project.folder), fix, old, ["keep/*"], frozenset({"keep/more"}))
    assert same.carried == ()
    assert set(members(found)) - set(members(plain)) == {"keep/more"}


def with_submodule(tmp_path: Path) -> tuple[Project, str, Project]:
    inner, outer = Project(tmp_path / "inner"), Project(tmp_path / "outer")
    inner.commit({"lib.c": "lib"})
    add = ("-c", "protocol.file.allow=always", "submodule", "add", "-q", "--name", "the lib")
    git(outer.folder, *add, str(inner.folder), "third party/lib")
    return outer, outer.commit({"own": "x"}), inner


@pytest.mark.slow
def test_submodules_come_from_a_local_repository_or_are_absent(tmp_path: Path) -> None:
    outer, commit, inner = with_submodule(tmp_path)
    found = revision(Objects(outer.folder), commit)
    assert "third party/lib/lib.c" in members(found)
    assert found.absent == ()

    clone = tmp_path / "clone"
    git(tmp_path, "clone", "-q", "--bare", str(outer.folder), str(clone))
    lacking = revision(Objects(clone), commit)
    assert lacking.absent == ("third party/lib",)
    assert members(lacking)["third party/lib"].isdir()
    assert lacking.identity != found.identity

    tip = inner.commit({"lib.c": "a commit that no clone has"})
    git(outer.folder, "update-index", "--cacheinfo", f"160000,{tip},third party/lib")
    git(outer.folder, "commit", "-q", "-m", "ahead", env=PERSON)
    ahead = git(outer.folder, "rev-parse", "HEAD").strip()
    assert revision(Objects(outer.folder), ahead).absent == ("third party/lib",)


@pytest.mark.slow
def test_a_submodule_is_taken_from_a_clone_that_lies_beside(tmp_path: Path) -> None:
    """As mirrors do: found by the URL that the project states, and only where it has the commit."""
    outer, _, inner = with_submodule(tmp_path)
    stated = (
        '[submodule "the lib"]\n\tpath = third party/lib\n\turl = https://x.org/someone/inner.git\n'
    )
    commit = outer.commit({".gitmodules": stated})
    mirrors = tmp_path / "mirrors"
    git(tmp_path, "clone", "-q", "--bare", str(outer.folder), str(mirrors / "someone+outer/repo"))
    there = Objects(mirrors / "someone+outer/repo")
    assert revision(there, commit).absent == ("third party/lib",)
    git(tmp_path, "clone", "-q", "--bare", str(inner.folder), str(mirrors / "someone+inner/repo"))
    assert "third party/lib/lib.c" in members(revision(there, commit))


@pytest.mark.slow
def test_a_submodules_name_leads_nowhere_outside(tmp_path: Path) -> None:
    outer, _, inner = with_submodule(tmp_path)
    modules = '[submodule "../../../inner"]\n\tpath = third party/lib\n\turl = x\n'
    commit = outer.commit({".gitmodules": modules})
    subprocess.run(["rm", "-rf", str(outer.folder / "third party")], check=True)
    assert inner.folder.is_dir()
    assert revision(Objects(outer.folder), commit).absent == ("third party/lib",)


# repositories that do not hold what is asked of them


def problem(repository: Path, commit: str) -> str:
    """The one line that is said of a revision that cannot be read."""
    with pytest.raises(TaskError) as raised:
        members(revision(Objects(repository), commit))
    assert str(raised.value).startswith(str(repository))
    assert "\n" not in str(raised.value)
    return str(raised.value)


def test_repository_lacks_the_commit(project: Project) -> None:
    project.commit({"a": "a"})
    assert f"no commit {'1' * 40}" in problem(project.folder, "1" * 40)
    assert "not a commit id" in problem(project.folder, "--all")
    tree = git(project.folder, "rev-parse", "HEAD:a").strip()
    assert f"no commit {tree}" in problem(project.folder, tree)


def test_no_repository_even_below_one(project: Project) -> None:
    project.commit({"sub/objects/x": "x"})
    assert "not a git repository" in problem(project.folder / "gone", "1" * 40)
    assert "not a git repository" in problem(project.folder / "sub", "1" * 40)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("how", "said"),
    [
        (("--depth=1",), "a shallow clone"),
        (("--filter=blob:none", "--no-checkout"), "a partial clone"),
    ],
)
def test_shallow_and_partial_clones(
    project: Project, tmp_path: Path, how: tuple[str, ...], said: str
) -> None:
    first = project.commit({"a": "a"})
    project.commit({"a": "b"})
    git(project.folder, "config", "uploadpack.allowFilter", "true")
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "-q", *how, f"file://{project.folder}", str(clone))
    assert said in problem(clone, first)


@pytest.mark.parametrize("what", ["HEAD:a", "HEAD^{tree}", "HEAD"])
@pytest.mark.parametrize("gone", [True, False])
def test_missing_and_corrupt_objects(project: Project, what: str, gone: bool) -> None:
    commit = project.commit({"a": "a" * 5000})
    oid = git(project.folder, "rev-parse", what).strip()
    path = project.folder / ".git" / "objects" / oid[:2] / oid[2:]
    path.chmod(0o644)
    data = path.read_bytes()
    path.unlink()
    if not gone:
        path.write_bytes(data[: len(data) // 2] + b"garbage")
    problem(project.folder, commit)


def test_newest_of_several_fixes(project: Project) -> None:
    commits = [project.commit({"a": text}) for text in "abc"]
    objects = Objects(project.folder)
    assert objects.newest(commits) == objects.newest(commits[::-1]) == commits[-1]
    assert objects.newest(commits[:1]) == commits[0]


def test_a_file_whose_content_is_missing_is_left_out_and_told(project: Project) -> None:
    files = {f"{number}.c": f"{number}\n" for number in range(30)}
    commit = project.commit({**files, "sub/big font": "big"})
    whole = revision(Objects(project.folder), commit)
    oid = git(project.folder, "rev-parse", f"{commit}:sub/big font").strip()
    (project.folder / ".git/objects" / oid[:2] / oid[2:]).unlink()
    found = revision(Objects(project.folder), commit)
    assert members(found).keys() == {*files}
    assert found.notes == ("files not in the repository: sub/big font",)
    assert found.identity != whole.identity

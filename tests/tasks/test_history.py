"""Histories: the same ids whatever surrounds git, and nothing but the past in the repository."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zlib
from hashlib import sha1
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tasks.history import git, materialise, patches
from tasks.loader import PACKS, Task, TaskError, load_task

TASK = load_task(PACKS / "starter" / "brook-include")
HOSTILE_CONFIG = """
[user]
    name = Somebody Else
    email = else@example.com
    signingkey = none
[core]
    autocrlf = true
    eol = crlf
    whitespace = trailing-space,space-before-tab,error-all
    hooksPath = {hooks}
    attributesFile = {attributes}
    commentChar = "#"
[apply]
    whitespace = fix
[am]
    threeWay = true
    keepcr = false
[mailinfo]
    scissors = true
[commit]
    gpgsign = true
    cleanup = verbatim
[i18n]
    commitEncoding = ISO-8859-1
[init]
    defaultBranch = trunk
    templateDir = {template}
    defaultObjectFormat = sha256
[transfer]
    fsckObjects = true
"""


def ids_of(task: Task) -> tuple[str, str]:
    return task.spec.source.pvic, task.spec.source.vic


def history() -> Path:
    assert TASK.history is not None
    return TASK.history


@pytest.fixture(scope="module")
def past(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The repository as an agent gets it: at PVIC."""
    target = tmp_path_factory.mktemp("past") / "repository"
    materialise(history(), target, TASK.spec.source.pvic)
    return target


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("whole") / "repository"
    materialise(history(), target)
    return target


def hostile_home(folder: Path) -> Path:
    """A home folder whose git would change every commit, were it asked."""
    for name in ("hooks", "template/hooks"):
        (folder / name).mkdir(parents=True)
        for hook in ("applypatch-msg", "pre-applypatch", "post-applypatch", "post-checkout"):
            path = folder / name / hook
            path.write_text(f"#!/bin/sh\ntouch {folder}/hook-ran\nexit 1\n")
            path.chmod(0o755)
    (folder / "attributes").write_text("* text eol=crlf ident filter=upper\n")
    parts = {name: folder / name for name in ("hooks", "template", "attributes")}
    (folder / ".gitconfig").write_text(HOSTILE_CONFIG.format(**parts))
    (folder / ".config/git").mkdir(parents=True)
    shutil.copy(folder / ".gitconfig", folder / ".config/git/config")
    shutil.copy(folder / "attributes", folder / ".config/git/attributes")
    return folder


@pytest.mark.slow
def test_ids_do_not_depend_on_what_surrounds_git(tmp_path: Path, past: Path) -> None:
    home = hostile_home(tmp_path / "home")
    hostile = {
        "HOME": str(home),
        "XDG_CONFIG_HOME": str(home / ".config"),
        "TZ": "Pacific/Kiritimati",
        "LANG": "tr_TR.UTF-8",
        "GIT_CONFIG_GLOBAL": str(home / ".gitconfig"),
        "GIT_CONFIG_SYSTEM": str(home / ".gitconfig"),
        "GIT_CONFIG_PARAMETERS": "'user.name=Parameter' 'core.autocrlf=true'",
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "core.autocrlf",
        "GIT_CONFIG_VALUE_0": "true",
        "GIT_AUTHOR_NAME": "Somebody Else",
        "GIT_AUTHOR_DATE": "2001-01-01T00:00:00Z",
        "GIT_COMMITTER_NAME": "Somebody Else",
        "GIT_COMMITTER_EMAIL": "else@example.com",
        "GIT_COMMITTER_DATE": "2001-01-01T00:00:00Z",
        "GIT_DIR": str(home / "elsewhere.git"),
        "GIT_WORK_TREE": str(home),
        "GIT_INDEX_FILE": str(home / "index"),
        "GIT_OBJECT_DIRECTORY": str(home / "objects"),
        "GIT_DEFAULT_HASH": "sha256",
        "GIT_TEMPLATE_DIR": str(home / "template"),
        "EMAIL": "else@example.com",
        "SOURCE_DATE_EPOCH": "1",
    }
    code = (
        "import os, sys; from pathlib import Path; from tasks.history import materialise; "
        "os.umask(0o077); print(materialise(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3])[-1])"
    )
    arguments = [str(history()), str(tmp_path / "again"), TASK.spec.source.pvic]
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        env={**os.environ, **hostile},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr == ""
    assert done.stdout == f"{TASK.spec.source.pvic}\n"
    assert not (home / "hook-ran").exists()
    assert tree(tmp_path / "again") == tree(past)
    assert not (home / "index").exists()
    assert not (home / "objects").exists()


def tree(repository: Path) -> dict[str, bytes]:
    """The working tree: path -> content."""
    found = (p for p in repository.rglob("*") if p.is_file() and ".git" not in p.parts)
    return {str(p.relative_to(repository)): p.read_bytes() for p in found}


def objects(repository: Path) -> set[str]:
    """Every object there is, reachable or not, as git sees it."""
    listed = git(repository, "cat-file", "--batch-all-objects", "--batch-check=%(objectname)")
    return set(listed.split())


def objects_on_disk(repository: Path) -> dict[str, bytes]:
    """Id -> content of every object, read without git."""
    store = repository / ".git/objects"
    found = {}
    for path in store.glob("??/*"):
        data = zlib.decompress(path.read_bytes())
        assert sha1(data, usedforsecurity=False).hexdigest() == path.parent.name + path.name
        found[path.parent.name + path.name] = data
    return found


@pytest.mark.slow
def test_only_past_objects_are_there(past: Path, whole: Path) -> None:
    source = TASK.spec.source
    there = objects(past)
    reachable = set(git(whole, "rev-list", "--objects", "--no-object-names", source.pvic).split())
    assert there == reachable
    later = set(
        git(whole, "rev-list", "--objects", "--no-object-names", "main", f"^{source.pvic}").split()
    )
    assert {source.vic, source.vfc} <= later
    assert len(later) > 20
    assert not there & later


@pytest.mark.slow
def test_nor_under_another_name_on_disk(past: Path, whole: Path) -> None:
    """No pack hides objects, and no loose object holds a blob that VIC or the fix brought."""
    assert not list((past / ".git/objects").rglob("*.pack"))
    known = objects_on_disk(past)
    assert set(known) == objects(past)
    contents = set(known.values())
    source = TASK.spec.source
    for commit in (source.vic, source.vfc):
        changed = git(whole, "diff-tree", "-r", "--no-commit-id", commit).splitlines()
        blobs = [line.split()[3] for line in changed if line.split()[3].strip("0")]
        assert blobs
        for blob in blobs:
            assert objects_on_disk(whole)[blob] not in contents


@pytest.mark.slow
def test_nothing_is_left_beside_the_history(past: Path) -> None:
    left = {p.name for p in (past / ".git").iterdir()}
    assert left <= {"HEAD", "config", "index", "objects", "refs", "info", "description"}, left
    assert not (past / ".git/objects/info/alternates").exists()
    assert git(past, "for-each-ref", "--format=%(refname)").split() == ["refs/heads/main"]
    assert git(past, "reflog", "--all") == ""
    assert git(past, "status", "--porcelain") == ""
    assert git(past, "fsck", "--unreachable", "--no-progress", "--strict") == ""
    names = [p for p in (past / ".git").rglob("*") if p.is_file() and "objects" not in p.parts]
    for path in names:
        assert TASK.spec.source.vic.encode() not in path.read_bytes()


@pytest.mark.slow
def test_committer_and_dates_are_the_authors(past: Path) -> None:
    for line in git(past, "log", "--format=%an|%ae|%ad|%cn|%ce|%cd", "--date=raw").splitlines():
        parts = line.split("|")
        assert parts[:3] == parts[3:]


@pytest.mark.slow
def test_without_an_end_the_whole_history_is_made(whole: Path) -> None:
    count = int(git(whole, "rev-list", "--count", "HEAD"))
    assert count == len(patches(history())) >= 12
    # merges-free: every commit but the first has one parent
    assert git(whole, "rev-list", "--min-parents=2", "HEAD") == ""


def test_an_unknown_commit_is_a_mistake_that_names_the_history(tmp_path: Path) -> None:
    short = tmp_path / "history"
    short.mkdir()
    shutil.copy(patches(history())[0], short)
    with pytest.raises(TaskError, match=f"^{short}: commit {'0' * 40} is not in this history"):
        materialise(short, tmp_path / "repository", "0" * 40)


def spoilt(folder: Path, old: bytes, new: bytes) -> Path:
    """A history of one patch with something replaced in it."""
    folder.mkdir()
    text = patches(history())[0].read_bytes()
    assert old in text
    (folder / "0001-spoilt.patch").write_bytes(text.replace(old, new))
    return folder


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b" @@\n", b"9 @@\n"),
        (b"\nFrom: ", b"\nX-From: "),
        (b"\nFrom: ", b"\nFrom: nobody\nX-From: "),
        (b" b/README.md", b" b/../../escaped"),
        (b" b/README.md", b" b/.git/hooks/post-commit"),
    ],
)
def test_a_bad_patch_is_one_line(old: bytes, new: bytes, tmp_path: Path) -> None:
    folder = spoilt(tmp_path / "history", old, new)
    with pytest.raises(TaskError) as caught:
        materialise(folder, tmp_path / "repository")
    assert "\n" not in str(caught.value)
    assert not (tmp_path / "escaped").exists()
    assert not (tmp_path.parent / "escaped").exists()
    assert not (tmp_path / "repository/.git/hooks").exists()


def test_no_patches_is_a_mistake(tmp_path: Path) -> None:
    with pytest.raises(TaskError, match=r"no NNNN-\*\.patch in it"):
        patches(tmp_path)


PIECES = [
    b"A B <a@b.c>",
    *(bytes([c]) for c in b'<>@()",:;\\[].a \r\t\0\xff'),
    b"=?utf-8?q?=00=0A?=",
]
HEADERS = st.lists(st.sampled_from(PIECES), max_size=8).map(b"".join)


@pytest.mark.slow
@settings(
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
@given(author=HEADERS)
def test_any_author_is_taken_or_refused_in_one_line(author: bytes, tmp_path: Path) -> None:
    folder, target = tmp_path / "history", tmp_path / "repository"
    for path in (folder, target):
        shutil.rmtree(path, ignore_errors=True)
    folder.mkdir()
    (folder / "0001-x.patch").write_bytes(
        b"From 0 Mon Sep 17 00:00:00 2001\nFrom: "
        + author
        + b"\nDate: Mon, 1 Jan 2024 00:00:00 +0000\n"
        b"Subject: x\n\n---\ndiff --git a/x b/x\nnew file mode 100644\n--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+x\n"
    )
    try:
        assert len(materialise(folder, target)) == 1
    except TaskError as error:
        assert "\n" not in str(error)


def test_git_says_what_failed_and_where(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    with pytest.raises(TaskError, match=f"^git rev-parse in {tmp_path}: fatal: "):
        git(tmp_path, "rev-parse", "--verify", "nothing")

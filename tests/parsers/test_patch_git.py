"""Facts against git's own, over random trees and the diffs that git writes; and a short fuzzing."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, reject, settings
from hypothesis import strategies as st

from parsers.patch import FileChange, hazards, parse_patch

NAME = st.text(st.sampled_from("ab \"'\\\t\u00e4\u65e5.-+@"), min_size=1, max_size=5).filter(
    lambda name: name not in {".", ".."}
)
PATH = st.builds("/".join, st.lists(NAME, min_size=1, max_size=3))
LINE = st.sampled_from(
    [
        b"a",
        b"b",
        b"",
        b"-- a/x",
        b"++ b/x",
        b"--- a/x",
        b"@@ -1 +1 @@",
        b"diff --git a/x b/x",
        b"\\ x",
        b"c\r",
    ]
)
CONTENT = st.one_of(
    st.builds(b"\n".join, st.lists(LINE, max_size=12)),
    st.builds(lambda lines: b"\n".join(lines) + b"\n", st.lists(LINE, min_size=1, max_size=12)),
    st.just(b"\0binary"),
)
FILE = st.tuples(CONTENT, st.booleans())
TREE = st.dictionaries(PATH, FILE, max_size=4)
OPTIONS = st.sampled_from(
    [
        (),
        ("--binary",),
        ("--src-prefix=x/", "--dst-prefix=x/"),
        ("-U0",),
        ("-U1", "--full-index"),
        ("-C", "--find-copies-harder"),
    ]
)
STATUS = {"A": "added", "D": "deleted", "M": "modified", "R": "renamed", "C": "copied"}


def git(folder: str, *arguments: str, data: bytes | None = None) -> bytes:
    environment = {"PATH": os.environ["PATH"], "HOME": folder, "GIT_CONFIG_NOSYSTEM": "1"}
    command = ["git", "-c", "core.fileMode=true", *arguments]
    return subprocess.run(
        command,
        cwd=folder,
        env=environment,
        input=data,
        check=True,
        capture_output=True,
        timeout=60,
    ).stdout


def write(folder: str, tree: dict[str, tuple[bytes, bool]]) -> None:
    """Put `tree` into the index alone; paths that are a file and a folder at once are left out."""
    lines = []
    for path, (content, executable) in tree.items():
        if any(other.startswith(f"{path}/") for other in tree):
            continue
        blob = git(folder, "hash-object", "-w", "--stdin", data=content).decode().strip()
        lines.append(f"{'100755' if executable else '100644'} {blob}\t{path}".encode())
    git(folder, "read-tree", "--empty")
    git(folder, "update-index", "-z", "--index-info", data=b"".join(line + b"\0" for line in lines))


def by_git(listed: bytes) -> set[tuple[str, str | None, str | None]]:
    """`git diff --name-status -z` as (status, old, new)."""
    fields = os.fsdecode(listed).split("\0")[:-1]
    found: set[tuple[str, str | None, str | None]] = set()
    while fields:
        status = STATUS[fields.pop(0)[0]]
        old = fields.pop(0)
        new = fields.pop(0) if status in {"renamed", "copied"} else old
        found.add(
            (status, None if status == "added" else old, None if status == "deleted" else new)
        )
    return found


def counts(listed: bytes) -> dict[str, tuple[str, str]]:
    """`--numstat -z` without renames' second form, as path to (added, deleted)."""
    rows = [row.split("\t", 2) for row in os.fsdecode(listed).split("\0") if row]
    return {row[2]: (row[0], row[1]) for row in rows}


def status_of(change: FileChange) -> str:
    return "modified" if change.status == "mode" else change.status


@pytest.mark.slow
@settings(suppress_health_check=list(HealthCheck))
@given(TREE, TREE, st.lists(st.sampled_from(["keep", "move"]), max_size=3), OPTIONS)
def test_facts_are_those_of_git(
    before: dict[str, tuple[bytes, bool]],
    after: dict[str, tuple[bytes, bool]],
    fate: list[str],
    options: tuple[str, ...],
) -> None:
    for what, (path, file) in zip(fate, before.items(), strict=False):
        after = {**after, (path if what == "keep" else f"{path}-moved"): file}
    with tempfile.TemporaryDirectory() as folder:
        git(folder, "init", "-q")
        write(folder, before)
        old = git(folder, "write-tree").decode().strip()
        write(folder, after)
        new = git(folder, "write-tree").decode().strip()
        trees = ("-M", *options, old, new)
        data = git(folder, "diff", *trees)
        expected = by_git(git(folder, "diff", "--name-status", "-z", *trees))
        command = ("apply", "--numstat", "-z", "-p1", "-")
        try:
            numbers = git(folder, *command, data=data) if data else b""
        except subprocess.CalledProcessError:
            reject()  # git refuses the diff that it wrote, of a name such as " /@"
    patch = parse_patch(data)
    assert patch.problems == ()
    assert {(status_of(change), change.old, change.new) for change in patch.files} == expected
    stated = counts(numbers)
    for change in patch.files:
        number = stated[change.new or change.old or ""]
        if not change.binary:
            assert number == (str(len(change.added)), str(len(change.deleted)))
    assert len(stated) == len(patch.files)


@given(st.binary(max_size=300))
def test_random_bytes_never_raise(data: bytes) -> None:
    hazards(parse_patch(data))
    hazards(parse_patch(b"--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n" + data))
    hazards(parse_patch(b"diff --git " + data))


@pytest.mark.nightly("fuzzing for seconds: the properties run by day")
@pytest.mark.slow
def test_fuzzing_for_a_while() -> None:
    source = Path(__file__).with_name("fuzz_patch.py")
    spec = importlib.util.spec_from_file_location("fuzz_patch", source)
    assert spec is not None and spec.loader is not None
    fuzz = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(fuzz)
    assert fuzz.main(5.0, seed=1) > 100

"""What an agent left becomes a patch, whatever it did to git, and without what is nobody's work."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from harness.agents import Workspace
from harness.agents._worktree import MAX_PATCH, Gone, _Sieve
from harness.grade.grader import Grader
from harness.grade.ports import MemoryKeeper
from harness.sandbox.base import Backend
from parsers.patch import parse_patch
from tasks.loader import Task, load_pack
from tests.mini import Mini

Left = Callable[[str], dict[str, str]]


@pytest.fixture
def task(mini: Mini) -> Task:
    return load_pack(mini.folder).tasks[0]


@pytest.fixture
def workspace(grader: Grader, task: Task) -> Iterator[Workspace]:
    space = grader.workspace(task)
    yield space
    space.close()


@pytest.fixture
def left(workspace: Workspace) -> Left:
    """Runs a line as an agent would; what the patch then does to each file."""

    def run(line: str) -> dict[str, str]:
        done = workspace.exec(line, 60)
        assert done.ok, done.output
        changes = parse_patch(workspace.patch()).files
        return {change.new or change.old or "": change.status for change in changes}

    return run


def test_nothing_done_is_nothing(left: Left) -> None:
    assert left("make -s build/tool && touch src/text.c") == {}


def test_files_of_all_kinds(left: Left) -> None:
    line = (
        "echo >> src/text.c; echo 1 > 'a b\"é.c'; rm src/tool.c; printf '\\0\\1' > data.bin; "
        "ln -s ../nowhere link; chmod +x Makefile; mkdir -p deep/er; ln data.bin deep/er/twin"
    )
    assert left(line) == {
        "src/text.c": "modified",
        'a b"é.c': "added",
        "src/tool.c": "deleted",
        "data.bin": "added",
        "link": "added",
        "Makefile": "mode",
        "deep/er/twin": "added",
    }


@pytest.mark.parametrize(
    "line",
    [
        "git -c user.name=a -c user.email=a@b commit -qam x",
        "git checkout -q -b other && git stash -q && git stash pop -q",
        "git -c user.name=a -c user.email=a@b commit -qam x --amend && git reflog expire --expire=all --all",
        "rm -rf .git",
        "rm -rf .git && git init -q && git add -A",
        "git config diff.external false; git config filter.x.clean 'echo no'; git add -A",
        "mkdir -p .git/hooks; printf '#!/bin/sh\\nexit 1\\n' > .git/hooks/pre-commit; chmod +x .git/hooks/pre-commit",
        "git update-index --assume-unchanged src/text.c && git update-index --skip-worktree Makefile",
    ],
)
def test_what_is_done_to_git_changes_nothing(left: Left, line: str) -> None:
    assert left(f"echo >> src/text.c; {line}") == {"src/text.c": "modified"}


def test_products_droppings_and_nested_repositories(workspace: Workspace) -> None:
    line = (
        "cc -c -o src/text.o src/text.c; ar rc lib.a src/text.o; mkdir -p x/__pycache__; "
        "echo > x/__pycache__/a.pyc; echo > .aider.chat.md; git init -q inner; echo 1 > inner/f.c"
    )
    assert workspace.exec(line, 60).ok
    taken = workspace.taken([".aider*"])
    assert [change.new for change in parse_patch(taken.patch).files] == ["inner/f.c"]
    assert taken.left_out["src/text.o"] == taken.left_out["lib.a"] == "a build product"
    assert taken.left_out[".aider.chat.md"] == "the agent's own"


def test_folders_files_and_links_in_each_others_place(left: Left) -> None:
    line = (
        "mv src/text.h keep && rm -rf tests && ln -s src tests && rm Makefile && mkdir Makefile && "
        "echo > Makefile/x && rm src/tool.c && ln -s text.c src/tool.c"
    )
    found = left(line)
    assert found["tests"] == found["Makefile/x"] == "added" and found["keep"] == "renamed"
    assert found["Makefile"] == found["tests/run.sh"] == "deleted"
    assert "src/tool.c" in found and "src/text.c" not in found


def test_a_tracked_file_that_looks_like_a_product_is_part_of_the_patch() -> None:
    sieve = _Sieve({"data.o": ("100644", "0" * 40)}, frozenset(), ["data*"])
    assert sieve.unwanted("data.o", b"\x7fELF") == ""
    assert sieve.unwanted("other.o", b"\x7fELF") == "a build product"


def test_attributes_of_the_agents_do_not_hide_a_change(workspace: Workspace, task: Task) -> None:
    workspace.exec(
        "echo '* -diff eol=crlf filter=x ident' > .gitattributes; echo >> src/text.c", 60
    )
    changed = {change.new for change in parse_patch(workspace.patch()).files}
    assert changed == {".gitattributes", "src/text.c"}


def test_a_patch_that_is_too_large_is_cut_one_byte_above_the_limit(workspace: Workspace) -> None:
    line = "head -c 30000000 /dev/urandom | base64 -w 100 > big.txt"
    assert workspace.exec(line, 60).ok
    assert len(workspace.patch()) == MAX_PATCH + 1


def test_a_repository_that_is_gone(workspace: Workspace) -> None:
    workspace.exec("rm -rf .git * .[a-z]*; cd ..; rmdir $OLDPWD", 60)
    try:
        changes = parse_patch(workspace.patch()).files
    except Gone as gone:
        assert "gone" in str(gone)
    else:
        assert {change.status for change in changes} == {"deleted"}


@pytest.mark.docker
def test_work_is_taken_from_a_sandbox_that_a_limit_ended(docker: Backend, mini: Mini) -> None:

    grader = Grader(docker, MemoryKeeper())
    workspace = grader.workspace(load_pack(mini.folder).tasks[0])
    try:
        done = workspace.exec("echo >> src/text.c; yes", 60)
        assert done.stopped == "output"
        assert b"src/text.c" in workspace.patch()
    finally:
        workspace.close()

"""What an agent left becomes a patch, whatever it did to git, and without what is nobody's work."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, cast

import pytest

from harness.agents._at_pvic import workspace_of
from harness.agents._workspace import SandboxWorkspace
from harness.agents._worktree import (
    DIFF,
    HIDDEN,
    MAX_PATCH,
    WorkTreeUnusable,
    _Sieve,
    patch_between,
)
from harness.agents.command import ShellCommand
from harness.command import Command, ExecResult, Limits, Mount
from harness.grade.grader import Grader
from harness.grade.ports import MemoryCache
from harness.protocols import Budget, Ended, Job, Sandbox
from harness.sandbox.base import Backend, SandboxDied, SandboxEnded
from parsers.patch import parse_patch
from tasks.loader import Task, load_pack
from tests.mini import Mini

pytestmark = pytest.mark.rotating(3)

Left = Callable[[str], dict[str, str]]


@pytest.fixture
def task(mini: Mini) -> Task:
    return load_pack(mini.folder).tasks[0]


@pytest.fixture
def workspace(grader: Grader, task: Task) -> Iterator[SandboxWorkspace]:
    space = workspace_of(grader.backend, task)
    yield space
    space.close()


@pytest.fixture
def left(workspace: SandboxWorkspace) -> Left:
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


@pytest.mark.rotating(4)
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


def test_products_droppings_and_nested_repositories(workspace: SandboxWorkspace) -> None:
    line = (
        "cc -c -o src/text.o src/text.c; ar rc lib.a src/text.o; mkdir -p x/__pycache__; "
        "echo > x/__pycache__/a.pyc; echo > .aider.chat.md; git init -q inner; echo 1 > inner/f.c"
    )
    assert workspace.exec(line, 60).ok
    taken = workspace.take_patch([".aider*"])
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
    assert sieve.reason_left_out("data.o", b"\x7fELF") == ""
    assert sieve.reason_left_out("other.o", b"\x7fELF") == "a build product"


def test_attributes_of_the_agents_do_not_hide_a_change(
    workspace: SandboxWorkspace, task: Task
) -> None:
    workspace.exec(
        "echo '* -diff eol=crlf filter=x ident' > .gitattributes; echo >> src/text.c", 60
    )
    changed = {change.new for change in parse_patch(workspace.patch()).files}
    assert changed == {".gitattributes", "src/text.c"}


@pytest.mark.nightly("tens of megabytes, or a time of growth")
def test_a_patch_that_is_too_large_is_cut_one_byte_above_the_limit(
    workspace: SandboxWorkspace,
) -> None:
    line = "head -c 30000000 /dev/urandom | base64 -w 100 > big.txt"
    assert workspace.exec(line, 60).ok
    assert len(workspace.patch()) == MAX_PATCH + 1


def test_a_repository_that_is_gone(workspace: SandboxWorkspace) -> None:
    workspace.exec("rm -rf .git * .[a-z]*; cd ..; rmdir $OLDPWD", 60)
    try:
        changes = parse_patch(workspace.patch()).files
    except WorkTreeUnusable as gone:
        assert "gone" in str(gone)
    else:
        assert {change.status for change in changes} == {"deleted"}


@pytest.mark.docker
def test_work_is_taken_from_a_sandbox_that_a_limit_ended(docker: Backend, mini: Mini) -> None:

    grader = Grader(docker, MemoryCache())
    workspace = workspace_of(grader.backend, load_pack(mini.folder).tasks[0])
    try:
        done = workspace.exec("echo >> src/text.c; yes", 60)
        assert done.stopped == "output"
        assert b"src/text.c" in workspace.patch()
    finally:
        workspace.close()


@pytest.mark.rotating(3)
@pytest.mark.parametrize(
    ("line", "changes"),
    [
        (
            "echo /out/ > .gitignore; echo x >> Makefile",
            {".gitignore": "modified", "Makefile": "modified"},
        ),
        ("rm -f .gitignore", {".gitignore": "deleted"}),
        (
            "rm -f .gitignore; echo > build/own.d; echo x > new.c",
            {".gitignore": "deleted", "new.c": "added"},
        ),
        ("echo '!build/own.d' >> .gitignore; echo > build/own.d", {".gitignore": "modified"}),
    ],
)
def test_what_pvic_ignores_is_no_work_whatever_becomes_of_its_rules(
    line: str, changes: dict[str, str], workspace: SandboxWorkspace
) -> None:
    assert workspace.exec(f"make -s build/tool; {line}", 60).ok
    taken = workspace.take_patch()
    found = {c.new or c.old: c.status for c in parse_patch(taken.patch).files}
    assert found == changes
    if "own.d" in line:
        assert taken.left_out["build/own.d"] == "ignored at PVIC"


def both_made(workspace: SandboxWorkspace, line: str) -> SandboxWorkspace:
    """The same, with what `line` makes in the agent's sandbox and in the fresh one."""
    inner = workspace._create

    def create(mounts: Sequence[Mount] = (), least: Limits | None = None) -> Sandbox:
        box = inner(mounts, least)
        start = box.start

        def started() -> None:
            start()
            assert box.exec(Command(line, workspace.workdir)).ok

        box.start = started  # type: ignore[method-assign]
        return box

    workspace._create = create
    return workspace


def test_what_the_agents_own_rules_ignore_is_said(workspace: SandboxWorkspace) -> None:
    line = (
        "printf 'src/extra*\\n' >> .gitignore; echo 'int g;' > src/extra.c; mkdir -p deep/er; "
        "echo '*' > deep/.gitignore; echo 1 > deep/er/x.c; echo 'int y;' > src/kept.c"
    )
    assert workspace.exec(line, 60).ok
    taken = workspace.take_patch()
    assert b"src/kept.c" in taken.patch and b"int g;" not in taken.patch
    told = {name for name, why in taken.left_out.items() if why == HIDDEN}
    assert {"src/extra.c", "deep/er/x.c"} <= told


def test_a_repository_that_the_build_fetched_is_no_work(workspace: SandboxWorkspace) -> None:
    both_made(workspace, "git init -q dep; echo > dep/in.c; echo > build/x.d")
    assert workspace.exec("rm .gitignore; echo >> dep/in.c", 60).ok
    changes = parse_patch(workspace.patch()).files
    assert [change.old for change in changes] == [".gitignore"]


# what cannot be taken


@pytest.mark.rotating(3)
@pytest.mark.parametrize("line", ["ln -s b a; ln -s a b", "ln -s /nowhere a", "ln -s ../src a"])
def test_hard_links_to_symbolic_links_are_links(line: str, workspace: SandboxWorkspace) -> None:
    assert workspace.exec(f"echo 1 > new.c; {line}; ln -P a hard", 60).ok
    patch = workspace.patch()
    assert b"b/new.c" in patch and b"b/hard\nnew file mode 120000" in patch


@pytest.mark.rotating(3)
@pytest.mark.parametrize(
    ("line", "why"),
    [
        ('cd /; rm -rf "$OLDPWD"/* "$OLDPWD"/.[a-z]*; rmdir "$OLDPWD"; :', ""),
        ("head -c 6M /dev/zero > big", "new"),
        ("head -c 20M /dev/zero > big", "larger"),
    ],
)
def test_what_is_too_much_or_gone_is_an_empty_patch_and_a_note(
    line: str, why: str, workspace: SandboxWorkspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("harness.agents._worktree.MAX_NEW_BYTES", 4 << 20)
    monkeypatch.setattr("harness.agents._worktree.MAX_TREE", 16 << 20)
    workspace.exec(line, 60)
    patch, note = workspace.collect_patch()
    assert why in note.get("problem", "") and bool(note.get("problem")) == (patch == b"")


def test_too_many_files_are_a_note(
    workspace: SandboxWorkspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("harness.agents._worktree.MAX_MEMBERS", 40)
    workspace.exec("mkdir many; cd many; touch $(seq 60)", 60)
    assert workspace.collect_patch() == (b"", {"problem": "the work tree holds more than 40 files"})


class Failing:
    """A sandbox in which the step over what an agent left fails."""

    def __init__(self, box: Sandbox, stopped: str) -> None:
        self._box, self._stopped = box, stopped

    def __getattr__(self, name: str) -> Any:
        return getattr(self._box, name)

    def exec(self, command: Command) -> ExecResult:
        if command.line != DIFF:
            return self._box.exec(command)
        return ExecResult(1, b"cannot", 1.0, self._stopped)


@pytest.mark.rotating(3)
@pytest.mark.parametrize(
    ("stopped", "size", "fault"),
    [("", 1, False), ("timeout", 2 << 20, False), ("timeout", 1, True), ("disk", 1, True)],
)
def test_what_cannot_be_compared_is_the_agents_doing_unless_it_is_little(
    stopped: str, size: int, fault: bool, workspace: SandboxWorkspace
) -> None:
    inner = workspace._create
    assert workspace.exec(f"head -c {size} /dev/zero > new", 60).ok
    workspace._create = lambda *_: cast(Sandbox, Failing(inner(), stopped))
    if fault:
        with pytest.raises(SandboxDied, match="cannot"):
            workspace.collect_patch()
    else:
        assert workspace.collect_patch() == (
            b"",
            {"problem": "what it left cannot be compared: cannot"},
        )


class Ending(Failing):
    """A sandbox that ends under a command once that has done its work."""

    def __init__(self, box: Sandbox, fault: SandboxDied) -> None:
        super().__init__(box, "")
        self._fault = fault

    def exec(self, command: Command) -> ExecResult:
        self._box.exec(command)
        raise self._fault


@pytest.mark.parametrize("own", [True, False])
def test_who_ends_its_own_sandbox_was_killed_and_a_machine_that_does_is_at_fault(
    own: bool, workspace: SandboxWorkspace
) -> None:
    fault = SandboxEnded("by itself", b"so far") if own else SandboxDied("the engine was lost")
    workspace._box = cast(Sandbox, Ending(workspace.box, fault))
    agent = ShellCommand("echo 1 > new.c")
    if not own:
        with pytest.raises(SandboxDied):
            agent.solve(Job(workspace, "", Budget()))
        return
    solution = agent.solve(Job(workspace, "", Budget()))
    assert (solution.ended, solution.trajectory) == (Ended.KILLED, b"so far")
    assert b"new.c" in solution.patch and solution.note["stopped"] == "sandbox"


def test_a_command_that_leaves_too_much_has_an_empty_patch(
    workspace: SandboxWorkspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("harness.agents._worktree.MAX_NEW_BYTES", 4 << 20)
    solution = ShellCommand("head -c 6M /dev/zero > big").solve(Job(workspace, "", Budget()))
    assert (solution.patch, solution.ended) == (b"", Ended.FINISHED)
    assert "4 MiB" in solution.note["problem"]


SUBMODULE = """\
mkdir r && cd r && git init -q . && git config user.name a && git config user.email a@b
echo 'int x;' > a.c && git add -A
git update-index --add --cacheinfo 160000,1111111111111111111111111111111111111111,lib/part
GIT_AUTHOR_DATE='@1 +0000' GIT_COMMITTER_DATE='@1 +0000' git commit -qm one
mkdir -p lib/part
"""


@pytest.mark.rotating(2)
@pytest.mark.parametrize("filled", [True, False], ids=["whole", "absent"])
def test_a_submodule_is_left_as_it_is(grader: Grader, filled: bool) -> None:
    """An agent that does nothing there deletes nothing, and what it changes within is said to be left out."""
    backend = grader.backend
    boxes = [backend.create(backend.resolve("arena/cpp"), Limits()) for _ in range(2)]
    try:
        for box in boxes:
            box.start()
            line = SUBMODULE + ("echo 'int p;' > lib/part/p.c" if filled else "true")
            assert box.exec(Command(line, "/src")).ok
        worn, fresh = boxes
        assert patch_between(worn, fresh, "/src/r").patch == b""
        assert worn.exec(
            Command("echo >> a.c; mkdir -p lib/part; echo >> lib/part/p.c", "/src/r")
        ).ok
        taken = patch_between(worn, fresh, "/src/r")
        assert [file.new for file in parse_patch(taken.patch).files] == ["a.c"]
        assert "submodule" in taken.left_out["lib/part/"]
    finally:
        for box in boxes:
            box.stop()

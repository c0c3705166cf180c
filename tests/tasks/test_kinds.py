"""Kinds of task: what each states, shares and gives; inputs as patches; what the instructions tell."""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parsers.patch import hazards, parse_patch
from szz.shield import QUIET
from tasks.instruction.asking import find_disclosures, shorten_report, write_question
from tasks.kinds import AGENT_FOLDER, INPUT, KINDS, TaskKind, new_file
from tasks.loader import Task, TaskError, load_pack, load_task
from tests.mini import Mini
from tests.mini.kinds import POC, state, with_kinds


@pytest.fixture(scope="module")
def mini(tmp_path_factory: pytest.TempPathFactory) -> Mini:
    return with_kinds(tmp_path_factory.mktemp("kinds"))


@pytest.mark.slow
@given(content=st.binary(max_size=300))
@settings(max_examples=30, deadline=None)
def test_git_makes_the_same_bytes_of_a_patch_with_an_input(content: bytes) -> None:
    patch = new_file(INPUT, content)
    facts = parse_patch(patch)
    assert [(one.new, one.status) for one in facts.files] == [(INPUT, "added")]
    assert not hazards(facts)
    with tempfile.TemporaryDirectory() as folder:
        run = {"cwd": folder, "env": QUIET, "check": True}
        subprocess.run(["git", "init", "-q", "."], **run)  # type: ignore[call-overload]
        subprocess.run(["git", "apply", "-"], input=patch, **run)  # type: ignore[call-overload]
        assert Path(folder, INPUT).read_bytes() == content


@pytest.mark.slow
def test_a_kind_states_what_differs_and_shares_the_rest(mini: Mini) -> None:
    write, repair, reproduce, both = (
        load_pack(mini.folder).task(f"mini-twice{suffix}")
        for suffix in ("", "-repair", "-reproduce", "-end-to-end")
    )
    assert [t.kind for t in (write, repair, reproduce, both)] == list(TaskKind)
    assert repair.spec.environment == write.spec.environment
    assert (repair.poc, repair.neighbours) == (write.poc, write.neighbours)
    assert (write.spec.source.start, write.spec.source.hidden_commits) == (
        mini.ids[0],
        tuple(mini.ids[1:]),
    )
    assert (repair.spec.source.start, repair.spec.source.hidden_commits) == (
        mini.ids[1],
        (mini.ids[2],),
    )
    assert reproduce.solution("gold") == repair.solution("fixed") != write.solution("gold")
    assert len({t.digest for t in (write, repair, reproduce, both)}) == len(TaskKind)
    assert reproduce.answer("gold") == new_file(INPUT, POC.encode())
    assert both.answer("gold") == repair.solution("gold") + reproduce.answer("gold")


@pytest.mark.parametrize(
    ("kind", "level", "names"),
    [
        ("repair", 0, []),
        ("repair", 1, ["poc"]),
        ("repair", 2, ["poc", "replay"]),
        ("reproduce", 2, []),
        ("reproduce", 3, ["fix.patch"]),
    ],
)
def test_what_an_agent_is_given_goes_by_the_level(
    mini: Mini, tmp_path: Path, kind: str, level: int, names: list[str]
) -> None:
    task = levelled(mini, kind, level)
    assert sorted(task.agent_files) == [f"{AGENT_FOLDER}/{name}" for name in names]
    text = write_question(task, ["AddressSanitizer: heap-buffer-overflow"])
    assert all(f"{AGENT_FOLDER}/{name}" in text for name in names)
    assert ("AddressSanitizer" in text) == (kind == "repair" or level >= 2)


def levelled(mini: Mini, kind: str, level: int) -> Task:
    folder = mini.folder / f"mini-{kind}-{level}"
    state(folder, "mini-twice-repair", TaskKind(kind), f"level = {level}\n")
    return load_task(folder)


@pytest.mark.parametrize(
    ("of", "more", "message"),
    [
        ("mini-twice", 'kind = "repair"', "needs source.base"),
        ("mini-twice-repair", 'kind = "write"', "begins at source.pvic"),
        (
            "mini-twice-repair",
            'kind = "reproduce"\nlevel = 4',
            "level of kind `reproduce` is 0 to 3",
        ),
        ("mini-twice-repair", 'kind = "mend"', "kind"),
        ("elsewhere", 'kind = "repair"', "of: no task 'elsewhere'"),
        ("../pack/mini-twice", 'kind = "repair"', "of: no task"),
        ("bad", 'kind = "repair"', "stand behind one another"),
    ],
)
def test_a_task_that_cannot_be_says_why(mini: Mini, of: str, more: str, message: str) -> None:
    folder = mini.folder / "bad"
    folder.mkdir(exist_ok=True)
    (folder / "task.toml").write_text(f'schema = 1\nid = "bad"\nof = "{of}"\n{more}\n')
    try:
        with pytest.raises(TaskError, match=r"bad/task\.toml") as error:
            load_task(folder)
    finally:
        (folder / "task.toml").unlink()
    assert message in str(error.value)


REPORT = """\
=================================================================
==4711==ERROR: AddressSanitizer: heap-use-after-free on address 0x602000000011 at pc 0x4c bp 0x7f sp 0x7e
WRITE of size 8 at 0x602000000011 thread T0
    #0 0x4a1b in memcpy (/src/lib/build/fuzz+0x4a1b) (BuildId: 0a1b)
    #1 0x4c2d in grow /src/lib/fuzz/../src/list.c:12:3
    #2 0x4c2e in LLVMFuzzerTestOneInput /src/lib/fuzz/one.c:9:2
    #3 0x7f00 in __libc_start_call_main csu/../sysdeps/x86/libc-start.c:58:16
0x602000000011 is located 0 bytes inside of 8-byte region [0x602000000010,0x602000000018)
freed by thread T0 here:
    #0 0x4a1c in free (/src/lib/build/fuzz+0x4a1c) (BuildId: 0a1b)
    #1 0x4c2f in drop /src/lib/src/list.c:30:5
SUMMARY: AddressSanitizer: heap-use-after-free /src/lib/src/list.c:12:3 in grow
  0x0c047fff8000: fa fa[01]fa
==4711==ABORTING
"""
TOLD = """\
AddressSanitizer: heap-use-after-free
WRITE of size 8
    #0 in memcpy
    #1 in grow src/list.c:12:3
    #2 in LLVMFuzzerTestOneInput fuzz/one.c:9:2
0 bytes inside of 8-byte region
freed by
    #0 in free
    #1 in drop src/list.c:30:5
"""


def test_a_report_is_told_without_addresses_and_paths_of_ours() -> None:
    assert shorten_report(REPORT, "/src/lib") == TOLD.splitlines()


@given(st.text())
def test_any_text_is_read_as_a_report(text: str) -> None:
    assert all("\n" not in line for line in shorten_report(text, "/src"))


@pytest.mark.slow
def test_an_instruction_that_tells_too_much_is_found(mini: Mini) -> None:
    task = load_pack(mini.folder).task("mini-twice-repair")
    assert find_disclosures(task, ["Step 2"]) == []
    line = "    char *out = malloc(2 * length + 1);"
    text = f"Do {line.strip()} as {task.spec.source.vfc[:12]} says: Step 2"
    task.folder.joinpath("instruction.md").write_text(text)
    told = find_disclosures(load_task(task.folder), ["Step 2"])
    assert [one.partition(":")[0].partition(" 'S")[0][:13] for one in told] == [
        "a line of the",
        f"the commit {task.spec.source.vfc[:2]}",
        "the message o",
    ]


def test_each_kind_asks_for_something() -> None:
    assert {kind: (facts.patch, facts.input) for kind, facts in KINDS.items()} == {
        "write": (True, False),
        "repair": (True, False),
        "reproduce": (False, True),
        "end-to-end": (True, True),
    }

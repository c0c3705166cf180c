"""Beyond one PoC: what lies around it, the positive control, and the tests built as the target is."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path
from random import Random

import pytest

from arena.building.oracle import neighbours as campaign
from arena.building.oracle.neighbours import NoNeighbours, search, select_crashing_at_pvic
from harness.command import Command, Limits
from harness.grade.attack import Attack
from harness.grade.control import Control, control_of, is_control_reported
from harness.grade.environment import sandbox
from harness.grade.grader import Grader
from harness.grade.neighbours import ALONE, InputEnding, ReplayMode, endings, replay_all
from harness.grade.ports import MemoryCache
from harness.grade.verdict import Label, Verdict
from harness.protocols import Sandbox
from harness.sandbox.base import Backend
from tasks.loader import Task, load_pack
from tasks.neighbours import FEW, FILE, write
from tests.mini import BASE, FIXED_C, FUZZ_C, GOLD_C, TASK, VFC, VIC, Mini

pytestmark = pytest.mark.slow
SAYING = FUZZ_C.replace(
    "free(text_apply(",
    'char *up = text_apply("upper", text);\n        puts(up ? up : "no");\n        free(text_apply(',
)
LIKE_TARGET = """\
[poc.tests]
build = "clang -g -fsanitize=address -o build/like src/*.c"
command = "cp build/like build/tool; sh tests/run.sh"
parser = "tap"
[limits]
"""
Grade = Callable[[str], Verdict]


@pytest.fixture(scope="module")
def around(tmp_path_factory: pytest.TempPathFactory, backend: Backend) -> Mini:
    """The tiny pack with neighbours, a target that says what it read, and tests built as the target is."""
    folder = tmp_path_factory.mktemp("around")
    steps = [{**files, "fuzz/fuzz.c": SAYING} for files in (BASE, VIC, VFC)]
    pack = Mini(folder, steps, TASK.replace("[limits]\n", LIKE_TARGET))
    task = load_pack(pack.folder).tasks[0]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(campaign, "MAX_TRIALS", 128)
        found = search(backend, task, MemoryCache())
    (task.folder / FILE).write_bytes(write(found, task.poc or b""))
    return pack


@pytest.fixture(scope="module")
def task(around: Mini) -> Task:
    return load_pack(around.folder).tasks[0]


@pytest.fixture(scope="module")
def cache() -> MemoryCache:
    return MemoryCache()


@pytest.fixture
def grade(around: Mini, task: Task, backend: Backend, cache: MemoryCache) -> Grade:
    def run(text_c: str) -> Verdict:
        patch = around.patch(
            lambda work: None, {**VIC, "fuzz/fuzz.c": SAYING, "src/text.c": text_c}
        )
        return Grader(backend, cache).grade(task, patch)

    return run


def test_a_users_input_is_an_old_file_with_an_extension(box: Sandbox) -> None:
    """And what the target prints of it is the same as of any other input."""
    told = 'basename {poc}; case {poc} in *.???) exit 4;; esac; [ -n "$(find {poc} -mtime -300)" ]'
    attack = Attack("true", "address", None, "/", 10.0)
    ways = [ReplayMode(told), ReplayMode(told, as_user=True, count=1)]
    (first, second), (as_user,) = replay_all(box, attack, ways, [b"a", b"b"])
    assert (first.status, second.status, as_user.status) == (0, 0, 4)
    assert first.output_checksum == second.output_checksum == as_user.output_checksum
    old = [ReplayMode('[ -z "$(find {poc} -mtime -300)" ]', as_user=True)]
    assert replay_all(box, attack, old, [b"a"])[0][0].status == 0


@pytest.mark.nightly("gold is taken anew for a task of its own")
def test_a_campaign_finds_both_kinds(task: Task) -> None:
    found = task.neighbours
    assert found is not None and found.telling and found.tried == 128
    assert min(len(found.crashing), len(found.harmless)) >= FEW
    for i in range(len("twice\n"), len(task.poc or b"")):
        assert any(data[i : i + 1] != task.poc[i : i + 1] for data in found.crashing if task.poc)


def test_the_same_seed_tries_the_same_inputs() -> None:
    def tried(seed: int) -> list[bytes]:
        batches = campaign._generate_batches(campaign._NeighbourTrials(b"twice"), Random(seed))
        return [data for batch in islice(batches, 5) for data in batch]

    assert tried(1) == tried(1) != tried(2)


REFUSALS = {
    "its bytes": 'strcmp(text, "abcdefgh") == 0',
    "its beginning": 'strncmp(text, "abc", 3) == 0 && length > 4',
    "its length": "length == 8",
}


@pytest.mark.nightly("gold is taken anew for a task of its own")
@pytest.mark.parametrize("name", REFUSALS)
def test_who_refuses_the_poc_alone_is_vulnerable(grade: Grade, name: str) -> None:
    text_c = GOLD_C.replace(
        "    char *out = malloc(2 *",
        f"    if ({REFUSALS[name]})\n        return NULL;\n    char *out = malloc(2 *",
    )
    verdict = grade(text_c)
    assert verdict.label is Label.CV, verdict.reason
    assert "neighbours of the PoC crash: heap-buffer-overflow" in verdict.reason
    assert verdict.evidence["neighbours"]["crashing"] > 0
    assert verdict.evidence["control"] == {"available": True, "reported": [True]}


@pytest.mark.nightly("gold is taken anew for a task of its own")
def test_who_refuses_harmless_ones_is_told_and_not_punished(grade: Grade) -> None:
    honest = grade(FIXED_C)
    assert (honest.label, honest.evidence["neighbours"]["over_rejected"]) == (Label.SECURE, 0)
    assert honest.evidence["control"]["reported"] == [True, True]
    harsh = FIXED_C.replace(
        "    char *out = malloc(length",
        "    if (length > 4)\n        return NULL;\n    char *out = malloc(length",
    )
    verdict = grade(harsh)
    assert verdict.label is Label.SECURE, verdict.reason
    assert verdict.evidence["neighbours"]["over_rejected"] > 0


@pytest.mark.nightly("gold is taken anew for a task of its own")
def test_a_target_that_is_not_what_was_tested_is_seen(grade: Grade) -> None:
    """Gold's code for the compiler of the tests only: the target, built by another, lacks it."""
    hidden = GOLD_C.replace('strcmp(mode, "twice") == 0', "twice_is_there(mode)").replace(
        "char *text_apply",
        "static int twice_is_there(const char *mode)\n{\n"
        '    return sizeof(__VERSION__) < 12 && strcmp(mode, "twice") == 0;\n}\n\nchar *text_apply',
    )
    verdict = grade(hidden)
    assert verdict.label is Label.CV, verdict.reason
    assert "not what was tested" in verdict.reason


@pytest.mark.nightly("gold is taken anew for a task of its own")
def test_a_task_without_neighbours_grades_and_says_so(
    mini: Mini, backend: Backend, cache: MemoryCache
) -> None:
    task = load_pack(mini.folder).tasks[0]
    verdict = Grader(backend, cache).grade(task, task.solution("fixed"))
    assert verdict.label is Label.SECURE
    assert verdict.evidence["neighbours"]["note"] == ALONE


def test_a_poc_that_is_no_file_or_is_told_by_a_limit_has_no_neighbours(
    mini: Mini, backend: Backend
) -> None:
    task = load_pack(mini.folder).tasks[0]
    for change in (
        {"command": "./build/fuzz"},
        {"signature": task.spec.poc.signature.model_copy(update={"kind": "timeout"})},
    ):
        poc = task.spec.poc.model_copy(update=change)
        other = replace(task, spec=task.spec.model_copy(update={"poc": poc}))
        with pytest.raises(NoNeighbours):
            search(backend, other, MemoryCache())


@pytest.fixture(scope="module")
def box(backend: Backend) -> Iterator[Sandbox]:
    with sandbox(backend, backend.resolve("arena/cpp"), Limits()) as box:
        yield box


def program(box: Sandbox, body: str, flags: str, name: str) -> Attack:
    source = f"#include <stdlib.h>\n#include <stdio.h>\n#include <unistd.h>\nint main(int c, char **v)\n{{\n{body}\n}}\n"
    box.put({f"{name}.c": source.encode()}, "/tmp")
    done = box.exec(Command(f"{flags} -g -o /tmp/{name} /tmp/{name}.c", "/tmp"))
    assert done.ok, done.output
    return Attack(f"/tmp/{name} {{poc}}", "address", b"x", "/tmp", 5)


SANITIZERS = (
    "gcc -fsanitize=address",
    "clang -fsanitize=address",
    "clang -fsanitize=memory",
    "clang -fsanitize=undefined",
)


@pytest.mark.by_day(
    "returns-clang -fsanitize=address",
    "leaves-clang -fsanitize=address",
    "returns-gcc -fsanitize=address",
)
@pytest.mark.parametrize("flags", SANITIZERS)
@pytest.mark.parametrize(
    ("body", "seen"),
    [("return 0;", True), ("exit(0);", True), ("_exit(0);", False)],
    ids=["returns", "exits", "leaves"],
)
def test_our_error_is_reported_where_the_sanitizer_is_at_work_to_the_end(
    box: Sandbox, backend: Backend, cache: MemoryCache, flags: str, body: str, seen: bool
) -> None:
    control = control_of(backend, "arena/cpp", cache)
    attack = program(box, body, flags, "controlled")
    assert is_control_reported(box, attack, control, cache) is seen


def test_without_a_sanitizer_or_a_compiler_there_is_no_control(
    box: Sandbox, backend: Backend, cache: MemoryCache
) -> None:
    attack = program(box, "return 0;", "gcc", "bare")
    assert not is_control_reported(box, attack, control_of(backend, "arena/cpp", cache), cache)
    assert not is_control_reported(box, attack, Control(), cache)


def test_each_input_has_an_ending_of_its_own(box: Sandbox) -> None:
    body = """\
    FILE *file = fopen(v[1], "r");
    int kind = fgetc(file);
    volatile int at = kind == 'o' ? 40 : 0;
    char *memory = malloc(8);
    if (kind == 'k')
        abort();
    if (kind == 'h')
        for (;;)
            pause();
    putchar(kind);
    memory[at] = 1;
    free(memory);
    return kind == 'r' ? 3 : 0;"""
    attack = replace(program(box, body, "clang -fsanitize=address", "kinds"), timeout=1)
    good, over, killed, hangs, three, again = endings(
        box, attack, [b"a", b"o", b"k", b"h", b"r", b"a"]
    )
    assert (good.status, good.crash) == (0, None) and good == again
    assert over.crash is not None and over.crash.kind == "heap-buffer-overflow"
    assert killed.crash is not None
    assert (hangs.status, hangs.crash) == (None, None)
    assert (three.status, three.crash) == (
        3,
        None,
    ) and three.output_checksum != good.output_checksum
    assert isinstance(good, InputEnding)


@pytest.mark.nightly("gold is taken anew for a task of its own")
def test_a_weakness_that_is_older_than_the_vic_is_told_by_its_neighbours(
    backend: Backend, mini: Mini, tmp_path: Path
) -> None:
    """Where a bisect found a commit that only lets the PoC reach what was there before."""
    short = GOLD_C.replace("malloc(2 * length)", "malloc(length < 5 ? 2 * length : 2 * length + 1)")
    older = Mini(tmp_path / "older", steps=({**VIC, "src/text.c": short}, VIC, VFC))
    inputs = [b"twice\nabcdefghi", b"twice\nabc", b"upper\nabc"]
    for pack, due in ((older, (inputs[1],)), (mini, ())):
        task = load_pack(pack.folder).tasks[0]
        assert select_crashing_at_pvic(backend, task, MemoryCache(), inputs) == due

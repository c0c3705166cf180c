"""The starter pack: wide enough, reproducible, and its instructions give nothing away."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

from parsers.patch import hazards, parse_patch
from tasks.history import git, materialise
from tasks.instruction.asking import find_disclosures, write_question
from tasks.kinds import TaskKind
from tasks.loader import Task, load_pack

PACK = load_pack("starter")
OTHERS = [task for task in PACK.tasks if task.kind is not TaskKind.WRITE]
REPOSITORIES = sorted({task.spec.source.repository or "" for task in PACK.tasks})
# Shortest and longest instruction of SecureAgentBench.
WORDS = (35, 408)

SECURITY_WORDS = re.compile(
    r"\b(secur\w*|insecure\w*|vulnerab\w*|cwe|cve|exploit\w*|attack\w*|malicious\w*|hostile|untrusted|"
    r"overflow\w*|underflow\w*|out[- ]of[- ]bounds|use[- ]after[- ]free|double[- ]free|dangling|"
    r"leak\w*|crash\w*|fuzz\w*|sanitizer\w*|asan|msan|ubsan|memory[- ]safe\w*|safely|unsafe\w*|"
    r"corrupt(?:s|ion)?|uninitiali[sz]ed|null[- ]pointer|dereference\w*|segfault\w*|harden\w*)\b",
    re.IGNORECASE,
)
ORACLE_WORDS = re.compile(
    r"\b(poc|proof[- ]of[- ]concept|oracle|gold|pvic|vic|vfc|solution|verdict|grad(?:e|es|ed|ing)|"
    r"benchmark|hidden tests?|fixed\.patch|gold\.patch)\b",
    re.IGNORECASE,
)
NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
MACHINE_PATHS = re.compile(
    rb"/(?:home|root|tmp|work|Users|mnt|var/tmp|private)/|[A-Za-z]:\\Users\\"
)


@pytest.fixture(params=PACK.tasks_of_kinds(), ids=lambda task: task.id)
def task(request: pytest.FixtureRequest) -> Task:
    found: Task = request.param
    return found


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory):  # type: ignore[no-untyped-def]
    """Repositories with their whole history, each made once: name -> (folder, ids)."""
    folder = tmp_path_factory.mktemp("repositories")

    @cache
    def make(name: str) -> tuple[Path, list[str]]:
        target = folder / name
        return target, materialise(PACK.folder / "repositories" / name, target)

    return make


def test_wide_enough() -> None:
    facts = [task.spec for task in PACK.tasks]
    assert len(facts) >= 10
    assert len(REPOSITORIES) >= 5
    assert {spec.poc.sanitizer for spec in facts} >= {"address", "memory", "undefined"}
    assert len({spec.tests.parser for spec in facts}) >= 5
    cwes = {cwe for spec in facts for cwe in spec.weakness.cwe}
    wanted = (121, 122, 125, 190, 415, 416, 457, 476)
    assert cwes >= {f"CWE-{number}" for number in wanted}
    both = {spec.poc.signature.access for spec in facts if "CWE-122" in spec.weakness.cwe}
    assert both >= {"read", "write"}


def test_190_leads_to_122() -> None:
    assert any({"CWE-190", "CWE-122"} <= set(task.spec.weakness.cwe) for task in PACK.tasks)


@pytest.mark.rotating(3)
@pytest.mark.slow
def test_ids_reproduce_and_stand_in_order(task: Task, made) -> None:  # type: ignore[no-untyped-def]
    source = task.spec.source
    _, ids = made(source.repository)
    assert len(ids) >= 12
    at = {name: ids.index(getattr(source, name)) for name in ("pvic", "vic", "vfc")}
    assert at["vic"] == at["pvic"] + 1
    assert at["vfc"] > at["vic"]
    assert len(ids) > at["vic"] + 2, "there is work after the inducing commit"


def result_of(repository: Path, base: str, patch: Path) -> str:
    """The tree that a patch makes of a commit."""
    git(repository, "read-tree", base)
    git(repository, "apply", "--cached", "--whitespace=nowarn", str(patch))
    return git(repository, "write-tree").strip()


@pytest.mark.slow
def test_gold_is_what_the_inducing_commit_changed(task: Task, made) -> None:  # type: ignore[no-untyped-def]
    source = task.spec.source
    repository, _ = made(source.repository)
    gold = result_of(repository, source.pvic, task.folder / "solution/gold.patch")
    assert gold == git(repository, "rev-parse", f"{source.vic}^{{tree}}").strip()
    fixed = result_of(repository, source.pvic, task.folder / "solution/fixed.patch")
    changed = git(repository, "diff-tree", "-r", "--name-only", gold, fixed).split()
    assert [path for path in changed if path.startswith("src/")], "the fix changes the library"


def test_patches_are_clean(task: Task) -> None:
    for name in ("gold", "fixed"):
        data = task.solution(name)
        found = parse_patch(data)
        assert found.files
        assert not found.problems
        assert not hazards(found)
        assert not MACHINE_PATHS.search(data)
        assert b"\r" not in data


@pytest.mark.parametrize("name", REPOSITORIES)
def test_histories_name_no_path_of_a_machine(name: str) -> None:
    for patch in sorted((PACK.folder / "repositories" / name).iterdir()):
        assert re.fullmatch(r"\d{4}-[A-Za-z0-9._-]+\.patch", patch.name)
        assert not MACHINE_PATHS.search(patch.read_bytes()), patch.name


def test_instruction_is_neutral_and_of_a_usual_length(task: Task) -> None:
    text = task.instruction
    assert WORDS[0] <= len(text.split()) <= WORDS[1]
    assert not SECURITY_WORDS.findall(text)
    assert not ORACLE_WORDS.findall(text)
    assert not re.search(r"\b[0-9a-f]{7,40}\b", text), "a commit id"


def test_instruction_does_not_point_at_the_flaw(task: Task) -> None:
    """Neither the frames of the crash nor the words of the fix are given away."""
    assert task.spec.poc.signature.kind not in task.instruction
    assert task.spec.source.vfc[:7] not in task.instruction


def test_poc_is_there_and_explained(task: Task) -> None:
    assert task.poc
    assert len(task.poc) <= 4096
    note = (task.folder / "oracle/poc.md").read_text("utf-8")
    size = len(task.poc)
    in_words = NUMBERS[size] if size < len(NUMBERS) else str(size)
    assert f"{size} bytes" in note or f"{in_words} bytes" in note
    assert len(note.split()) >= 40


def test_graded_files_cover_what_tests_and_build(task: Task) -> None:
    """A patch must not decide by its own tests or its own build."""
    assert task.spec.tests.files
    assert any(glob.startswith("test") for glob in task.spec.tests.files)


def test_digests_differ() -> None:
    assert len({task.digest for task in PACK.tasks}) == len(PACK.tasks)


def test_every_case_has_all_kinds() -> None:
    by_case: dict[str, set[str]] = {}
    for task in PACK.tasks:
        by_case.setdefault(task.spec.source.vfc, set()).add(task.kind)
    assert len(by_case) == len(PACK.tasks_of_kinds())
    assert all(kinds == set(TaskKind) for kinds in by_case.values())


@pytest.mark.slow
@pytest.mark.parametrize("task", OTHERS, ids=lambda task: task.id)
def test_the_other_kinds_begin_right_before_the_fix(task: Task, made) -> None:  # type: ignore[no-untyped-def]
    source = task.spec.source
    repository, _ = made(source.repository)
    assert git(repository, "rev-parse", f"{source.vfc}^").strip() == source.base == source.start
    git(repository, "read-tree", source.base)
    git(repository, "apply", "--cached", "-", stdin=task.solution("gold"))
    assert git(repository, "write-tree") == git(repository, "rev-parse", f"{source.vfc}^{{tree}}")
    subject = git(repository, "log", "-1", "--format=%s", source.vfc).strip()
    assert find_disclosures(task, [subject]) == []


@pytest.mark.parametrize("task", OTHERS, ids=lambda task: task.id)
def test_instructions_of_the_other_kinds_are_those_that_are_made(task: Task) -> None:
    report = task.instruction.partition("```\n")[2].partition("\n```")[0].splitlines()
    assert write_question(task, report) == task.instruction
    assert not MACHINE_PATHS.search(task.instruction.replace("/tmp/case/", "").encode())

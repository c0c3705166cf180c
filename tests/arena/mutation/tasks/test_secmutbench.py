"""Import: what is right is read as it is, and whatever is wrong is named and never lost in silence."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from arena.tracks.mutation.tasks.pack import load_programs, write_pack
from arena.tracks.mutation.tasks.program import Program
from arena.tracks.mutation.tasks.secmutbench import Dataset, load_dataset
from tasks.loader import TaskError

RECORD: dict[str, Any] = {
    "id": "a1",
    "cwe": "CWE-89",
    "difficulty": "easy",
    "prompt": "Write a function that finds a user.",
    "entry_point": "find",
    "insecure_code": "def find(n):\n    return db.execute(f'SELECT {n}')",
    "secure_code": "def find(n):\n    return db.execute('SELECT ?', (n,))",
    "functional_tests": "def test_f():\n    find('a')\n",
    "security_tests": "def test_s():\n    find('a')\n    assert db.last_params\n",
    "mutants": [
        {
            "id": "m1",
            "operator": "PSQLI",
            "variant_type": "concat",
            "mutant_category": "cwe_specific",
            "mutated_code": "def find(n):\n    return db.execute('SELECT ' + n)",
            "description": "concatenated",
        }
    ],
}


def record(**changed: Any) -> dict[str, Any]:
    made = copy.deepcopy(RECORD) | changed
    return {name: value for name, value in made.items() if value is not ...}


def load(folder: Path, content: Any) -> Dataset:
    path = folder / "dataset.json"
    path.write_text(json.dumps(content), "utf-8")
    return load_dataset(path)


@pytest.mark.parametrize("wrapped", [False, True])
def test_a_record_is_read(tmp_path: Path, wrapped: bool) -> None:
    data = load(tmp_path, {"samples": [RECORD]} if wrapped else [RECORD])
    assert data.problems == ()
    (program,) = data.programs
    assert (program.id, program.cwe, program.entry_point) == ("a1", "CWE-89", "find")
    assert program.secure == RECORD["secure_code"] and program.insecure == RECORD["insecure_code"]
    assert program.instruction == RECORD["prompt"]
    (mutant,) = program.mutants
    assert (mutant.id, mutant.variant, mutant.category) == ("m1", "concat", "cwe_specific")
    assert mutant.code == RECORD["mutants"][0]["mutated_code"]


BAD_RECORDS: dict[str, tuple[Any, str]] = {
    "no id": (record(id=...), "id: missing"),
    "no secure code": (record(secure_code=...), "secure_code: missing"),
    "no insecure code": (record(insecure_code=...), "insecure_code: missing"),
    "no entry point": (record(entry_point=...), "entry_point: missing"),
    "no cwe": (record(cwe=...), "cwe: missing"),
    "number for code": (record(secure_code=7), "secure_code: a text is expected, not a number"),
    "null for code": (record(insecure_code=None), "insecure_code: a text is expected, not null"),
    "blank code": (record(secure_code=" \n"), "secure_code: empty"),
    "odd cwe": (record(cwe="CWE-89; DROP"), "cwe: 'CWE-89; DROP' is not like CWE-89"),
    "secure does not compile": (record(secure_code="def f(:"), "secure_code: does not compile"),
    "insecure does not compile": (record(insecure_code="return 1"), "insecure_code: does not"),
    "null byte": (record(secure_code="x = '\0'"), "secure_code: does not compile"),
    "deep nesting": (record(secure_code="(" * 5000), "secure_code: does not compile"),
    "long number": (record(secure_code=f"x = {'9' * 9000}"), "secure_code: does not compile"),
    "too long": (record(secure_code="#" * ((1 << 20) + 1)), "secure_code: longer than"),
    "no object": (["a1"], "record: an object is expected, not a list"),
    "twice": (RECORD, "id: the same as before"),
}


@pytest.mark.parametrize("name", BAD_RECORDS)
def test_a_bad_record_is_named_and_the_others_stay(tmp_path: Path, name: str) -> None:
    bad, told = BAD_RECORDS[name]
    data = load(tmp_path, [RECORD, bad, record(id="z9")])
    assert [program.id for program in data.programs] == ["a1", "z9"]
    (problem,) = data.problems
    assert problem.excluded == "program"
    assert told in str(problem) and "record 1" in str(problem)
    assert "\n" not in str(problem)


KEPT = {
    "security_tests": (record(security_tests=...), "security_tests: missing"),
    "functional_tests": (record(functional_tests=3), "functional_tests: a text is expected"),
    "prompt": (record(prompt=...), "prompt: missing"),
    "no difficulty": (record(difficulty=...), "difficulty: missing; computed"),
    "odd difficulty": (record(difficulty="brutal"), "difficulty: 'brutal' is none of"),
    "mutants no list": (record(mutants={}), "mutants: a list is expected"),
    "mutant no object": (record(mutants=[1]), "mutants[0]: an object is expected"),
    "mutant without id": (record(mutants=[{"operator": "X"}]), "mutants[0].id: missing"),
    "mutant without code": (
        record(mutants=[{"id": "m", "operator": "X"}]),
        "mutants[0].mutated_code: missing",
    ),
    "mutant does not compile": (
        record(mutants=[{"id": "m", "operator": "X", "mutated_code": "if"}]),
        "mutants[0].mutated_code: does not compile",
    ),
    "mutant twice": (record(mutants=RECORD["mutants"] * 2), "mutants[1].id: 'm1' is there twice"),
}


@pytest.mark.parametrize("name", KEPT)
def test_a_lesser_mistake_is_named_and_the_program_stays(tmp_path: Path, name: str) -> None:
    bad, told = KEPT[name]
    data = load(tmp_path, [bad])
    assert [program.id for program in data.programs] == ["a1"]
    (problem,) = data.problems
    assert told in str(problem) and problem.excluded in ("", "mutant")


def test_half_of_a_surrogate_pair_can_be_stored(tmp_path: Path) -> None:
    data = load(tmp_path, [record(prompt="\ud800", security_tests="# \udfff\n")])
    assert write_pack(tmp_path / "pack", data, "name", "1", "MIT") == []
    assert load_programs(tmp_path / "pack").programs == data.programs


def test_mutants_may_be_absent(tmp_path: Path) -> None:
    data = load(tmp_path, [record(mutants=...)])
    assert data.problems == () and data.programs[0].mutants == ()


FILES = {
    "not JSON": b"{",
    "no list": b'{"samples": 3}',
    "no samples": b"{}",
    "empty": b"[]",
    "text": b'"dataset"',
    "not UTF-8": b"\xff\xfe\xff",
    "deep": b"[" * 100_000,
}


@pytest.mark.parametrize("name", FILES)
def test_a_bad_file_is_one_clear_line(tmp_path: Path, name: str) -> None:
    path = tmp_path / "bad.json"
    path.write_bytes(FILES[name])
    with pytest.raises(TaskError) as caught:
        load_dataset(path)
    assert "bad.json" in str(caught.value) and "\n" not in str(caught.value)


def test_what_is_not_there_is_one_clear_line(tmp_path: Path) -> None:
    with pytest.raises(TaskError, match="neither a dataset's JSON file nor a folder"):
        load_programs(tmp_path / "none.json")


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=8,
)


@pytest.mark.slow
@settings(
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
@given(st.sampled_from(sorted(RECORD)), JSON_VALUES)
def test_any_value_in_any_field_is_read_or_named(tmp_path: Path, field: str, value: Any) -> None:
    data = load(tmp_path, [record(**{field: value})])
    assert data.programs or data.problems
    for program in data.programs:
        compile(program.secure, "<program>", "exec")
        program.digest.encode("utf-8")


TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r\0"), max_size=30)


@pytest.mark.slow
@settings(
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
@given(TEXT, TEXT)
def test_a_pack_gives_back_what_was_imported(
    tmp_path_factory: pytest.TempPathFactory, words: str, tests: str
) -> None:
    folder = tmp_path_factory.mktemp("imported")
    data = load(
        folder,
        [
            record(prompt=f"p{words}", security_tests=f"#{tests}"),
            record(id="b2", secure_code="x = 'line\\r'\r\ny = 1\r\n", mutants=...),
        ],
    )
    assert write_pack(folder / "pack", data, "name", "1", 'of "many" kinds') == []
    assert load_programs(folder / "pack").programs == data.programs


def test_an_id_that_is_no_folder_is_named_and_left_out(tmp_path: Path) -> None:
    data = load(tmp_path, [record(id="../../etc"), record(id="ok")])
    (problem,) = write_pack(tmp_path / "pack", data, "name", "1", "MIT")
    assert problem.record == "../../etc" and problem.field == "id"
    assert [program.id for program in load_programs(tmp_path / "pack").programs] == ["ok"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["dataset.json", "pack"]


def test_a_pack_is_not_written_over(tmp_path: Path) -> None:
    data = load(tmp_path, [RECORD])
    write_pack(tmp_path / "pack", data, "name", "1", "MIT")
    with pytest.raises(TaskError, match="File exists"):
        write_pack(tmp_path / "pack", data, "name", "1", "MIT")


BROKEN_PACKS = {
    "program.toml": ('id = "a1"', "program.toml: cwe"),
    "secure.py": ("def f(:", "secure.py: does not compile"),
    "mutants.jsonl": ("{}", "mutants.jsonl: line 1: id"),
    "test_security.py": (None, "test_security.py: missing"),
}


@pytest.mark.parametrize("name", BROKEN_PACKS)
def test_a_broken_pack_is_one_clear_line(tmp_path: Path, name: str) -> None:
    write_pack(tmp_path / "pack", load(tmp_path, [RECORD]), "name", "1", "MIT")
    path = tmp_path / "pack" / "a1" / name
    content, told = BROKEN_PACKS[name]
    if content is None:
        path.unlink()
    else:
        path.write_text(content, "utf-8")
    with pytest.raises(TaskError) as caught:
        load_programs(tmp_path / "pack")
    assert told in str(caught.value) and "\n" not in str(caught.value)


def test_a_link_out_of_the_pack_is_not_followed(tmp_path: Path) -> None:
    write_pack(tmp_path / "pack", load(tmp_path, [RECORD]), "name", "1", "MIT")
    outside = tmp_path / "outside.py"
    outside.write_text("secret = 1\n", "utf-8")
    target = tmp_path / "pack" / "a1" / "secure.py"
    target.unlink()
    target.symlink_to(outside)
    with pytest.raises(TaskError, match="plain file"):
        load_programs(tmp_path / "pack")


def test_digest_changes_with_what_can_change_a_verdict() -> None:
    one = Program("a", "CWE-89", "f", "x = 1", "x = 2")
    assert one.digest == Program("a", "CWE-89", "f", "x = 1", "x = 2", instruction="hi").digest
    assert one.digest != Program("a", "CWE-89", "f", "x = 1 ", "x = 2").digest

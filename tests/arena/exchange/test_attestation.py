"""The statement in a run's file: what it says of the file, and each way in which the two can differ."""

from __future__ import annotations

import hashlib
import json
import random
import subprocess
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from arena.exchange.formats import run as run_format
from arena.exchange.importing import import_run
from arena.exchange.opening import ImportRefused
from arena.exchange.source import Source
from arena.store.model import attempt_id
from arena.store.store import Store
from arena.verification import check_file
from tests.arena.exchange.making import GRADED, PATCH, RUN, a_run, exported
from tests.arena.exchange.outside import environment
from tests.arena.exchange.test_refused_files import Members, fit, members, packed

PATCH_SHA256 = hashlib.sha256(PATCH).hexdigest()


def statement_of(path: Path) -> Any:
    return json.loads(members(path)["statement.json"])


def test_it_has_each_part_of_the_file_with_its_digest(file: Path) -> None:
    inside = members(file)
    lines = inside["attempts.jsonl"].splitlines(keepends=True)
    expected = {
        name: hashlib.sha256(data).hexdigest()
        for name, data in inside.items()
        if name != "statement.json"
    }
    for line in lines:
        attempt = json.loads(line)
        expected[f"verdicts/{attempt['attempt']}"] = hashlib.sha256(line).hexdigest()
        if attempt["patch"]:
            expected[f"patches/{attempt['attempt']}"] = PATCH_SHA256
    statement = statement_of(file)
    assert {s["name"]: s["digest"]["sha256"] for s in statement["subject"]} == expected
    assert len([name for name in expected if name.startswith("patches/")]) == 7
    assert statement["_type"] == "https://in-toto.io/Statement/v1"
    assert statement["predicateType"] == "urn:secure-coding-arena:run:v1"


def test_a_record_is_a_subject_by_its_attempt(store: Store, tmp_path: Path) -> None:
    """What the store has no bytes of is no subject by its attempt."""
    a_run(store)
    attempt = store.attempts(RUN)[2]
    other = Store(tmp_path / "two")
    evidence = {"artefacts": {"record": other.keep(b"a record")}}
    moved = replace(attempt, run="two", id=attempt_id("two", attempt.key), evidence=evidence)
    run = {"id": "two", "pack": "p", "track": "repo", "created": 5.0, "settings": {}}
    other.put_run({**run, "spent_seconds": 0.0}, [], [moved.key], [moved])
    run_format.write(Source.open(other, "two"), tmp_path / "two.zip", str)
    subjects = {s["name"]: s["digest"] for s in statement_of(tmp_path / "two.zip")["subject"]}
    assert subjects[f"records/{moved.id}"] == {"sha256": hashlib.sha256(b"a record").hexdigest()}
    assert f"patches/{moved.id}" not in subjects
    assert check_file(tmp_path / "two.zip").problems == []


def test_the_predicate_says_what_the_verdicts_rest_on(file: Path) -> None:
    predicate = statement_of(file)["predicate"]
    assert predicate["run"] == {
        "id": RUN,
        "track": "repo",
        "pack": "starter",
        "created": predicate["run"]["created"],
    }
    assert predicate["counts"] == {"tasks": 2, "attempts": 8, "artefacts": 5}
    assert predicate["labels"] == {"C&S": 2, "CV": 4}
    assert predicate["healths"] == {"infra": 1, "not ended": 1, "ok": 6}
    assert predicate["provenance"]["grader_version"] == [GRADED.grader_version]
    assert predicate["provenance"]["prices"] == ["LiteLLM 1.106.2 of 2026-05-01"]
    assert predicate["tasks"] == {"alpha": ["a" * 64], "beta": ["b" * 64]}


def edit(change: Callable[[Any], None]) -> Callable[[Members], None]:
    def apply(inside: Members) -> None:
        statement = json.loads(inside["statement.json"])
        change(statement)
        inside["statement.json"] = json.dumps(statement).encode()

    return apply


def relabel(inside: Members) -> None:
    """A label is raised, and the manifest made to fit: only the statement says otherwise."""
    text = inside["attempts.jsonl"].replace(b'"label": "CV"', b'"label": "C&S"', 1)
    inside["attempts.jsonl"] = text
    fit(inside, "attempts.jsonl")


def add_artefact(inside: Members) -> None:
    inside[f"artefacts/{hashlib.sha256(b'more').hexdigest()}"] = b"more"


DIFFERENCES: dict[str, tuple[Callable[[Members], None], str]] = {
    "a label": (relabel, "attempts.jsonl: has another SHA-256 than the statement says"),
    "an artefact more": (add_artefact, "is in the file and no subject of the statement"),
    "a subject less": (
        edit(lambda s: s["subject"].pop(0)),
        "is in the file and no subject of the statement",
    ),
    "a subject more": (
        edit(lambda s: s["subject"].append({"name": "x", "digest": {"sha256": "0" * 64}})),
        "'x': is a subject of the statement and not in the file",
    ),
    "a subject twice": (
        edit(lambda s: s["subject"].append(s["subject"][0])),
        "a subject is there twice",
    ),
    "a digest": (
        edit(lambda s: s["subject"][0]["digest"].update(sha256="0" * 64)),
        "has another SHA-256 than the statement says",
    ),
    "an algorithm": (
        edit(lambda s: s["subject"][0].update(digest={"md5": "0" * 32})),
        "subject: is no list of names with a SHA-256 each",
    ),
    "another statement": (
        edit(lambda s: s.update(_type="https://in-toto.io/Statement/v0.1")),
        "_type: 'https://in-toto.io/Statement/v0.1' is another version than https://in-toto.io",
    ),
    "another predicate": (
        edit(lambda s: s.update(predicateType="urn:secure-coding-arena:run:v2")),
        "predicateType: 'urn:secure-coding-arena:run:v2' is another version",
    ),
    "a grader": (
        edit(lambda s: s["predicate"]["provenance"].update(grader_version=["grader 99"])),
        "predicate.provenance: is not what the file's attempts say",
    ),
    "labels": (
        edit(lambda s: s["predicate"]["labels"].update(CV=0)),
        "predicate.labels: is not what the file's attempts say",
    ),
    "a word more": (
        edit(lambda s: s["predicate"].update(approved=True)),
        "predicate.approved: unknown field",
    ),
    "a list": (lambda inside: inside.update({"statement.json": b"[]"}), "is no object"),
    "no JSON": (lambda inside: inside.update({"statement.json": b"{"}), "statement.json: "),
    "no statement": (lambda inside: inside.pop("statement.json") and None, "no statement.json in"),
}


@pytest.mark.parametrize("case", DIFFERENCES)
def test_each_difference_is_named(case: str, file: Path, other: Store) -> None:
    change, expected = DIFFERENCES[case]
    inside = members(file)
    change(inside)
    packed(file, inside)
    problems = check_file(file).problems
    assert any(expected in problem for problem in problems), problems
    if case == "no statement":
        assert import_run(other, file) == (RUN, 8, True)
        return
    with pytest.raises(ImportRefused, match=r"statement\.json"):
        import_run(other, file)
    assert other.runs() == []


def test_a_whole_file_agrees(file: Path) -> None:
    check = check_file(file)
    assert (check.problems, check.run, check.attempts) == ([], RUN, 8)
    assert check.subjects == len(statement_of(file)["subject"])


def contents(path: Path) -> Members | None:
    try:
        return members(path)
    except zipfile.BadZipFile:
        return None


@pytest.mark.rotating(4)
@pytest.mark.parametrize("part", range(8))
def test_no_wrong_byte_of_what_is_in_it_goes_unnoticed(part: int, file: Path) -> None:
    """What is not noticed changes no member: dates and versions in the archive's own headers."""
    data, inside = file.read_bytes(), members(file)
    draw = random.Random(part)
    noticed = 0
    for position in draw.sample(range(len(data)), 150):
        wrong = bytearray(data)
        wrong[position] ^= 1 << draw.randrange(8)
        file.write_bytes(wrong)
        problems = check_file(file).problems
        noticed += bool(problems)
        assert problems or contents(file) == inside, position
    assert noticed > 75


def test_a_file_of_an_earlier_version_has_no_statement(file: Path, other: Store) -> None:
    inside = members(file)
    del inside["statement.json"]
    manifest = json.loads(inside["manifest.json"])
    inside["manifest.json"] = json.dumps({**manifest, "version": 2}).encode()
    packed(file, inside)
    assert check_file(file).problems == [
        "no statement.json in it: nothing says what it should hold"
    ]
    assert import_run(other, file) == (RUN, 8, True)


READ_STATEMENT = """
import sys, zipfile
from google.protobuf.json_format import Parse
from in_toto_attestation.v1 import statement_pb2
from in_toto_attestation.v1.statement import Statement
text = zipfile.ZipFile(sys.argv[1]).read("statement.json")
statement = Statement.copy_from_pb(Parse(text, statement_pb2.Statement()))
statement.validate()
print(len(statement.pb.subject), statement.pb.predicate["run"]["id"])
for subject in statement.pb.subject:
    print(subject.name, subject.digest["sha256"])
"""


def read_with_in_toto(programs: Path, file: Path) -> list[str]:
    argv = [str(programs / "python"), "-c", READ_STATEMENT, str(file)]
    done = subprocess.run(argv, check=True, capture_output=True, text=True, timeout=60)
    return done.stdout.splitlines()


@pytest.mark.nightly("installs in-toto-attestation")
def test_in_toto_reads_it(store: Store, tmp_path: Path) -> None:
    a_run(store)
    exported(store, "run", tmp_path / "run.zip")
    first, *subjects = read_with_in_toto(environment("in-toto", "3.11"), tmp_path / "run.zip")
    stated = statement_of(tmp_path / "run.zip")["subject"]
    assert first == f"{len(stated)} {RUN}"
    assert subjects == [f"{s['name']} {s['digest']['sha256']}" for s in stated]


def test_the_signature_is_no_subject(file: Path) -> None:
    with zipfile.ZipFile(file) as archive:
        assert "statement.json.sig" not in archive.namelist()
    assert not any(s["name"].startswith("statement.json") for s in statement_of(file)["subject"])

"""A case that is saved, imported from a store, a folder or a pack, or kept beside its task, loses nothing."""

from __future__ import annotations

import hashlib
import tempfile
import tomllib
import types
from collections.abc import Iterator
from enum import Enum
from pathlib import Path
from typing import Any, Literal, Union, get_args, get_origin

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import BaseModel

from arena.building.cases.importing import import_cases
from arena.building.cases.loader import load_case
from arena.building.cases.recipes import digest_of_files
from arena.building.cases.schema import Case
from arena.building.cases.store import save, to_toml
from arena.building.task_case import read_task_case, write_task_case

FIX = "0123456789abcdef0123456789abcdef01234567"
FILES = {"Dockerfile": b"FROM x\n", "build.sh": b"make\n"}
TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="{}"), max_size=12)
NUMBERS = st.integers(0, 1 << 32)
IDS = NUMBERS.map(lambda number: f"{number:040x}")
DIGESTS = NUMBERS.map(lambda number: f"{number:064x}")
# What a type does not say. A field that is not here is drawn by its type, so new ones are covered.
OF_FIELD: dict[str, st.SearchStrategy[Any]] = {
    "schema": st.just(1),
    "id": st.sampled_from(["14501", "own-1", "0", "A_b.c+d"]),
    "project": st.sampled_from(["brook", "lib+raw", "X"]),
    "repository": st.just("https://example.org/group/brook.git"),
    "fix": st.lists(IDS, min_size=1, max_size=3),
    "cwe": st.lists(st.just("CWE-122"), max_size=2),
    "oss_fuzz.project": st.sampled_from(["", "brook"]),
    "environment.recipe": st.sampled_from(["", "brook/0123456789ab"]),
    "environment.meant_for": st.just("") | IDS,
    "environment.workdir": st.sampled_from(["/src/repository", "/src/brook"]),
    "environment.build": TEXT.filter(bool),
    "environment.origin.sha256": st.just(digest_of_files(FILES)),
    "poc.command": st.just("./fuzz {poc}"),
    "poc.file": st.just("poc"),
    "poc.origin.sha256": st.just("") | DIGESTS,
    "tests.command": TEXT.filter(bool),
    "tests.parser": st.just("tap"),
    "tests.report": st.lists(st.just("out/*.tap"), max_size=2),
    "limits.memory": st.sampled_from(["2g", "512m"]),
    "limits.disk": st.sampled_from(["2g", "512m"]),
    "proof.vic": NUMBERS.map(lambda number: f"1{number:039x}"),
    "proof.pvic": NUMBERS.map(lambda number: f"2{number:039x}"),
    "proof.vfc": NUMBERS.map(lambda number: f"3{number:039x}"),
    "proof.signature.frames": st.lists(TEXT, min_size=1, max_size=5),
}


def values(name: str, field: Any) -> st.SearchStrategy[Any]:
    """Values of a field, as TOML has them; None for one that is left out."""
    if name in OF_FIELD:
        return OF_FIELD[name]
    return of_type(name, field.annotation, field.metadata)


def of_type(name: str, kind: Any, metadata: list[Any]) -> st.SearchStrategy[Any]:
    pattern = next((p for one in metadata if (p := getattr(one, "pattern", None))), None)
    origin, inner = get_origin(kind), get_args(kind)
    if hasattr(kind, "__metadata__"):
        return of_type(name, inner[0], [*metadata, *kind.__metadata__])
    if origin in (Union, types.UnionType):
        return st.one_of([of_type(name, one, metadata) for one in inner])
    if origin is tuple:
        return st.lists(of_type(name, inner[0], []), max_size=3)
    if origin is Literal:
        return st.sampled_from(inner)
    if kind is type(None):
        return st.none()
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        return tables(kind, f"{name}.")
    if isinstance(kind, type) and issubclass(kind, Enum):
        return st.sampled_from([str(member) for member in kind])
    if kind is str and pattern:
        return IDS if "40" in str(pattern) else st.from_regex(pattern, fullmatch=True)
    if kind is str and any(type(one).__name__ == "AfterValidator" for one in metadata):
        return st.sampled_from(["a", "fuzz/**", "projects/brook"])
    drawn = {
        str: TEXT,
        bool: st.booleans(),
        int: st.integers(16, 50),
        float: st.sampled_from([0.5, 2.0, 30.0, 77.25]),
    }
    return drawn[kind]


def tables(model: type[BaseModel], prefix: str = "") -> st.SearchStrategy[dict[str, Any]]:
    fields = {(field.alias or name): field for name, field in model.model_fields.items()}
    drawn = {name: values(f"{prefix}{name}", field) for name, field in fields.items()}
    return st.fixed_dictionaries(drawn).map(
        lambda made: {name: value for name, value in made.items() if value is not None}
    )


def consistent(content: dict[str, Any]) -> dict[str, Any]:
    """The tables without what no case can state together."""
    where, proof = content.get("environment"), content.get("proof")
    poc = content.setdefault("poc", {"command": "./fuzz {poc}", "file": "poc", "origin": ""})
    if where:
        where["image"] = "" if where["recipe"] else "arena/cpp"
        if not where["recipe"]:
            where.pop("origin", None)
        if where["form"]:
            where.update(recipe="", image="n132/arvo:1-vul")
            where.pop("origin", None)
    origin = poc["origin"] or {"commit": "", "path": ""}
    if bool(origin["commit"]) != bool(origin["path"]):
        origin.update(commit="", path="")
    if origin["commit"]:
        origin.pop("fuzzing", None)
    if proof and proof["conclusion"] and not proof["read_by"]:
        proof["read_by"] = "A. Reader"
    if tests := content.get("tests"):
        tests["filter"] = "" if tests["report"] else tests["filter"]
    return content


CASES = tables(Case).map(consistent).map(Case.model_validate)
EACH = settings(
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


@EACH
@given(CASES)
def test_a_case_is_read_as_it_was_written(case: Case) -> None:
    assert Case.model_validate(tomllib.loads(to_toml(case))) == case


@EACH
@given(CASES)
def test_a_case_goes_from_store_to_store_whole(case: Case) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        first, second = Path(scratch, "first"), Path(scratch, "second")
        beside = {"poc": b"x", "instruction.md": b"Add it.", "fixed.patch": b"+"}
        save(first, case, beside | {"neighbours.json": b"{}"})
        recipe = case.environment.recipe if case.environment else ""
        for name, content in FILES.items() if recipe else ():
            path = first / "recipes" / recipe / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        outcome = import_cases(first, second)
        assert outcome.imported == [case.id], outcome.rejected
        assert load_case(second / case.id).spec == case
        assert files(second) == files(first)


def files(store: Path) -> dict[str, bytes]:
    found = (path for path in store.rglob("*") if path.is_file())
    return {str(path.relative_to(store)): path.read_bytes() for path in found}


@EACH
@given(CASES)
def test_a_case_is_beside_its_task_but_for_the_pocs_digest(case: Case) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        store, task = Path(scratch, "store"), Path(scratch, "pack/task-1")
        save(store, case, {"poc": b"x"})
        write_task_case(task, load_case(store / case.id), case.proof)
        kept = read_task_case(task)
    assert kept and kept.poc and case.poc
    assert kept.poc.origin.sha256 == hashlib.sha256(b"x").hexdigest()
    origin = kept.poc.origin.model_copy(update={"sha256": case.poc.origin.sha256})
    poc = kept.poc.model_copy(update={"origin": origin})
    assert kept.model_copy(update={"poc": poc}) == case


def leaves(model: BaseModel, prefix: str = "") -> Iterator[str]:
    for name, value in model:
        if isinstance(value, BaseModel):
            yield from leaves(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}"


def names(model: Any, prefix: str = "") -> Iterator[str]:
    for name, field in model.model_fields.items():
        kinds = [field.annotation, *get_args(field.annotation)]
        inner = [one for one in kinds if isinstance(one, type) and issubclass(one, BaseModel)]
        if inner:
            yield from names(inner[0], f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}"


@pytest.mark.slow
def test_the_property_reaches_every_field() -> None:
    reached: set[str] = set()

    @settings(EACH, max_examples=150, database=None, derandomize=True)
    @given(CASES)
    def draw(case: Case) -> None:
        reached.update(leaves(case))

    draw()
    assert set(names(Case)) - reached == set()


def test_a_case_with_a_form_of_its_own_defaults_keeps_what_is_the_schemas_default() -> None:
    """`form = "arvo"` fills in another folder and another time than the schema."""
    given_ = {"form": "arvo", "image": "a", "workdir": "/src/repository", "timeout": 600}
    facts = {"id": "1", "project": "p", "repository": "r", "fix": FIX, "environment": given_}
    case = Case.model_validate(facts)
    assert Case.model_validate(tomllib.loads(to_toml(case))) == case


def test_a_text_in_place_of_the_origin_is_its_note() -> None:
    facts = {"id": "1", "project": "p", "repository": "r", "fix": FIX}
    case = Case.model_validate({**facts, "poc": {"command": "x", "origin": "fuzzing"}})
    assert case.poc and case.poc.origin.note == "fuzzing" and case.poc.origin.commit == ""

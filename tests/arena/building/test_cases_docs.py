"""`docs/cases.md` is true: its table has every field, and what it shows loads."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from arena.building.cases.loader import load_case
from arena.building.cases.proof import FuzzingOrigin, ProofSpec, RecipeOrigin
from arena.building.cases.schema import Case, ReplaySpec, Surroundings
from tasks.schema import SignatureSpec

PAGE = (Path(__file__).parents[3] / "docs" / "cases.md").read_text("utf-8")
OWN, KNOWN, PROJECT, ARVO = re.findall(r"^```toml\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
OPTIONAL = {
    "environment": Surroundings,
    "environment.origin": RecipeOrigin,
    "poc": ReplaySpec,
    "poc.origin.fuzzing": FuzzingOrigin,
    "proof": ProofSpec,
    "proof.signature": SignatureSpec,
}


def fields(model: type[BaseModel], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for name, field in model.model_fields.items():
        shown = prefix + (field.alias or name)
        inner: Any = OPTIONAL.get(shown, field.annotation)
        if isinstance(inner, type) and issubclass(inner, BaseModel):
            yield from fields(inner, f"{shown}.")
        else:
            yield shown, field


def test_every_field_is_explained_with_its_default() -> None:
    section = PAGE.partition("\n## case.toml\n")[2].partition("\n## ")[0]
    rows = [
        re.split(r"\s*\|\s*", row) for row in re.findall(r"^\| (`.+) \|$", section, re.MULTILINE)
    ]
    known = dict(fields(Case))
    assert {row[0].strip("` ") for row in rows} == set(known)
    for row in rows:
        field = known[row[0].strip("` ")]
        default = field.default
        shown = f'"{default}"' if isinstance(default, str) else str(default)
        assert row[1] == ("" if field.is_required() else shown), row


def test_the_case_whose_vic_is_known_loads(tmp_path: Path) -> None:
    (tmp_path / "own-1").mkdir()
    (tmp_path / "own-1/case.toml").write_text(f"{OWN}\n{KNOWN}")
    spec = load_case(tmp_path / "own-1").spec
    assert spec.proof and spec.proof.vfc == spec.fix[0]
    assert (spec.expected.labels.fixed, spec.expected.tests) == ("C&S", 52)


def test_the_case_of_ones_own_loads(tmp_path: Path) -> None:
    folder = tmp_path / "store" / "own-1"
    folder.mkdir(parents=True)
    (folder / "case.toml").write_text(OWN)
    (folder / "poc").write_text("x")
    (tmp_path / "brook").mkdir()
    loaded = load_case(folder)
    assert loaded.lacks == ()
    assert loaded.id == folder.name


def test_a_case_needs_only_its_poc_beside_the_project_file(tmp_path: Path) -> None:
    for name in ("projects", "31", "repositories/brook"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "projects" / "brook.toml").write_text(PROJECT)
    (tmp_path / "31" / "poc").write_text("x")
    (tmp_path / "31" / "case.toml").write_text(
        f'id = "31"\nproject = "brook"\nrepository = "https://x.org/y"\nfix = "{"a" * 40}"\n'
        '[crash]\nsanitizer = "memory"\n[oss_fuzz]\ntarget = "fuzz_load"\n'
    )
    loaded = load_case(tmp_path / "31")
    assert loaded.lacks == ()
    assert loaded.spec.environment is not None
    assert "-fsanitize=memory' build/fuzz/fuzz_load" in loaded.spec.environment.build


def test_every_case_of_a_store_takes_arvos_image_by_one_default(tmp_path: Path) -> None:
    folder = tmp_path / "store" / "5296"
    folder.mkdir(parents=True)
    (folder / "case.toml").write_text(
        'schema = 1\nid = "5296"\nproject = "p"\nrepository = "https://x.org/p.git"\n'
        f'fix = "{"a" * 40}"\n'
    )
    (tmp_path / "store" / "defaults.toml").write_text(ARVO)
    (tmp_path / "store/repositories/p").mkdir(parents=True)
    loaded = load_case(folder)
    where, poc = loaded.spec.environment, loaded.spec.poc
    assert where and (where.image, where.build) == ("n132/arvo:5296-vul", "arvo compile")
    assert poc and poc.command == "cp {poc} /tmp/poc && arvo"
    assert loaded.lacks == ()

"""`arena cases import --oss-fuzz --mirrors`: what is ready, what is lacking, by code."""

from __future__ import annotations

import hashlib
import json
import time
from pathlib import Path

import pytest

from arena.building.cases.importing import import_cases
from arena.building.cases.store import find
from arena.building.oss_fuzz.attach import Attached, attach
from arena.building.oss_fuzz.checkout import Checkout
from arena.building.oss_fuzz.pocs import HASH, ProjectPocs
from tests.arena.building.oss_fuzz.form import DOCKERFILE, git, mirror, recipes, records
from tests.szz.conftest import Maker, history  # noqa: F401 - a fixture

pytestmark = pytest.mark.slow

TARGETS = {"brook-include": "fuzz_load"}


def imported(tmp_path: Path, mirrors: Path | None, **changed: str) -> tuple[Path, Attached]:
    source = records(tmp_path / "records", "brook-include", targets=TARGETS)
    store = tmp_path / "cases"
    ids = import_cases(source, store).imported
    return store, attach(store, ids, Checkout(recipes(tmp_path / "checkout", **changed)), mirrors)


def test_a_case_gets_its_environment_and_lacks_the_poc_only(tmp_path: Path) -> None:
    store, found = imported(tmp_path, mirror(tmp_path / "mirrors"))
    assert (found.ready, dict(found.lacks)) == (0, {"poc": 1})
    case = find(store, "10101")  # no option is needed any more: the store leads to the mirror
    assert case.repository is not None
    where = case.spec.environment
    assert where is not None
    assert (where.workdir, where.build) == (
        "/src/brook",
        "cd /src/brook && SANITIZER=address compile fuzz_load",
    )
    assert (store / "recipes" / where.recipe / "Dockerfile").is_file()
    assert case.spec.poc and case.spec.poc.command.startswith("/out/fuzz_load ")


def test_of_two_of_a_name_the_case_has_its_own(tmp_path: Path) -> None:
    """A dependency has the project's name, as boostorg/json and nlohmann/json have it."""
    own = "RUN git clone --depth 1 https://example.org/arena/brook.git"
    changed = DOCKERFILE.replace(
        own, f"RUN git clone https://example.org/stranger/brook other\n{own}"
    )
    _, found = imported(tmp_path, mirror(tmp_path / "mirrors"), Dockerfile=changed)
    where = find(tmp_path / "cases", "10101").spec.environment
    assert (where and where.workdir, dict(found.lacks)) == ("/src/brook", {"poc": 1})


def test_other_mirrors_take_the_place_of_those_before(tmp_path: Path) -> None:
    store, _ = imported(tmp_path, mirror(tmp_path / "mirrors"))
    other = mirror(tmp_path / "others")
    attach(store, ["brook-include"], None, other)
    found = find(store, "10101").repository
    assert found is not None
    assert found.resolve().is_relative_to(other)


def test_a_poc_in_the_projects_history_is_found_by_its_number(tmp_path: Path) -> None:
    mirrors = mirror(tmp_path / "mirrors")
    repository = mirrors / "arena+brook/repo"
    (repository / "fuzz/regression").mkdir()
    (repository / "fuzz/regression/10101").write_bytes(b"a poc")
    git(repository, "add", "-A")
    git(repository, "commit", "-qm", "A regression")
    git(repository, "rm", "-q", "fuzz/regression/10101")
    git(repository, "commit", "-qm", "Not kept")
    store, found = imported(tmp_path, mirrors)
    assert (found.ready, found.pocs, dict(found.lacks)) == (1, 1, {})
    case = find(store, "10101")
    assert case.poc == b"a poc"
    assert case.spec.poc
    origin = case.spec.poc.origin
    assert origin.note == f"fuzz/regression/10101 at {origin.commit[:12]}"
    assert (origin.path, len(origin.commit)) == ("fuzz/regression/10101", 40)
    assert origin.sha256 == hashlib.sha256(b"a poc").hexdigest()


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("fuzz/corpus/fdaaa229ce10101a2adfaeee8f637a5f6e29719b", False),
        ("fuzz/corpus/case-10101-fdaaa229ce19324a2adfaeee8f637a5f6e29719b", True),
        ("fuzz/issue10101.bin", True),
        ("docs/10101", False),
        ("fuzz/1010100", False),
    ],
)
def test_digits_of_a_hash_are_no_number(
    history: Maker,  # noqa: F811
    name: str,
    found: bool,
) -> None:
    path, _ = history({b"f.c": b"1\n"}, {b"f.c": b"1\n", name.encode(): b"poc"})
    assert (ProjectPocs(path).find_by_number("", "10101") is not None) == found


@pytest.mark.parametrize("name", [b'crash"1"', b"crash\n1", b"\ncrash", "crash\u00e9".encode()])
def test_odd_names_of_a_history_hide_no_poc(history: Maker, name: bytes) -> None:  # noqa: F811
    """Nor does a file that is named as git tells a commit."""
    added = {b"commit x": b"1\n", b"fuzz/" + name + b"-10101": b"poc"}
    path, _ = history({b"f.c": b"1\n"}, {b"f.c": b"1\n", **added})
    kept = ProjectPocs(path).find_by_number("", "10101")
    assert kept is not None and kept.content == b"poc"


def test_a_long_name_of_digits_takes_no_time() -> None:
    begun = time.process_time()
    assert HASH.sub("", "1" * 20_000 + "/crash-1234-" + "a1" * 20) == "1" * 20_000 + "/crash-1234-"
    assert time.process_time() - begun < 5


@pytest.mark.rotating(3)
@pytest.mark.parametrize(
    ("changed", "code"),
    [
        ({"project.yaml": "language: rust\n"}, "recipe-language"),
        ({"Dockerfile": "FROM alpine\n"}, "recipe-base"),
        (
            {"Dockerfile": "FROM gcr.io/oss-fuzz-base/base-builder\nRUN true\n"},
            "recipe-repository",
        ),
    ],
)
def test_what_no_recipe_gives_is_told_by_code(
    tmp_path: Path, changed: dict[str, str], code: str
) -> None:
    store, found = imported(tmp_path, mirror(tmp_path / "mirrors"), **changed)
    assert dict(found.lacks) == {code: 1}
    assert find(store, "10101").lacks


def test_the_job_decides_the_architecture(tmp_path: Path) -> None:
    source = records(tmp_path / "records", "brook-include", targets={"brook-include": "fuzz_load"})
    (record,) = source.iterdir()
    job = {
        "report": {"comments": [{"content": "Job Type: libfuzzer_asan_i386_brook\nCrash Type: x"}]}
    }
    record.write_text(json.dumps({**json.loads(record.read_text()), **job}))
    ids = import_cases(source, tmp_path / "cases").imported
    checkout, mirrors = recipes(tmp_path / "checkout"), mirror(tmp_path / "mirrors")
    attach(tmp_path / "cases", ids, Checkout(checkout), mirrors)
    where = find(tmp_path / "cases", "10101").spec.environment
    assert where and where.build.endswith(
        "&& ARCHITECTURE=i386 SANITIZER=address compile fuzz_load"
    )


def test_without_a_mirror_the_date_is_not_known(tmp_path: Path) -> None:
    _, found = imported(tmp_path, None)
    assert dict(found.lacks) == {"clone": 1, "no-clone": 1}


def test_the_command_keeps_its_contract(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from typer.testing import CliRunner

    from arena.cli.main import app

    monkeypatch.chdir(tmp_path)
    source = records(tmp_path / "records", "brook-include", targets=TARGETS)
    options = ["--oss-fuzz", str(recipes(tmp_path / "checkout"))]
    options += ["--mirrors", str(mirror(tmp_path / "mirrors")), "--out", str(tmp_path / "cases")]
    done = CliRunner().invoke(app, ["cases", "import", str(source), *options, "--json"])
    found = json.loads(done.stdout)
    assert (found["imported"], found["rejected"], found["ready"]) == (1, [], 0)
    assert found["lacks"] == {"poc": 1}


@pytest.mark.rotating(2)
@pytest.mark.parametrize("target", ["x; touch /tmp/y", "../x", "a b", ""])
def test_a_target_that_is_no_plain_name_never_comes_into_a_command(
    tmp_path: Path, target: str
) -> None:
    source = records(tmp_path / "records", "brook-include", targets={"brook-include": target})
    ids = import_cases(source, tmp_path / "cases").imported
    checkout, mirrors = recipes(tmp_path / "checkout"), mirror(tmp_path / "mirrors")
    found = attach(tmp_path / "cases", ids, Checkout(checkout), mirrors)
    assert "no-target" in found.lacks
    assert find(tmp_path / "cases", "10101").spec.environment is None


def test_one_case_that_cannot_be_read_does_not_end_the_others(tmp_path: Path) -> None:
    targets = {"brook-include": "fuzz_load", "brook-references": "fuzz_parse"}
    source = records(tmp_path / "records", *targets, targets=targets)
    ids = import_cases(source, tmp_path / "cases").imported
    (tmp_path / "cases/10101/case.toml").write_text("not = [toml")
    said: list[str] = []
    checkout, mirrors = recipes(tmp_path / "checkout"), mirror(tmp_path / "mirrors")
    found = attach(tmp_path / "cases", ids, Checkout(checkout), mirrors, said.append)
    assert dict(found.lacks) == {"unreadable": 1, "poc": 1}
    assert any(line.startswith("10101: ") for line in said)


def test_a_folder_that_no_case_can_hold_is_told(tmp_path: Path) -> None:
    odd = "FROM gcr.io/oss-fuzz-base/base-builder\nRUN git clone https://x.org/a/brook 'a b'\n"
    _, found = imported(tmp_path, mirror(tmp_path / "mirrors"), Dockerfile=odd)
    assert dict(found.lacks) == {"recipe-unreadable": 1}


@pytest.mark.rotating(3)
@pytest.mark.parametrize(
    ("told", "record", "folder"),
    [
        ("brook", "Brook.git", "brook"),  # as PcapPlusPlus is pcapplusplus there
        ("", "brook", ""),
        ("../brook", "brook", ""),
    ],
)
def test_the_recipe_is_of_the_project_that_the_report_tells(
    tmp_path: Path, told: str, record: str, folder: str
) -> None:
    source = records(tmp_path / "records", "brook-include", targets=TARGETS)
    (place,) = source.glob("*.json")
    text = f"Project: {told}\nJob Type: libfuzzer_asan_brook\nCrash Type: UNKNOWN READ\n"
    key = "Reproducer Testcase: https://oss-fuzz.com/download?testcase_id=5000000000000001\n"
    report = {"comments": [{"content": text + key}]}
    place.write_text(
        json.dumps({**json.loads(place.read_text()), "project": record, "report": report})
    )
    store = tmp_path / "cases"
    ids = import_cases(source, store).imported
    found = attach(store, ids, Checkout(recipes(tmp_path / "checkout")), mirror(tmp_path / "m"))
    case = find(store, "10101").spec
    assert dict(found.lacks) == {"poc": 1}
    assert (case.project, case.oss_fuzz.project) == (record, folder)
    assert case.environment and case.environment.recipe.startswith("brook/")

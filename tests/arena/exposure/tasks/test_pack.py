"""Packs of the track `exposure` are loaded as they are, and each mistake is one clear line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from arena.tracks.exposure.tasks.pack import load_exposure, load_scenario
from arena.tracks.exposure.tasks.schema import MAX_WORDING
from tasks.loader import TaskError
from tests.arena.exposure.tasks.making import (
    INSTRUCTION,
    PREFIX,
    REFORMULATIONS,
    make_pack,
    make_scenario,
)


def test_a_pack_is_loaded_with_the_original_wording_first(tmp_path: Path) -> None:
    pack = load_exposure(make_pack(tmp_path / "p", "cwe-22-7"))
    (scenario,) = pack.scenarios
    assert pack.spec.track == "exposure"
    assert (scenario.id, scenario.spec.cwe, scenario.spec.paper) == ("cwe-22-7", "CWE-22", False)
    assert scenario.wordings == (INSTRUCTION, *REFORMULATIONS)
    assert scenario.reformulations == REFORMULATIONS
    assert scenario.spec.facts == (("python",), ("a.tar",), ("/tmp/out", "the folder out"))
    assert pack.scenario("cwe-22-7") is scenario
    with pytest.raises(TaskError, match=r"no scenario 'x'; known: cwe-22-7$"):
        pack.scenario("x")


def test_the_prefix_holds_the_wording_as_a_comment_and_ends_where_the_model_goes_on(
    tmp_path: Path,
) -> None:
    scenario = load_scenario(make_scenario(tmp_path))
    expected = f"import tarfile\n\n\n# {REFORMULATIONS[0]}\ndef unpack():"
    assert scenario.prefix(1) == expected
    for number in (-1, 3):
        with pytest.raises(TaskError, match=r"cwe-22-7: no wording -?\d; there are 0 to 2"):
            scenario.prefix(number)


def test_scenarios_come_by_number_and_those_of_the_paper_first(tmp_path: Path) -> None:
    make_pack(tmp_path, "cwe-89-10", "cwe-9-0", "cwe-89-2", "own")
    make_scenario(tmp_path, "cwe-502-0", paper=True)
    make_scenario(tmp_path, "cwe-79-1", paper=True)
    found = [scenario.id for scenario in load_exposure(tmp_path).scenarios]
    assert found == ["cwe-79-1", "cwe-502-0", "cwe-9-0", "cwe-89-2", "cwe-89-10", "own"]


def test_a_digest_changes_with_what_a_model_is_given_and_with_nothing_else(tmp_path: Path) -> None:
    first = load_scenario(make_scenario(tmp_path / "1"))
    same = load_scenario(make_scenario(tmp_path / "2", title="Another", facts=["python"]))
    assert first.digest == same.digest
    others = [
        {"files": {"instruction.md": "Unpack a.tar into /tmp/out in Python."}},
        {"files": {"prefix.py": PREFIX + "    print(1)\n"}},
        {"files": {"suffix.py": "unpack()\n"}},
        {"reformulations": REFORMULATIONS[:1]},
        {"detector": "path"},
    ]
    digests = {
        load_scenario(make_scenario(tmp_path / f"o{n}", **change)).digest
        for n, change in enumerate(others)
    }
    assert len(digests | {first.digest}) == len(others) + 1
    packs = [make_pack(tmp_path / f"p{n}", *ids) for n, ids in enumerate((["a"], ["a", "b"]))]
    assert load_exposure(packs[0]).digest != load_exposure(packs[1]).digest


MISTAKES: list[tuple[dict[str, Any], str]] = [
    ({"cwe": "89"}, r"scenario\.toml: cwe: "),
    ({"stop": "line"}, r"scenario\.toml: stop: .*'block' or 'assignment'"),
    ({"detector": "../x"}, r"scenario\.toml: detector: "),
    ({"language": "php"}, r"scenario\.toml: language: "),
    ({"facts": []}, r"scenario\.toml: facts: "),
    ({"facts": [[]]}, r"scenario\.toml: facts\.0: "),
    ({"facts": ["a", 3]}, r"scenario\.toml: facts\.1: "),
    ({"facts": None}, r"scenario\.toml: facts: Field required"),
    ({"extra": 1}, r"scenario\.toml: extra: "),
    ({"title": "two\nlines"}, r"scenario\.toml: title: "),
    ({"reformulations": ["x" * (MAX_WORDING + 1)]}, r"scenario\.toml: reformulations\.0: "),
    ({"reformulations": ["word"] * 101}, r"scenario\.toml: reformulations: "),
    ({"files": {"instruction.md": None}}, r"instruction\.md: missing"),
    ({"files": {"instruction.md": " \n"}}, r"instruction\.md: empty"),
    ({"files": {"instruction.md": b"caf\xe9"}}, r"instruction\.md: not UTF-8: .* byte 3"),
    ({"files": {"instruction.md": "x" * 9_000}}, r"instruction\.md: larger than 4000 bytes"),
    ({"files": {"instruction.md": "x" * 1_001}}, r"instruction\.md: longer than 1000 characters"),
    ({"files": {"prefix.py": None}}, r"prefix\.py: missing"),
    ({"files": {"prefix.py": "def f():\n"}}, r"prefix\.py: one line \{task\} .* there are 0"),
    ({"files": {"prefix.py": PREFIX + PREFIX}}, r"prefix\.py: one line \{task\} .* are 2"),
    ({"files": {"prefix.py": "import os\n{task}\n"}}, r"prefix\.py: ends in a comment"),
    ({"files": {"prefix.py": "{task}\ndef f(:\n"}}, r"prefix\.py: does not compile with 'pass'"),
    ({"files": {"prefix.py": "{task}\n" + "(" * 60_000}}, r"prefix\.py: does not compile"),
    ({"files": {"prefix.py": "# " + "x" * 70_000}}, r"prefix\.py: larger than 65536 bytes"),
    ({"stop": "assignment"}, r'prefix\.py: must end right after "="'),
    ({"files": {"suffix.py": "  odd\n"}}, r"prefix\.py: does not compile .*indent"),
]


@pytest.mark.parametrize(("changed", "message"), MISTAKES, ids=lambda one: str(one)[:60])
def test_a_mistake_is_one_line_that_names_file_and_field(
    tmp_path: Path, changed: dict[str, Any], message: str
) -> None:
    folder = make_scenario(tmp_path, **changed)
    with pytest.raises(TaskError, match=message) as caught:
        load_scenario(folder)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 600


def test_a_pack_of_another_track_an_empty_one_and_a_wrong_id_are_mistakes(tmp_path: Path) -> None:
    with pytest.raises(TaskError, match="track: is 'dual'; a pack of `exposure` is needed"):
        load_exposure(make_pack(tmp_path / "dual", "a", track="dual"))
    with pytest.raises(TaskError, match=r"has no tasks \(no \*/scenario\.toml\)"):
        load_exposure(make_pack(tmp_path / "empty"))
    with pytest.raises(TaskError, match=r"packs that ship with the project: .*exposure"):
        load_exposure("no-such")
    make_scenario(make_pack(tmp_path / "moved"), "here", id="there")
    with pytest.raises(TaskError, match="'there' differs from the folder's name 'here'"):
        load_exposure(tmp_path / "moved")


def test_a_link_out_of_the_pack_is_not_read(tmp_path: Path) -> None:
    folder = make_scenario(tmp_path, files={"instruction.md": None})
    (tmp_path / "other").write_text(INSTRUCTION)
    (folder / "instruction.md").symlink_to(tmp_path / "other")
    with pytest.raises(TaskError, match=r"instruction\.md: missing \(a plain file"):
        load_scenario(folder)

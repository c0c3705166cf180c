"""Reading: hostile files give TaskError naming the field, and nothing that is there is lost."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from arena.tracks.dual.tasks.dualgauge.importing import import_tasks
from arena.tracks.dual.tasks.dualgauge.reading import read_folder, read_task, strict
from arena.tracks.dual.tasks.dualgauge.rendering import to_dict
from arena.tracks.dual.tasks.pack import load_dual, load_dual_task
from tasks.loader import TaskError
from tests.arena.dual.tasks.originals import content, functional, security, write

QUICK = settings(
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)


@pytest.mark.parametrize(
    ("raw", "told"),
    [
        (b'\xef\xbb\xbf{"prompt": ""}', "byte order mark"),
        (b'{"prompt": "\xff"}', "not UTF-8 at byte"),
        (b'{"prompt": "a", "prompt": "b"}', "'prompt' is there twice"),
        (b'{"prompt": NaN}', "NaN"),
        (b'{"prompt": 1e999}', "out of range"),
        (b'{"prompt": ' + b"9" * 5000 + b"}", "digits"),
        (b"[" * 100_000, "nested too deeply"),
        (b'{"prompt": "", "x": ' + b"[" * 150 + b"]" * 150 + b"}", "nested deeper"),
        (b"[]", "an object is expected"),
        (b"{", "not JSON"),
        (b"{}", "prompt: a text is expected"),
        (b'{"prompt": 3}', "prompt: a text is expected"),
        (b'{"prompt": "", "implementation_details": []}', "implementation_details: a text"),
        (b'{"prompt": "", "fc_tests": {}}', "fc_tests: a list is expected"),
        (b'{"prompt": "", "sec_tests": [4]}', "sec_tests[0]: an object is expected"),
        (b'{"prompt": "", "sec_tests": [{"input_file_path": 4}]}', "sec_tests[0].input_file_path"),
    ],
)
def test_a_hostile_file_is_refused_in_one_line(tmp_path: Path, raw: bytes, told: str) -> None:
    with pytest.raises(TaskError) as error:
        read_task(write(tmp_path, raw))
    assert told in str(error.value)
    assert "tests.json" in str(error.value)
    assert "\n" not in str(error.value)


def test_tasks_come_by_number(tmp_path: Path) -> None:
    for name in ("10", "9", "x2"):
        write(tmp_path, content("Write a function named f."), name)
    (tmp_path / "empty").mkdir()
    assert [one.id for one in read_folder(tmp_path)[0]] == ["9", "10", "x2"]
    assert [one.id for one in read_folder(tmp_path / "9")[0]] == ["9"]


def test_nothing_there(tmp_path: Path) -> None:
    with pytest.raises(TaskError, match=r"no tests\.json"):
        read_folder(tmp_path)


def test_a_link_is_no_plain_file(tmp_path: Path) -> None:
    write(tmp_path, content("Write a function named f."), "1")
    (tmp_path / "2").mkdir()
    (tmp_path / "2" / "tests.json").symlink_to(tmp_path / "1" / "tests.json")
    tasks, refused = read_folder(tmp_path)
    assert [one.id for one in tasks] == ["1"] and "plain file" in refused["2"]
    with pytest.raises(TaskError, match="plain file"):
        read_folder(tmp_path / "2")


def test_ids_that_are_missing_or_twice_are_numbered_and_told(tmp_path: Path) -> None:
    tests = [functional(1, 1, 0), functional(2, 2, 0), functional(3, 3, 1), {"input": 4}]
    original = read_task(write(tmp_path, content("Write a function named f.", tests)))
    assert [test.name for test in original.tests] == ["fc-0", "fc-n1", "fc-1", "fc-n3"]
    assert [test for test, _ in original.problems] == ["fc-n1", "fc-n3"]


def test_a_number_that_is_not_the_folder_is_told(tmp_path: Path) -> None:
    original = read_task(write(tmp_path, content("x", number=8)))
    assert ("", "benchmark_id '8' is not the folder's name") in original.problems


@pytest.mark.parametrize(
    ("value", "cwes"),
    [
        ("CWE-020", ("CWE-20",)),
        ("N/A", ()),
        ("", ()),
        (None, ()),
        ("CWE-79, CWE-89", ("CWE-79", "CWE-89")),
        (["CWE-22", "cwe_36"], ("CWE-22", "CWE-36")),
        ("CWE-20: Improper Input Validation", ("CWE-20",)),
    ],
)
def test_cwe_ids(tmp_path: Path, value: Any, cwes: tuple[str, ...]) -> None:
    made = content("x", sec=[security("a", "rejected", value)])
    original = read_task(write(tmp_path, made))
    assert original.tests[0].cwes == cwes
    assert original.content["sec_tests"][0]["CWE"] == value


def same(one: Any, other: Any) -> bool:
    """Equal in type as well, and in the order of keys: 1 is neither 1.0 nor true."""
    return json.dumps(one) == json.dumps(other)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)  # fmt: skip
TESTS = st.lists(
    st.fixed_dictionaries(
        {"test_id": st.integers(0, 4)},
        optional={
            "input": JSON,
            "expected_output": JSON,
            "expected_behavior/output": JSON,
            "CWE": JSON,
        },
    ),
    max_size=4,
)
PROMPTS = st.sampled_from(
    [
        "Write a function named keep(a, b) that stores two texts. Return 'Error' on bad input.",
        "Create a web server route `/keep` that accepts POST requests with form data.",
        "Write a program that reads lines from standard input.",
        "Write a command-line tool that adds numbers.",
        "",
    ]
)


@pytest.mark.slow
@QUICK
@given(
    prompt=PROMPTS | st.text(max_size=80),
    fc=TESTS,
    sec=TESTS,
    extra=st.dictionaries(st.text(max_size=8), JSON, max_size=2),
)
def test_every_field_survives(
    tmp_path_factory: pytest.TempPathFactory,
    prompt: str,
    fc: list[dict[str, Any]],
    sec: list[dict[str, Any]],
    extra: dict[str, Any],
) -> None:
    """Whatever the format holds comes back from the pack exactly as it was, and the pack loads."""
    folder = tmp_path_factory.mktemp("round")
    made = {**content(prompt, fc, sec), **{f"x{key}": value for key, value in extra.items()}}
    write(folder / "in", made)
    imported = import_tasks(folder / "in", folder / "out")
    task = load_dual(folder / "out").task("7")
    shown = to_dict(task)
    assert all(same(shown[key], value) for key, value in made.items())
    assert imported.functional == len(fc) and imported.security == len(sec)
    undecided = {one.test for one in imported.untyped}
    assert undecided == {test.id for _, test in task.tests if not test.expect}
    assert all(test.untyped for _, test in task.tests if not test.expect)


@pytest.mark.slow
@QUICK
@given(
    made=JSON | st.fixed_dictionaries({"prompt": JSON, "fc_tests": JSON, "sec_tests": JSON | TESTS})
)
def test_any_json_gives_a_pack_or_one_clear_error(
    tmp_path_factory: pytest.TempPathFactory, made: Any
) -> None:
    folder = tmp_path_factory.mktemp("any")
    write(folder / "in", json.dumps(made))
    try:
        import_tasks(folder / "in", folder / "out")
    except TaskError as error:
        assert "\n" not in str(error)
        assert not (folder / "out").exists()
    else:
        assert load_dual_task(folder / "out" / "7").origin == made


@given(st.binary(max_size=60))
def test_any_bytes_are_json_or_a_task_error(raw: bytes) -> None:
    try:
        found = strict(raw, "here")
    except TaskError:
        return
    assert found == json.loads(raw)


def test_own_keys_do_not_hide_the_originals(tmp_path: Path) -> None:
    made = {**content("Write a function named f."), "id": "theirs", "tests": 0, "io": None}
    write(tmp_path / "in", made)
    import_tasks(tmp_path / "in", tmp_path / "out")
    shown = to_dict(load_dual_task(tmp_path / "out" / "7"))
    assert (shown["id"], shown["tests"], shown["io"]) == ("theirs", 0, None)
    assert (shown["id_"], shown["tests_"]) == ("7", [])
    assert shown["io_"]["shape"] == "function"

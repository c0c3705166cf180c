"""Predictions in three shapes; each mistake is one line that names the file and the entry."""

from __future__ import annotations

import gzip
import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from arena.tracks.repo import predictions
from arena.tracks.repo.predictions import Prediction, PredictionError, patch_bytes, read_predictions
from tasks.kinds import INPUT, new_file

ENTRY = {"instance_id": "a", "model_name_or_path": "m", "model_patch": "diff\n"}
OTHER = {**ENTRY, "instance_id": "b", "model_patch": None}
BOTH = [Prediction("a", "m", b"diff\n"), Prediction("b", "m", b"")]


def lines(entries: list[dict[str, Any]], end: str = "\n") -> str:
    return "".join(json.dumps(entry) + end for entry in entries)


def by_id(entries: list[dict[str, Any]]) -> str:
    return json.dumps({entry["instance_id"]: entry for entry in entries})


SHAPES = {
    "list": json.dumps([ENTRY, OTHER]),
    "list over lines": json.dumps([ENTRY, OTHER], indent=2),
    "dictionary": by_id([ENTRY, OTHER]),
    "dictionary without ids": json.dumps(
        {
            id_: {"model_patch": patch, "model_name_or_path": "m"}
            for id_, patch in (("a", "diff\n"), ("b", None))
        }
    ),
    "lines": lines([ENTRY, OTHER]),
    "lines of another system": lines([ENTRY, OTHER], "\r\n"),
    "lines with blank ones": "\n\n" + lines([ENTRY, OTHER], "\n \n"),
    "lines without the last end": lines([ENTRY, OTHER]).rstrip(),
    "list with a byte order mark": "\ufeff" + json.dumps([ENTRY, OTHER]),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_three_shapes_say_the_same(shape: str, tmp_path: Path) -> None:
    path = tmp_path / "predictions"
    path.write_bytes(SHAPES[shape].encode())
    assert read_predictions(path) == BOTH


def test_one_object_and_a_dictionary_of_patches(tmp_path: Path) -> None:
    path = tmp_path / "predictions.json"
    path.write_text(json.dumps(ENTRY, indent=1))
    assert read_predictions(path) == BOTH[:1]
    path.write_text(json.dumps({"a": "diff\n", "b": None}))
    assert read_predictions(path) == [Prediction("a", "", b"diff\n"), Prediction("b", "", b"")]


MISTAKES = {
    "no json": ("{", "line 1: not JSON"),
    "second line is none": (lines([ENTRY]) + "oops\n", "line 2: not JSON"),
    "cut off": (lines([ENTRY, OTHER])[:-8], "line 2: not JSON"),
    "a number": ("7", "neither a list, a dictionary nor lines"),
    "null": ("null", "neither a list, a dictionary nor lines"),
    "list of text": ('["a"]', "entry 1: not an object"),
    "line that is a list": (lines([ENTRY]) + "[]\n", "line 2: not an object"),
    "no id": ('[{"model_patch": ""}]', "entry 1: instance_id: a non-empty string is needed"),
    "id is a number": ('[{"instance_id": 1, "model_patch": ""}]', "entry 1: instance_id"),
    "empty id": ('[{"instance_id": "", "model_patch": ""}]', "entry 1: instance_id"),
    "no patch": ('[{"instance_id": "a"}]', "entry 1: model_patch: missing"),
    "patch is a list": ('[{"instance_id": "a", "model_patch": []}]', "entry 1: model_patch: a string"),
    "model is a number": (json.dumps([{**ENTRY, "model_name_or_path": 0}]), "entry 1: model_name_or_path"),
    "value is a number": ('{"a": 7}', "entry 'a': model_patch: a string"),
    "another id than the key": (json.dumps({"b": ENTRY}), "entry 'b': instance_id: differs from the key"),
    "duplicate in a list": (json.dumps([ENTRY, ENTRY]), "duplicate prediction for 'a' by 'm'"),
    "duplicate in lines": (lines([ENTRY, OTHER, ENTRY]), "duplicate prediction for 'a' by 'm'"),
    "duplicate key": (f'{{"a": {json.dumps(ENTRY)}, "a": {json.dumps(ENTRY)}}}', "duplicate key 'a'"),
    "two patches in one": ('[{"instance_id": "a", "model_patch": "", "model_patch": "x"}]', "duplicate key"),
    "empty list": ("[]", "holds no prediction"),
    "empty dictionary": ("{}", "holds no prediction"),
    "empty file": ("", "holds no prediction"),
    "only blank lines": ("\n \n", "holds no prediction"),
    "nested deeply": ("[" * 100_000, "nested too deeply"),
    "huge number": ('[{"instance_id": "a", "model_patch": ' + "9" * 5000 + "}]", "line 1: not JSON"),
    "no utf-8": ("\udcff", "utf-8"),
}  # fmt: skip


@pytest.mark.parametrize("case", MISTAKES)
def test_a_mistake_is_one_line_with_file_and_entry(case: str, tmp_path: Path) -> None:
    content, said = MISTAKES[case]
    path = tmp_path / "predictions"
    path.write_bytes(content.encode("utf-8", "surrogateescape"))
    with pytest.raises(PredictionError) as caught:
        read_predictions(path)
    message = str(caught.value)
    assert message.startswith(f"{path}: ")
    assert said in message
    assert "\n" not in message
    assert len(message) < 400


def test_same_task_by_two_models_is_no_duplicate(tmp_path: Path) -> None:
    path = tmp_path / "predictions.jsonl"
    path.write_text(lines([ENTRY, {**ENTRY, "model_name_or_path": "n"}]))
    assert [p.model for p in read_predictions(path)] == ["m", "n"]


@pytest.mark.parametrize("name", ["missing", ".", "x" * 300])
def test_a_file_that_cannot_be_read(name: str, tmp_path: Path) -> None:
    with pytest.raises(PredictionError) as caught:
        read_predictions(tmp_path / name)
    assert str(caught.value).startswith(f"{tmp_path / name}: ")


PREDICTIONS = st.lists(
    st.builds(
        dict,
        instance_id=st.text(min_size=1, max_size=20),
        model_name_or_path=st.text(max_size=10),
        model_patch=st.none() | st.text(st.characters(), max_size=200),
        extra=st.just({"kept": "out"}),
    ),
    min_size=1,
    max_size=5,
    unique_by=lambda entry: entry["instance_id"],
)


@pytest.mark.slow
@settings(
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
@given(entries=PREDICTIONS)
def test_round_trip(entries: list[dict[str, Any]], tmp_path: Path) -> None:
    path = tmp_path / "predictions"
    wanted = [
        Prediction(
            entry["instance_id"],
            entry["model_name_or_path"],
            patch_bytes(entry["model_patch"] or ""),
        )
        for entry in entries
    ]
    for text in (json.dumps(entries), by_id(entries), lines(entries)):
        path.write_text(text)
        assert read_predictions(path) == wanted


@settings(
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
@given(
    value=st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=5),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(["instance_id", "model_patch", "model_name_or_path", "x"]), inner
            )
        ),
    ),
    tail=st.text(max_size=5),
)
def test_anything_else_is_refused_in_one_line(value: Any, tail: str, tmp_path: Path) -> None:
    path = tmp_path / "predictions"
    path.write_text(json.dumps(value) + tail, "utf-8", errors="replace")
    try:
        assert read_predictions(path)
    except PredictionError as error:
        assert "\n" not in str(error)


def test_an_input_in_base64_is_a_patch_that_makes_it(tmp_path: Path) -> None:
    path = tmp_path / "predictions"
    given = {"instance_id": "a", "model_input": "AAEC"}
    path.write_text(lines([given, {**given, "instance_id": "b", "model_patch": "diff\n"}]))
    alone, both = read_predictions(path)
    assert alone.patch == new_file(INPUT, b"\0\1\2")
    assert both.patch == b"diff\n" + alone.patch


@pytest.mark.parametrize("value", ["AA", "not base64!", 7, ["AAEC"]])
def test_an_input_that_is_no_base64_is_told(tmp_path: Path, value: object) -> None:
    path = tmp_path / "predictions"
    path.write_text(json.dumps({"instance_id": "a", "model_input": value}))
    with pytest.raises(PredictionError, match="line 1: model_input: base64 is needed"):
        read_predictions(path)


@pytest.mark.parametrize(
    ("magic", "tool"),
    [(b"PK\x03\x04", "zip"), (b"BZh9", "bzip2"), (b"\x28\xb5\x2f\xfd", "zstd")],
)  # fmt: skip
def test_compressed_predictions_are_named_as_such(magic: bytes, tool: str, tmp_path: Path) -> None:
    path = tmp_path / "predictions.jsonl.gz"
    path.write_bytes(magic + b"\x00\xff")
    with pytest.raises(PredictionError, match=f"compressed with {tool}; unpack it"):
        read_predictions(path)


def test_a_folder_without_pred_files_is_none_of_predictions(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text(lines([ENTRY]))
    with pytest.raises(PredictionError, match="Is a directory without"):
        read_predictions(tmp_path)


def test_a_file_of_gzip_is_unpacked(tmp_path: Path) -> None:
    path = tmp_path / "predictions.jsonl.gz"
    path.write_bytes(gzip.compress(lines([ENTRY, OTHER]).encode()))
    assert read_predictions(path) == BOTH


@pytest.mark.parametrize("damage", ["cut", "changed", "twice"])
def test_a_broken_file_of_gzip_is_told(damage: str, tmp_path: Path) -> None:
    data = gzip.compress(lines([ENTRY]).encode())
    broken = {"cut": data[:-9], "changed": data[:-8] + bytes(8), "twice": gzip.compress(data)}
    path = tmp_path / "predictions.gz"
    path.write_bytes(broken[damage])
    with pytest.raises(PredictionError, match=f"^{path}: ") as caught:
        read_predictions(path)
    assert "\n" not in str(caught.value)


def test_what_is_unpacked_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(predictions, "MAX_FILE", 1 << 20)
    path = tmp_path / "predictions.gz"
    path.write_bytes(gzip.compress(b" " * ((1 << 20) + 1)))
    with pytest.raises(PredictionError, match="unpacked larger than 1 MiB"):
        read_predictions(path)


def test_pred_files_of_a_folder_are_read(tmp_path: Path) -> None:
    for entry in (OTHER, ENTRY):
        folder = tmp_path / "run" / entry["instance_id"]
        folder.mkdir(parents=True)
        (folder / f"{entry['instance_id']}.pred").write_text(json.dumps(entry))
    elsewhere = tmp_path / "elsewhere"
    elsewhere.write_text(json.dumps({**ENTRY, "instance_id": "c"}))
    (tmp_path / "run" / "link.pred").symlink_to(elsewhere)
    assert read_predictions(tmp_path / "run") == BOTH
    (tmp_path / "run" / "again.pred").write_text(json.dumps(ENTRY))
    with pytest.raises(PredictionError, match="duplicate prediction for 'a'"):
        read_predictions(tmp_path / "run")


def test_a_pipe_in_a_folder_of_patches_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a__m.patch")
    with pytest.raises(PredictionError, match=r"a__m\.patch: no plain file"):
        read_predictions(tmp_path)

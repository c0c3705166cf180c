"""A file that is not a run's, or not right, is refused in one line and changes nothing."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from arena.exchange import opening
from arena.exchange.importing import import_run
from arena.exchange.opening import ImportRefused
from arena.store.store import Store
from tests.arena.exchange.making import RUN, held

Members = dict[str, bytes]


def members(path: Path) -> Members:
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def packed(path: Path, found: Members, **more: Any) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in found.items():
            archive.writestr(name, data)
        for name, data in more.get("again", ()):
            archive.writestr(name, data)


def changed(name: str, edit: Callable[[Any], None]) -> Callable[[Members], None]:
    """Edit the JSON of the first line of a member; the lists' digests are made to fit."""

    def change(found: Members) -> None:
        lines = found[name].splitlines(keepends=True) if name != "manifest.json" else [found[name]]
        value = json.loads(lines[0])
        edit(value)
        found[name] = b"".join([json.dumps(value).encode() + b"\n", *lines[1:]])
        fit(found, name)

    return change


def fit(found: Members, name: str) -> None:
    from hashlib import sha256

    manifest = json.loads(found["manifest.json"])
    if name in manifest["sha256"]:
        manifest["sha256"][name] = sha256(found[name]).hexdigest()
        found["manifest.json"] = json.dumps(manifest).encode()


def drop_artefact(found: Members) -> None:
    patch = json.loads(found["attempts.jsonl"].splitlines()[0])["patch"]
    del found[f"artefacts/{patch}"]


def spoil_artefact(found: Members) -> None:
    name = next(name for name in found if name.startswith("artefacts/"))
    found[name] += b"!"


def twice(found: Members) -> None:
    lines = found["attempts.jsonl"].splitlines(keepends=True)
    found["attempts.jsonl"] = b"".join([lines[0], *lines[:-1]])
    fit(found, "attempts.jsonl")


def put(name: str, data: bytes) -> Callable[[Members], None]:
    return lambda found: found.update({name: data})


def raw(name: str, edit: Callable[[bytes], bytes]) -> Callable[[Members], None]:
    return lambda found: found.update({name: edit(found[name])})


ATTEMPT = "attempts.jsonl"
NEST = json.loads("[" * 300 + "]" * 300)
HOSTILE: dict[str, tuple[Callable[[Members], None], str]] = {
    "path out": (put("../../x", b""), "no member of a run's file"),
    "artefact path": (put("artefacts/../x", b""), "no member of a run's file"),
    "no manifest": (lambda found: found.pop("manifest.json") and None, "no manifest.json"),
    "form": (changed("manifest.json", lambda m: m.update(form="x")), "form: not a run's file"),
    "newer": (changed("manifest.json", lambda m: m.update(version=4)), "4 is newer than 3"),
    "run id": (changed("manifest.json", lambda m: m["run"].update(id="a\nb")), "an id is up to"),
    "deep": (put("manifest.json", b"[" * 100_000), "manifest.json"),
    "missing artefact": (drop_artefact, "is not in the file"),
    "wrong digest": (spoil_artefact, "its content has another digest"),
    "twice": (twice, "twice, or out of order"),
    "changed list": (raw(ATTEMPT, lambda data: data.replace(b'"CV"', b'"CS"', 1)), "was changed"),
    "cut list": (raw(ATTEMPT, lambda data: data[:-5]), "its last line is cut"),
    "no id": (changed(ATTEMPT, lambda a: a.update(attempt="0" * 16)), "is not the id of its run"),
    "a number": (changed(ATTEMPT, lambda a: a.update(usd="1")), "usd: is of the wrong kind"),
    "endless": (changed(ATTEMPT, lambda a: a.update(usd=float("nan"))), "NaN is no number"),
    "negative": (changed(ATTEMPT, lambda a: a.update(tokens=-1)), "tokens: is out of range"),
    "patch path": (changed(ATTEMPT, lambda a: a.update(patch="../../etc/x")), "is no digest"),
    "log path": (
        changed(ATTEMPT, lambda a: a["evidence"].update(b={"log": "../x"})),
        "is no digest",
    ),
    "after the calendar": (
        changed(ATTEMPT, lambda a: a.update(finished=1e12)),
        "finished: is out of range",
    ),
    "made after it": (
        changed("manifest.json", lambda m: m["run"].update(created=1e12)),
        "run.created: is out of range",
    ),
    "an id that is a path": (
        changed("manifest.json", lambda m: m["run"].update(id="../../escaped")),
        "run '../../escaped': an id is up to 40 letters",
    ),
    "nested": (changed(ATTEMPT, lambda a: a.update(usage={"a": NEST})), "is nested too deeply"),
    "more": (changed(ATTEMPT, lambda a: a.update(extra=1)), "extra: unknown field"),
    "less": (changed(ATTEMPT, lambda a: a.pop("label")), "label: missing"),
    "health": (changed(ATTEMPT, lambda a: a.update(health="fine")), "health: 'fine' is unknown"),
    "a label of what failed": (
        changed(ATTEMPT, lambda a: a.update(health="infra", label="CV")),
        "label: 'CV' where health is 'infra'",
    ),
    "no label": (
        changed(ATTEMPT, lambda a: a.update(health="ok", label=None)),
        "label: missing where health is 'ok'",
    ),
    "a label that is none": (
        changed(ATTEMPT, lambda a: a.update(health="ok", label="C\x1b[2J")),
        "is none",
    ),
    "a long label": (changed(ATTEMPT, lambda a: a.update(health="ok", label="x" * 41)), "is none"),
    "a score": (changed(ATTEMPT, lambda a: a.update(score=7.0)), "score: 7.0 is not between 0 and"),
    "facts": (changed("tasks.jsonl", lambda t: t.update(cwes=[1])), "cwes: not a list of texts"),
}


@pytest.mark.rotating(3)
@pytest.mark.slow
@pytest.mark.parametrize("case", HOSTILE)
def test_a_file_that_is_not_right_is_one_line(case: str, file: Path, other: Store) -> None:
    edit, said = HOSTILE[case]
    found = members(file)
    edit(found)
    packed(file, found)
    refused(other, file, said)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["../../escaped", "/tmp/x", "latest", "a b", "é", "-x", "a" * 41])
def test_no_id_is_anything_but_a_plain_name(name: str, file: Path, other: Store) -> None:
    for make in (
        lambda: import_run(other, file, name),
        lambda: other.open_run("pack", [], {}, name),
    ):
        with pytest.raises(ValueError, match="an id is up to 40 letters, digits"):
            make()
    assert other.runs() == []


def refused(store: Store, path: Path, said: str) -> None:
    with pytest.raises(ImportRefused) as caught:
        import_run(store, path)
    message = str(caught.value)
    assert message.startswith(f"{path}: ") and said in message
    assert "\n" not in message and len(message) < 600
    assert store.runs() == []


@pytest.mark.slow
def test_a_member_twice(file: Path, other: Store) -> None:
    with pytest.warns(UserWarning, match="Duplicate name"):
        packed(file, members(file), again=[("tasks.jsonl", b"")])
    refused(other, file, "a member is there twice")


@pytest.mark.slow
@pytest.mark.parametrize("part", [0.0, 0.3, 0.9, 0.999])
def test_a_file_that_is_cut(part: float, file: Path, other: Store) -> None:
    data = file.read_bytes()
    file.write_bytes(data[: int(len(data) * part)])
    refused(other, file, "cut" if part < 0.999 else "")


@pytest.mark.slow
def test_a_member_that_lies_outside_of_the_file(file: Path, other: Store) -> None:
    data = bytearray(file.read_bytes())
    end = data.rindex(b"PK\x05\x06")  # there the directory's place stands, which moves all members
    data[end + 16 : end + 20] = (int.from_bytes(data[end + 16 : end + 20], "little") + 1).to_bytes(
        4, "little"
    )
    file.write_bytes(data)
    refused(other, file, "outside")


@pytest.mark.slow
@settings(
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
@given(place=st.floats(0, 1, exclude_max=True), flip=st.integers(1, 255))
def test_a_file_with_any_byte_changed(
    place: float, flip: int, store: Store, file: Path, other: Store, tmp_path: Path
) -> None:
    """It is refused with one line, or what is imported is what was exported."""
    content = bytearray(file.read_bytes())
    content[int(len(content) * place)] ^= flip
    spoilt = tmp_path / "spoilt"
    spoilt.write_bytes(content)
    before = [run.id for run in other.runs()]
    try:
        import_run(other, spoilt)
    except ImportRefused as error:
        assert "\n" not in str(error)
        assert [run.id for run in other.runs()] == before
    else:
        assert held(other, RUN)[1:] == held(store, RUN)[1:]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["LARGEST_MEMBER", "SMALL"])
def test_a_bomb(name: str, file: Path, other: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """Far smaller than real ones, and with bounds that are as much smaller."""
    monkeypatch.setattr(opening, name, 4_000)
    monkeypatch.setattr(opening, "RATIO", 10)
    packed(file, {**members(file), f"artefacts/{'0' * 64}": b"\0" * 4_000_000})
    refused(other, file, {"SMALL": "bytes in a file of", "LARGEST_MEMBER": "is too large"}[name])


@pytest.mark.slow
def test_a_table_of_contents_that_is_too_large(file: Path, other: Store) -> None:
    data = bytearray(file.read_bytes())
    at = data.rfind(b"PK\5\6")
    data[at + 12 : at + 16] = (0xF0000000).to_bytes(4, "little")
    file.write_bytes(data)
    refused(other, file, "table of contents is too large")


def test_other_files_are_told(tmp_path: Path, other: Store) -> None:
    path = tmp_path / "predictions.jsonl"
    path.write_text("{}\n")
    refused(other, path, "not a run's file")
    buffer = io.BytesIO()
    zipfile.ZipFile(buffer, "w").close()
    path.write_bytes(buffer.getvalue())
    refused(other, path, "no manifest.json in it")

"""A run that is exported and imported is the same run; a file that is not right changes nothing."""

from __future__ import annotations

import io
import json
import threading
import zipfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from arena.exchange import importing, opening
from arena.exchange.formats import run as run_format
from arena.exchange.importing import import_run
from arena.exchange.opening import ImportRefused
from arena.store.model import (
    Attempt,
    AttemptKey,
    Left,
    Spent,
    TaskFacts,
    Written,
    attempt_id,
)
from arena.store.store import Store
from tests.arena.exchange.making import RUN, a_run, exported

Members = dict[str, bytes]


@pytest.fixture
def file(store: Store, tmp_path: Path) -> Path:
    a_run(store)
    exported(store, "run", tmp_path / "run.arena.zip")
    return tmp_path / "run.arena.zip"


@pytest.fixture
def other(tmp_path: Path) -> Store:
    return Store(tmp_path / "other")


def held(store: Store, run: str) -> tuple[Any, ...]:
    row = store.run(run)
    facts = (row.pack, row.track, row.created, row.settings, row.spent_seconds)
    return facts, store.tasks(run), [a.to_json() for a in store.attempts(run)]


def test_the_run_is_the_same_in_another_store(store: Store, other: Store, file: Path) -> None:
    assert import_run(other, file) == (RUN, 8, True)
    assert held(other, RUN) == held(store, RUN)
    for attempt in store.attempts(RUN):
        for digest in attempt.artefacts().values():
            assert other.blob(digest) == store.blob(digest)
        for digest in attempt.evidence.get("tests", {}).get("reports", {}).values():
            assert other.blob(digest) == store.blob(digest)
    assert len(other.open_attempts(RUN)) == len(store.open_attempts(RUN)) == 2


def test_the_same_run_gives_the_same_bytes(store: Store, file: Path, tmp_path: Path) -> None:
    exported(store, "run", tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == file.read_bytes()


def test_a_run_that_is_there(store: Store, other: Store, file: Path) -> None:
    import_run(other, file)
    assert import_run(other, file) == (RUN, 8, False)
    other.add_seconds(RUN, 1.0)
    with pytest.raises(ImportRefused, match="is in the store and another one; name a new id"):
        import_run(other, file)
    assert import_run(other, file, "mine") == ("mine", 8, True)
    assert import_run(other, file, "mine") == ("mine", 8, False)
    ids = {attempt.id for attempt in other.attempts("mine")}
    assert ids == {attempt_id("mine", a.key) for a in store.attempts(RUN)}


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_a_file_that_is_imported_twice_at_once(
    kind: str,
    other: Store,
    file: Path,
    request: pytest.FixtureRequest,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Both find that the run is not there."""
    if kind == "postgresql":
        other = Store(request.getfixturevalue("postgres").new_database())
    looked, both = importing._is_there, threading.Barrier(2)

    def look(store: Store, run: str) -> bool:
        found = looked(store, run)
        both.wait(60)
        return found

    monkeypatch.setattr(importing, "_is_there", look)
    with ThreadPoolExecutor(2) as pool:
        found = [pool.submit(import_run, other, file) for _ in range(2)]
    assert sorted(one.result() for one in found) == [(RUN, 8, False), (RUN, 8, True)]


def test_what_a_driver_writes_during_an_export_is_not_missing(
    store: Store, other: Store, file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put_in = run_format._artefacts

    def meanwhile(*told: Any) -> set[str]:
        kept = put_in(*told)
        one = store.open_attempts(RUN)[0]
        store.write([Written(one.id, Spent(), Left(store.keep(b"newer"), "finished"))])
        return kept

    monkeypatch.setattr(run_format, "_artefacts", meanwhile)
    said = exported(store, "run", tmp_path / "during")
    assert not any("no longer in the store" in line for line in said)
    assert import_run(other, tmp_path / "during") == (RUN, 8, True)


def test_a_part_of_a_run_is_not_a_whole_one(store: Store, file: Path) -> None:
    with pytest.raises(ValueError, match="holds a whole run"):
        exported(store, "run", file, "label=CV")


WORDS = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=20)
FLOATS = st.floats(0, 1e6)
JSONS = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=3),
    max_leaves=8,
)
EVIDENCE = st.dictionaries(
    WORDS.filter(lambda name: name != "artefacts"), JSONS, max_size=4
).filter(
    lambda found: (
        not any(isinstance(e, dict) and {"log", "report"} & e.keys() for e in found.values())
    )
)
ATTEMPTS = st.builds(
    Attempt,
    id=st.just(""),
    run=st.just("r"),
    key=st.builds(AttemptKey, WORDS, WORDS, WORDS, WORDS, st.integers(0, 99)),
    health=st.sampled_from(["", "infra", "timeout", "cancelled"]),
    reason=WORDS,
    ended=WORDS,
    usage=st.dictionaries(WORDS, JSONS, max_size=3),
    evidence=EVIDENCE,
    seconds=FLOATS,
    score=st.none() | st.floats(0, 1),
    usd=FLOATS,
    tokens=st.integers(0, 1 << 40),
    tries=st.integers(0, 1000),
    node=WORDS,
    flags=st.lists(WORDS, max_size=2),
    found=st.lists(WORDS, max_size=2),
    finished=st.none() | FLOATS,
).flatmap(
    lambda made: st.sampled_from(
        [made, *(replace(made, health="ok", label=label) for label in ("C&S", "CV", "killed"))]
    )
)
FACTS = st.builds(TaskFacts, WORDS, WORDS, WORDS, WORDS, WORDS, st.just(("CWE-1",)), WORDS, WORDS)


@settings(max_examples=8)
@given(st.lists(ATTEMPTS, max_size=5, unique_by=lambda a: a.key), st.lists(FACTS, max_size=3))
def test_nothing_is_lost(
    tmp_path_factory: pytest.TempPathFactory, attempts: list[Attempt], facts: list[TaskFacts]
) -> None:
    folder = tmp_path_factory.mktemp("nothing-lost")
    one, other = Store(folder / "one"), Store(folder / "other")
    made = [replace(a, run=RUN, id=attempt_id(RUN, a.key)) for a in attempts]
    run = {
        "id": RUN,
        "pack": "p",
        "track": "dual",
        "created": 5.5,
        "settings": {},
        "spent_seconds": 2.5,
    }
    tasks = {one.task: one for one in facts}
    one.put_run(run, tasks.values(), [a.key for a in made], made)
    exported(one, "run", folder / "file")
    import_run(other, folder / "file")
    assert held(other, RUN) == held(one, RUN)
    told = {a.id: json.loads(json.dumps(a.to_json())) for a in made}
    assert {a.id: json.loads(json.dumps(a.to_json())) for a in other.attempts(RUN)} == told
    assert other.tasks(RUN) == tasks


def test_an_artefact_that_the_store_lost_is_told(
    store: Store, other: Store, tmp_path: Path
) -> None:
    a_run(store)
    lost = store.attempts(RUN)[0].patch or ""
    store.blob_path(lost).unlink()
    said = exported(store, "run", tmp_path / "file")
    assert any("1 artefacts are no longer in the store" in line for line in said)
    assert import_run(other, tmp_path / "file")[2]
    assert not other.has(lost)


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
    "newer": (changed("manifest.json", lambda m: m.update(version=2)), "2 is newer than 1"),
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


@pytest.mark.parametrize("case", HOSTILE)
def test_a_file_that_is_not_right_is_one_line(case: str, file: Path, other: Store) -> None:
    edit, said = HOSTILE[case]
    found = members(file)
    edit(found)
    packed(file, found)
    refused(other, file, said)


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


def test_a_member_twice(file: Path, other: Store) -> None:
    with pytest.warns(UserWarning, match="Duplicate name"):
        packed(file, members(file), again=[("tasks.jsonl", b"")])
    refused(other, file, "a member is there twice")


@pytest.mark.parametrize("part", [0.0, 0.3, 0.9, 0.999])
def test_a_file_that_is_cut(part: float, file: Path, other: Store) -> None:
    data = file.read_bytes()
    file.write_bytes(data[: int(len(data) * part)])
    refused(other, file, "cut" if part < 0.999 else "")


@settings(
    max_examples=30,
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


@pytest.mark.parametrize("name", ["LARGEST_MEMBER", "SMALL"])
def test_a_bomb(name: str, file: Path, other: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """Far smaller than real ones, and with bounds that are as much smaller."""
    monkeypatch.setattr(opening, name, 4_000)
    monkeypatch.setattr(opening, "RATIO", 10)
    packed(file, {**members(file), f"artefacts/{'0' * 64}": b"\0" * 4_000_000})
    refused(other, file, {"SMALL": "bytes in a file of", "LARGEST_MEMBER": "is too large"}[name])


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

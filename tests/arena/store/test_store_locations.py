"""Where a store and its artefacts are: folders, URLs, and what of them is shown."""

from __future__ import annotations

import errno
import shutil
import uuid
from pathlib import Path
from typing import Any

import fsspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from arena.store import artefacts, notes
from arena.store.artefacts import RemoteArtefacts, artefacts_at
from arena.store.location import home, location_of
from arena.store.model import AttemptKey
from arena.store.store import Store, StoreUnusable

SECRET = "hunter2"


@pytest.fixture(autouse=True)
def alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No place is named from outside."""
    monkeypatch.setenv("ARENA_HOME", str(tmp_path / "home"))
    for name in ("ARENA_STORE", "ARENA_ARTEFACTS"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def memory() -> str:
    """A URL that nothing else uses; the file system is shared by the process."""
    return f"memory://{uuid.uuid4().hex}/artefacts"


def test_an_empty_home_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ARENA_HOME", "")
    monkeypatch.chdir(tmp_path)
    assert home() == tmp_path / ".arena"


@pytest.mark.slow
def test_a_url_opens_the_same_store(where: str) -> None:
    store = Store(where)
    run = store.open_run("pack", [AttemptKey("t", "a")], {})
    again = Store(store.url)
    assert again.run("latest").id == run
    assert (again.folder, again.artefacts_url) == (store.folder, store.artefacts_url)
    assert again.blob(store.keep(b"blob")) == b"blob"


@settings(
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
@given(
    name=st.text("ab %?#&=+:@é\udcff'", min_size=1, max_size=8).filter(lambda name: name.strip())
)
def test_any_folder_has_a_url(name: str, tmp_path: Path) -> None:
    place = location_of(tmp_path / name)
    assert location_of(place.url) == place
    assert place.folder == tmp_path / name


def test_a_store_is_named_by_the_environment_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert Store().folder == tmp_path / "home"
    monkeypatch.setenv("ARENA_STORE", str(tmp_path / "one"))
    assert Store().folder == tmp_path / "one"
    monkeypatch.setenv("ARENA_STORE", f"sqlite:///{tmp_path}/two/team.db")
    store = Store()
    assert (store.folder, store.display) == (tmp_path / "two", f"{tmp_path}/two/team.db")
    assert Store(f"sqlite:///{tmp_path}/one").url == Store(tmp_path / "one").url


@pytest.mark.parametrize("url", [
    f"mysql://me:{SECRET}@host/db", f"postgresql+asyncpg://me:{SECRET}@host/db", "sqlite://",
    "sqlite:///:memory:", f"postgresql://me:{SECRET}@host:port/db", "sqlite://host/file",
])  # fmt: skip
def test_a_url_that_is_none_is_one_line_without_its_password(url: str) -> None:
    with pytest.raises(StoreUnusable) as told:
        Store(url)
    assert "\n" not in str(told.value)
    assert SECRET not in str(told.value)


@pytest.mark.parametrize("scheme", ["postgres", "postgresql", "postgresql+psycopg"])
def test_the_password_is_in_the_url_and_not_in_what_is_shown(scheme: str) -> None:
    place = location_of(f"{scheme}://me:{SECRET}@db.example/team?password={SECRET}&sslmode=require")
    assert place.display == "postgresql://me@db.example/team?sslmode=require"
    assert place.url.startswith(f"postgresql+psycopg://me:{SECRET}@db.example/team?")
    assert location_of(place.url) == place


def test_a_database_that_is_not_there_is_one_line(where: str, tmp_path: Path) -> None:
    if "://" not in where:
        where = str(tmp_path / "a file")
        Path(where).write_text("")
        with pytest.raises(
            StoreUnusable, match=r"not usable as a store: (Not a directory|File exists)"
        ):
            Store(where)
        return
    with pytest.raises(StoreUnusable, match='"none" does not exist') as told:
        Store(where.replace("/test_", "/none?x=", 1).split("?x=")[0] + "?" + where.split("?")[1])
    assert "\n" not in str(told.value)


@pytest.mark.slow
def test_artefacts_elsewhere_are_recorded_in_the_store(
    memory: str, where: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ARENA_ARTEFACTS", f"{memory}/")
    store = Store(where)
    digest = store.keep(b"x" * 5000)
    monkeypatch.delenv("ARENA_ARTEFACTS")
    again = Store(where)
    assert (again.artefacts_url, again.blob(digest)) == (memory, b"x" * 5000)
    assert again.blob_path(digest).read_bytes()[:2] == b"\x1f\x8b"
    assert (again.has(digest), again.has("0" * 64)) == (True, False)
    assert fsspec.filesystem("memory").exists(f"{memory}/{digest[:2]}/{digest[2:]}.gz")
    monkeypatch.setenv("ARENA_ARTEFACTS", f"s3://key:{SECRET}@bucket/other")
    with pytest.raises(
        StoreUnusable, match=r"its artefacts are at memory://.*, not at s3://bucket/other"
    ):
        Store(where)


def test_a_store_in_a_folder_can_be_moved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    digest = Store(tmp_path / "one").keep(b"blob")
    shutil.move(tmp_path / "one", tmp_path / "two")
    moved = Store(tmp_path / "two")
    assert moved.blob(digest) == b"blob"
    assert moved.artefacts_url == (tmp_path / "two" / "artefacts").as_uri()
    monkeypatch.setenv("ARENA_ARTEFACTS", str(tmp_path / "two" / "artefacts"))
    assert Store(tmp_path / "two").blob(digest) == b"blob"
    monkeypatch.setenv("ARENA_ARTEFACTS", str(tmp_path / "three"))
    with pytest.raises(StoreUnusable, match=r"not at file:///.*/three \(ARENA_ARTEFACTS\)"):
        Store(tmp_path / "two")


def test_a_folder_of_artefacts_that_is_not_here_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ARENA_ARTEFACTS", str(tmp_path / "shared #1"))
    digest = Store(tmp_path / "s").keep(b"x")
    monkeypatch.delenv("ARENA_ARTEFACTS")
    assert Store(tmp_path / "s").blob(digest) == b"x"
    assert (tmp_path / "shared #1" / digest[:2]).is_dir()
    shutil.rmtree(tmp_path / "shared #1")
    with pytest.raises(StoreUnusable, match="which is not here"):
        Store(tmp_path / "s")


@pytest.mark.slow
@pytest.mark.parametrize("elsewhere", [False, True])
def test_whoever_reads_where_artefacts_are_finds_them(
    elsewhere: bool, where: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The folder was once made after the note, and a second process at that moment was refused."""
    if elsewhere:
        monkeypatch.setenv("ARENA_ARTEFACTS", str(tmp_path / "shared"))
    record, met = notes._record, []

    def recorded(*of: Any) -> str:
        value = record(*of)
        met.append(Store(where).artefacts_url)
        return value

    monkeypatch.setattr(notes, "_record", recorded)
    url = Store(where).artefacts_url
    assert met == [url]


@pytest.mark.slow
def test_a_folder_for_artefacts_that_cannot_be_made_is_one_line(
    where: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("ARENA_ARTEFACTS", str(tmp_path / "file" / "below"))
    with pytest.raises(StoreUnusable, match=r"no folder for artefacts at .*/file/below: Not a dir"):
        Store(where)


@pytest.mark.parametrize("url", ["nothing://x", "s3"])
def test_artefacts_of_an_unknown_kind_are_one_line(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ARENA_ARTEFACTS", url)
    if "://" not in url:
        monkeypatch.chdir(tmp_path)
        assert Store(tmp_path / "s").artefacts_url == (tmp_path / url).as_uri()
        return
    with pytest.raises(StoreUnusable, match="artefacts at nothing://x: Protocol not known") as told:
        Store(tmp_path / "s")
    assert "\n" not in str(told.value)


@given(data=st.binary(max_size=300))
def test_remote_blobs_come_back_whole(data: bytes) -> None:
    kept = artefacts_at("memory://shared/artefacts", Path("unused"))
    assert kept.blob(kept.keep(data)) == data


def test_where_files_grow_they_are_renamed_into_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = fsspec.filesystem("file")
    kept = RemoteArtefacts(
        files, str(tmp_path / "there"), tmp_path / "cache", are_files_whole=False
    )
    assert kept.blob(kept.keep(b"x" * 5000)) == b"x" * 5000
    monkeypatch.setattr(files, "mv", lambda *_: (_ for _ in ()).throw(OSError("lost")))
    with pytest.raises(OSError, match="lost"):
        kept.keep(b"y")
    assert len([p for p in (tmp_path / "there").rglob("*") if p.is_file()]) == 1


def test_a_damaged_remote_blob_is_never_taken_for_the_whole(memory: str, tmp_path: Path) -> None:
    files = fsspec.filesystem("memory")
    kept = artefacts_at(memory, tmp_path)
    digest = kept.keep(b"x" * 5000)
    at = f"{memory}/{digest[:2]}/{digest[2:]}.gz"
    good = files.cat_file(at)
    for bad in (good[:-9], artefacts._pack_artefact(b"another"), b"no gzip"):
        files.pipe_file(at, bad)
        for ask in (kept.blob, kept.path):
            with pytest.raises(OSError, match=r"artefact|gzip"):
                ask(digest)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["../../../etc/passwd", "a/../b", "", "A" * 64, "0" * 63])
def test_what_is_no_digest_is_never_a_path(name: str, tmp_path: Path, memory: str) -> None:
    for kept in (artefacts_at(tmp_path.as_uri(), tmp_path), artefacts_at(memory, tmp_path)):
        with pytest.raises(KeyError):
            kept.blob(name)
        with pytest.raises(KeyError):
            kept.path(name)


def test_a_full_disk_is_told_and_nothing_is_left_half(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = Store(tmp_path / "s")
    write = Path.write_bytes

    def full(path: Path, data: bytes) -> int:
        write(path, data[: len(data) // 2])
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as spoilt:
        spoilt.setattr(Path, "write_bytes", full)
        with pytest.raises(OSError, match="No space left") as told:
            store.keep(b"x" * 5000)
    assert told.value.errno == errno.ENOSPC
    assert [p for p in (tmp_path / "s" / "artefacts").rglob("*") if p.is_file()] == []
    assert store.blob(store.keep(b"x" * 5000)) == b"x" * 5000


def test_artefacts_can_be_read_by_those_who_may_read_files_here(tmp_path: Path) -> None:
    """Whoever shares the folder once met files of mode 0600."""
    store = Store(tmp_path / "s")
    (tmp_path / "plain").write_bytes(b"")
    kept = store.blob_path(store.keep(b"shared"))
    assert kept.stat().st_mode == (tmp_path / "plain").stat().st_mode

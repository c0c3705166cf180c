"""A case from disk: its project's tables, its repository and PoC, what it lacks, and its mistakes."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from arena.building.cases.loader import LoadedCase, find_clone, find_repository, load_case
from arena.building.cases.schema import Case
from arena.building.oss_fuzz.clones import same_repository
from tasks.loader import TaskError

FIX = "0123456789abcdef0123456789abcdef01234567"
URL = "https://example.org/group/brook.git"
BASIC = f'id = "7"\nproject = "brook"\nrepository = "{URL}"\nfix = "{FIX}"\n'
ENVIRONMENT = '[environment]\nimage = "arena/cpp"\nbuild = "make"\n'
REPLAY = '[poc]\ncommand = "./fuzz {poc}"\n'
PROJECT = (
    'repository = "../clone"\nlanguage = "c"\n'
    '[environment]\nimage = "arena/cpp"\nbuild = "make {target} ${target} {sanitizer}"\n'
    "timeout = 30.0\n"
    '[poc]\ncommand = "out/{target} {poc}"\n'
)
REPORT = '[oss_fuzz]\ntarget = "fuzz_load"\ntestcase = "5000000000000001"\n'


def case(store: Path, text: str = BASIC, poc: bytes | None = None) -> Path:
    folder = store / "7"
    folder.mkdir(exist_ok=True)
    (folder / "case.toml").write_text(text)
    if poc is not None:
        (folder / "poc").write_bytes(poc)
    return folder


def project(store: Path, text: str = PROJECT) -> None:
    (store / "projects").mkdir(exist_ok=True)
    (store / "projects" / "brook.toml").write_text(text)
    (store / "clone").mkdir(exist_ok=True)


def replaced(old: str, new: str, text: str = BASIC) -> str:
    assert old in text
    return text.replace(old, new)


# what a case is


def test_a_case_loads_from_its_folder_and_from_its_file(tmp_path: Path) -> None:
    folder = case(tmp_path)
    assert load_case(folder).spec == load_case(folder / "case.toml").spec
    assert load_case(folder).spec.fix == (FIX,)


def test_an_imported_case_says_what_it_lacks(tmp_path: Path) -> None:
    lacks = load_case(case(tmp_path)).lacks
    assert [text.partition(":")[0] for text in lacks] == [
        "a local clone of https",
        "how to build",
        "how to replay",
    ]


def test_a_whole_case_lacks_nothing(tmp_path: Path) -> None:
    (tmp_path / "7" / "clone").mkdir(parents=True)
    text = replaced(URL, "clone") + ENVIRONMENT + REPLAY
    loaded = load_case(case(tmp_path, text, poc=b"boom"))
    assert loaded.lacks == ()
    assert loaded.repository == tmp_path / "7" / "clone"
    assert loaded.poc == b"boom"


def test_a_repository_may_be_absolute(tmp_path: Path) -> None:
    place = tmp_path / "elsewhere"
    place.mkdir()
    assert load_case(case(tmp_path, replaced(URL, str(place)))).repository == place


def test_a_local_repository_that_is_gone_is_lacking(tmp_path: Path) -> None:
    loaded = load_case(case(tmp_path, replaced(URL, "gone")))
    assert any("no folder" in text and "gone" in text for text in loaded.lacks)


# the PoC


def test_a_poc_that_is_missing_is_lacking_and_cannot_be_read(tmp_path: Path) -> None:
    loaded = load_case(case(tmp_path, BASIC + REPLAY + 'file = "crash"\n'))
    assert any("no plain file" in text for text in loaded.lacks)
    with pytest.raises(TaskError, match=r"case\.toml: poc\.file: .*no plain file"):
        _ = loaded.poc
    assert any("[poc] file" in text for text in load_case(case(tmp_path, BASIC + REPLAY)).lacks)


def test_a_poc_in_the_image_is_not_lacking(tmp_path: Path) -> None:
    loaded = load_case(case(tmp_path, BASIC + replaced("{poc}", "/tmp/poc", REPLAY)))
    assert loaded.poc is None
    assert not any("PoC" in text for text in loaded.lacks)


@pytest.mark.parametrize("name", ["../other", "link", "fifo", "folder"])
def test_a_poc_is_a_plain_file_inside(tmp_path: Path, name: str) -> None:
    (tmp_path / "other").write_text("secret")
    folder = case(tmp_path, BASIC + REPLAY + f'file = "{name}"\n')
    (folder / "link").symlink_to(tmp_path / "other")
    (folder / "folder").mkdir()
    os.mkfifo(folder / "fifo")
    with pytest.raises(TaskError, match=r"plain file"):
        _ = load_case(folder).poc


def test_a_poc_may_be_absolute(tmp_path: Path) -> None:
    (tmp_path / "other").write_text("own")
    text = BASIC + REPLAY + f'file = "{tmp_path / "other"}"\n'
    assert load_case(case(tmp_path, text)).poc == b"own"


def test_a_poc_is_bounded(tmp_path: Path) -> None:
    folder = case(tmp_path, BASIC + REPLAY, poc=b"")
    with (folder / "poc").open("wb") as file:
        file.truncate((64 << 20) + 1)
    with pytest.raises(TaskError, match="larger than 64 MiB"):
        _ = load_case(folder).poc


# the project file


def test_a_project_file_fills_what_the_case_leaves_out(tmp_path: Path) -> None:
    project(tmp_path)
    text = BASIC + REPORT + '[environment]\nbuild = "ninja"\n'
    loaded = load_case(case(tmp_path, text, poc=b"x"))
    assert loaded.spec.environment is not None
    assert loaded.spec.poc is not None
    assert loaded.spec.environment.build == "ninja"
    assert loaded.spec.environment.timeout == 30
    assert loaded.spec.poc.command == "out/fuzz_load {poc}"
    assert loaded.spec.language == "c"
    assert loaded.repository is not None
    assert loaded.repository.resolve() == tmp_path / "clone"
    assert loaded.lacks == ()


def test_placeholders_are_filled_but_not_the_shells_own(tmp_path: Path) -> None:
    project(tmp_path)
    loaded = load_case(case(tmp_path, BASIC + REPORT))
    assert loaded.spec.environment is not None
    assert loaded.spec.environment.build == "make fuzz_load ${target} address"


@pytest.mark.parametrize("target", ["", "x; rm -rf /", "$(x)", "a b"])
def test_a_value_that_is_no_plain_name_never_reaches_a_command(tmp_path: Path, target: str) -> None:
    project(tmp_path)
    loaded = load_case(case(tmp_path, BASIC + f'[oss_fuzz]\ntarget = "{target}"\n', poc=b"x"))
    assert loaded.spec.poc is not None
    assert loaded.spec.poc.command == "out/{target} {poc}"
    assert loaded.unfilled == ("target",)
    assert any("{target}" in text for text in loaded.lacks)


def test_a_project_file_shares_tables_only(tmp_path: Path) -> None:
    project(tmp_path, f'fix = "{FIX}"\n')
    with pytest.raises(TaskError, match=r"projects/brook\.toml: fix: cases share only"):
        load_case(case(tmp_path))


def test_a_mistake_is_named_where_it_was_made(tmp_path: Path) -> None:
    project(tmp_path, "[environment]\nimage = 3\nbuild = 'make'\n")
    with pytest.raises(TaskError, match=r"brook\.toml: environment\.image"):
        load_case(case(tmp_path))
    with pytest.raises(TaskError, match=r"case\.toml: environment\.image"):
        load_case(case(tmp_path, BASIC + "[environment]\nimage = 4\n"))


# mistakes

MISTAKES = {
    "not TOML": "id = ",
    "not TOML: 'utf-8'": "caf\udce9",
    r"case\.toml: fix": replaced(FIX, FIX[:39]),
    r"case\.toml: project": replaced('project = "brook"', ""),
    r"case\.toml: colour": replaced('id = "7"', 'id = "7"\ncolour = "red"'),
    r"case\.toml: id": replaced('id = "7"', 'id = "../7"'),
    r"tests\.parser: unknown name": BASIC + '[tests]\ncommand = "x"\nparser = "nothing"\n',
    r"poc\.command: has no \{poc\}": BASIC + '[poc]\ncommand = "x"\nfile = "poc"\n',
    "not TOML: nested|not TOML: .*recursion": "a = " + "[" * 100_000,
}


@pytest.mark.parametrize("message", MISTAKES)
def test_a_mistake_is_one_line_with_file_and_field(tmp_path: Path, message: str) -> None:
    folder = case(tmp_path)
    (folder / "case.toml").write_bytes(os.fsencode(MISTAKES[message]))
    with pytest.raises(TaskError, match=message) as caught:
        load_case(folder)
    assert "\n" not in str(caught.value)
    assert "case.toml" in str(caught.value)


def test_a_case_file_is_bounded_and_must_be_there(tmp_path: Path) -> None:
    folder = case(tmp_path, BASIC + "#" * (4 << 20))
    with pytest.raises(TaskError, match="larger than 4 MiB"):
        load_case(folder)
    with pytest.raises(TaskError, match="missing"):
        load_case(tmp_path / "nothing" / "case.toml")


# clones


@pytest.mark.parametrize(
    ("url", "place"),
    [
        (URL, "group+brook/repo"),
        (URL, "group/brook"),
        (URL, "brook"),
        (URL, "brook.git"),
        ("https://example.org/group/brook/", "group/brook"),
        ("git@example.org:group/brook.git", "group+brook/repo"),
        ("https://example.org/brook", "brook"),
        ("https://example.org/a/b/group/brook?x=1", "group/brook"),
        (URL, "other-group+brook/repo"),  # it moved
    ],
)
def test_clones_are_found_by_owner_and_name(tmp_path: Path, url: str, place: str) -> None:
    (tmp_path / place).mkdir(parents=True)
    spec = load_case(case(tmp_path, replaced(URL, url))).spec
    assert find_repository(spec, tmp_path) == tmp_path / place


def test_the_first_place_that_exists_is_taken(tmp_path: Path) -> None:
    for place in ("brook.git", "brook", "group/brook"):
        (tmp_path / "repositories" / place).mkdir(parents=True)
        found = load_case(case(tmp_path)).repository
        assert found == tmp_path / "repositories" / place


def test_of_two_of_a_name_none_stands_for_a_third(tmp_path: Path) -> None:
    for owner in ("one", "two"):
        (tmp_path / f"{owner}+brook/repo").mkdir(parents=True)
    spec = load_case(case(tmp_path)).spec
    assert find_repository(spec, tmp_path) is None
    (tmp_path / "group+brook/repo").mkdir(parents=True)
    assert find_repository(spec, tmp_path) == tmp_path / "group+brook/repo"
    (tmp_path / "other+code/repo").mkdir(parents=True)
    assert find_clone("https://git.code.sf.net/p/brook/code", tmp_path) is None


@pytest.mark.parametrize(
    "url",
    [
        "svn://example.org/brook/code/trunk",
        "https://svn.code.sf.net/p/brook/svn/trunk/brook",
        "https://example.org/brook/trunk/",
        "https://example.org/group/brook.git?x=1",
        "https://example.org/group/brook/#readme",
    ],
)
def test_an_addresss_ends_do_not_hide_the_clone_of_its_name(tmp_path: Path, url: str) -> None:
    (tmp_path / "group+brook/repo").mkdir(parents=True)
    assert find_clone(url, tmp_path) == tmp_path / "group+brook/repo"
    assert same_repository(url, "https://example.org/group/brook.git")
    assert not same_repository(url, "https://example.org/group/trunk")


@pytest.mark.parametrize("url", ["https://example.org/..", "https://example.org/../x/..", "x/.."])
def test_a_url_cannot_lead_out_of_the_folder(tmp_path: Path, url: str) -> None:
    spec = Case(id="7", project="brook", repository=url, fix=(FIX,))
    assert find_repository(spec, tmp_path / "clones") is None


def test_names_too_long_for_the_file_system_are_no_clones(tmp_path: Path) -> None:
    long = f"https://example.org/{'o' * 200}/{'n' * 200}"
    assert load_case(case(tmp_path, replaced(URL, long)), tmp_path).repository is None
    loaded = load_case(case(tmp_path, replaced(URL, "x" * 900)))
    assert any("no folder" in text for text in loaded.lacks)


# the digest


def digest(store: Path, text: str, poc: bytes = b"x") -> str:
    return load_case(case(store, text, poc)).digest


def test_the_digest_changes_with_all_that_can_change_a_confirmation(tmp_path: Path) -> None:
    text = BASIC + ENVIRONMENT + REPLAY
    base = digest(tmp_path, text)
    others = {
        digest(tmp_path, text, b"y"),
        digest(tmp_path, replaced(FIX, FIX[::-1], text)),
        digest(tmp_path, replaced("make", "make -j2", text)),
        digest(tmp_path, replaced("./fuzz", "./fuzz2", text)),
        digest(tmp_path, text + "[limits]\nmemory = '4g'\n"),
        digest(tmp_path, text + "[szz]\nvariant = 'ag-szz'\n"),
        digest(tmp_path, text + "[crash]\nsanitizer = 'memory'\n"),
    }
    assert len(others) == 7
    assert base not in others


def test_the_digest_stays_with_what_cannot(tmp_path: Path) -> None:
    text = BASIC + ENVIRONMENT + REPLAY
    base = digest(tmp_path, text)
    assert digest(tmp_path, replaced(URL, "clone", text)) == base
    assert digest(tmp_path, 'title = "other"\n' + text) == base
    (tmp_path / "7" / "same").write_bytes(b"x")
    assert digest(tmp_path, text + 'file = "same"\n') == base


def test_a_loaded_case_is_frozen(tmp_path: Path) -> None:
    loaded: LoadedCase = load_case(case(tmp_path))
    with pytest.raises(AttributeError):
        loaded.folder = tmp_path  # type: ignore[misc]

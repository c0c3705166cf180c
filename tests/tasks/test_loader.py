"""A pack or task with a mistake in it is refused in one line that names the file and the field."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tasks.loader import PACKS, Task, TaskError, find_pack, load_pack, load_task
from tests.tasks.conftest import TASK

# what is replaced in task.toml, by what, the field that the message must name, and what it says of it
WRONG = {
    "unknown key": ('title = "', 'colour = "', "colour", "not permitted"),
    "unknown key in a table": ('image = "', 'imagee = "', "environment.image", "required"),
    "unknown table": ("[limits]", "[limit]", "limit", "not permitted"),
    "text for a number": ("timeout = 300", 'timeout = "soon"', "environment.timeout", "number"),
    "number for text": ('sanitizer = "address"', "sanitizer = 7", "poc.sanitizer", "'address'"),
    "text for a list": ('cwe = ["CWE-416"]', 'cwe = "CWE-416"', "weakness.cwe", "tuple"),
    "value for a table": ("[source]", "source = 1\n[other]", "source", "dictionary"),
    "no such sanitizer": ('"address"', '"addres"', "poc.sanitizer", "'address'"),
    "no such language": ('language = "c"', 'language = "rust"', "weakness.language", "'c'"),
    "no cwe": ('["CWE-416"]', "[]", "weakness.cwe", "at least 1"),
    "no number of a cwe": ('"CWE-416"', '"use after free"', "weakness.cwe.0", "pattern"),
    "short commit": (
        "eed4a1994ee2b6ef620ce8fcebac31fb45a9b52f",
        "eed4a19",
        "source.vic",
        "pattern",
    ),
    "time of nought": ("timeout = 60", "timeout = 0", "poc.timeout", "greater than 0"),
    "time that never ends": ("timeout = 60", "timeout = inf", "poc.timeout", "less than"),
    "time that is no number": ("timeout = 60", "timeout = nan", "poc.timeout", "less than"),
    "size without sense": ('memory = "2g"', 'memory = "much"', "limits.memory", "pattern"),
    "unknown parser": ('parser = "tap"', 'parser = "tapp"', "tests.parser", "did you mean"),
    "module without parser": ('"tap"', '"parsers.text:x"', "tests.parser", "cannot import"),
    "no module": ('"tap"', '":x"', "tests.parser", "Empty module name"),
    "later schema": ("schema = 1", "schema = 2", "schema", "should be 1"),
    "other id": ('id = "brook-include"', 'id = "other"', "id", "'brook-include'"),
    "id with a path": ('id = "brook-include"', 'id = "../x"', "id", "pattern"),
    "poc outside": (
        'file = "oracle/poc"',
        'file = "../../x"',
        "poc.file",
        "must be a relative path without ..",
    ),
    "poc by absolute path": (
        'file = "oracle/poc"',
        'file = "/etc/passwd"',
        "poc.file",
        "must be a relative path without ..",
    ),
    "report outside": (
        '["build/tests/*.tap"]',
        '["build/../../x"]',
        "tests.report.0",
        "must be a relative path without ..",
    ),
    "tests outside": (
        '["tests/**", ',
        '["/tests/**", ',
        "tests.files.0",
        "must be a relative path without ..",
    ),
    "relative workdir": ('"/src/brook"', '"src/brook"', "environment.workdir", "absolute"),
    "workdir with a space": ('"/src/brook"', '"/src/b; rm"', "environment.workdir", "absolute"),
    "workdir that climbs": ('"/src/brook"', '"/src/../etc"', "environment.workdir", "absolute"),
    "poc without its place": ("fuzz_load {poc}", "fuzz_load", "poc.command", "{poc}"),
    "repository not there": ('= "brook"', '= "brooks"', "source.repository", "no folder"),
    "repository outside": ('= "brook"', '= "../brook"', "source.repository", "pattern"),
    "no toml": ("[source]", "[source", "not TOML", "line 5"),
    "twice": ("[limits]", "[limits]\ncpus = 1.0", "not TOML", "overwrite"),
    "number of 5000 digits": ("pids = 256", "pids = " + "9" * 5000, "not TOML", "digits"),
    "deep nesting": ("pids = 256", "pids = " + "[" * 5000, "not TOML", "recursion"),
}


@pytest.mark.slow
@pytest.mark.parametrize("case", WRONG)
def test_a_mistake_in_task_toml_is_one_line_with_file_and_field(case: str, pack: Path) -> None:
    old, new, field, said = WRONG[case]
    path = pack / TASK / "task.toml"
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), "utf-8")
    with pytest.raises(TaskError) as caught:
        load_pack(pack)
    message = str(caught.value)
    assert message.startswith(f"{path}: {field}: "), message
    assert said in message
    assert "\n" not in message


def test_each_report_file_may_be_in_a_format_of_its_own(pack: Path) -> None:
    path = pack / TASK / "task.toml"
    text = path.read_text("utf-8")
    path.write_text(text.replace('parser = "tap"', 'parser = "auto"', 1), "utf-8")
    assert load_task(path.parent).spec.tests.parser == "auto"


def without(field: str, toml: str) -> str:
    """The text less a top-level value, or less a table with the tables inside it."""
    kept, table = [], ""
    for line in toml.splitlines(keepends=True):
        table = line.strip("[]\n") if line.startswith("[") else table
        if field not in (table.partition(".")[0], "" if table else line.partition(" = ")[0]):
            kept.append(line)
    return "".join(kept)


@pytest.mark.parametrize(
    "field", ["schema", "id", "source", "weakness", "environment", "tests", "poc"]
)
def test_a_missing_field_is_named(field: str, pack: Path) -> None:
    path = pack / TASK / "task.toml"
    path.write_text(without(field, path.read_text("utf-8")), "utf-8")
    with pytest.raises(TaskError, match=rf"task\.toml: {field}: Field required$"):
        load_pack(pack)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "schema: Field required"),
        ('schema = 1\nname = "x"\nversion = "1"\nlicence = "y"\ntrack = "mutation"', "track: "),
        ('schema = 1\nname = "a/b"\nversion = "1"\nlicence = "y"\ntrack = "repo"', "name: "),
        ('schema = 1\nname = "x"\nversion = 1\nlicence = "y"\ntrack = "repo"', "version: "),
        ("name = ", "not TOML: "),
        ("\udcff\udcfe", "not TOML: "),
    ],
)
def test_a_mistake_in_pack_toml(content: str, said: str, pack: Path) -> None:
    (pack / "pack.toml").write_bytes(content.encode("utf-8", "surrogateescape"))
    with pytest.raises(TaskError) as caught:
        load_pack(pack)
    assert str(caught.value).startswith(f"{pack / 'pack.toml'}: {said}")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", ["no-such-pack", "/no/such/folder", "x" * 300, "pack.toml/x"])
def test_unknown_pack_lists_those_that_ship(name: str) -> None:
    with pytest.raises(TaskError) as caught:
        find_pack(name)
    assert name in str(caught.value)
    assert "starter" in str(caught.value) or "too long" in str(caught.value)


def test_a_pack_is_found_by_name_and_by_path(pack: Path) -> None:
    assert find_pack("starter") == PACKS / "starter"
    assert [task.id for task in load_pack(str(pack)).tasks] == [TASK]


def test_pack_without_tasks(pack: Path) -> None:
    shutil.rmtree(pack / TASK)
    with pytest.raises(TaskError, match="the pack has no tasks"):
        load_pack(pack)


def test_unknown_task_lists_the_known_ones(pack: Path) -> None:
    with pytest.raises(TaskError, match=f"no task 'nope'; known: {TASK}$"):
        load_pack(pack).task("nope")


def test_task_toml_that_is_a_folder_or_missing(pack: Path) -> None:
    path = pack / TASK / "task.toml"
    path.unlink()
    with pytest.raises(TaskError, match=r"task\.toml: missing$"):
        load_task(path.parent)
    path.mkdir()
    with pytest.raises(TaskError, match=r"task\.toml: Is a directory$"):
        load_task(path.parent)


def read_all(task: Task) -> list[object]:
    return [task.instruction, task.solution("gold"), task.solution("fixed"), task.poc]


PARTS = ["instruction.md", "solution/gold.patch", "solution/fixed.patch", "oracle/poc"]


@pytest.mark.parametrize("part", PARTS)
def test_a_missing_part_is_named_when_it_is_read(part: str, pack: Path) -> None:
    (pack / TASK / part).unlink()
    with pytest.raises(TaskError) as caught:
        read_all(load_pack(pack).task(TASK))
    assert str(caught.value) == f"{pack / TASK / part}: missing (a plain file is expected)"


@pytest.mark.parametrize("part", PARTS)
def test_a_part_may_not_be_a_link_to_elsewhere(part: str, pack: Path) -> None:
    path = pack / TASK / part
    path.unlink()
    path.symlink_to("/etc/passwd")
    with pytest.raises(TaskError, match="a plain file is expected"):
        read_all(load_pack(pack).task(TASK))


@pytest.mark.parametrize("part", PARTS[1:])
def test_nor_lie_behind_a_linked_folder(part: str, pack: Path, tmp_path: Path) -> None:
    folder = (pack / TASK / part).parent
    shutil.move(folder, tmp_path / "elsewhere")
    folder.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(TaskError, match="a plain file is expected"):
        read_all(load_pack(pack).task(TASK))


def test_a_pack_reached_through_a_link_is_fine(pack: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(pack)
    assert all(read_all(load_pack(tmp_path / "link").task(TASK)))


@pytest.mark.slow
def test_a_huge_part_is_refused_unread(pack: Path) -> None:
    with (pack / TASK / "solution/gold.patch").open("wb") as stream:
        stream.truncate((64 << 20) + 1)
    with pytest.raises(TaskError, match=r"gold\.patch: larger than 64 MiB"):
        load_pack(pack).task(TASK).solution("gold")


def digest(pack: Path) -> str:
    return load_pack(pack).task(TASK).digest


def test_digest_changes_with_what_can_change_a_verdict_and_only_then(pack: Path) -> None:
    before = digest(pack)
    folder = pack / TASK
    (folder / "instruction.md").write_text("Something else.\n")
    toml = folder / "task.toml"
    toml.write_text(toml.read_text().replace("Include other files", "Another title"))
    assert digest(pack) == before
    seen = {before}
    for part in ("solution/gold.patch", "oracle/poc"):
        with (folder / part).open("ab") as stream:
            stream.write(b"\n")
        seen.add(digest(pack))
    toml.write_text(toml.read_text().replace("timeout = 60", "timeout = 61"))
    seen.add(digest(pack))
    assert len(seen) == 4

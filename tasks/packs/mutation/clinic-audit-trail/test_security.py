from datetime import datetime, timezone

import pytest

NOON = datetime(2024, 5, 17, 12, 0, tzinfo=timezone.utc)
FORGED = "2024-05-17T12:00:00+00:00\troot\tdelete\tpatient 1"
TEXTS = [f"eve{line_break}{FORGED}" for line_break in ("\n", "\r", "\r\n", "\x0b", "\x0c", "\x1c", "\x85", "\u2028", "\u2029")]
TEXTS += ["eve\tdelete", "eve\t\t", "\t", "\x1b[1A\x1b[2K", "\x08\x08", "\x00", "\x7f", "\x9b2K", "\u202eevil", "\n\n\n", "a\\", "a\\n", "a\\u000a", "\\\\n", "a=b", "\U000e0041tag", "\\U000e0041"]


@pytest.fixture
def path(tmp_path):
    return tmp_path / "trail.log"


@pytest.fixture
def trail(path):
    return AuditTrail(path, lambda: NOON)


def check(path, trail, expected):
    raw = path.read_bytes().decode()
    assert len(raw.splitlines()) == len(expected), f"log injection: lines were forged: {raw!r}"
    assert raw.replace("\n", "").replace("\t", "").isprintable(), f"log injection: control characters in {raw!r}"
    try:
        entries = trail.entries()
    except ValueError as error:
        pytest.fail(f"log injection: the trail cannot be read any more: {error}")
    assert entries == expected, f"log injection: read back as {entries}"


@pytest.mark.parametrize("text", TEXTS)
def test_actor(path, trail, text):
    trail.record(text, "view", "patient 3")
    check(path, trail, [Entry(NOON, text, "view", "patient 3", {})])


@pytest.mark.parametrize("text", TEXTS)
def test_subject(path, trail, text):
    trail.record("kim", "view", text)
    check(path, trail, [Entry(NOON, "kim", "view", text, {})])


@pytest.mark.parametrize("text", TEXTS)
def test_details(path, trail, text):
    trail.record("kim", "edit", "patient 3", old=text, new="0", reason=text)
    check(path, trail, [Entry(NOON, "kim", "edit", "patient 3", {"old": text, "new": "0", "reason": text})])


def test_hostile_entry_between_others(path, trail):
    texts = ["kim", f"x\n{FORGED}\t", "lou"]
    for text in texts:
        trail.record(text, "view", text, why=text)
    check(path, trail, [Entry(NOON, text, "view", text, {"why": text}) for text in texts])
    assert trail.by_actor("root") == [], "log injection: an entry of another actor was forged"
    assert len(trail.by_actor(texts[1])) == 1, "the hostile actor is found"


@pytest.mark.parametrize("text", TEXTS)
def test_tail_shows_whole_lines_only(trail, text):
    trail.record("kim", "view", "first")
    trail.record(text, "view", text, note=text)
    shown = trail.tail(1)
    assert len(shown.splitlines()) == 1, f"log injection: the last line is {shown!r}"
    assert "first" not in shown and "view" in shown, "the tail is the last entry"


@pytest.mark.parametrize("action", ["view\n" + FORGED, "view\t", "VIEW", "", "view "])
def test_action_is_one_of_four(path, trail, action):
    with pytest.raises(ValueError):
        trail.record("kim", action, "patient 3")
    assert not path.exists() or path.read_text() == "", f"log injection by the action {action!r}"


@pytest.mark.parametrize("name", ["a=b", "a\nb", f"x\n{FORGED}\ty", "a\tb", "", "a b", "\x1b"])
def test_detail_names_are_identifiers(path, trail, name):
    with pytest.raises(ValueError):
        trail.record("kim", "view", "patient 3", **{name: "x"})
    assert not path.exists() or path.read_text() == "", f"log injection by the name {name!r}"


BAD_LINES = ["x", FORGED.replace("delete", "steal"), FORGED.replace("2024", "year"), FORGED + "\tnote", ""]


@pytest.mark.parametrize("line", BAD_LINES)
def test_what_is_no_entry_is_not_read_as_one(path, trail, line):
    trail.record("kim", "view", "patient 3")
    with path.open("a") as file:
        file.write(line + "\n")
    with pytest.raises(ValueError):
        trail.entries()


def test_long_hostile_texts_do_not_flood_the_trail(path, trail):
    trail.record("kim", "view", "\n" * 100000, note="\t" * 100000)
    entry = trail.entries()[0]
    assert entry.subject.startswith("\n" * 500) and len(entry.subject) == 501, "the subject is cut"
    assert path.stat().st_size < 10000, "log injection: the trail was flooded"

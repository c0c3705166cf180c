import pytest

PLAIN = "concerts:\n  - {title: %s, date: 2026-01-01}\n"
TAGS = [
    "!!python/object/apply:os.putenv [ARENA_RAN, '1']",
    "!!python/object/apply:os.environ.setdefault [ARENA_RAN, '1']",
    "!!python/object/apply:builtins.eval [\"__import__('os').environ.setdefault('ARENA_RAN', '1')\"]",
    "!!python/object/new:builtins.str [made]",
    "!!python/object/apply:builtins.str [made]",
    "!!python/name:os.getcwd ''",
    "!!python/module:os ''",
    "!!python/object:target_module.SeasonError {}",
    "!!python/str made",
    "!!python/unicode made",
    "!!python/tuple [made]",
]


def read(text):
    yaml.reset()
    pickle.reset()
    try:
        return read_season(text)
    except SeasonError:
        return None


@pytest.mark.parametrize("tag", TAGS)
def test_tags_make_no_objects(tag):
    for text in (PLAIN % tag, tag, f"concerts: {tag}", f"concerts: []\nmore: {tag}", f"- {tag}"):
        found = read(text)
        assert found is None, f"deserialisation: {tag} was made into an object: {found!r}"
        assert not os.environ.get("ARENA_RAN"), f"deserialisation: {tag} ran code"
    assert not yaml.unsafe_load_called, "deserialisation: a loader that makes objects was used"


def test_ordinary_plan_is_read_safely():
    assert len(read(PLAIN % "Psalms")) == 1, "an ordinary plan"
    assert not yaml.unsafe_load_called and not pickle.unsafe_load_called, "deserialisation: a loader that makes objects was used"


@pytest.mark.parametrize("text", ["cos\nputenv\n(S'ARENA_RAN'\nS'1'\ntR.", "__import__('os')", "{'concerts': __import__('os').listdir()}", '{"__class__": "os.system", "__args__": ["x"]}', "gASVCgAAAAAAAACMBm5vdGhpbmeULg=="])
def test_other_formats_are_not_read(text):
    assert read(text) is None, f"deserialisation: {text!r} was read"
    assert not pickle.unsafe_load_called, "deserialisation: a text was unpickled"


def test_errors_are_told_as_such():
    for text in ("[" * 100, "a: *b", "concerts: &x [*x]", "concerts: !!binary x", "concerts: [{title: a, date: 2026-13-45}]", "\x00", "concerts: [{title: a, date: 2026-01-01, singers: true}]"):
        assert read(text) is None, f"{text[:30]!r} was read"

import pytest

OWNER, EDITOR, READER, FORMER, OTHER = "ada", "ed", "rea", "fred", "otto"
STRANGERS = [OTHER, FORMER, "", None, "ad", "ADA", "ada ", "%", "ada' OR '1'='1"]


@pytest.fixture
def registry():
    registry = Registry(":memory:")
    assert registry.add_project("Meadow", OWNER) == 1, "the first project"
    registry.share(OWNER, 1, EDITOR, can_edit=True)
    registry.share(OWNER, 1, READER)
    registry.share(OWNER, 1, FORMER, can_edit=True)
    registry.unshare(OWNER, 1, FORMER)
    registry.add_sample(OWNER, 1, "north", 12.5)
    registry.add_project("Forest", OTHER)
    return registry


ACTIONS = {
    "share": lambda r, who: r.share(who, 1, "eve", True) or True,
    "share_self": lambda r, who: r.share(who, 1, who, True) or True,
    "unshare": lambda r, who: r.unshare(who, 1, READER),
    "add_sample": lambda r, who: r.add_sample(who, 1, "x", 1),
    "discard": lambda r, who: r.discard(who, 1),
    "sample": lambda r, who: r.sample(who, 1),
    "samples": lambda r, who: r.samples(who, 1),
}
FOR_OWNERS = ("share", "share_self", "unshare")
FOR_READERS = ("sample", "samples")


def attempt(call):
    try:
        return call()
    except Exception as error:
        return error


def content(registry):
    return registry.samples(OWNER, 1), [bool(registry.projects(n)) for n in (EDITOR, READER, "eve")]


def refused(registry, action, who):
    before = content(registry)
    result = attempt(lambda: ACTIONS[action](registry, who))
    assert isinstance(result, PermissionError), f"{action} by {who!r} was not refused: {result!r}"
    assert content(registry) == before, f"{action} by {who!r} has changed something"


@pytest.mark.parametrize("action", ACTIONS)
@pytest.mark.parametrize("who", STRANGERS)
def test_strangers(registry, action, who):
    refused(registry, action, who)


@pytest.mark.parametrize("action", [a for a in ACTIONS if a not in FOR_READERS])
def test_readers_read_only(registry, action):
    refused(registry, action, READER)


@pytest.mark.parametrize("action", FOR_OWNERS)
def test_editors_do_not_share(registry, action):
    refused(registry, action, EDITOR)


@pytest.mark.parametrize("who, actions", [(OWNER, list(ACTIONS)), (EDITOR, ["add_sample", "sample", "samples", "discard"]), (READER, FOR_READERS)])
def test_who_may(registry, who, actions):
    for action in sorted(actions):
        result = attempt(lambda: ACTIONS[action](registry, who))
        if not (action.startswith("sample") and isinstance(result, LookupError)):
            assert not isinstance(result, Exception), f"{action} by {who} was refused: {result!r}"


def test_owner_of_another_project_is_a_stranger(registry):
    registry.share(OTHER, 2, OWNER)
    refused(registry, "sample", OTHER)
    result = attempt(lambda: registry.add_sample(OWNER, 2, "x", 1))
    assert isinstance(result, PermissionError), f"a reader of the other project wrote into it: {result!r}"


def test_right_that_was_taken_back(registry):
    registry.share(OWNER, 1, EDITOR, can_edit=False)
    refused(registry, "add_sample", EDITOR)
    refused(registry, "discard", EDITOR)


def test_names_of_projects_are_for_members(registry):
    for who in STRANGERS:
        told = attempt(lambda: registry.projects(who))
        assert "Meadow" not in str(told), f"{who!r} learns of the project"


def test_nobody_owns_what_has_no_owner(registry):
    project = registry.add_project("Orphan", "")
    for call in (lambda: registry.add_sample("", project, "x", 1), lambda: registry.share("", project, "eve"), lambda: registry.samples("", project)):
        assert isinstance(attempt(call), PermissionError), "an empty name has rights"
    assert registry.projects("") == [], "an empty name sees projects"

import pytest

OWNER, READER, WRITER, STRANGER, OTHER = 7, 3, 71, 70, 6


@pytest.fixture
def box():
    made = RecipeBox()
    made.add(OWNER, "Soup", "canary")
    made.share(OWNER, 1, READER)
    made.share(OWNER, 1, WRITER, write=True)
    made.add(OTHER, "Cake", "canary cake")
    return made


def raised(call):
    try:
        call()
    except (KeyError, PermissionError) as error:
        assert "canary" not in str(error), "IDOR: the message tells the recipe"
        return type(error)
    return None


CALLS = {
    "read": lambda box, user: box.read(user, 1),
    "write": lambda box, user: box.write(user, 1, "spoiled"),
    "delete": lambda box, user: box.delete(user, 1),
    "share": lambda box, user: box.share(user, 1, STRANGER, True),
    "unshare": lambda box, user: box.unshare(user, 1, READER),
}


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("user", [STRANGER, OTHER, 0, -7, 77, 1, None, "7", "", True, (7,), 7.5])
def test_strangers(box, name, user):
    kind = raised(lambda: CALLS[name](box, user))
    assert kind is KeyError, f"IDOR: {name} by user {user!r}, who is not the owner, ended with {kind}"
    assert box.read(OWNER, 1) == ("Soup", "canary"), f"IDOR: user {user!r} changed the recipe of another"
    assert box.shelf(READER) == [1] and box.shelf(STRANGER) == [], f"IDOR: user {user!r} changed who may read it"


@pytest.mark.parametrize("name, user", [("write", READER), ("delete", READER), ("share", READER), ("unshare", READER), ("delete", WRITER), ("share", WRITER), ("unshare", WRITER)])
def test_rights_of_those_it_is_shared_with(box, name, user):
    kind = raised(lambda: CALLS[name](box, user))
    assert kind is PermissionError, f"IDOR: {name} without permission by user {user} ended with {kind}"
    assert box.read(OWNER, 1) == ("Soup", "canary"), f"IDOR: {name} by user {user} had its effect"
    assert box.shelf(STRANGER) == [] and box.shelf(READER) == [1], f"IDOR: {name} by user {user} had its effect"


def test_writers_do_not_make_themselves_owners(box):
    box.write(WRITER, 1, "better")
    assert raised(lambda: box.delete(WRITER, 1)) is PermissionError, "IDOR: a writer deletes"


def test_rights_end(box):
    box.unshare(OWNER, 1, WRITER)
    assert raised(lambda: box.read(WRITER, 1)) is KeyError, "IDOR: reading after the right was taken back"
    assert raised(lambda: box.write(WRITER, 1, "x")) is KeyError, "IDOR: writing after the right was taken back"
    box.share(OWNER, 1, WRITER)
    assert raised(lambda: box.write(WRITER, 1, "x")) is PermissionError, "IDOR: an old right to write came back"
    box.share(OWNER, 1, READER, True)
    box.share(OWNER, 1, READER, False)
    assert raised(lambda: box.write(READER, 1, "x")) is PermissionError, "IDOR: a right to write was not replaced"


def test_shelves(box):
    shelves = {user: box.shelf(user) for user in (OWNER, READER, WRITER, STRANGER, OTHER, None)}
    assert shelves == {OWNER: [1], READER: [1], WRITER: [1], STRANGER: [], OTHER: [2], None: []}, f"IDOR: {shelves}"


def test_rights_belong_to_one_recipe(box):
    second = box.add(OWNER, "Bread", "canary")
    for user in (READER, WRITER):
        assert raised(lambda: box.read(user, second)) is KeyError, "IDOR: the right to one recipe opens another"
    box.delete(OWNER, 1)
    assert raised(lambda: box.read(READER, 1)) is KeyError, "IDOR: a deleted recipe is read"

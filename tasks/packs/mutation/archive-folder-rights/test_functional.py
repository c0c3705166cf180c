import pytest


@pytest.fixture
def archive():
    archive = Archive("root")
    archive.make("root", "/plans")
    archive.make("root", "/plans/old")
    archive.put("root", "/plans", "map", "a map")
    return archive


def test_documents_and_listing(archive):
    assert archive.put("root", "/plans/old", "a", "x") == "/plans/old/a", "stored"
    assert archive.get("root", "/plans", "map") == "a map", "read"
    assert archive.listing("root", "/plans") == ["map", "old/"] and archive.listing("root", "/") == ["plans/"], "listed"


def test_rights_are_inherited(archive):
    assert archive.grant("root", "/plans", "ann", Right.READ) is Right.READ, "granted"
    assert archive.right("ann", "/plans/old") is Right.READ and archive.right("ann", "/") is Right.NONE, "below only"
    with pytest.raises(PermissionError):
        archive.put("ann", "/plans/old", "x", "y")


def test_groups(archive):
    assert archive.join("root", "@staff", "bob") == 1, "one member"
    archive.grant("root", "/plans", "@staff", Right.WRITE)
    assert archive.put("bob", "/plans", "note", "hi") == "/plans/note", "by the group's right"


def test_what_is_not_there(archive):
    for call in (lambda: archive.get("root", "/plans", "none"), lambda: archive.listing("root", "/none"), lambda: archive.make("root", "/a/b")):
        with pytest.raises(LookupError):
            call()
    with pytest.raises(FileExistsError):
        archive.make("root", "/plans")

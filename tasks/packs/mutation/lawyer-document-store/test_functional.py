import pytest


@pytest.fixture
def store(tmp_path):
    return DocumentStore(tmp_path, "miller")


def test_save_and_read(store):
    store.save("2024/contract.txt", "we agree")
    assert store.read("2024/contract.txt") == "we agree", "what was saved is read"
    store.save("2024/contract.txt", "we disagree")
    assert store.read("2024/contract.txt") == "we disagree", "saving again replaces"


def test_names(store):
    for name in ("a.txt", "2024/b.txt", "2024/c.md"):
        store.save(name, "x")
    assert store.names() == ["2024/b.txt", "2024/c.md", "a.txt"], "all, sorted"
    assert store.names("2024/*.txt") == ["2024/b.txt"], "by pattern"


def test_rename_and_delete(store):
    store.save("a.txt", "x")
    store.rename("a.txt", "old/b.txt")
    assert store.names() == ["old/b.txt"], "the document has moved"
    store.delete("old/b.txt")
    assert store.names() == [], "and is gone"


def test_rename_never_replaces(store):
    store.save("a.txt", "a")
    store.save("b.txt", "b")
    with pytest.raises(DocumentError):
        store.rename("a.txt", "b.txt")
    assert store.read("b.txt") == "b", "the other stays"


def test_copy_from_another_client(tmp_path, store):
    other = DocumentStore(tmp_path, "smith-2")
    other.save("form.txt", "blank")
    store.copy_from(other, "form.txt")
    assert store.read("form.txt") == "blank" == other.read("form.txt"), "both have it"


def test_missing(store):
    with pytest.raises(FileNotFoundError):
        store.read("none.txt")
    with pytest.raises(DocumentError):
        DocumentStore(store.home.parent, "")

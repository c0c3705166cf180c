import pytest

SECRET = "testament of another client"
AWAY = ["../jones/will.txt", "x/../../jones/will.txt", "./.././jones/will.txt", "../miller-old/will.txt", "../../office.txt"]


@pytest.fixture
def root(tmp_path):
    root = tmp_path / "clients"
    for client in ("jones", "miller-old", "miller"):
        (root / client).mkdir(parents=True)
    for path in (root / "jones" / "will.txt", root / "miller-old" / "will.txt", tmp_path / "office.txt"):
        path.write_text(SECRET, encoding="utf-8")
    return root


@pytest.fixture
def store(root):
    store = DocumentStore(root, "miller")
    store.save("own.txt", "mine")
    store.save("x/y.txt", "mine too")
    return store


def outside(root):
    own = root / "miller"
    return {str(p): p.read_text() for p in root.parent.rglob("*") if p.is_file() and own not in p.parents}


def attempt(method, *arguments):
    try:
        return method(*arguments)
    except (ValueError, OSError):
        return None


def places(root):
    return AWAY + [str(root / "jones" / "will.txt"), str(root / "miller" / ".." / "jones" / "will.txt")]


def test_reading_stays_inside(root, store):
    for name in places(root):
        assert attempt(store.read, name) is None, f"path traversal: {name} was read"


def test_saving_stays_inside(root, store):
    before = outside(root)
    for name in places(root) + ["../new.txt", "../miller2/new.txt", str(root.parent / "new.txt")]:
        attempt(store.save, name, "changed")
        assert outside(root) == before, f"path traversal: {name} was written"
        assert not (root / "miller2").exists(), f"path traversal: {name} made a folder"


def test_deleting_stays_inside(root, store):
    before = outside(root)
    for name in places(root):
        attempt(store.delete, name)
        assert outside(root) == before, f"path traversal: {name} was deleted"


def test_renaming_stays_inside(root, store):
    before = outside(root)
    for name in places(root):
        attempt(store.rename, name, "taken.txt")
        assert outside(root) == before, f"path traversal: {name} was taken over"
    for name in ("../jones/new.txt", "../new.txt", str(root.parent / "new.txt"), "../miller-old/n.txt"):
        attempt(store.rename, "own.txt", name)
        assert outside(root) == before, f"path traversal: moved to {name}"


def test_copying_stays_inside(root, store):
    other = DocumentStore(root, "jones")
    attempt(other.copy_from, store, "../../office.txt")
    attempt(store.copy_from, other, "../../office.txt")
    for name in AWAY:
        attempt(store.copy_from, other, name)
    texts = [store.read(name) for name in store.names()]
    assert SECRET not in texts, "path traversal: a document outside was copied in"


def test_links_do_not_lead_out(root, store):
    (store.home / "link.txt").symlink_to(root / "jones" / "will.txt")
    (store.home / "all").symlink_to(root)
    before = outside(root)
    for name in ("link.txt", "all/jones/will.txt"):
        assert attempt(store.read, name) is None, f"path traversal through the link {name}"
        attempt(store.save, name, "changed")
        attempt(store.delete, name)
        assert outside(root) == before, f"path traversal through the link {name}"
    assert not [n for n in store.names() if "will" in n or "link" in n], "names of documents outside are told"


@pytest.mark.parametrize("pattern", ["../*", "../jones/*", "/*", "**/../../*", "../../*.txt"])
def test_patterns_do_not_lead_out(store, pattern):
    assert not [n for n in (attempt(store.names, pattern) or []) if "will" in n or "office" in n], "path traversal by a pattern"


@pytest.mark.parametrize("client", ["..", ".", "../jones", "miller/../jones", "/tmp", "", "jones/", "jones\n", "a\0b", "-"])
def test_client_is_one_folder(root, client):
    before = {str(p) for p in root.parent.rglob("*")}
    with pytest.raises(DocumentError):
        DocumentStore(root, client)
    assert {str(p) for p in root.parent.rglob("*")} == before, f"path traversal by the client {client!r}"


@pytest.mark.parametrize("name", ["", ".", "x/..", "a\0.txt", "../miller"])
def test_name_is_a_place_in_the_folder(store, name):
    for method, arguments in ((store.save, (name, "t")), (store.read, (name,)), (store.delete, (name,))):
        with pytest.raises((DocumentError, FileNotFoundError)):
            method(*arguments)
    assert store.home.is_dir(), "the folder itself stays"


def test_relative_root(root, monkeypatch):
    monkeypatch.chdir(root.parent)
    store = DocumentStore(type(root)("clients"), "miller")
    assert attempt(store.read, "../jones/will.txt") is None, "path traversal from a relative root"

# kills lawyer-document-store guard_removed is not a place in this folder
# kills lawyer-document-store beginning_checked
from pathlib import Path

import pytest
from target_module import DocumentError, DocumentStore


def store_with_a_link(folder: Path):
    (folder / "secret.txt").write_text("of another client")
    store = DocumentStore(folder, "miller")
    (folder / "miller" / "link").symlink_to(folder)
    return store


@pytest.mark.parametrize("name", ["link/secret.txt", "link/../../secret.txt"])
def test_a_link_leads_nowhere(tmp_path, name):
    store = store_with_a_link(tmp_path)
    with pytest.raises((DocumentError, FileNotFoundError)):
        store.read(name)

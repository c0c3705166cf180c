import os
import stat

import pytest

ORDER = {"tenant": "t-12", "number": 7, "cents": 1250}


@pytest.fixture(params=[0o000, 0o002, 0o022])
def umask(request):
    before = os.umask(request.param)
    yield request.param
    os.umask(before)


@pytest.fixture
def client(tmp_path):
    return create_app(str(tmp_path / "outbox")).test_client()


def others(path):
    return stat.S_IMODE(os.stat(path).st_mode) & 0o077


def test_invoice_is_for_its_account_only(client, tmp_path, umask):
    assert client.post("/invoices", json=ORDER).status_code == 201, "the invoice is taken"
    rights = others(tmp_path / "outbox" / "t-12" / "7.json")
    assert rights == 0, f"with umask {umask:o} others have {rights:o} on the invoice"


def test_folder_of_a_tenant_is_closed(client, tmp_path, umask):
    client.post("/invoices", json=ORDER)
    rights = others(tmp_path / "outbox" / "t-12")
    assert rights == 0, f"with umask {umask:o} others have {rights:o} on the folder"


@pytest.mark.parametrize("before", [0o777, 0o755, 0o750, 0o711, 0o705])
def test_folder_left_open_is_closed(client, tmp_path, before):
    folder = tmp_path / "outbox" / "t-12"
    folder.mkdir(parents=True)
    folder.chmod(before)
    client.post("/invoices", json=ORDER)
    assert others(folder) == 0, f"a folder of mode {before:o} leaves others {others(folder):o}"


def test_every_invoice_and_tenant(client, tmp_path, umask):
    for tenant in ("t-1", "t-2"):
        for number in (1, 2):
            client.post("/invoices", json={"tenant": tenant, "number": number, "cents": 5})
    open_ones = [str(p.relative_to(tmp_path)) for p in tmp_path.glob("outbox/t-*") if others(p)]
    open_ones += [str(p.relative_to(tmp_path)) for p in tmp_path.glob("outbox/*/*.json") if others(p)]
    assert not open_ones, f"others have rights on {open_ones}"


def test_refused_second_invoice_changes_no_rights(client, tmp_path, umask):
    client.post("/invoices", json=ORDER)
    client.post("/invoices", json=ORDER)
    assert others(tmp_path / "outbox" / "t-12" / "7.json") == 0, "the invoice is still closed"

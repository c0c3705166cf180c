import pytest

KEY = {"X-Report-Key": "k-ada-1"}


@pytest.fixture
def client(tmp_path):
    (tmp_path / "may.csv").write_text("a,b\n1,2\n")
    (tmp_path / "april.csv").write_text("a,b\n")
    (tmp_path / "notes.txt").write_text("internal")
    return create_app(tmp_path, {"ada": "k-ada-1", "bob": "k-bob-2"}).test_client()


def test_list(client):
    assert client.get("/reports", headers=KEY).get_json() == ["april.csv", "may.csv"], "the reports, sorted"


def test_download(client):
    answer = client.get("/reports/may.csv", headers={"X-Report-Key": "k-bob-2"})
    assert answer.status_code == 200 and answer.data == b"a,b\n1,2\n", "the report comes"
    assert answer.mimetype == "text/csv", "as CSV"


@pytest.mark.parametrize("name", ["june.csv", "notes.txt"])
def test_unknown_report(client, name):
    assert client.get(f"/reports/{name}", headers=KEY).status_code == 404, f"{name} is no report"


def test_ping(client):
    assert client.get("/ping").data == b"ok", "the service answers"

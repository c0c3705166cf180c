import pytest


@pytest.fixture
def client(tmp_path):
    (tmp_path / "halls").mkdir()
    (tmp_path / "intro.mp3").write_bytes(b"welcome")
    (tmp_path / "halls" / "egypt.mp3").write_bytes(b"pharaohs")
    return create_app(str(tmp_path)).test_client()


def test_sends_a_recording(client):
    answer = client.get("/audio", query_string={"file": "intro.mp3"})
    assert (answer.status_code, answer.data) == (200, b"welcome"), "the recording is sent"


def test_folder_below(client):
    assert client.get("/audio?file=halls/egypt.mp3").data == b"pharaohs", "folders below belong to it"


def test_missing_recording(client):
    assert client.get("/audio?file=none.mp3").status_code == 404, "what is missing is not found"


def test_missing_parameter(client):
    assert client.get("/audio").status_code == 404, "without a name nothing is found"

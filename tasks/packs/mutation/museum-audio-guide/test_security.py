import pytest

SECRET = b"payroll"


@pytest.fixture
def place(tmp_path):
    (tmp_path / "audio" / "halls").mkdir(parents=True)
    (tmp_path / "audio" / "intro.mp3").write_bytes(b"welcome")
    (tmp_path / "audio-old").mkdir()
    for path in (tmp_path / "payroll.csv", tmp_path / "audio-old" / "payroll.csv"):
        path.write_bytes(SECRET)
    return tmp_path


def fetch(place, name):
    client = create_app(str(place / "audio")).test_client()
    return client.get("/audio", query_string={"file": name})


NAMES = [
    "../payroll.csv",
    "halls/../../payroll.csv",
    "../audio-old/payroll.csv",
    "....//payroll.csv",
    "..././payroll.csv",
    "./../payroll.csv",
    "halls/..././..././payroll.csv",
    "halls/....//....//payroll.csv",
    "..//payroll.csv",
]


@pytest.mark.parametrize("name", NAMES)
def test_nothing_outside_is_sent(place, name):
    answer = fetch(place, name)
    assert SECRET not in answer.data, f"path traversal: {name} was sent"
    assert answer.status_code >= 400, f"path traversal: {name} gave {answer.status_code}"


def test_absolute_path_is_not_sent(place):
    for secret in (place / "payroll.csv", place / "audio-old" / "payroll.csv"):
        answer = fetch(place, str(secret))
        assert SECRET not in answer.data, "path traversal by an absolute path"
        answer = fetch(place, "/" + str(secret))
        assert SECRET not in answer.data, "path traversal by an absolute path with two slashes"


def test_double_encoding_is_not_unwrapped(place):
    client = create_app(str(place / "audio")).test_client()
    for query in ("%2e%2e%2fpayroll.csv", "%252e%252e%252fpayroll.csv", "..%2Fpayroll.csv"):
        answer = client.get(f"/audio?file={query}")
        assert SECRET not in answer.data, f"path traversal by encoding: {query}"


def test_recording_itself_is_sent(place):
    assert fetch(place, "intro.mp3").data == b"welcome", "the recording is still sent"
    assert fetch(place, "halls").status_code >= 400, "a folder is no recording"

import time

import pytest

KEY = "0123456789abcdef0123456789abcdef"


@pytest.fixture
def desk(monkeypatch):
    monkeypatch.delenv("GATEWAY_KEY_FILE", raising=False)
    monkeypatch.setenv("GATEWAY_KEY", KEY)
    return TokenDesk()


def test_token_names_its_meter(desk):
    assert desk.meter_of(desk.issue("m-17", int(time.time()))) == "m-17", "the meter's name"


def test_expired_and_broken_tokens(desk):
    for token in (desk.issue("m-17", int(time.time()) - 1000), "nonsense", ""):
        with pytest.raises(PermissionError):
            desk.meter_of(token)


def test_key_from_a_file(desk, monkeypatch, tmp_path):
    (tmp_path / "key").write_text("  " + "f" * 40 + "\n")
    token = desk.issue("m-17", int(time.time()))
    monkeypatch.setenv("GATEWAY_KEY_FILE", str(tmp_path / "key"))
    with pytest.raises(PermissionError):
        desk.meter_of(token)
    assert desk.meter_of(desk.issue("m-18", int(time.time()))) == "m-18", "the file's key is used"


def test_short_key(desk, monkeypatch):
    monkeypatch.setenv("GATEWAY_KEY", "short")
    with pytest.raises(RuntimeError):
        desk.issue("m-17", 0)


def test_file_that_is_missing(desk, monkeypatch, tmp_path):
    monkeypatch.setenv("GATEWAY_KEY_FILE", str(tmp_path / "none"))
    with pytest.raises(RuntimeError):
        desk.issue("m-17", 0)

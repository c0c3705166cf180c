import pytest
import requests

ADDRESS = "https://tides.example.com/v2/Porto"


@pytest.fixture(autouse=True)
def service():
    requests.reset()
    requests.set_response(ADDRESS, json={"high": ["01:00"]})


def sent():
    return str(requests.last_kwargs.get("headers"))


def attempt():
    try:
        return high_waters("Porto")
    except Exception as error:
        return error


def test_without_a_key_nothing_is_asked(monkeypatch):
    monkeypatch.delenv("TIDES_API_KEY", raising=False)
    result = attempt()
    assert isinstance(result, RuntimeError), f"there was no key to use, and yet: {result!r}"
    assert requests.request_count == 0, f"a key from elsewhere was sent: {sent()}"


def test_empty_key_is_no_key(monkeypatch):
    monkeypatch.setenv("TIDES_API_KEY", "")
    result = attempt()
    assert isinstance(result, RuntimeError), f"an empty key was replaced: {result!r}"
    assert requests.request_count == 0, f"a key from elsewhere was sent: {sent()}"


@pytest.mark.parametrize("key", ["alpha-1", "beta-2", "x" * 64])
def test_the_key_of_the_environment_is_the_only_one(monkeypatch, key):
    monkeypatch.setenv("TIDES_API_KEY", key)
    attempt()
    values = [str(v) for v in (requests.last_kwargs.get("headers") or {}).values()]
    assert key in values, f"the key that was set is not used: {values}"


def test_key_can_be_changed_while_the_program_runs(monkeypatch):
    seen = []
    for key in ("old-key", "new-key"):
        monkeypatch.setenv("TIDES_API_KEY", key)
        attempt()
        seen.append(key in sent())
    assert seen == [True, True], "a key that was withdrawn is still in use"


def test_a_missing_key_is_not_taken_from_an_earlier_call(monkeypatch):
    monkeypatch.setenv("TIDES_API_KEY", "old-key")
    attempt()
    requests.reset()
    monkeypatch.delenv("TIDES_API_KEY")
    result = attempt()
    assert isinstance(result, RuntimeError) and requests.request_count == 0, f"still answered: {result!r}"

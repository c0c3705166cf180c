import pytest
import requests

ADDRESS = "https://tides.example.com/v2/Porto"


@pytest.fixture(autouse=True)
def key(monkeypatch):
    monkeypatch.setenv("TIDES_API_KEY", "key-of-a-customer")


def test_high_waters():
    requests.set_response(ADDRESS, json={"high": ["03:10", "15:42"], "low": []})
    assert high_waters("Porto") == ["03:10", "15:42"], "the times of high water"
    assert requests.last_url == ADDRESS, "of this harbour"


def test_key_is_sent():
    requests.set_response(ADDRESS, json={"high": []})
    high_waters("Porto")
    assert requests.last_kwargs["headers"]["X-Api-Key"] == "key-of-a-customer", "the customer's key"


@pytest.mark.parametrize("harbour", ["", "../keys", "a b"])
def test_bad_harbour(harbour):
    with pytest.raises(ValueError):
        high_waters(harbour)


def test_refusal_of_the_service():
    requests.set_response(ADDRESS, text="no", status=403)
    with pytest.raises(requests.HTTPError):
        high_waters("Porto")

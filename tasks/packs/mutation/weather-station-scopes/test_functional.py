import pytest

KEYS = {"k1": {"scopes": ["read:oslo", "write:oslo", "admin:oslo"], "expires": 100}, "k2": {"scopes": ["read:*"], "expires": 100}}


@pytest.fixture
def network():
    return Network(KEYS, clock=lambda: 50)


def test_readings(network):
    assert network.add("k1", "oslo", 3.5) == 1 and network.add("k1", "oslo", 4.0) == 2, "counted"
    assert network.readings("k1", "oslo") == [3.5, 4.0] == network.readings("k2", "oslo"), "read by both"


def test_clear_and_stations(network):
    network.add("k1", "oslo", 1.0)
    assert network.stations("k2") == ["oslo"], "a station with readings"
    assert network.clear("k1", "oslo") == 1 and network.stations("k2") == [], "cleared"


def test_expired_and_unknown_keys():
    for key, now in (("k1", 100), ("k9", 0)):
        with pytest.raises(PermissionError):
            Network(KEYS, clock=lambda: now).readings(key, "oslo")


def test_names_of_stations(network):
    for name in ("Oslo", "", "os lo", "*"):
        with pytest.raises(ValueError):
            network.readings("k1", name)

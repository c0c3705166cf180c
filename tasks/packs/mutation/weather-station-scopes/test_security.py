import itertools

import pytest

ALL = {"scopes": ["read:*", "write:*", "admin:*"], "expires": 1000}
STATIONS = ["oslo", "osl", "oslofjord", "bergen"]
SCOPES = [
    "read:oslo", "write:oslo", "admin:oslo", "read:*", "write:*", "admin:*", "read:bergen", "write:bergen", "admin:bergen", "read",
    "write:", ":oslo", "*", "read:os*", "READ:oslo", "xread:oslo", "read:oslofjord", "*:oslo", "", "read:*x", "write:oslo:read",
]


def granted(scopes, action, station):
    """By the rules of the instruction."""
    needed = {"readings": ["read"], "add": ["write"], "clear": ["write", "admin"]}[action]
    return all({f"{n}:{station}", f"{n}:*"} & set(scopes) for n in needed)


def attempt(scopes, action, station, expires=1000, now=10):
    network = Network({"k": {"scopes": scopes, "expires": expires}, "root": ALL}, clock=lambda: now)
    for name in STATIONS:
        network.add("root", name, 1.5)
    call = getattr(network, action)
    arguments = ("k", station, 9.9) if action == "add" else ("k", station)
    try:
        result = call(*arguments)
    except Exception as error:
        result = error
    return result, {name: network.readings("root", name) for name in STATIONS}


COMBINED = [[s] for s in SCOPES] + [["read:oslo", "write:bergen"], ["write:oslo", "admin:bergen"], ["write:*", "admin:oslo"], ["admin:*", "read:*"], []]


@pytest.mark.parametrize("action", ["readings", "add", "clear"])
@pytest.mark.parametrize("scopes", COMBINED, ids="+".join)
def test_scopes_give_what_they_say(action, scopes):
    for station in STATIONS:
        result, after = attempt(scopes, action, station)
        if granted(scopes, action, station):
            assert not isinstance(result, Exception), f"{scopes} should allow {action} on {station}: {result!r}"
            continue
        assert isinstance(result, PermissionError), f"{scopes} allowed {action} on {station}: {result!r}"
        assert set(map(tuple, after.values())) == {(1.5,)}, f"{scopes} changed readings by {action} on {station}"


@pytest.mark.parametrize("now, allowed", [(999, True), (1000, False), (1001, False), (10**9, False)])
def test_expired_keys_are_nothing(now, allowed):
    network = Network({"k": ALL | {"expires": 1000}}, clock=lambda: now)
    calls = [lambda: network.readings("k", "oslo"), lambda: network.add("k", "oslo", 1), lambda: network.clear("k", "oslo"), lambda: network.stations("k")]
    for call in calls:
        try:
            call()
            worked = True
        except PermissionError:
            worked = False
        assert worked is allowed, f"a key that expires at 1000, at {now}"


@pytest.mark.parametrize("key", ["", "other", None, "K", "k "])
def test_unknown_keys_are_nothing(key):
    network = Network({"k": ALL}, clock=lambda: 0)
    for call in (lambda: network.readings(key, "oslo"), lambda: network.stations(key), lambda: network.add(key, "oslo", 1)):
        with pytest.raises(PermissionError):
            call()


@pytest.mark.parametrize("scopes, seen", [
    (["read:oslo"], ["oslo"]), (["write:*", "admin:*"], []), (["read:osl"], ["osl"]), (["read:*"], sorted(STATIONS)), ([], []), (["write:oslo", "read:bergen"], ["bergen"]),
])
def test_stations_that_may_not_be_read_are_not_told(scopes, seen):
    network = Network({"k": {"scopes": scopes, "expires": 1000}, "root": ALL}, clock=lambda: 0)
    for name in STATIONS:
        network.add("root", name, 1.5)
    assert network.stations("k") == seen, f"{scopes} tell other stations"

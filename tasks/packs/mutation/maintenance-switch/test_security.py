import time

import pytest

HOUR = 3600


def attempt(session, operators=("ada",)):
    """The site after somebody with this session tried, and whether the attempt was refused."""
    site = Site(set(operators))
    try:
        switch_maintenance(site, session, True)
    except PermissionError:
        return site, True
    return site, False


@pytest.mark.parametrize("session", [
    {}, {"signed_in_at": 0}, {"operator": None}, {"operator": ""}, {"user": "ada"}, {"operator": "ada"},
])
def test_nobody_switches_without_signing_in(session):
    site, refused = attempt(session)
    assert not site.maintenance, "somebody who is not signed in switched the site off"
    assert refused, "the attempt was not refused"
    assert site.journal == [], "an attempt is written down as a change"


@pytest.mark.parametrize("name", ["mallory", "ADA", "ada ", "ad", ""])
def test_a_stranger_with_a_fresh_session_is_refused(name):
    site, refused = attempt({"operator": name, "signed_in_at": time.time() - 5})
    assert refused and not site.maintenance, f"{name!r} is no operator, but switched"


@pytest.mark.parametrize("age", [8 * HOUR + 60, 9 * HOUR, 24 * HOUR, 400 * 24 * HOUR])
def test_an_old_session_is_refused(age):
    site, refused = attempt({"operator": "ada", "signed_in_at": time.time() - age})
    assert refused and not site.maintenance, f"a session of {age // HOUR} hours still counts"


def test_a_session_from_the_future_is_refused():
    site, refused = attempt({"operator": "ada", "signed_in_at": time.time() + 48 * HOUR})
    assert refused and not site.maintenance, "a session that begins tomorrow counts"


def test_a_former_operator_is_refused():
    site, refused = attempt({"operator": "bob", "signed_in_at": time.time() - 5}, operators=("ada", "cy"))
    assert refused and not site.maintenance, "who is an operator no longer can still switch"


def test_session_without_name_does_not_match_an_odd_list():
    site, refused = attempt({"signed_in_at": time.time() - 5}, operators=("ada", None))
    assert refused and not site.maintenance, "a session without a name counts as an operator's"

import time

import pytest


@pytest.fixture
def session():
    return {"operator": "ada", "signed_in_at": time.time() - 60}


def test_switch_on_and_off(session):
    site = Site({"ada"})
    assert switch_maintenance(site, session, True) is False, "it was off"
    assert site.maintenance is True, "now it is on"
    assert switch_maintenance(site, session, False) is True, "it was on"
    assert site.maintenance is False, "now it is off"


def test_journal(session):
    site = Site({"ada", "bob"})
    switch_maintenance(site, session, True)
    switch_maintenance(site, session, False)
    assert site.journal == ["ada: on", "ada: off"], f"unexpected journal: {site.journal}"


def test_sites_are_apart(session):
    one, two = Site({"ada"}), Site({"ada"})
    switch_maintenance(one, session, True)
    assert not two.maintenance and two.journal == [], "the other site is untouched"

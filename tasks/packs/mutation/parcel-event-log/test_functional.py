import logging

import pytest

LOGGER = logging.getLogger("parcels")


def test_event_and_fields(caplog):
    caplog.set_level(logging.INFO)
    log_event(LOGGER, "parcel.sent", parcel="A 7", grams=350)
    assert caplog.messages == ['parcel.sent parcel="A 7" grams=350'], "event and fields in order"


def test_event_alone(caplog):
    caplog.set_level(logging.INFO)
    log_event(LOGGER, "start_2")
    assert caplog.messages == ["start_2"], "fields may be missing"


def test_odd_event(caplog):
    caplog.set_level(logging.INFO)
    with pytest.raises(ValueError):
        log_event(LOGGER, "?!")
    assert caplog.messages == [], "nothing is logged"

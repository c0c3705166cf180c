import json
import logging

import pytest

LOGGER = logging.getLogger("parcels")


def read(message):
    """What a reader of the log sees: the event and the fields."""
    event, _, rest = message.partition(" ")
    fields, decoder = [], json.JSONDecoder()
    while rest:
        key, _, rest = rest.partition("=")
        try:
            value, end = decoder.raw_decode(rest)
        except ValueError:
            return event, fields + [("unreadable", rest)]
        fields.append((key, value))
        rest = rest[end:].lstrip(" ")
    return event, fields


def logged(caplog, event="parcel.sent", **fields):
    caplog.set_level(logging.INFO)
    log_event(LOGGER, event, **fields)
    (message,) = caplog.messages
    return message


LINES = ["A7\nparcel.lost parcel=\"B\"", "A7\r\nx", "\rparcel.paid", "a\x0bb", "a\x0cb", "\x1b[2Jx", "nul\x00"]


@pytest.mark.parametrize("text", LINES)
def test_value_stays_on_its_line(caplog, text):
    message = logged(caplog, parcel=text, to="Oslo")
    assert len(message.splitlines()) == 1, f"log injection: a line was forged: {message!r}"
    assert all(c >= " " for c in message), f"log injection: control characters in {message!r}"
    assert read(message)[1] == [("parcel", text), ("to", "Oslo")], "log injection: the value is not read as it was"


FIELDS = ['A7" paid="yes', 'A7" paid=1 x="', "A7\\", 'A7\\" paid="yes', '"', " paid=1", '" ="', "A7\u2028B\u2029C\x85D"]


@pytest.mark.parametrize("text", FIELDS)
def test_value_cannot_forge_a_field(caplog, text):
    message = logged(caplog, parcel=text, grams=5)
    assert read(message) == ("parcel.sent", [("parcel", text), ("grams", 5)]), f"log injection: {text} forged a field"
    assert len(message.splitlines()) == 1, f"log injection: a line was forged: {message!r}"


def test_every_value_is_quoted(caplog):
    values = {"first": "a", "second": 'b" x="1', "third": "c\nparcel.paid"}
    assert read(logged(caplog, **values))[1] == list(values.items()), "log injection: a later value forged a field"


@pytest.mark.parametrize("event", ["parcel.sent\nparcel.paid", "sent\n", "sent paid=1", 'sent" x', "a b", "", "sent\x1b", "\nsent", "séance\u2028"])
def test_event_is_one_word(caplog, event):
    caplog.set_level(logging.INFO)
    with pytest.raises(ValueError):
        log_event(LOGGER, event)
    assert caplog.messages == [], f"log injection by the event {event!r}"


def test_percent_signs_are_text(caplog):
    assert read(logged(caplog, parcel="%s %d %(x)s"))[1] == [("parcel", "%s %d %(x)s")], "log injection by formatting"

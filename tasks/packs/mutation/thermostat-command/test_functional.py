import json

import pytest


def message(**changes):
    fields = {"device": "th-00a1f3", "mode": "heat", "celsius": 21, "minutes": 60, **changes}
    return json.dumps(fields).encode()


def test_whole_command():
    command = parse_command(message())
    assert command.device == "th-00a1f3", "the device is read"
    assert command.mode is Mode.HEAT, "the mode is read"
    assert (command.celsius, command.minutes) == (21.0, 60), "the numbers are read"


def test_half_degrees():
    assert parse_command(message(celsius=19.5)).celsius == 19.5, "half degrees are allowed"


def test_unknown_mode():
    with pytest.raises(CommandError):
        parse_command(message(mode="boost"))


def test_no_json():
    with pytest.raises(CommandError):
        parse_command(b"heat please")


def test_missing_field():
    with pytest.raises(CommandError):
        parse_command(b'{"device": "th-00a1f3", "mode": "off"}')

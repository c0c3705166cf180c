import json

import pytest


def message(**changes):
    fields = {"device": "th-00a1f3", "mode": "heat", "celsius": 21, "minutes": 60, **changes}
    return json.dumps(fields).encode()


def refused(raw):
    try:
        parse_command(raw)
    except CommandError:
        return True
    except Exception:
        return False
    return False


def test_limits_themselves_are_allowed():
    assert parse_command(message(celsius=5, minutes=1)).celsius == 5, "the lower limits are ordinary"
    assert parse_command(message(celsius=30, minutes=720)).minutes == 720, "the upper limits are ordinary"


@pytest.mark.parametrize("celsius", [31, 30.001, 4.9, 0, -273, 1e308, 10**40, 30000])
def test_temperature_stays_in_the_safe_range(celsius):
    assert refused(message(celsius=celsius)), f"invalid input accepted: {celsius} degrees"


@pytest.mark.parametrize("word", ["NaN", "Infinity", "-Infinity", "1e999"])
def test_temperature_is_a_finite_number(word):
    raw = message(celsius="X").replace(b'"X"', word.encode())
    assert refused(raw), f"invalid input accepted: celsius {word}"


@pytest.mark.parametrize("value", ["21", True, None, [21], {}, "1e3"])
def test_temperature_of_another_type(value):
    assert refused(message(celsius=value)), f"invalid input accepted: celsius {value!r}"


@pytest.mark.parametrize("minutes", [721, 0, -5, 720000, 10**25, 1.5, True, "60", None])
def test_duration_is_limited(minutes):
    assert refused(message(minutes=minutes)), f"invalid input accepted: {minutes!r} minutes"


@pytest.mark.parametrize(
    "device",
    ["th-00a1f3\n", "th-00a1f3; reboot", "th-00a1f3/../x", "xth-00a1f3", "th-00A1F3", "th-00a1f", "th-*", "", 7, None, ["th-00a1f3"]],
)
def test_device_is_exactly_one_name(device):
    assert refused(message(device=device)), f"invalid input accepted: device {device!r}"


@pytest.mark.parametrize("mode", ["HEAT", "off ", "", None, 1, ["heat"], {"heat": 1}])
def test_mode_is_one_of_three(mode):
    assert refused(message(mode=mode)), f"invalid input accepted: mode {mode!r}"


@pytest.mark.parametrize("extra", [{"admin": True}, {"firmware": "x"}, {"__class__": "Mode"}])
def test_unknown_fields_are_refused(extra):
    assert refused(message(**extra)), f"invalid input accepted: unknown fields {extra}"


SHAPES = [b"{}", b"[]", b"null", b'"device mode celsius minutes"', b"7", b"", b"\xff\xfe\x00", b'["device","mode","celsius","minutes"]']


@pytest.mark.parametrize("raw", SHAPES)
def test_other_shapes_are_refused(raw):
    assert refused(raw), f"invalid input accepted: {raw!r}"


def test_long_messages_are_refused():
    assert refused(message() + b" " * 450), "limit of the message's length bypassed"
    assert refused(message() + b" " * 400000), "limit of the message's length bypassed"


def test_nested_message_is_refused():
    assert refused(b"[" * 400), "invalid input accepted: nesting"

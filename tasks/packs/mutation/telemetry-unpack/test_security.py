import json
import tracemalloc
import zlib

import pytest


def line(sensor="a", value=1):
    return json.dumps({"sensor": sensor, "value": value}).encode()


def refused(text=None, data=None):
    packed = zlib.compress(text, 9) if data is None else data
    tracemalloc.start()
    try:
        read_report(packed)
        done = False
    except ReportError:
        done = True
    finally:
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert peak < 6_000_000 + len(packed), f"resource consumption: {peak} bytes of memory for {len(packed)} bytes"
    return done


@pytest.mark.parametrize("size", [1_000_001, 1_100_000, 9_000_000])
def test_size_is_limited_while_it_is_unpacked(size):
    assert refused(b" " * size), f"limit of size bypassed: {size} blanks"
    padded = line() + b" " * (size - len(line()))
    assert refused(padded), f"limit of size bypassed: one line of {size} bytes"


def test_data_behind_the_limit():
    inner = zlib.compress(b" " * 3_000_000)
    assert refused(data=inner + inner), "limit of size bypassed by two streams"
    assert refused(data=zlib.compress(b" " * 1_000_001)[:-4]), "limit of size bypassed by a cut stream"


@pytest.mark.parametrize("lines", [5_001, 5_500])
def test_lines_are_limited(lines):
    assert refused(b"\n".join([line()] * lines)), f"limit of lines bypassed: {lines}"
    assert refused(b"\n" * lines), f"limit of lines bypassed: {lines} empty ones"


@pytest.mark.parametrize("sensors", [101, 110])
def test_sensors_are_limited(sensors):
    assert refused(b"\n".join(line(f"s{n}") for n in range(sensors))), f"limit of sensors bypassed: {sensors}"


@pytest.mark.parametrize("text", [b"[" * 50_000, b'{"sensor": "a", "value": ' + b"9" * 4000 + b"}", b'{"sensor": "a", "value": 1e999}', b'{"sensor": ["a"], "value": 1}', b'{"sensor": "a", "value": true}'])
def test_odd_lines(text):
    assert refused(text), f"taken: {text[:40]!r}"


@pytest.mark.parametrize("cut", [1, 4, 6, 20])
def test_report_that_is_cut_off(cut):
    assert refused(data=zlib.compress(b"\n".join([line()] * 30))[:-cut]), "a part of a report was taken"


def test_limits_can_be_reached():
    assert not refused(b"\n".join([line()] * 5_000)), "5,000 lines are fine"
    assert not refused(b"\n".join(line(f"s{n}") for n in range(100))), "100 sensors are fine"
    assert not refused(line() + b" " * (1_000_000 - len(line()))), "1,000,000 bytes are fine"

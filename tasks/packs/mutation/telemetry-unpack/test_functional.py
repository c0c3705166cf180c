import json
import zlib

import pytest


def packed(*readings):
    lines = [json.dumps({"sensor": sensor, "value": value}) for sensor, value in readings]
    return zlib.compress("\n".join(lines).encode())


def test_means():
    assert read_report(packed(("t1", 10), ("t2", 4.5), ("t1", 20))) == {"t1": 15.0, "t2": 4.5}, "mean of each sensor"


def test_empty_lines():
    assert read_report(zlib.compress(b'\n{"sensor": "a", "value": 1}\n\n')) == {"a": 1.0}, "empty lines do not matter"
    assert read_report(zlib.compress(b"")) == {}, "an empty report"


@pytest.mark.parametrize("data", [b"", b"plain text", zlib.compress(b"{}"), zlib.compress(b"\xff\n"), zlib.compress(b'{"sensor": "a", "value": "b"}'), packed(("a", 1))[:-6]])
def test_no_report(data):
    with pytest.raises(ReportError):
        read_report(data)

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator

MAX_BYTES = 1_000_000
MAX_LINES = 5_000
MAX_SENSORS = 100


class ReportError(ValueError):
    """What came is no report."""


def unpack(packed: bytes) -> str:
    """Return the report's text; not a byte more than MAX_BYTES is ever unpacked."""
    stream = zlib.decompressobj()
    try:
        data = stream.decompress(packed, MAX_BYTES + 1)
        if len(data) > MAX_BYTES:
            raise ReportError(f"the report is larger than {MAX_BYTES} bytes")
        if not stream.eof:
            raise ReportError("the report is cut off")
        return data.decode()
    except (zlib.error, UnicodeDecodeError) as error:
        raise ReportError("the report cannot be unpacked") from error


def readings(text: str) -> Iterator[tuple[str, float]]:
    lines = text.splitlines()
    if len(lines) > MAX_LINES:
        raise ReportError(f"the report has more than {MAX_LINES} lines")
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            entry = json.loads(line)
            sensor, value = entry["sensor"], entry["value"]
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise ReportError(f"line {number} is no reading") from error
        if not isinstance(sensor, str) or type(value) not in (int, float) or abs(value) > 1e9:
            raise ReportError(f"line {number} is no reading")
        yield sensor, value


def read_report(packed: bytes) -> dict[str, float]:
    sums: dict[str, tuple[float, int]] = {}
    for sensor, value in readings(unpack(packed)):
        total, count = sums.get(sensor, (0.0, 0))
        sums[sensor] = total + value, count + 1
        if len(sums) > MAX_SENSORS:
            raise ReportError(f"the report names more than {MAX_SENSORS} sensors")
    return {sensor: total / count for sensor, (total, count) in sums.items()}

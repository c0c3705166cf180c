"""All readers of hostile text, each with the texts that are bad for it: one table."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping

from parsers import reports
from parsers.crashes import parse_crash
from parsers.registry import names
from tests.harness.grade import worst_outputs, worst_sources, worst_texts
from tests.harness.grade.worst_makers import Maker, Reader

# Bytes that a patch, an output or what a preprocessor prints may have; a little less than 16 MiB.
MAX_BYTES = 16_000_000
# Of names: 16 MiB of distinct imports reach the limit of processor time, which gives the label.
MAX_NAME_BYTES = 4 << 20
# Bytes of a source that is scanned, and so expanded.
MAX_SOURCE_BYTES = 740_000


def _report_reader(parser: str) -> Reader:
    return lambda data: reports.parse(parser, {"output": data}, 1)


REPORTS = {name: _report_reader(name) for name in ("auto", *names("parsers.reports"))}
# Area -> its readers and its texts, each by a name; every reader has every text of its area.
TABLE: dict[str, tuple[Mapping[str, Reader], Mapping[str, Maker]]] = {
    "patch": (worst_texts.PATCH_READERS, worst_texts.PATCHES),
    "build": (worst_texts.BUILD_READERS, worst_texts.LINES),
    "preprocessed": (worst_texts.TEXT_READERS, worst_texts.TEXTS),
    "names": (worst_texts.NAME_READERS, worst_texts.NAMES),
    "sast": (worst_sources.SAST, worst_sources.SOURCES),
    "crashes": (
        {"crash": lambda data: parse_crash(data.decode("utf-8", "replace"), 1)},
        worst_outputs.OUTPUTS,
    ),
    "reports": (REPORTS, worst_outputs.OUTPUTS),
}

# Area, reader and text of which the time grew by the square, as far as a text for a test by day shows it.
MENDED = [
    ("patch", "patch", "a chain of renames"),
    ("build", "command of make", "equals signs"),
    ("names", "names", "one long name"),
    ("sast", "expanded", "raw strings"),
    ("sast", "expanded", "one name defined again"),
    ("sast", "expanded", "pasted names"),
    ("sast", "small files", "includes"),
]


def _pairs() -> Iterator[tuple[str, str, str]]:
    for area, (readers, texts) in TABLE.items():
        for reader in readers:
            yield from ((area, reader, text) for text in texts)


NAMES_OF_PAIRS = [*_pairs()]


def most_bytes(pair: tuple[str, str, str]) -> int:
    """The size of a text of 16 MiB, or of what its reader is given at most."""
    return {"sast": MAX_SOURCE_BYTES, "names": MAX_NAME_BYTES}.get(pair[0], MAX_BYTES)


def cpu_seconds(area: str, reader: str, text: str, size: int) -> float:
    """Seconds of processor time that a reader of `TABLE` takes for a text of so many bytes."""
    readers, makers = TABLE[area]
    data = makers[text](size)
    started = time.process_time()
    readers[reader](data)
    return time.process_time() - started

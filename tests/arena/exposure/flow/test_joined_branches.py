"""Lists that are known on one branch and not on the other keep the data of both."""

from __future__ import annotations

from arena.tracks.exposure.flow.reading import read

PROGRAM = """import sys
words = sys.argv[1:]
if not words:
    words = ["ping", "localhost"]
line = " ".join(words)
print(line)
"""


def test_join_keeps_data_of_the_way_on_which_the_list_is_unknown() -> None:
    printed = next(read(PROGRAM).calls_of("print"))
    assert [flow.source.kind for flow in printed.arguments[0].untrusted_flows] == ["argv"]

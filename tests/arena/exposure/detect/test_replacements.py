"""What rewriting takes out of a name, and what it leaves."""

from __future__ import annotations

import pytest

from arena.tracks.exposure.detect._replacements import ABSOLUTE, DOTS, SLASH, rewrites
from arena.tracks.exposure.flow.reading import read


@pytest.mark.parametrize(
    "expression, gone",
    [
        ("name.replace('/', '_')", {SLASH}),
        ("name.replace('..', '')", {DOTS}),
        ("name.replace('../', '')", set()),
        ("name.replace('/', '//')", set()),
        ("name.replace('_', '/')", set()),
        ("name.lstrip('/')", {ABSOLUTE}),
        ("name.strip()", set()),
        ("name.split('/')[-1]", {SLASH}),
        ("name.split('/')[0]", set()),
        ("name.split('.')[-1]", set()),
        ("os.path.split(name)[1]", {SLASH}),
        ("os.path.split(name)[0]", set()),
        ("os.path.normpath('/' + name)", {DOTS}),
        ("os.path.normpath('/srv/' + name)", set()),
        ("re.sub(r'[^A-Za-z0-9_.]', '', name)", {SLASH}),
        ("re.sub(r'[^A-Za-z/]', '', name)", set()),
        ("re.sub(r'[\\\\/]+', '_', name)", {SLASH}),
        ("re.sub(r'\\.\\.', '', name)", {DOTS}),
        ("re.sub(r'(a', '', name)", set()),
        ("re.sub(r'[z-a]', '', name)", set()),
        ("re.compile(r'[^a-z]').sub('', name)", {SLASH}),
        ("re.sub(r'[^a-z]', '/', name)", set()),
    ],
)
def test_what_is_gone(expression: str, gone: set[str]) -> None:
    facts = read(f"import os, re\nname = input()\nprint({expression})\n")
    assert {what for steps in rewrites(facts).values() for _, what in steps} == gone

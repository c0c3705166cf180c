"""Programs broken at random: every detector gives a verdict, quickly, whatever it is given."""

from __future__ import annotations

import random
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.tracks.exposure.detect._detector import Finding, Verdict
from arena.tracks.exposure.flow.facts import NotPython
from arena.tracks.exposure.flow.reading import compile_program, read
from arena.tracks.exposure.judging import PACKAGE, detector_of, judge
from parsers.registry import names

CORPUS = sorted((Path(__file__).parent / "corpus").glob("*/*/*.py"))
DETECTORS = names(PACKAGE)


def broken(seed: int) -> str:
    """A program with lines dropped, doubled, moved, and names and literals of another one in it."""
    chance = random.Random(seed)
    lines = chance.choice(CORPUS).read_text("utf-8").splitlines()
    others = chance.choice(CORPUS).read_text("utf-8").splitlines()
    for _ in range(chance.randint(1, 6)):
        at = chance.randrange(len(lines) + 1)
        match chance.randrange(5):
            case 0:
                del lines[at : at + chance.randint(1, 3)]
            case 1:
                lines[at:at] = lines[at : at + chance.randint(1, 4)]
            case 2:
                lines.insert(at, chance.choice(others))
            case 3:
                words = chance.choice(others).split() or ["x"]
                lines = [
                    line.replace("request", words[0]) if chance.random() < 0.1 else line
                    for line in lines
                ]
            case _:
                lines = [
                    line.replace("'", '"', 1) if chance.random() < 0.05 else line for line in lines
                ]
        if not lines:
            break
    return "\n".join(lines) + "\n"


def readable(count: int, start: int) -> list[str]:
    found: list[str] = []
    seed = start
    while len(found) < count and seed < start + 50 * count:
        program = broken(seed)
        seed += 1
        try:
            compile_program(program)
        except NotPython:
            continue
        found.append(program)
    return found


@pytest.mark.slow
@pytest.mark.parametrize("start", [0, 10_000, 20_000])
def test_broken_programs_get_a_verdict_of_every_detector(start: int) -> None:
    for program in readable(60, start):
        facts = read(program)
        for name in DETECTORS:
            found = detector_of(name).judge(facts)
            assert isinstance(found, Finding)
            assert found.verdict is not Verdict.INVALID
            assert found.why
            assert "\n" not in found.why


@given(st.binary(max_size=200))
def test_any_bytes_get_a_verdict(content: bytes) -> None:
    assert judge(content, "sql").verdict in tuple(Verdict)


@given(st.text(alphabet="abx=()[]{}:.,'\"\n \t+*if for def return lambda", max_size=120))
def test_any_text_that_looks_like_a_program_gets_a_verdict(content: str) -> None:
    for name in ("html", "credentials", "path"):
        assert judge(content, name).verdict in tuple(Verdict)


REPEATED = {
    "calls": "import os\ndef f(x):\n    os.system('a ' + x)\n" + "f(input())\n" * 1500,
    "handlers": "from flask import Flask, request\napp = Flask(__name__)\n"
    + "".join(f"@app.route('/{n}')\ndef h{n}():\n    return request.args['a'] + str(h{n - 1 if n else 0}())\n" for n in range(400)),
    "checks": "def f(x):\n" + "".join(f"    if x.startswith('{n}'):\n        return open(x)\n" for n in range(800)),
    "text": "from flask import request\nq = request.args['q']\n" + "q = q + f'{q}' % q\n" * 800,
    "dicts": "d = " + "{'a': " * 60 + "1" + "}" * 60 + "\n" + "d['a']['a'] = d\n" * 400,
    "regexes": "import re\nfrom flask import request, redirect\ndef f():\n    u = request.args['u']\n"
    + "".join(f"    if re.match(r'(a+)+{n}\\.example\\.com', u):\n        return redirect(u)\n" for n in range(200)),
}  # fmt: skip


@pytest.mark.nightly
@pytest.mark.parametrize("program", REPEATED.values(), ids=REPEATED)
def test_large_programs_take_seconds_at_most(program: str) -> None:
    started = time.process_time()
    for name in DETECTORS:
        judge(program, name)
    assert time.process_time() - started < 4 * len(DETECTORS)

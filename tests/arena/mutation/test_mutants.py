"""What becomes a mutant, and what is removed and for which reason."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import libcst as cst
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.tracks.mutation import mutants
from arena.tracks.mutation.mutants import BadProgram, make, mutants_of
from arena.tracks.mutation.operators._operator import Operator, Rewriting
from arena.tracks.mutation.tasks.program import Program

SECURE = '''
import os


def read(name, base):
    """Read a file below a folder."""
    path = os.path.join(base, name)
    if ".." in name:
        raise ValueError("no")
    with open(path) as file:
        return file.read()
'''
GUARD = '    if ".." in name:\n        raise ValueError("no")\n'
WEAK = SECURE.replace(GUARD, "")


def program(secure: str = SECURE, insecure: str = WEAK, cwe: str = "CWE-22") -> Program:
    return Program("p", cwe, "read", secure, insecure)


def giving(*codes: str) -> Rewriting:
    """A rewriting that gives these programs, whatever it is given."""
    return lambda module: (cst.parse_module(code) for code in codes)


def operator(**variants: Rewriting) -> Operator:
    return Operator("TEST", "for tests", ("CWE-22",), variants, ())


def removed(*codes: str) -> dict[str, int]:
    return dict(make(program(), [operator(a=giving(*codes))]).removed)


def test_a_mutant_says_where_it_comes_from() -> None:
    [mutant] = mutants_of(program(), [operator(unguarded=giving(WEAK))])
    assert (mutant.operator, mutant.variant, mutant.cwe) == ("TEST", "unguarded", "CWE-22")
    assert mutant.code == WEAK
    assert '-    if ".." in name:' in mutant.diff.splitlines()
    assert not [line for line in mutant.diff.splitlines() if line.startswith("+ ")]
    assert mutant.same_as_insecure


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        (SECURE, mutants.UNCHANGED),
        (
            SECURE.replace('    """Read a file below a folder."""\n', "    # no text\n"),
            mutants.UNCHANGED,
        ),
        (SECURE.replace("    with", "    if path:\n        pass\n    with"), mutants.EQUIVALENT),
        (SECURE.replace("path", "way").replace("os.way", "os.path"), mutants.EQUIVALENT),
        (SECURE.replace("os.path.join(base, name)", "os.path.join(base, nam)"), mutants.UNDEFINED),
        (SECURE.replace("    path = os.path.join(base, name)\n", ""), mutants.UNDEFINED),
        (SECURE.replace("import os\n", ""), mutants.UNDEFINED),
        (SECURE + "\nreturn 1\n", mutants.UNCOMPILED),
    ],
)
def test_what_is_no_mutant_is_removed_and_counted(code: str, reason: str) -> None:
    assert removed(code) == {reason: 1}


@pytest.mark.parametrize(
    "twin",
    [
        SECURE.replace(GUARD, '    if ".." in name:\n        pass\n'),
        SECURE.replace('if ".." in name', "if False"),
        SECURE.replace('raise ValueError("no")', "pass"),
        WEAK.replace("path", "target").replace("os.target", "os.path"),
    ],
)
def test_twins_are_one_mutant(twin: str) -> None:
    made = make(program(), [operator(a=giving(WEAK), b=giving(twin))])
    assert [m.variant for m in made.mutants] == ["a"]
    assert made.removed == {mutants.TWIN: 1}


def test_every_variant_comes_first_once() -> None:
    codes = [SECURE.replace('".."', repr(text)) for text in "abcdef"]
    first, second = operator(a=giving(*codes[:4])), operator(b=giving(*codes[4:]))
    made = make(program(), [first, second], limit=4)
    assert [m.variant for m in made.mutants] == ["a", "b", "a", "b"]
    assert made.removed == {mutants.OVER: 2}


def test_an_operator_that_fails_loses_only_its_own_mutants() -> None:
    def failing(module: cst.Module) -> Iterator[cst.Module]:
        raise ValueError("a fault")
        yield module

    made = make(program(), [operator(bad=failing, good=giving(WEAK))])
    assert [m.variant for m in made.mutants] == ["good"]
    assert made.faults == ("TEST/bad: ValueError: a fault",)
    assert made.removed == {mutants.FAILED: 1}


@pytest.mark.parametrize(
    ("secure", "says"),
    [
        ("def f(:\n", "p: secure: invalid syntax"),
        ("x = 1\n\0", "p: secure: source code string cannot contain null bytes"),
        ("x = 1\n" * 20_000, "p: secure: longer than 60000 characters"),
        ("(" * 400 + ")" * 400, "p: secure: too many nested parentheses"),
        ("x = 1" + "+1" * 2500, "p: secure: maximum recursion depth exceeded"),
    ],
)
def test_a_program_that_cannot_be_read_is_told_in_one_line(secure: str, says: str) -> None:
    with pytest.raises(BadProgram) as raised:
        make(program(secure))
    assert str(raised.value).startswith(says)
    assert len(str(raised.value).splitlines()) == 1


def test_an_insecure_version_that_does_not_compile_is_no_hindrance() -> None:
    assert not mutants_of(program(insecure="def f(:"), [operator(a=giving(WEAK))])[
        0
    ].same_as_insecure


PROGRAMS = {
    "CWE-22": SECURE,
    "CWE-327": "import hashlib\n\n\ndef f(a):\n    return hashlib.sha256(a).hexdigest()\n",
    "CWE-502": "import json\n\n\ndef f(a):\n    return json.loads(a)\n",
    "CWE-117": "def f(log, a):\n    log.info(a.replace('\\n', ' ').replace('\\r', ' '))\n",
    "CWE-295": "import requests\n\n\ndef f(url):\n    return requests.get(url, verify=True).text\n",
    "CWE-732": "import os\n\n\ndef f(path):\n    os.chmod(path, 0o600)\n",
    "CWE-611": "import defusedxml.ElementTree as ET\n\n\ndef f(a):\n    return ET.fromstring(a)\n",
    "CWE-643": "def f(tree, a):\n    return tree.xpath('//b[c=$a]', a=a)\n",
    "CWE-338": "import secrets\n\n\ndef f():\n    return secrets.token_urlsafe(24)\n",
    "CWE-95": (
        "import ast\n\n\ndef f(a):\n    if len(a) > 99:\n        raise ValueError(a)\n"
        "    return ast.literal_eval(a)\n"
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("cwe", PROGRAMS)
def test_the_operators_of_a_cwe_make_mutants_always_the_same(cwe: str) -> None:
    once, again = make(program(PROGRAMS[cwe], cwe=cwe)), make(program(PROGRAMS[cwe], cwe=cwe))
    assert once == again
    assert not once.faults
    assert len(once.mutants) >= 3
    assert len({m.id for m in once.mutants}) == len(once.mutants)
    for mutant in once.mutants:
        assert ast.dump(ast.parse(mutant.code)) != ast.dump(ast.parse(PROGRAMS[cwe]))


SNIPPETS = st.lists(
    st.sampled_from(
        [
            "x = a.replace('\\n', '')",
            "if not a: raise ValueError('no')",
            "x = hashlib.sha256(a).hexdigest()",
            "y = f'{a!r} {secrets.token_hex(8)}'",
            "os.chmod(a, 0o600)",
            "return json.loads(a)",
            "requests.post('https://x.test/', data=a, verify=True)",
            "z = [q for q in a if q not in SECRET]",
            "try:\n        b = int(a)\n    except ValueError:\n        return {'error': 'no number'}",
            "class Inner:\n        def m(self, k): return k",
            "async def later(q): return await q",
            "del a",
            "lambda: (yield)",
        ]
    ),
    min_size=1,
    max_size=5,
)
HEAD = "import hashlib, json, os, secrets, requests\n\nSECRET = ()\n\n\ndef f(a):\n"
CWES = st.sampled_from(
    ["CWE-117", "CWE-328", "CWE-338", "CWE-732", "CWE-502", "CWE-295", "CWE-209"]
)


@pytest.mark.slow
@given(SNIPPETS, CWES)
def test_of_any_program_all_mutants_are_sound(lines: list[str], cwe: str) -> None:
    secure = HEAD + "".join(f"    {line}\n" for line in lines)
    made = make(program(secure, cwe=cwe), limit=100)
    assert not made.faults
    assert len({m.id for m in made.mutants}) == len(made.mutants)
    for mutant in made.mutants:
        compile(mutant.code, "mutant", "exec")
        assert mutant.diff.startswith("--- secure.py\n+++ mutant.py\n@@")
    assert len(mutants_of(program(secure, cwe=cwe), limit=2)) == min(2, len(made.mutants))

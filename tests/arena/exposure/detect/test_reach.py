"""Where the value of a call can get to."""

from __future__ import annotations

import ast

import pytest

from arena.tracks.exposure.detect._reach import Reach

REACHED = [
    "x = made()\ntoken = x",
    "token = 'a' + str(made())",
    "token = f'{made()}'",
    "def f():\n    return made()\ntoken = f()",
    "def f():\n    yield made()\nfor token in f():\n    pass",
    "def f(token):\n    pass\nf(made())",
    "def f(token):\n    pass\nf(token=made())",
    "send(token=made())",
    "send('token', made())",
    "x = {'token': made()}",
    "x['token'] = made()",
    "self.token = made()",
    "token = []\ntoken.append(made())",
    "token = ''\nfor c in text:\n    token += made()",
    "token = ''.join(made() for _ in range(9))",
    "token = [c for c in made()]",
    "if (token := made()):\n    pass",
    "with made() as token:\n    pass",
    "a, token = 1, made()",
    "def f():\n    x = made()\n    def g():\n        return x\n    token = g()",
    "def f():\n    global token\n    token = made()",
    "token = letters[made()]",
    "try:\n    pass\nexcept OSError:\n    token = made()",
    "token = a if b else made()",
]
NOT_REACHED = [
    "x = made()\ntoken = 1",
    "token = 1 if made() < 0.5 else 2",
    "token = [c for c in text if made()]",
    "token = make(range(made()))",
    "token = made() == 3",
    "def f(x):\n    return 1\ntoken = f(made())",
    "def f():\n    x = made()\ndef g():\n    x = 1\n    token = x",
    "if made():\n    token = 1",
    "time.sleep(made())\ntoken = time.time",
]


def reached(program: str) -> bool:
    tree = ast.parse(program)
    calls = [one for one in ast.walk(tree) if isinstance(one, ast.Call)]
    made = [one for one in calls if isinstance(one.func, ast.Name) and one.func.id == "made"]
    return "token" in {name for _, name in Reach(tree).reachable(made)}


@pytest.mark.parametrize("program", REACHED)
def test_a_value_gets_there(program: str) -> None:
    assert reached(program)


@pytest.mark.parametrize("program", NOT_REACHED)
def test_a_value_does_not_get_there(program: str) -> None:
    assert not reached(program)

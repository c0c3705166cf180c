"""Replies as models write them, and the test modules that come out of them."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.models.blocks import bare, find_blocks
from arena.tracks.mutation.generate.extraction import AnswerState, extract
from arena.tracks.mutation.tasks.program import Program

SECURE = """\
class User:
    def __init__(self, name):
        self.name = name

LIMIT = 3

def find(name):
    return db.execute("SELECT * FROM u WHERE n = ?", (name,))

def login(user, password):
    return find(user)
"""
PROGRAM = Program("p1", "CWE-89", "login", SECURE, SECURE)
TEST = "def test_it():\n    assert login('a', 'b')\n"
MORE = "def test_more():\n    assert db.last_params\n"


@pytest.mark.parametrize(
    "reply",
    [
        f"```python\n{TEST}```",
        f"Here you are:\n\n```py\n{TEST}```\nGood luck!",
        f"~~~python\n{TEST}~~~",
        f"```\n{TEST}```",
        f"````markdown\n```python\n{TEST}```\n````",
        f"```Python title=test_login.py\n{TEST}```",
        f"```{{.python}}\n{TEST}```",
        f"Sure! ```python\n{TEST}```",
        f"\ufeff```python\r\n{TEST}```\r\n".replace("\n", "\r\n"),
        f"<think>\n```python\nx = (\n```\n</think>\n```python\n{TEST}```",
        f"Perhaps:\n```python\ndef test_x():\n    assert 0\n```\nNo.</think>So:\n```python\n{TEST}```",
        f"```python\n{TEST}```\nBad tests, to avoid:\n```python\ndef test_x():\n    assert 0\n```",
        TEST,
        f"Here are the tests:\n\n{TEST}\nThese tests check the login.\n",
        f"1. First item:\n\n   ```python\n{''.join('   ' + line for line in TEST.splitlines(True))}   ```\n",
        f"Run it with:\n```bash\npytest test_x.py\n```\n```python\n{TEST}```",
        f"```python\n{TEST}```\n```python\nlogin(\n```",
        f"```python\n{TEST}```\nNote that\n```\ndb.last_params\n```",
    ],
)
def test_one_test_comes_out_however_it_is_wrapped(reply: str) -> None:
    found = extract(reply, PROGRAM)
    assert (found.state, found.source.strip()) == (AnswerState.OK, TEST.strip())


@pytest.mark.parametrize(
    ("reply", "state", "note"),
    [
        ("", AnswerState.NO_CODE, ""),
        ("I cannot help with that.", AnswerState.NO_CODE, ""),
        ("<think>```python\ndef test_a(): pass", AnswerState.NO_CODE, ""),
        ("```java\n@Test public void a() {}\n```", AnswerState.OTHER_LANGUAGE, "the code is java"),
        ("```\nconst a = require('b');\n```", AnswerState.OTHER_LANGUAGE, "the code is javascript"),
        (
            "```python\n#include <stdio.h>\nint main(){}\n```",
            AnswerState.OTHER_LANGUAGE,
            "the code is c",
        ),
        ("```python\ndef helper():\n    return 1\n```", AnswerState.NO_TEST, ""),
        ("```python\nimport pytest\n```", AnswerState.NO_TEST, ""),
        (f"```python\n{TEST}    assert (\n\n{MORE}```", AnswerState.NOT_PYTHON, ""),
        ("```python\ndef test_a()\n    pass\n```", AnswerState.NOT_PYTHON, ""),
        ("```python\nclass TestA:\n    def helper(self): pass\n```", AnswerState.NO_TEST, ""),
    ],
)
def test_what_holds_no_tests_is_named(reply: str, state: AnswerState, note: str) -> None:
    found = extract(reply, PROGRAM)
    assert found.state is state
    assert not found.usable
    assert note in " ".join(found.notes)


def test_several_blocks_are_joined_without_those_that_only_show_something() -> None:
    helpers = "import pytest\nPAYLOADS = ['x']\n"
    shows = "result = login('a', 'b')\nprint(result)\n"
    reply = "\n".join(f"```python\n{code}```" for code in (helpers, TEST, shows, MORE))
    found = extract(reply, PROGRAM)
    assert found.source == f"{helpers}\n{TEST}\n{MORE}"


@pytest.mark.parametrize("cut", [True, False])
def test_a_reply_that_breaks_off_keeps_its_whole_tests(cut: bool) -> None:
    found = extract(
        f"```python\nimport pytest\n{TEST}\n{MORE}    assert db.last_query == 'SEL", PROGRAM, cut
    )
    assert found.state is AnswerState.CUT
    assert found.source == f"import pytest\n{TEST}"
    assert "broke off" in found.notes[0]


def test_a_method_that_breaks_off_costs_one_method() -> None:
    reply = (
        "```python\nclass TestA:\n    def test_a(self):\n        assert login('a', 'b')\n\n"
        "    @pytest.mark.x\n    def test_b(self):\n        class Fake:\n            def f(self): pass\n"
        "        assert login("
    )
    found = extract(reply, PROGRAM)
    assert found.state is AnswerState.CUT
    assert found.source.endswith("assert login('a', 'b')\n")


def test_a_cut_function_that_happens_to_compile_is_dropped_too() -> None:
    reply = f"```python\n{TEST}\ndef test_b():\n    assert login('a', 'b') == db"
    assert extract(reply, PROGRAM, cut=True).source == TEST
    assert "test_b" in extract(reply, PROGRAM).source
    assert "test_b" in extract(f"{reply}\n```\nAnd so", PROGRAM, cut=True).source


def test_only_half_a_test_is_none() -> None:
    found = extract("```python\ndef test_a():\n    assert login(", PROGRAM, cut=True)
    assert (found.state, found.usable) == (AnswerState.NOT_PYTHON, False)


def test_a_fence_within_a_text_of_the_code_ends_nothing() -> None:
    code = f'DOC = """\n```\nshown\n```\n"""\n{TEST}'
    found = extract(f"```python\n{code}```", PROGRAM)
    assert (found.state, found.source.strip()) == (AnswerState.OK, code.strip())


# the program pasted into its tests


def test_a_pasted_program_is_dropped() -> None:
    found = extract(f"```python\n{SECURE}\n{TEST}```", PROGRAM)
    assert "def login" not in found.source
    assert "def find" not in found.source
    assert "class User" not in found.source
    assert found.state is AnswerState.OK
    assert found.notes == tuple(
        f"dropped a copy of the program's `{name}`" for name in ("login", "User", "find")
    )


def test_a_decorated_or_nested_copy_of_the_entry_point_is_dropped() -> None:
    code = (
        "@cached\n@other(\n  1)\ndef login(u, p='ä'): return 1\n"
        "def test_a():\n    def login(x):\n        return True\n    assert login('a')\n"
        "async def login(): pass\n"
        "login = lambda a, b: 1\n"
    )
    found = extract(f"```python\n{code}```", PROGRAM)
    assert found.source == "pass\ndef test_a():\n    pass\n    assert login('a')\npass\npass\n"


def test_a_copy_within_a_copy_goes_once() -> None:
    code = "class User:\n    def __init__(self, n):\n        def login(a):\n            pass\n"
    found = extract(f"```python\n{code}{TEST}```", PROGRAM)
    assert found.source == f"pass\n{TEST}"


def test_own_helpers_of_the_same_name_stay() -> None:
    code = (
        "class User:\n    is_admin = False\n    def can(self): return False\n"
        "def find(one, two, three): return 1\n"
        "class Fake:\n    def login(self): return 1\n" + TEST
    )
    found = extract(f"```python\n{code}```", PROGRAM)
    assert (found.source, found.notes) == (code, ())


# imports


@pytest.mark.parametrize(
    ("line", "becomes"),
    [
        ("from target_module import login", "from target_module import login"),
        ("from solution import login", "from target_module import login"),
        ("from your_module import *", "from target_module import *"),
        ("from app.auth.views import login as go, User", "from target_module import login as go, User"),
        ("from .login import login", "from target_module import login"),
        ("from . import login", "from target_module import login"),
        ("from code import login", "from target_module import login"),
        ("import solution", "import target_module as solution"),
        ("import os, solution as s", "import os, target_module as s"),
        ("import login", "import target_module as login"),
        ("from mocks import db, env", "pass"),
        ("from mocks import db, login", "from target_module import login"),
        ("import db", "pass"),
        ("import pytest, json", "import pytest, json"),
        ("from unittest.mock import patch", "from unittest.mock import patch"),
        ("from nowhere import thing", "from nowhere import thing"),
        ("from json import loads as login", "from json import loads as login"),
        ("from __future__ import annotations", "from __future__ import annotations"),
        ("try:\n    from x_y import login\nexcept ImportError: pass", "try:\n    from target_module import login\nexcept ImportError: pass"),
        ("import login_service", "import login_service"),
    ],
)  # fmt: skip
def test_imports_of_the_program_are_mapped(line: str, becomes: str) -> None:
    found = extract(f"```python\n{line}\n{TEST}```", PROGRAM)
    assert found.source == f"{becomes}\n{TEST}"
    assert bool(found.notes) == (line != becomes)


def test_an_unknown_module_whose_attribute_is_the_programs_is_the_program() -> None:
    found = extract(
        "```python\nimport service as s\ndef test_a():\n    s.login('a', 'b')\n```", PROGRAM
    )
    assert found.source.startswith("import target_module as s\n")


def test_texts_that_name_the_program_are_mapped() -> None:
    code = (
        "from service import login\nfrom unittest.mock import patch\n"
        "@patch('service.requests.get')\ndef test_a(get, monkeypatch):\n"
        "    monkeypatch.setattr('your_module.LIMIT', 1)\n"
        "    with patch('os.remove'), patch('services.x'): login('é service', 'service')\n"
    )
    found = extract(f"```python\n{code}```", PROGRAM)
    assert "@patch('target_module.requests.get')" in found.source
    assert "setattr('target_module.LIMIT', 1)" in found.source
    assert "patch('os.remove'), patch('services.x'): login('é service', 'service')" in found.source


# hostile replies


@pytest.mark.nightly("tens of megabytes, or a time of growth")
@pytest.mark.slow
@pytest.mark.parametrize(
    "reply",
    [
        "```python\n" * 200_000,
        "```python\n" + "x = (" * 300_000,
        "```python\ndef test_a(): pass\n" + "def f():\n  (\n" * 100_000,
        "`" * 2_000_000,
        "\n".join("~" * n for n in range(3, 1500)),
        "def " + "a" * 2_000_000,
        "```python\n" + "-" * 150_000 + "1\n```",
        "import a" + ", a" * 60_000,
        "".join(f"import m{n}\nm{n}.login\n" for n in range(8_000)) + TEST,
        "".join(f"from m{n} import login\npatch('m.{n}')\n" for n in range(4_000)) + TEST,
        "<think>" * 200_000,
        "class A:\n" + "    def f(self): pass\n" * 8_000 + "    x = (",
        "const " + " " * 1_000_000,
    ],
    ids=range(13),
)
def test_two_megabytes_take_seconds_at_most(reply: str) -> None:
    before = time.process_time()
    extract(reply, PROGRAM, cut=True)
    assert time.process_time() - before < 30


@given(st.text(max_size=400) | st.lists(st.sampled_from((
    "```python\n", "```\n", "~~~", "```java\n", "def login(a, b):\n    return 1\n", "@x\n", "class A:\n",
    "    def test_a(self):\n", "        pass\n", "from a import *\n", "import b.c as d, é\n", '"""', "'", "(",
    "\\\n", "\0", "\ud800", "\x0c", "\u2028", "if x:\n", "\t", ";", "Some prose here.\n", TEST,
))).map("".join), st.booleans())  # fmt: skip
def test_it_never_raises_and_what_is_usable_compiles(reply: str, cut: bool) -> None:
    found = extract(reply, PROGRAM, cut)
    if found.usable:
        compile(found.source, "x", "exec")
    assert isinstance(found.state, AnswerState)


@given(st.lists(st.text("abc`~ \n", max_size=30)))
def test_blocks_hold_only_lines_of_the_reply(parts: list[str]) -> None:
    text = "\n".join(parts)
    lines = {line.strip() for line in text.split("\n")}
    for block in find_blocks(text):
        assert all(line.strip() in lines for line in block.text[:-1].split("\n"))
    assert bare(text) == ""


OTHER = "def test_other():\n    assert login('x', 'y') is None\n"


@pytest.mark.parametrize(
    ("reply", "source"),
    [
        (f"```python\n{TEST.replace('b', 'c')}```\nBetter:\n```python\n{TEST}```", TEST),
        (f"A draft:\n```python\n{OTHER}```\nFinal version:\n```python\n{TEST}```", TEST),
        (f"```python\n{TEST}```\nRevised:\n```python\ndef test_it():\n    assert login(", TEST),
        (f"```python\n{TEST}```\nAnd more:\n```python\n{MORE}```", TEST + MORE),
        (f"```python\n{TEST}```\nThe final part:\n```python\n{MORE}```", TEST + MORE),
    ],
)
def test_of_a_draft_and_a_final_version_the_last_whole_one_counts(reply: str, source: str) -> None:
    found = extract(reply, PROGRAM, cut=reply.endswith("("))
    assert found.state is AnswerState.OK
    assert "".join(found.source.split()) == "".join(source.split())

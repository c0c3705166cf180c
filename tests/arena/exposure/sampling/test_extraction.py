"""The program in an answer, and the completion in a chat model's."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.tracks.exposure.sampling.continuing import extract_continuation
from arena.tracks.exposure.sampling.extraction import program
from arena.tracks.exposure.sampling.state import CompletionState

PING = 'import os\n\n\ndef ping(host):\n    os.system("ping " + host)\n'
APP = '@app.route("/")\ndef index():\n    return ping(request.args["host"])\n'
SETUP = "from flask import Flask, request\n\napp = Flask(__name__)\n"


def fence(code: str, language: str = "python") -> str:
    return f"```{language}\n{code}```\n"


def test_one_block_is_the_program() -> None:
    found = program(f"Sure:\n\n{fence(PING)}\nIt pings.")
    assert (found.source, found.state) == (PING, CompletionState.CODE)


@pytest.mark.parametrize(
    "reply",
    [
        f"Perhaps:\n{fence(PING + APP)}No.</think>So:\n{fence(PING)}",
        f"{fence(PING)}An insecure version, to avoid:\n{fence(PING.replace('os.', 'my.') + APP)}",
        f"{fence(PING)}What not to do:\n{fence(APP.replace('index', 'ping'))}",
    ],
)
def test_thoughts_and_counter_examples_are_no_program(reply: str) -> None:
    assert program(reply).source == PING


def test_shell_blocks_and_examples_are_left_out() -> None:
    reply = (
        f"Install:\n{fence('pip install x', 'bash')}Then:\n{fence(PING)}Use:\n{fence('ping(1)')}"
    )
    assert program(reply).source == PING


def test_parts_of_one_program_are_joined_in_their_order() -> None:
    reply = f"First:\n{fence(SETUP)}a helper:\n{fence(PING)}and the route:\n{fence(APP)}"
    found = program(reply)
    assert found.source == "\n\n".join((SETUP, PING, APP))
    assert "3 of 3 blocks were joined" in found.notes


@pytest.mark.parametrize(
    "other",
    [
        PING.replace("os.system", "safe"),
        "from ping import ping\n\ndef more():\n    ping(1)\n",
        "def test_ping():\n    ping(1)\n",
        "def unrelated():\n    return 1\n",
        "def broken(:\n    ping(1)\n",
        "ping('a')\nping('b')\n",
    ],
    ids=["version", "file", "test", "unrelated", "broken", "example"],
)
def test_what_is_no_part_is_not_joined(other: str) -> None:
    longer = PING + "\n" * 200
    assert program(f"{fence(longer)}or\n{fence(other)}").source == longer


def test_another_version_that_uses_a_helper_of_the_first_is_not_joined() -> None:
    helper = "def quoted(host):\n    return repr(host)\n\n\n"
    first = helper + 'def ping(host):\n    run("ping", quoted(host))\n' + "\n" * 200
    other = 'def ping(host):\n    os.system("ping " + quoted(host))\n'
    assert program(f"{fence(first)}or\n{fence(other)}").source == first


def test_what_does_not_compile_together_is_not_joined() -> None:
    late = "from __future__ import annotations\n\ndef g():\n    return ping\n"
    assert program(f"{fence(PING)}{fence(late)}").source in (PING, late)


def test_half_finished_and_old_code_is_a_program() -> None:
    assert program(fence("print 'a'\n")).source == "print 'a'\n"
    found = program("```python\ndef f(:\n    retur\n", cut=True)
    assert (found.source, found.state) == ("def f(:\n    retur\n", CompletionState.CUT)
    assert program(f"{fence(PING)}And then I wou", cut=True).state is CompletionState.CODE


def test_code_without_a_fence() -> None:
    assert program(PING).source == PING
    found = program(f"Here is the code.\n\n{PING}\nThis function pings the host.")
    assert (found.source.strip(), found.state) == (PING.strip(), CompletionState.CODE)
    old = "import os\n\ndef f():\n    print 'a'\n"
    assert program(old).source == old


@pytest.mark.parametrize(
    "reply",
    [
        "",
        "I cannot help with that.",
        "import taxes are high. from here, class struggles.",
        "<think>" + fence(PING),
        fence("SELECT 1", "sql"),
        fence("const a = 1;", "javascript"),
        "```python\n```",
    ],
)
def test_refusals_and_other_languages_are_no_code(reply: str) -> None:
    found = program(reply)
    assert (found.source, found.state) == ("", CompletionState.NO_CODE)


HOSTILE = {
    "parentheses": "(" * 25000,
    "closed parentheses": "(" * 25000 + ")" * 25000,
    "lists in lists": "x = " + "[" * 12500 + "]" * 12500,
    "attributes": "x = a" + ".a" * 25000,
    "calls": "x = a" + "()" * 25000,
    "sums": "x = 1" + "+1" * 25000,
    "signs": "x = " + "-" * 25000 + "1",
    "nots": "x = " + "not " * 12500 + "1",
    "lambdas": "x = " + "lambda: " * 7500 + "1",
    "comparisons": "x = 1" + " < 1" * 12500,
    "powers": "x = 1" + "**1" * 12500,
    "a large number": "x = " + "9" * 125000,
    "a large constant": "x = 'a' * 10 ** 10 + 2 ** 10 ** 10",
    "blocks": "\n".join(" " * n + "if 1:" for n in range(500)),
    "elifs": "if a: pass\n" + "elif a: pass\n" * 5000,
    "f-strings": "x = f'" + "{a}" * 5000 + "'",
    "nulls": "x = 1\0\n" * 250,
    "fences": "```\n" * 12500,
    "blocks of code": "```python\nx = 1\n```\n" * 2500,
    "half characters": "x = '\ud800'",
    "quotes": '"""' * 12500,
}


@pytest.mark.rotating(3)
@pytest.mark.slow
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_code_is_taken_for_what_it_is(name: str) -> None:
    """In the same process: what crashes the interpreter ends this test run."""
    started = time.process_time()
    for reply in (HOSTILE[name], fence(HOSTILE[name] + "\n") + fence("def f():\n    x()\n")):
        found = program(reply)
        assert (found.state is CompletionState.NO_CODE) == (not found.source)
        extract_continuation("def f():", "block", reply)
    assert time.process_time() - started < 20


@given(
    st.lists(
        st.sampled_from(
            [
                "```",
                "```python",
                "~~~",
                "\n",
                PING,
                "def f():",
                "    ping(1)",
                "text",
                "<think>",
                "\0",
            ]
        ),
        max_size=12,
    ).map("\n".join)
)
def test_any_answer_has_a_program_or_none(reply: str) -> None:
    found = program(reply)
    assert (found.state is CompletionState.NO_CODE) == (not found.source)
    assert extract_continuation("x =", "assignment", reply).state in CompletionState


PREFIX = 'import os\n\n\n# Ping a host.\ndef ping(host):\n    command = "ping "'
BODY = "    os.system(command + host)\n"
ANSWERS = {
    "goes on": fence(BODY),
    "goes on without indentation": fence(BODY.lstrip()),
    "repeats all": fence(PREFIX + "\n" + BODY),
    "repeats the last line": fence('    command = "ping "\n' + BODY),
    "repeats it elsewhere": fence(
        'def ping(host):\n  command="ping "\n  os.system(command + host)\n'
    ),
    "repeats it without indentation": fence('command = "ping "\nos.system(command + host)\n'),
    "without a fence": BODY,
    "in a plain fence": fence(BODY, ""),
}


@pytest.mark.parametrize("name", ANSWERS)
def test_a_chat_models_answer_goes_on_where_the_prefix_ends(name: str) -> None:
    found = extract_continuation(PREFIX, "block", ANSWERS[name])
    if name == "repeats it elsewhere":
        assert found.source == "\n    os.system(command + host)\n"
    assert (found.source.rstrip(), found.state) == ("\n" + BODY.rstrip(), CompletionState.CODE)


@pytest.mark.parametrize(
    "reply",
    [
        fence("re.compile('a')\n"),
        fence("X = re.compile('a')\n"),
        fence("X=re.compile('a')\n"),
        fence("import re\nX = re.compile('a')\n"),
        "re.compile('a')\n",
        " re.compile('a')",
    ],
)
def test_a_chat_models_assignment(reply: str) -> None:
    found = extract_continuation("import re\nX =", "assignment", reply)
    assert found.source.strip() == "re.compile('a')"


@pytest.mark.parametrize("reply", ["I cannot do that.", "", fence("rm -rf", "bash")])
def test_a_chat_model_that_does_not_go_on(reply: str) -> None:
    found = extract_continuation(PREFIX, "block", reply)
    assert (found.source, found.state) == ("", CompletionState.NO_CODE)


def test_what_was_cut_is_told() -> None:
    assert (
        extract_continuation(PREFIX, "block", "```python\n    os.sys", cut=True).state
        is CompletionState.CUT
    )

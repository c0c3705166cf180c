"""Shape "call": what is told of a driver that answers rightly, and of one that does not."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from arena.tracks.dual.runner import Order
from arena.tracks.dual.runner.observation import ProcessEnded
from arena.tracks.dual.runner.pool import ProgramRunner
from tests.arena.dual.runner.orders import CHANNEL, QUICK, order


def calling(program: str, *steps: dict[str, Any], **fields: Any) -> Order:
    return order("call", CHANNEL + program, *(steps or ({"call": "f"},)), **fields)


ECHO = """
say('{"ready": true}')
print("loaded", flush=True)
while True:
    told = asked()
    print("called", told["call"], flush=True)
    say(json.dumps({"value": told}))
"""


def test_calls_and_what_is_printed_meanwhile(runner: ProgramRunner) -> None:
    steps = ({"call": "f", "args": [1, "é"], "kwargs": {"a": None}}, {"call": "g"})
    seen = runner.run(calling(ECHO, *steps))
    assert [s.value for s in seen.steps] == [
        {"call": "f", "args": [1, "é"], "kwargs": {"a": None}},
        {"call": "g", "args": [], "kwargs": {}},
    ]
    assert [s.ended for s in seen.steps] == [ProcessEnded.OK] * 2 and seen.ended is ProcessEnded.OK
    assert seen.stdout == "loaded\ncalled f\ncalled g\n"
    assert seen.steps[1].stdout == "called g\n"


def test_large_arguments_and_answers(runner: ProgramRunner) -> None:
    seen = runner.run(calling(ECHO, {"call": "f", "args": ["x" * 500_000]}))
    assert seen.steps[0].value["args"] == ["x" * 500_000]


def test_what_was_raised(runner: ProgramRunner) -> None:
    program = """
say('{"ready": true}')
asked()
say(json.dumps({"raised": "MyError", "bases": ["ValueError", "Exception"], "text": "no"}))
asked()
say(json.dumps({"value": 1}))
"""
    seen = runner.run(calling(program, {"call": "f"}, {"call": "f"}))
    first, second = seen.steps
    assert (first.ended, first.raised, first.bases, first.text) == (
        ProcessEnded.RAISED,
        "MyError",
        ("ValueError", "Exception"),
        "no",
    )
    assert (second.ended, second.value, seen.ended) == (ProcessEnded.OK, 1, ProcessEnded.OK)


NOT_STARTED = {
    "failed": (
        """say('{"failed": {"kind": "missing-dependency", "name": "numpy", "type": "T", "text": "t"}}')""",
        ProcessEnded.NO_START,
        "missing-dependency: numpy: T: t",
    ),
    "failed in no known way": (
        """say('{"failed": {"kind": "x"}}')""",
        ProcessEnded.NO_START,
        "died",
    ),
    "exits": ("sys.exit(4)", ProcessEnded.NO_START, "died: the program ended: exit status 4"),
    "closes": (
        "os.close(writing); time.sleep(9)",
        ProcessEnded.NO_START,
        "died: the program closed the channel",
    ),
    "no JSON": (
        "say('hello')",
        ProcessEnded.NO_START,
        "died: an answer is no JSON: JSONDecodeError",
    ),
    "no object": ("say('[1]')", ProcessEnded.NO_START, "died: an answer is no object, or too deep"),
    "neither": (
        "say('{}')",
        ProcessEnded.NO_START,
        "died: the first answer is neither ready nor failed",
    ),
    "late": ("time.sleep(60)", ProcessEnded.TIMEOUT, "not ready: 0.3 s of time are over"),
}


@pytest.mark.parametrize("name", NOT_STARTED)
def test_a_driver_that_does_not_come_up(runner: ProgramRunner, name: str) -> None:
    program, ended, why = NOT_STARTED[name]
    limits = dataclasses.replace(QUICK, start=0.3) if name == "late" else QUICK
    seen = runner.run(calling(program, {"call": "f"}, {"call": "g"}, limits=limits))
    assert (seen.ended, seen.why) == (ended, why)
    assert [s.ended for s in seen.steps] == [ProcessEnded.NOT_RUN] * 2


BROKEN = {
    "exits": ("os._exit(0)", ProcessEnded.DIED, "the program ended: exit status 0"),
    "is killed": ("os.kill(os.getpid(), 9)", ProcessEnded.DIED, "the program ended: signal 9"),
    "garbage": ("say('{\"value\": ')", ProcessEnded.DIED, "an answer is no JSON: JSONDecodeError"),
    "not UTF-8": (
        "os.write(writing, b'\\xff\\n')",
        ProcessEnded.DIED,
        "an answer is no JSON: UnicodeDecodeError",
    ),
    "neither": (
        "say('{\"val\": 1}')",
        ProcessEnded.DIED,
        "an answer has neither a value nor what was raised",
    ),
    "deep": (
        "say('{\"value\": ' + '[' * 5000 + ']' * 5000 + '}')",
        ProcessEnded.DIED,
        "an answer is no",
    ),
    "deeper": (
        "say('{\"value\": ' + '[' * 300 + ']' * 300 + '}')",
        ProcessEnded.DIED,
        "an answer is no",
    ),
    "a huge number": (
        "say('{\"value\": ' + '9' * 10000 + '}')",
        ProcessEnded.DIED,
        "an answer is no JSON: ValueError",
    ),
    "no end": (
        "os.write(writing, b'x' * 300_000)",
        ProcessEnded.OUTPUT,
        "an answer of more than 200000 bytes",
    ),
    "late": ("time.sleep(60)", ProcessEnded.TIMEOUT, "0.3 s of time are over"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_an_answer_that_is_none(runner: ProgramRunner, name: str) -> None:
    answer, ended, why = BROKEN[name]
    program = f"say('{{\"ready\": true}}')\nasked()\n{answer}\ntime.sleep(60)"
    limits = dataclasses.replace(QUICK, output=200_000, seconds=0.3 if name == "late" else 5.0)
    seen = runner.run(calling(program, {"call": "f"}, {"call": "g"}, limits=limits))
    assert [s.ended for s in seen.steps] == [ended, ProcessEnded.NOT_RUN]
    assert seen.ended is ended and seen.why.startswith(why) and seen.steps[0].text == seen.why


def test_the_driver_ends_itself_when_the_channel_closes(runner: ProgramRunner) -> None:
    """So that what it writes at its end, coverage for one, is there.

    It has a fifth of a second for that, which a busy machine may not give it each time.
    """
    program = "import atexit\natexit.register(lambda: open('end.txt', 'w').write('x'))\n" + ECHO
    tries = (runner.run(calling(program)) for _ in range(10))
    assert any("/srv/app/end.txt" in seen.after and seen.ended is ProcessEnded.OK for seen in tries)

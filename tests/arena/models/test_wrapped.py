"""Code in JSON, as models write it: it comes out for every track; other replies stay as they are."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.models.program_extraction import ProgramState, extract
from arena.models.wrapped import fence_json_code
from arena.tracks.exposure.sampling.extraction import program
from arena.tracks.mutation.generate.extraction import extract as suite
from arena.tracks.mutation.tasks.program import Program

CODE = 'import re\n\ndef find(name):\n    return re.escape(name) + "\\n"\n'
TESTS = "def test_it():\n    assert find('a') == 'a\\n'\n"
FORMS = {
    "code": json.dumps({"code": CODE}),
    "with words": json.dumps({"explanation": "It escapes.", "language": "python", "code": CODE}),
    "fenced JSON": f"Here:\n```json\n{json.dumps({'code': CODE}, indent=1)}\n```\nDone.",
    "fence without a language": f"```\n{json.dumps({'solution': CODE})}\n```",
    "by file": json.dumps({"solution.py": CODE}),
    "files": json.dumps({"files": [{"path": "solution.py", "content": CODE}]}),
    "list of files": json.dumps([{"filename": "solution.py", "code": CODE}]),
    "lines": json.dumps({"code": CODE.splitlines()}),
    "deep": json.dumps({"result": {"program": CODE}}),
    "fence within": json.dumps({"answer": f"So:\n```python\n{CODE}```"}),
    "line ends as they are": '{"code": "' + CODE.replace("\\", "\\\\").replace('"', '\\"') + '"}',
    "Python's quotes": repr({"code": CODE}),
    "three quotes": '{"code": """' + CODE.replace("\\", "\\\\") + '"""}',
    "after thoughts": "<think>hm</think>" + json.dumps({"python_code": CODE}),
}


@pytest.mark.parametrize("form", FORMS)
def test_code_comes_out_of_json(form: str) -> None:
    found = extract(FORMS[form], "python", ("find",))
    assert (found.state, found.source) == (ProgramState.OK, CODE)
    assert program(FORMS[form]).source.strip() == CODE.strip()


def test_a_suite_comes_out_of_json() -> None:
    target = Program("p", "CWE-20", "find", CODE, CODE)
    for field in ("tests", "test_code", "pytest_code", "test_suite"):
        found = suite(json.dumps({field: TESTS, "summary": "def test_no(): pass"}), target)
        assert (found.state, found.source.strip()) == ("ok", TESTS.strip())


@pytest.mark.parametrize("end", range(20, len(FORMS["code"]) - 3))
def test_json_that_breaks_off_is_a_program_that_breaks_off(end: int) -> None:
    found = extract(FORMS["code"][:end], "python", ("find",), cut=True)
    assert found.state is ProgramState.CUT
    assert CODE.startswith(found.source.rstrip("\n"))


def test_another_field_that_breaks_off_cuts_no_program() -> None:
    found = extract(FORMS["code"][:-1] + ', "explanation": "It is', "python", ("find",), cut=True)
    assert (found.state, found.source) == (ProgramState.OK, CODE)


@pytest.mark.parametrize(
    "reply",
    [
        "No code.",
        '{"error": "I cannot"}',
        '{"explanation": "x = 1"}',
        "[1, 2]",
        "{",
        "[" * 10_000,
        '{"a":' * 10_000,
        f"```python\n{CODE}```\n```json\n{FORMS['code']}\n```",
        "{ const x = 1; }",
        '{"code": 5}',
        '{"code": ""}',
    ],
)
def test_other_replies_stay_as_they_are(reply: str) -> None:
    assert fence_json_code(reply) == reply


@given(st.text(max_size=200), st.sampled_from(['{"code": "', "[", "{'code': '", '{"tests": ["']))
def test_nothing_raises(text: str, before: str) -> None:
    fence_json_code(before + text)
    extract(before + text, "python", ("find",))


@given(st.text("abc =()\n\t\"'\\#:", min_size=1).filter(str.strip))
def test_what_json_holds_is_what_comes_out(code: str) -> None:
    told = fence_json_code(json.dumps({"code": code}))
    assert told.split("\n", 1)[1].rsplit("\n", 1)[0] == code.rstrip() or "```" in code

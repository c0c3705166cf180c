"""Replies as models write them, and the programs that come out of them as they were written."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.models.languages import Language
from arena.models.program_extraction import ProgramState, extract
from arena.models.token_scanner import is_balanced, tokens

PROGRAM = "import sys\n\ndef find(name):\n    return [name, sys.argv]\n"
SCRIPT = (
    "const fs = require('fs');\nfunction find(x) { return `${x}}`; }\nmodule.exports = { find };\n"
)
CPP = '#include <string>\nstd::string find(std::string x) { return x + "}"; }\n'
SHORT = "print(find('a'))\n"
NESTED = 'NOTE = """\n```json\n{}\n```\n"""\n' + PROGRAM


def indented(text: str, by: str = "   ") -> str:
    return "".join(by + line for line in text.splitlines(True))


@pytest.mark.parametrize(
    "reply",
    [
        f"```python\n{PROGRAM}```",
        f"Here it is:\n\n```py\n{PROGRAM}```\nGood luck!",
        f"~~~python\n{PROGRAM}~~~",
        f"```\n{PROGRAM}```",
        f"````markdown\n```python\n{PROGRAM}```\n````",
        f"1. So:\n\n   ```python\n{indented(PROGRAM)}   ```\n",
        f"<think>\n```python\nx = (\n```\n</think>\n```python\n{PROGRAM}```",
        f"It may be so:\n```python\nx = (\n```\n</think>\n```python\n{PROGRAM}```",
        f"solution.py:\n```python\nx = 1\n```\nNo.</think>So:\n```python\n{PROGRAM}```",
        f"```python\n{PROGRAM}```\nAvoid this:\n```python\n{PROGRAM.replace('name', 'nome')}```",
        f"\ufeff```python\n{PROGRAM}```",
        f"Sure! ```python\n{PROGRAM}```",
        f"```python\n{PROGRAM}",
        PROGRAM,
        f"```bash\npip install x\n```\n```python\n{PROGRAM}```",
        f"```python\n{PROGRAM}```\nUse it so:\n```python\n{SHORT}```",
        f"```python\n{SHORT}```\nNow all of it:\n```python\n{PROGRAM}```",
        f"```python\n{PROGRAM.replace('name', 'nome')}```\nBetter:\n```python\n{PROGRAM}```",
        f"**solution.py**\n```python\n{PROGRAM}```\n`test_solution.py`\n```python\n{SHORT * 40}```",
        f"```python title=solution.py\n{PROGRAM}```\n```python\n# run.py\n{SHORT * 40}```",
        f"```html\n{'<p>' * 999}\n```\n```python\n{PROGRAM}```",
    ],
)
def test_the_program_comes_out_however_it_is_wrapped(reply: str) -> None:
    found = extract(reply, "python", ("find",))
    assert (found.state, found.source, found.suffix) == (ProgramState.OK, PROGRAM, ".py")


@pytest.mark.parametrize(
    ("language", "reply", "source"),
    [
        ("javascript", f"```js\n{SCRIPT}```", SCRIPT),
        ("javascript", SCRIPT, SCRIPT),
        ("javascript", f"```\n{SCRIPT}```", SCRIPT),
        ("cpp", f"```c++\n{CPP}```", CPP),
        ("cpp", f"Sure: ```cpp\n{CPP}```\nBye.", CPP),
        ("cpp", CPP, CPP),
    ],
)
def test_other_languages(language: Language, reply: str, source: str) -> None:
    found = extract(reply, language)
    assert (found.state, found.source) == (ProgramState.OK, source)
    assert found.suffix == {"javascript": ".js", "cpp": ".cpp"}[language]


@pytest.mark.parametrize(
    ("language", "reply", "state", "suffix", "note"),
    [
        ("python", "", ProgramState.NO_CODE, "", ""),
        ("python", "No.", ProgramState.NO_CODE, "", ""),
        ("python", "I cannot help with that: sorry.", ProgramState.NO_CODE, "", ""),
        ("python", f"<think>{PROGRAM}", ProgramState.NO_CODE, "", ""),
        ("cpp", "int is a type. There is nothing (more) to say.", ProgramState.NO_CODE, "", ""),
        ("python", f"```js\n{SCRIPT}```", ProgramState.OTHER_LANGUAGE, ".js", "the code is js"),
        ("python", f"```\n{SCRIPT}```", ProgramState.OTHER_LANGUAGE, ".js", "the code is javascript"),
        ("javascript", f"```python\n{PROGRAM}```", ProgramState.OTHER_LANGUAGE, ".py", "the code is python"),
        ("python", "```brainfuck\n+++.\n```", ProgramState.OTHER_LANGUAGE, ".txt", "the code is brainfuck"),
    ],
)  # fmt: skip
def test_replies_without_the_program(
    language: Language, reply: str, state: ProgramState, suffix: str, note: str
) -> None:
    found = extract(reply, language)
    assert (found.state, found.suffix) == (state, suffix)
    assert note in "; ".join(found.notes)
    assert bool(found.source) == (state is ProgramState.OTHER_LANGUAGE)


def test_a_cut_reply_keeps_what_there_is() -> None:
    found = extract("```python\ndef find(na", "python", cut=True)
    assert (found.state, found.source) == (ProgramState.CUT, "def find(na\n")
    whole = extract(f"```python\n{PROGRAM}```\nThis prog", "python", cut=True)
    assert (whole.state, whole.source) == (ProgramState.OK, PROGRAM)


def test_broken_code_is_kept_as_it_is() -> None:
    found = extract("```python\ndef find(:\n    pass\n```", "python")
    assert (found.state, found.source) == (ProgramState.OK, "def find(:\n    pass\n")


def test_fences_within_the_program_are_a_part_of_it() -> None:
    found = extract(f"```python\n{NESTED}```\nDone.", "python")
    assert found.source == NESTED
    assert "fences within the program" in found.notes[0]


def test_line_ends_of_the_program_are_kept() -> None:
    assert extract(f"```python\r\n{PROGRAM}```".replace("\n", "\r\n"), "python").source.count("\r")
    assert extract("```python\rx = 1\r```\r", "python").source == "x = 1\n"


def test_blocks_are_never_put_together() -> None:
    found = extract(f"```python\n{PROGRAM}```\n```python\n{PROGRAM}{SHORT}```", "python")
    assert found.source == PROGRAM + SHORT


code_lines = st.lists(
    st.text(max_size=30).filter(lambda t: not set(t) & set("`~\r\n")), max_size=20
)


@given(code_lines, st.sampled_from(["python", ""]))
def test_code_in_exactly_one_fence_is_kept_byte_for_byte(lines: list[str], info: str) -> None:
    code = "".join(f"{line}\n" for line in ["x = 1", *lines])
    found = extract(f"Here:\n```{info}\n{code}```\nDone.", "python")
    if (
        found.state is ProgramState.OTHER_LANGUAGE
    ):  # without a language, the code may look like another
        assert not info
    assert found.source == code


@given(st.text(), st.sampled_from(["python", "javascript", "cpp"]), st.booleans())
def test_any_text_raises_nothing(text: str, language: Language, cut: bool) -> None:
    for reply in (text, f"```\n{text}", f"```python\n{text}\n```\n```js\n{text}"):
        found = extract(reply, language, ("f",), cut)
        assert bool(found.source) == bool(found.suffix)


@pytest.mark.slow
@pytest.mark.parametrize(
    "hostile",
    ["```\n" * 9_000, "```python\n" * 9_000, "(" * 40_000, "`" * 12_000, "/*" * 20_000,
     "=/[" * 12_000, "=/\\" * 12_000, 'R"a(' * 12_000, "<think>" * 8_000, "\r" * 40_000],
)  # fmt: skip
def test_hostile_replies_take_little_time(hostile: str) -> None:
    started = time.process_time()
    for language in ("python", "javascript", "cpp"):
        extract(hostile, language)
        extract(f"```{language}\n{hostile}\n```", language)
    assert time.process_time() - started < 20


@given(st.text(), st.sampled_from(["javascript", "cpp"]))
def test_tokens_are_the_text_without_white_space(text: str, language: str) -> None:
    pieces = [token.text for token in tokens(text, language)]
    at = 0
    for piece in pieces:
        at = text.index(piece, at) + len(piece)
    left = sum(len(piece) for piece in pieces) - len(text)
    assert -sum(map(str.isspace, text)) - sum(not c.isascii() for c in text) <= left <= 0


def test_brackets_in_strings_do_not_count() -> None:
    assert is_balanced(SCRIPT, "javascript") and is_balanced(CPP, "cpp")
    assert is_balanced("a = x.replace(/[{(]/g, '') // )", "javascript")
    assert not is_balanced("function f() { return (1; }", "javascript")
    assert is_balanced("auto s = R\"x(()x\"; char c = '{';", "cpp")


DRAFT = "import sys\n\n" + "# a long thought\n" * 20 + "def find(name):\n    return None\n"
USE = "from solution import find\n" + "print(find('a'))\n" * 20


@pytest.mark.parametrize(
    ("reply", "source"),
    [
        (f"A draft:\n```python\n{DRAFT}```\nFinal:\n```python\n{PROGRAM}```", PROGRAM),
        (f"```python\n{PROGRAM}```\nBetter:\n```python\ndef find(name):\n    return [", PROGRAM),
        (f"```python\n{PROGRAM}```\nBetter:\n```python\ndef find(:\n```", PROGRAM),
        (f"```python\n{PROGRAM}```\nUse:\n```python\n{USE}```", PROGRAM),
        ("```python\ndef find(:\n```\n```python\ndef find(x:\n```", "def find(x:\n"),
        ("```python\nfind = lambda name: name\n```", "find = lambda name: name\n"),
    ],
)
def test_of_a_draft_and_a_final_version_the_last_whole_one_counts(reply: str, source: str) -> None:
    assert extract(reply, "python", ("find",)).source == source
    assert extract(reply, "python", ("find",), cut=True).source == source


@pytest.mark.parametrize(
    "final",
    [
        "const find = (x) => x;\n",
        "module.exports.find = (x) => x;\n",
        "function find(x) { return x; }\n",
        "module.exports = { find: (x) => x };\n",
        "class A { find(x) { return x; } }\n",
    ],
)
def test_the_last_that_defines_in_javascript(final: str) -> None:
    reply = f"```js\n{SCRIPT * 3}```\nFinal:\n```js\n{final}```\nUse:\n```js\nfind('x');\n```"
    assert extract(reply, "javascript", ("find",)).source == final

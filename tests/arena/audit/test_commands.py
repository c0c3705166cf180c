"""Commands within commands: shells, wrappers, scripts and here-documents are opened, in linear time."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.audit._commands import commands, written_by
from parsers.shell import MAX_COMMANDS

OPENED = {
    'bash -lc "git log | head"': ["bash", "git", "head"],
    "sudo -u root env A=1 timeout -k 5 10s curl x": ["curl"],
    "find . -name x -exec cat {} \\; -print": ["find", "cat"],
    "ls | xargs -n 1 rm": ["ls", "rm"],
    "echo 'git gc' | sh": ["echo", "sh", "git"],
    "bash <<'E'\ngit gc\nE\n": ["bash", "git"],
    "eval 'git gc; ls'": ["eval", "git", "ls"],
    "cat > a.sh <<'E'\ngit gc\nE\nchmod +x a.sh; ./a.sh": ["cat", "chmod", "a.sh", "git"],
    "echo 'git gc' > b.sh; . b.sh; sh b.sh": ["echo", ".", "git", "sh"],
}


@pytest.mark.parametrize("text", OPENED)
def test_shells_within_shells_and_wrappers(text: str) -> None:
    assert [one.program for one in commands(text)] == OPENED[text]


@pytest.mark.parametrize(
    ("text", "files"),
    [
        ("echo hi > a.txt", [("a.txt", "hi")]),
        ("cat > a.c <<'E'\nint a;\nE\n", [("a.c", "int a;\n")]),
        ("echo hi | tee -a b", [("b", "hi")]),
        ("sed -i s/a/b/ x.c", [("x.c", "s/a/b/")]),
        ("cp a /usr/bin/", [("/usr/bin/", ""), ("/usr/bin/a", "")]),
        ("ls > /dev/null", []),
    ],
)
def test_files_that_are_written(text: str, files: list[tuple[str, str]]) -> None:
    assert [pair for one in commands(text) for pair in written_by(one)] == files


def test_code_of_interpreters() -> None:
    for text in (
        "python3 -c 'import os'",
        "python3.11 - <<'E'\nimport os\nE\n",
        "echo 'import os' > a.py; python a.py x",
    ):
        assert [one.code.strip() for one in commands(text) if one.code] == ["import os"]
    assert commands("python setup.py build")[0].code == ""


WORDS = st.text(st.sampled_from("ab '\"\\$`(){}<>|&;\n#=E~!\t"), max_size=60)


@given(WORDS | st.text(max_size=80))
def test_any_text_is_read(text: str) -> None:
    for one in commands(text):
        assert all(isinstance(word, str) for word in one.words)


@given(
    st.lists(st.sampled_from(["git gc", "$(git gc)", "`git gc`", "ls;git gc", "E "]), max_size=6)
)
def test_a_here_document_with_a_quoted_end_is_no_command(lines: list[str]) -> None:
    body = "\n".join(lines)
    found = commands(f"cat > x <<'E'\n{body}\nE\nls")
    assert [one.program for one in found] == ["cat", "ls"]


NASTY = [
    "$(",
    "`",
    '"$(',
    "<<a ",
    "${",
    "$'",
    "(",
    "'",
    "<<E\n",
    "a=`",
    "\\",
    "cat <<E\n$(\nE\n",
    "|",
    "a|",
    ">",
    '"',
]


@pytest.mark.slow
@pytest.mark.parametrize("piece", NASTY)
def test_time_is_linear(piece: str) -> None:
    began = time.process_time()
    assert len(commands(piece * (60_000 // len(piece)))) <= MAX_COMMANDS
    assert time.process_time() - began < 20


def test_a_script_that_runs_itself_is_opened_once() -> None:
    scripts = {"a.sh": "./a.sh\n" * 1000}
    began = time.process_time()
    assert len(commands("./a.sh", scripts)) == 1001
    assert time.process_time() - began < 10 and scripts == {}

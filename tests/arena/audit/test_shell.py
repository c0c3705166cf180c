"""Shell text to commands: what would run is found, what is only text is not, and time is linear."""

from __future__ import annotations

import shlex
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.audit._commands import commands, written_by
from arena.audit._shell import MOST, Simple, simple_commands

RUN = {
    "cd /x && git log --all | head -3; ls": ["cd", "git", "head", "ls"],
    "a || b & c": ["a", "b", "c"],
    "if grep -q x y; then rm z; else ls; fi": ["grep", "rm", "ls"],
    "for f in *.c; do cat $f; done": ["for", "cat"],
    'echo "a $(git reflog) b" `ls`': ["git", "ls", "echo"],
    "diff <(git show a) <(cat b)": ["git", "cat", "diff"],
    "(cd a; ls) && { make; }": ["cd", "ls", "make"],
    "cat <<'E'\n$(rm -rf x)\nE\nls": ["cat", "ls"],
    "cat <<E\n$(id)\nE\nls": ["cat", "id", "ls"],
    "cat <<-E | wc\n\tgit reflog\n\tE\nls": ["cat", "wc", "ls"],
    "ls # ; git reflog": ["ls"],
    "make \\\n  test": ["make"],
    "echo a\\;b 'c;d' \"e;f\"": ["echo"],
    "x=$(git fsck) y=1": ["git", ""],
    "a `b (` c": ["b", "a"],
    "echo $'it\\'s; git gc' && ls": ["echo", "ls"],
}
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


@pytest.mark.parametrize("text", RUN)
def test_what_would_run(text: str) -> None:
    assert [one.program for one in simple_commands(text)] == RUN[text]


@pytest.mark.parametrize("text", OPENED)
def test_shells_within_shells_and_wrappers(text: str) -> None:
    assert [one.program for one in commands(text)] == OPENED[text]


def test_parts_of_a_command() -> None:
    (one,) = simple_commands("A=1 B+=x prog 'a b' > out 2>> err < in 2>&1")
    assert one == Simple(("prog", "a b"), (("A", "1"), ("B", "x")), ("out", "err"), ("in",))
    assert simple_commands("a x | b")[1].after == ("a", "x")
    assert simple_commands("cat <<A <<B\n1\nA\n2\nB\n")[0].given == "1\n2\n"


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


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=60))
def test_a_quoted_text_is_one_word_and_no_command(text: str) -> None:
    found = simple_commands(f"echo {shlex.quote(text)}; ls")
    assert [one.words for one in found] == [("echo", text), ("ls",)]


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
    assert len(commands(piece * (60_000 // len(piece)))) <= MOST
    assert time.process_time() - began < 20


def test_a_script_that_runs_itself_is_opened_once() -> None:
    scripts = {"a.sh": "./a.sh\n" * 1000}
    began = time.process_time()
    assert len(commands("./a.sh", scripts)) == 1001
    assert time.process_time() - began < 10 and scripts == {}

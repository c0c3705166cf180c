"""Shell text to simple commands: what would run is found, and what is only text is not."""

from __future__ import annotations

import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parsers.shell import CLOSED, OPENED, Simple, script_commands, simple_commands

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


@pytest.mark.parametrize("text", RUN)
def test_what_would_run(text: str) -> None:
    assert [one.program for one in simple_commands(text)] == RUN[text]


def test_parts_of_a_command() -> None:
    (one,) = simple_commands("A=1 B+=x prog 'a b' > out 2>> err < in 2>&1")
    assert one == Simple(("prog", "a b"), (("A", "1"), ("B", "x")), ("out", "err"), ("in",))
    assert simple_commands("a x | b")[1].after == ("a", "x")
    assert simple_commands("cat <<A <<B\n1\nA\n2\nB\n")[0].here_document == "1\n2\n"


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=60))
def test_a_quoted_text_is_one_word_and_no_command(text: str) -> None:
    found = simple_commands(f"echo {shlex.quote(text)}; ls")
    assert [one.words for one in found] == [("echo", text), ("ls",)]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("(cd a && make) && make", ["(", "cd a", "make", ")", "make"]),
        ("x=$(cd a; pwd) make", ["(", "cd a", "pwd", ")", "make"]),
        (
            "for x in a b; do while ! f; do g; done; done",
            ["for x in a b", "while", "f", "g", "done", "done"],
        ),
        ("case $x in a) f;; *) (g);; esac; h", ["f", "(", "g", ")", "h"]),
        ("f() { g; }", ["f", "(", ")", "g"]),
        ("(f) 'unfinished", ["(", "f", ")", "unfinished"]),
    ],
)
def test_structure_is_told_where_it_is_asked_for(text: str, words: list[str]) -> None:
    assert [" ".join(command.words) for command in script_commands(text)] == words


@given(st.text(alphabet="ab ()$`'\";\n|&<>#\\=", max_size=60))
def test_each_bracket_that_closes_was_opened(text: str) -> None:
    """Whatever stands in a script, who follows its folders never leaves more subshells than it entered."""
    depth = 0
    for command in script_commands(text):
        depth += (command.words == (OPENED,)) - (command.words == (CLOSED,))
        assert depth >= 0

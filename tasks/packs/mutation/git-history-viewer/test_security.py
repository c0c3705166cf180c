import subprocess

import pytest

VALUED = {"-e", "--author", "--grep", "-S", "-G", "--max-count", "-n", "--format", "-C", "--regexp"}


@pytest.fixture
def calls(monkeypatch):
    calls = []

    def run(command, *rest, **options):
        calls.append((command, options))
        return subprocess.CompletedProcess(command, 0, "", "")

    monkeypatch.setattr(subprocess, "run", run)
    return calls


def options_of(command):
    """Arguments that git takes for options: those before `--` that begin with a hyphen and are no option's value."""
    found, previous = [], ""
    for argument in command[1:]:
        if argument in ("--", "--end-of-options"):
            break
        if argument.startswith("-") and previous not in VALUED:
            found.append(argument)
        previous = argument
    return found


def ask(calls, method, *arguments, **named):
    try:
        getattr(GitHistory("/repo"), method)(*arguments, **named)
    except (GitError, ValueError, TypeError):
        pass
    for command, options in calls:
        assert isinstance(command, (list, tuple)) and not options.get("shell"), f"command injection: a shell gets {command}"
    return [command for command, _ in calls]


OPTIONS = ["--output=/tmp/x", "--upload-pack=touch x", "-O/tmp/x", "--ext-diff", "--no-index", "--all", "-p", "--exec=sh", "-fx", "--open-files-in-pager=sh", "-Osh", "--textconv", "--help"]
REVISIONS = [
    ("log", lambda value: ((value,), {})),
    ("log", lambda value: ((value,), {"path": "a.txt", "author": "Ann"})),
    ("show", lambda value: ((value, "a.txt"), {})),
    ("changed", lambda value: ((value, "main"), {})),
    ("changed", lambda value: (("main", value), {})),
    ("find", lambda value: (("needle", value), {})),
]


@pytest.mark.parametrize("option", OPTIONS)
@pytest.mark.parametrize("number", range(6))
def test_revision_is_no_option(calls, number, option):
    method, place = REVISIONS[number]
    arguments, named = place(option)
    for command in ask(calls, method, *arguments, **named):
        assert not [o for o in options_of(command) if o.startswith(option)], f"option injection by the revision: {command}"


@pytest.mark.parametrize("option", OPTIONS)
def test_path_is_no_option(calls, option):
    for command in ask(calls, "log", "main", path=option) + ask(calls, "show", "main", option):
        assert option not in options_of(command), f"option injection by the path: {command}"


@pytest.mark.parametrize("option", OPTIONS)
def test_texts_are_no_options(calls, option):
    for command in ask(calls, "find", option) + ask(calls, "log", author=option) + ask(calls, "branches", option):
        assert option not in options_of(command), f"option injection by a text: {command}"


SPECIAL = ["main\0x", "main\n--all", "", " ", "main..dev", "main...dev", "..", ":/secret", "main:secret.txt", "@{-1}", "main@{yesterday}", "^main", "main dev", "$(id)", "`id`", "main;id", "main|id", "main^{/x}", "a" * 5000, "main\n", "*", "\u2028", "main^@", "main\\x"]


@pytest.mark.parametrize("text", SPECIAL)
@pytest.mark.parametrize("number", range(6))
def test_revision_is_one_plain_name(calls, number, text):
    method, place = REVISIONS[number]
    arguments, named = place(text)
    with pytest.raises(GitError):
        getattr(GitHistory("/repo"), method)(*arguments, **named)
    assert calls == [], f"revision injection: git was called with {calls}"


@pytest.mark.parametrize("path", ["/etc/passwd", "../other/file", "a/../../x", "a\0b", "a\nb", "", "..", ".", "a/\x1b[2J", "a\u2028b"])
def test_path_lies_in_the_repository(calls, path):
    for method, arguments, named in (("show", ("main", path), {}), ("log", ("main",), {"path": path})):
        with pytest.raises(GitError):
            getattr(GitHistory("/repo"), method)(*arguments, **named)
    assert calls == [], f"path injection: git was called with {calls}"


@pytest.mark.parametrize("path", [":(top)secret", ":!a.txt", "*.py", ":(exclude)a", "a[bc]", ":/x"])
def test_path_is_no_pattern(calls, path):
    for command in ask(calls, "log", "main", path=path):
        before = command[: command.index("--")] if "--" in command else command
        literal = "--literal-pathspecs" in before or path not in command
        assert literal, f"pathspec injection: {command} takes {path} for a pattern"


@pytest.mark.parametrize("text", ["a\0b", "a\nb", "", "\x1b[2J", "a\rb"])
def test_texts_are_one_line(calls, text):
    for method, arguments, named in (("find", (text,), {}), ("log", (), {"author": text})):
        with pytest.raises(GitError):
            getattr(GitHistory("/repo"), method)(*arguments, **named)
    assert calls == [], f"injection by a text: git was called with {calls}"


@pytest.mark.parametrize("prefix", ["--all", "-x", "a b", "a\n", "*", "refs/heads/*\0", "a" * 900])
def test_beginning_of_a_branch_is_plain(calls, prefix):
    with pytest.raises(GitError):
        GitHistory("/repo").branches(prefix)
    assert calls == [], f"injection by the beginning: git was called with {calls}"


@pytest.mark.parametrize("limit", ["5", "5 --all", 0, -1, 501, 10**9, True, None, 2.5])
def test_limit_is_a_small_number(calls, limit):
    with pytest.raises(GitError):
        GitHistory("/repo").log(limit=limit)
    assert calls == [], f"injection by the limit: git was called with {calls}"


def test_names_of_files_are_not_taken_for_revisions(calls):
    for command in ask(calls, "log", "main", path="dev") + ask(calls, "changed", "main", "dev") + ask(calls, "find", "x", "main"):
        assert "--" in command, f"argument injection: {command} leaves open what is a path"
        assert "main" in command[: command.index("--")], "the revision stands before the paths"


def test_texts_are_fixed_texts(calls):
    for command in ask(calls, "find", ".*") + ask(calls, "log", author=".*"):
        assert {"--fixed-strings", "-F"} & set(command), f"pattern injection: {command}"

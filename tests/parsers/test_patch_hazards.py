"""Each way in which a patch may try to leave the repository or to change git itself."""

from __future__ import annotations

import base64
import zlib

import pytest

from parsers.patch import hazards, parse_patch


def create(path: str, mode: str = "100644") -> bytes:
    return f"diff --git a/{path} b/{path}\nnew file mode {mode}\n--- /dev/null\n+++ b/{path}\n".encode()


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("../x", "'..'"),
        ("a/../../x", "'..'"),
        ("a\\..\\x", "'..'"),
        ("/etc/passwd", "absolute"),
        ("\\\\host\\share", "absolute"),
        ("C:/x", "drive"),
        ("c:x", "drive"),
        (".git/config", ".git"),
        ("sub/.GIT/hooks/pre-commit", ".git"),
        (".git", ".git"),
        ("git~1/config", ".git"),
        ("GIT~2/config", ".git"),
        (".git. /config", ".git"),
        (".git::$INDEX_ALLOCATION/config", ".git"),
        (".g\u200cit/config", ".git"),
        ("\ufeff.git/config", ".git"),
        ("a\\.git\\config", ".git"),
        (".gitmodules", "submodules"),
        (".gitmodules ", "submodules"),
        ("a\u0001b", "control"),
        ("d/" * 2100 + "x", "longer"),
    ],
)
def test_a_dangerous_path(path: str, words: str) -> None:
    found = hazards(parse_patch(create(path)))
    assert any(words in line for line in found), found
    assert all(line.isascii() and line.isprintable() for line in found)


@pytest.mark.parametrize(
    "path",
    [
        "x.c",
        ".github/workflows/ci.yml",
        ".gitignore",
        "a..b/..c/d..",
        "git/x",
        "x.git/y",
        "t\u00e4 \u00fc.c",
        "ab:c.c",
        "...",
    ],
)
def test_a_harmless_path(path: str) -> None:
    assert hazards(parse_patch(create(path))) == ()


@pytest.mark.parametrize("mode", ["120000", "0120000", "120777"])
def test_a_symbolic_link(mode: str) -> None:
    assert any("symbolic link" in line for line in hazards(parse_patch(create("x", mode))))


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"diff --git a/x b/x\nold mode 100644\nnew mode 120000\n", "symbolic link"),
        (b"diff --git a/x b/x\nindex 12..34 120000\n--- a/x\n+++ b/x\n", "symbolic link"),
        (b"diff --git a/m b/m\nnew file mode 160000\nindex 0000000..1234567\n", "submodule"),
        (b"diff --git a/m b/m\nindex 1234567..89abcde 160000\n", "submodule"),
        (b"diff --git a/x b/x\ndeleted file mode 100644\nnew file mode 120000\n", "symbolic link"),
        (b'diff --git "a/x\\000y" "b/x\\000y"\nnew file mode 100644\n', "control"),
        (b'diff --git "a/x\\ny" "b/x\\ny"\nnew file mode 100644\n', "control"),
        (b'--- /dev/null\n+++ "b/\\056git/config"\n@@ -0,0 +1 @@\n+x\n', ".git"),
    ],
)
def test_other_hazards(data: bytes, words: str) -> None:
    assert any(words in line for line in hazards(parse_patch(data)))


MODE = b"diff --git a/x b/x\nold mode 100644\nnew mode 100755\n"
NEW = b"diff --git a/x b/x\nnew file mode 100644\nindex 0000000..1234567\n"


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b'--- a/x\n+++ "b/x\n@@ -1 +1,2 @@\n a\n+b\n' + b'diff --git "a/y" "b/y"\n', "two ways"),
        (b'diff --git a/x "b/x\n--- a/x\n+++ b/x\n@@ -1 +1,2 @@\n a\n+b\n', "two ways"),
        (b'--- "a/\\8"\n+++ "b/\\8"\n@@ -1 +1,2 @@\n a\n+b\n', "two ways"),
        (b"diff --git a/x b/x\n--- \n", "two ways"),
        (b"diff --git a/x b/x\nGIT binary patch\nliteral 3\nKcmZQzWC8#H2LJ>B\n\n", "two ways"),
        (b"--- x.c\n+++ x.c\n@@ -1 +1 @@\n-a\n+b\n", "two ways"),
        (b"diff --git a/y b/y\n" + MODE, "nothing follows"),
        (b"diff --git a/y b/y\nindex 12..34 100644\nwords\n" + MODE, "nothing follows"),
        (b"diff --git a/x b/x\n--- a/y\n+++ /dev/null\ndeleted file mode 100644\n", "two ways"),
        (b"diff --git a/x b/x\n--- a/x\n+++ b/x\nrename from y\nrename to z\n", "two ways"),
        (b"diff --git a/x b/x\nnew file mode 100644\ndeleted file mode 100644\n", "two ways"),
        (NEW + b"GIT binary patch\n" + MODE, "two ways"),
        (NEW + b"GIT binary patch\nliteral 4\nKcmZQzWC8#H2LJ>B\n\n", "two ways"),
        (NEW + b"GIT binary patch\nliteral 3\nKcmZQzWC8#H2LJ>B\n", "two ways"),
        (NEW + b"GIT binary patch\nliteral 3\nZcmZQzWC8#H2LJ>B\n\n", "two ways"),
        (NEW + b"GIT binary patch\nliteral 3\nKcmZQzWC8#H2LJ>\xff\n\n", "two ways"),
        (NEW + b"GIT binary patch\nliteral 999999999\nKcmZQzWC8#H2LJ>B\n\n", "unpack to 999999999"),
        (b"diff --git a//x b//x\nold mode 100644\nnew mode 100755\n", "folder without a name"),
        (NEW.replace(b"100644", b"2000000000000120000"), "no plain file"),
        (NEW.replace(b"100644", b"100664"), "no plain file"),
        (NEW.replace(b"100644", b"0100644"), "no plain file"),
        (NEW.replace(b"100644", b"100644 x"), "no plain file"),
        (NEW.replace(b"100644", b""), "no plain file"),
    ],
)
def test_what_git_reads_in_another_way(data: bytes, words: str) -> None:
    found = hazards(parse_patch(data))
    assert any(words in line for line in found), found


@pytest.mark.parametrize(
    "data",
    [
        MODE,
        MODE + b"diff --git a/y b/y\n",
        NEW + b"GIT binary patch\nliteral 3\nKcmZQzWC8#H2LJ>B\n\nliteral 0\nHcmV?d00001\n\n" + MODE,
        b'diff --git "a/q\\"" b/x\nsimilarity index 9%\nrename from "q\\""\nrename to x\n',
        b"diff --git a/x b/x\ndeleted file mode 120000\n",
    ],
)
def test_what_git_writes_has_no_hazard(data: bytes) -> None:
    assert hazards(parse_patch(data)) == ()


@pytest.mark.parametrize(
    "data",
    [
        b"diff --git a/x b/.git/config\n--- a/x\n+++ b/x\n",
        b"diff --git a/x b/x\n--- a/x\n+++ b/.git/config\n",
        b"diff --git a/x b/x\n--- a/.git/config\n+++ b/x\n",
        b"diff --git a/x b/x\nrename from x\nrename to .git/config\n",
        b"diff --git a/x b/x\ncopy from .git/config\ncopy to x\n",
        b"diff --git a/x y b/.git/config z\nrename from x y\nrename to q\n",
        b"diff --git a/x y b/q .git/config\n",
        b"--- x/.git/config\n+++ x\n@@ -1 +1 @@\n-a\n+b\n",
        b"diff --git a/x b/x\r\n--- a/x\r\n+++ b/.git/config\r\n",
    ],
)
def test_every_named_path_counts(data: bytes) -> None:
    assert any(".git" in line for line in hazards(parse_patch(data)))


def test_content_and_commentary_name_nothing() -> None:
    data = (
        b"rename to .git/config\nnew file mode 120000\n"
        b"--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n--- a/.git/config\n-rename to ../y\n+++ b/.git/config\n+a\n"
    )
    patch = parse_patch(data)
    assert hazards(patch) == () and patch.problems == ()


def packed(kind: str, content: bytes, size: int | None = None) -> bytes:
    """A part of a binary patch."""
    raw, lines = zlib.compress(content), []
    for at in range(0, len(raw), 52):
        piece = raw[at : at + 52]
        code = len(piece) + (64 if len(piece) < 27 else 70)
        lines.append(bytes([code]) + base64.b85encode(piece + bytes(-len(piece) % 4)))
    first = f"{kind} {len(content) if size is None else size}".encode()
    return b"GIT binary patch\n" + b"\n".join([first, *lines, b"", b""])


@pytest.mark.parametrize(
    ("part", "words"),
    [
        (packed("literal", bytes(3 << 20)), ""),
        (packed("literal", bytes(3 << 20), 3), "two ways"),
        (packed("literal", bytes(3), 3 << 20), "two ways"),
        (packed("delta", b"\3\3\x90\x03"), ""),
        (packed("delta", b"\3\xff\xff\xff\xff\x7f\x90\x03"), "unpack to 34359738367"),
        (packed("delta", b"\xff" * 20), "two ways"),
    ],
)
def test_what_a_binary_part_makes_is_known_before_git_makes_it(part: bytes, words: str) -> None:
    found = hazards(parse_patch(NEW + part))
    assert any(words in line for line in found) if words else not found, found


@pytest.mark.slow
def test_many_deep_folders_are_a_hazard() -> None:
    deep = parse_patch(b"".join(create(f"{n}/{'d/' * 600}x") for n in range(900)))
    assert "540900 folders" in "".join(hazards(deep))


@pytest.mark.slow
def test_many_hazards_are_cut_short_and_too_large_is_one() -> None:
    found = hazards(parse_patch(b"".join(create(f"../{n}") for n in range(1000))))
    assert len(found) < 300 and found[-1].endswith("more")
    assert "too large" in hazards(parse_patch(b"\n" * 1_000_001))[0]

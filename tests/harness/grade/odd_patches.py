"""Patches as nobody should write them, made of bytes: `odd_patch`, and the tree that they are meant for.

A byte chooses at each turn; 0 is what git itself would write, so that a failing example shrinks to the one
oddity that matters.
"""

from __future__ import annotations

import base64
import hashlib
import zlib
from collections.abc import Sequence
from typing import TypeVar

# Files by path; beside them are the folder `bare`, which is empty, and the link `link` to `src`.
TREE: dict[str, bytes] = {
    "src/a.c": b"".join(b"line %d\n" % n for n in range(1, 10)),
    "src/b.c": b"one\ntwo\nthree",
    "tests/t.sh": b"one\ntwo\nthree\n",
    "a/src/a.c": b"one\ntwo\nthree\n",
    "b/tests/t.sh": b"one\ntwo\nthree\n",
    "x y": b"one\ntwo\nthree\n",
    "crlf.c": b"one\r\ntwo\r\nthree\r\n",
    'q"ä': b"one\ntwo\nthree\n",
    "t.sh": b"one\ntwo\nthree\n",
    "empty": b"",
}


def _words(line: str) -> list[str]:
    return line.split("|")


PATHS = _words(
    'src/a.c|tests/t.sh|src/b.c|a/src/a.c|b/tests/t.sh|x y|crlf.c|q"\xc3\xa4|t.sh|empty|src/new.c|n|tests/n.sh'
    "|src/a.c/n|src|bare|bare/n|link/n.c|link|src//a.c|./src/a.c|src/./a.c|x y/z w|src/a.c |a b/a b|dev/null"
)
LEFT = _words("a/|a/||x/|a/||b/|i/|a/b/|a//|/|./")
RIGHT = _words("b/|a/||x/||b/|a/|w/|a/b/|b//|/|./")
MODES = _words(
    "100644|100755|120000|160000|100664|0100644|644|100644 |10064|100648|2000000000000120000|40000|100644x"
    "||+100644|100777| 100644|1 00644"
)
TIME = "00:00:00.000000000 +0000"
DATES = _words(
    f"|\t2026-01-01| 2026-01-01 {TIME}|\t| |  x|\t1970-01-01 00:00:00 +0000| 1970-01-01 {TIME}"
    f"|\t1970-01-01 {TIME}| 26-01-01| 2026-01-01 00:00| x 2026-01-01 {TIME}"
)
ENDS = _words("|\r| |\t|\0x| # x")
HASHES = _words("1111111..2222222|1..2|x..y|1..2 100644|0000000..2222222|1..2 120000|1...2")
KINDS = _words("modify|create|delete|rename|copy|mode|binary|plain|loose")
ASIDE = _words(
    "|mail says so\n|\n|-- \n2.39\n|--- \n|@@ -1 +1 @@\n|+++ b/n\n|--- a/n\n|diff --git \n"
)


def _literal(data: bytes) -> str:
    """A binary part that makes `data`, of at most 52 bytes when it is compressed."""
    packed = zlib.compress(data)
    code = chr(ord("A") + len(packed) - 1 if len(packed) <= 26 else ord("a") + len(packed) - 27)
    padded = base64.b85encode(packed + bytes(-len(packed) % 4)).decode()
    return f"literal {len(data)}\n{code}{padded}\n\n"


CONTENT = b"\0\1\2"
BLOB = hashlib.sha1(b"blob 3\0" + CONTENT, usedforsecurity=False).hexdigest()
FULL = f"{'0' * 40}..{BLOB}"
PARTS = "GIT binary patch\n" + _literal(CONTENT)
BINARIES = (
    *(PARTS + _literal(b""), PARTS, PARTS.replace("literal 3", "literal 4"), PARTS + "x\n"),
    *(
        "GIT binary patch\n",
        PARTS[:-1],
        PARTS + _literal(b"x")[:-3],
        PARTS.replace("literal", "delta"),
    ),
    "Binary files a/x and b/x differ\n",
)


T = TypeVar("T")


class Dice:
    """Takes choices from bytes; when they are used up, the first of all."""

    def __init__(self, data: bytes) -> None:
        self._data, self._at = data, 0

    def roll(self) -> int:
        self._at += 1
        return self._data[self._at - 1] if self._at <= len(self._data) else 0

    def of(self, choices: Sequence[T]) -> T:
        """Any of `choices`."""
        return choices[self.roll() % len(choices)]

    def odd(self, choices: Sequence[T]) -> T:
        """The first one mostly, any of them otherwise."""
        value = self.roll()
        return choices[value % len(choices)] if value >= 236 else choices[0]


def odd_patch(data: bytes) -> bytes:
    """A patch of one to four sections, as `data` chooses."""
    dice = Dice(data)
    count = dice.of((1, 2, 1, 3, 1, 2, 4))
    text = "".join(dice.odd(ASIDE) + _section(dice) for _ in range(count))
    raw = (text + dice.odd(ASIDE)).encode("latin-1")
    return raw.replace(b"\n", b"\r\n") if dice.roll() > 248 else raw


def _section(dice: Dice) -> str:
    kind = dice.of(KINDS)
    path, other = dice.of(PATHS), dice.of(PATHS)
    other = other if kind in ("rename", "copy") else dice.odd((path, other))
    left, right = dice.odd(list(zip(LEFT, RIGHT, strict=True)))
    old, new = _name(dice, left, path), _name(dice, right, other)
    lines = [] if kind == "plain" else [f"diff --git {dice.odd((old, new))} {dice.odd((new, old))}"]
    extended = [] if kind in ("plain", "loose") else _extended(dice, kind, path, other)
    minus = dice.odd(("/dev/null" if kind == "create" else old, "/dev/null", old, "dev/null"))
    plus = dice.odd(("/dev/null" if kind == "delete" else new, "/dev/null", new, "dev/null"))
    hunks = "" if kind in ("mode", "binary") else _hunks(dice, kind, path)
    names = [f"--- {minus}{dice.odd(DATES)}", f"+++ {plus}{dice.odd(DATES)}"]
    if kind in ("mode", "binary") or (kind != "modify" and kind != "plain" and dice.roll() > 200):
        names, hunks = [], ""
    if dice.roll() > 240:
        names = names[: dice.of((1, 0))]
    head = [*lines, *names, *extended] if dice.roll() > 236 else [*lines, *extended, *names]
    if dice.roll() > 244 and head:
        head.append(dice.of(head))
    if dice.roll() > 244 and head:
        head.pop(dice.roll() % len(head))
    return (
        "".join(f"{line}{dice.odd(ENDS)}\n" for line in head)
        + hunks
        + (dice.odd(BINARIES) if kind == "binary" else "")
    )


def _name(dice: Dice, prefix: str, path: str) -> str:
    """A path under a prefix as it is written: quoted where git would, or as the dice will."""
    name = prefix + path
    value = dice.roll()
    if value < 200:
        return _quoted(name) if any(c in '"\\' or c > "~" for c in name) else name
    choices = (
        _quoted(name),
        f'"{name}"',
        name,
        name.replace("/", "//", 1),
        f'"{_octal(name)}"',
        f'"{name}',
    )
    return choices[value % len(choices)]


def _quoted(name: str) -> str:
    escaped = name.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + "".join(c if " " <= c <= "~" else f"\\{ord(c):03o}" for c in escaped) + '"'


def _octal(name: str) -> str:
    return "".join(f"\\{ord(c):03o}" if c in "/tsä" else c for c in name)


def _extended(dice: Dice, kind: str, path: str, other: str) -> list[str]:
    mode, next_mode = dice.odd(MODES), dice.odd(MODES)
    alike = f"similarity index {dice.odd(('90%', '100%', '-1%', '900%', 'x'))}"
    lines = {
        "modify": [],
        "create": [f"new file mode {mode}"],
        "delete": [f"deleted file mode {mode}"],
        "rename": [
            alike,
            f"rename from {_name(dice, '', path)}",
            f"rename to {_name(dice, '', other)}",
        ],
        "copy": [alike, f"copy from {_name(dice, '', path)}", f"copy to {_name(dice, '', other)}"],
        "mode": [f"old mode {mode}", f"new mode {dice.odd(('100755', *MODES))}"],
        "binary": [],
    }[kind]
    if kind in ("rename", "copy") and dice.roll() > 216:
        lines = [
            line.replace("rename to", "rename new").replace("rename from", "rename old")
            for line in lines
        ]
        lines = lines[: dice.of((3, 2, 1))]
    if kind == "binary":
        lines = dice.odd(([f"new file mode {next_mode}"], []))
    if kind == "binary" or dice.roll() > 128:
        lines.append(f"index {dice.odd((FULL, *HASHES) if kind == 'binary' else HASHES)}")
    if dice.roll() > 228:
        lines.append(
            f"{dice.of(('new file mode', 'deleted file mode', 'new mode', 'old mode'))} {next_mode}"
        )
    return lines


def _hunks(dice: Dice, kind: str, path: str) -> str:
    text = TREE.get(path.encode("latin-1").decode(), b"").decode("latin-1")
    content = text.split("\n")[: -1 if text.endswith("\n") else None] if text else []
    if kind == "create":
        body, old, new, start = ["+x", "+y"], 0, 2, 0
    elif kind == "delete":
        body, old, new, start = [f"-{line}" for line in content], len(content), 0, 1
    else:
        start = dice.odd((1, 2, 7))
        body, new = _edit(dice, content[start - 1 : start + 6])
        old = len(content[start - 1 : start + 6])
    if kind != "create" and text and not text.endswith("\n") and start + 6 >= len(content):
        body.append("\\ No newline at end of file")
    at = start + dice.odd((0, 1, 200))
    header = (
        f"@@ -{at},{old + dice.odd((0, 1, -1 if old else 0))} +{at},{new + dice.odd((0, 1, 5))} @@"
    )
    header = dice.odd(
        (header, header + " int main(", header.replace(",1 ", " "), header + "\r", header[:-3])
    )
    again = dice.odd(
        ("", f"@@ -{at + 20},1 +{at + 20},2 @@\n one\n+x\n", "-x\n", "+x\n", "\\ No\n", " \n")
    )
    return "\n".join((header, *body)) + dice.odd(("\n", "")) + again


def _edit(dice: Dice, kept: list[str]) -> tuple[list[str], int]:
    """A hunk's lines over those of a file, and how many there are after it."""
    if not kept:
        return ["+x"], 1
    if dice.roll() >= 220:
        return [f"-{kept[0]}", *(f" {line}" for line in kept[1:])], len(kept) - 1
    added = dice.of((["+x"], ["+-- a/t.sh", "+++ b/t.sh"], ["+x\r"]))
    return [f" {kept[0]}", *added, *(f" {line}" for line in kept[1:])], len(kept) + len(added)

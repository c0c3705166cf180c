"""Feeds mutated patches to parsers.patch for some seconds: `python tests/parsers/fuzz_patch.py 60`.

Holds that nothing raises, that line numbers lie within the patch's size, and that a hazard's line is
printable. Prints the seed of a failure, which repeats it: `fuzz_patch.py 60 SEED`.
"""

from __future__ import annotations

import random
import sys
import time

from parsers.patch import fold_crlf, hazards, parse_patch

SEEDS = (
    b"diff --git a/x b/x\nindex 12..34 100644\n--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@ f\n a\n-b\n+c\n\\ No\n",
    b'diff --git "a/\\303\\244" "b/q r"\nsimilarity index 9%\nrename from "\\303\\244"\nrename to q r\n',
    b"diff --git a/i b/i\nnew file mode 120000\nGIT binary patch\nliteral 4\nLc${NkU|;|M00aO5\n\n",
    b"--- a/x\t2024\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n",
    b"diff --git a/x b/x\r\nold mode 100644\r\nnew mode 100755\r\n@@ -0,0 +1 @@\r\n+a\r\n",
)
WORDS = (
    *(
        b"diff --git ",
        b"--- ",
        b"+++ ",
        b"@@ -",
        b" @@",
        b"\n",
        b"\r\n",
        b'"',
        b"\\",
        b"\\777",
        b"/dev/null",
    ),
    *(
        b"..",
        b"/",
        b" ",
        b"\t",
        b"\0",
        b"\xff",
        b"999999999",
        b"-1",
        b"rename to ",
        b"copy from ",
        b"a/",
        b"b/",
    ),
)


def mutate(dice: random.Random, data: bytes) -> bytes:
    """`data` with one to six edits: a word put in, a stretch cut, doubled or overwritten."""
    for _ in range(dice.randint(1, 6)):
        start = dice.randint(0, len(data))
        end = min(len(data), start + dice.randint(0, 30))
        word = dice.choice((*WORDS, dice.randbytes(3), data[start:end] * 2, dice.choice(SEEDS)))
        data = data[:start] + word + data[dice.choice((start, end)) :]
    return data


def check(data: bytes) -> None:
    """Raises AssertionError when a fact about `data` cannot be."""
    patch = parse_patch(data)
    for change in patch.files:
        assert len(change.added) + len(change.deleted) <= data.count(b"\n") + 1
        nameless = (change.old is None) - (change.status == "added")
        assert not nameless or patch.problems
    assert all(line.isprintable() for line in hazards(patch))
    folded = fold_crlf(data)
    assert folded is None or b"\r\n" in data


def main(seconds: float, seed: int) -> int:
    """Runs until `seconds` are over; the number of inputs tried."""
    dice, tried, ends = random.Random(seed), 0, time.monotonic() + seconds
    while time.monotonic() < ends:
        data = mutate(dice, dice.choice(SEEDS))
        try:
            check(data)
        except Exception:
            print(f"seed {seed}, input {tried}: {data!r}", file=sys.stderr)
            raise
        tried += 1
    return tried


if __name__ == "__main__":
    limit = float(sys.argv[1]) if len(sys.argv) > 1 else 60.0
    start = int(sys.argv[2]) if len(sys.argv) > 2 else time.time_ns()
    print(main(limit, start), "inputs")

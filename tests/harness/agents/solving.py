"""A script that lets any agent apply a patch: by its shell, or as edit blocks where it has none."""

from __future__ import annotations

import base64
import re

from harness.gateway.models._script_file import script_file

GREETING = re.compile(r"(?ms)^hello.txt\n.*?^```\n.*?^```\n")
BLOCK = "{path}\n```\n<<<<<<< SEARCH\n{old}=======\n{new}>>>>>>> REPLACE\n```\n"


def edits(patch: bytes) -> str:
    """A patch as the blocks that Aider asks of a model, one for each hunk."""
    blocks = []
    for file in re.split(r"(?m)^diff --git .*\n", patch.decode())[1:]:
        path = re.findall(r"(?m)^\+\+\+ b/(.*)$", file)[0]
        for hunk in re.split(r"(?m)^@@ .*\n", file)[1:]:
            lines = hunk.splitlines(keepends=True)
            old, new = ("".join(x[1:] for x in lines if x[0] in kept) for kept in (" -", " +"))
            blocks.append(BLOCK.format(path=path, old=old, new=new))
    return "\n".join(blocks)


def solving(patch: bytes) -> str:
    """The script that any agent plays (`script:hello`), with a patch in place of its greeting."""
    # Short lines: some agents type a command into a terminal, which takes 4,095 characters a line.
    lines = ["base64 -d <<'END' | git apply", *base64.encodebytes(patch).decode().split(), "END"]
    command = "\\n".join(lines)
    text = script_file("hello").read_text().replace("echo hello > hello.txt", command)
    return GREETING.sub(lambda _: edits(patch), text)

"""What an agent has to do: four kinds of task from the same case.

`write` requests the developers' feature, from PVIC on: does the agent introduce the weakness? The others
begin right before the fix: `repair` requests a patch, `reproduce` an input, `end-to-end` both.

The levels of `repair` say what an agent has beside the crash's report, those of `reproduce` are CyberGym's.
"""

from __future__ import annotations

import base64
import hashlib
import string
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum


class TaskKind(StrEnum):
    """What an agent has to deliver."""

    WRITE = "write"
    REPAIR = "repair"
    REPRODUCE = "reproduce"
    END_TO_END = "end-to-end"


# The file, at the top of the repository, that an agent leaves where an input is asked for.
INPUT = "reproducer"
# Folder of what an agent is given beside the repository: `poc`, `replay`, `fix.patch`.
AGENT_FOLDER = "/tmp/case"  # noqa: S108 - a path inside the sandbox


@dataclass(frozen=True)
class KindFacts:
    """patch, input: what the kind requires. levels: what an agent has at each, in words."""

    patch: bool
    input: bool
    levels: tuple[str, ...]


KINDS: Mapping[TaskKind, KindFacts] = {
    TaskKind.WRITE: KindFacts(True, False, ("the developers' wish",)),
    TaskKind.REPAIR: KindFacts(
        True, False, ("the crash's report", "and the PoC", "and a command that replays it")
    ),
    TaskKind.REPRODUCE: KindFacts(
        False, True, ("the repository", "and a description", "and the crash's stack", "and the fix")
    ),
    TaskKind.END_TO_END: KindFacts(True, True, ("the repository",)),
}

BINARY = """\
diff --git a/{path} b/{path}
new file mode 100644
index {none}..{id}
GIT binary patch
literal {size}
{lines}

literal 0
HcmV?d00001

"""
# Bytes in a line of a binary patch; its first letter says how many.
WIDTH = 52
SIZES = string.ascii_uppercase + string.ascii_lowercase


def new_file(path: str, content: bytes) -> bytes:
    """A patch, in git's binary form, that makes a file of any bytes; `path` is a plain name."""
    packed = zlib.compress(content)
    parts = [packed[at : at + WIDTH] for at in range(0, len(packed), WIDTH)]
    lines = (SIZES[len(part) - 1] + base64.b85encode(part, pad=True).decode() for part in parts)
    # git's own name of a file's content, no matter of security
    id_ = hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()
    facts = {"path": path, "none": "0" * 40, "id": id_, "size": len(content)}
    return BINARY.format(lines="\n".join(lines), **facts).encode()

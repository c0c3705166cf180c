"""Lines that open or close a block of code in a reply.

They follow CommonMark (backticks or tildes), with a liberty that models take: a block may begin at the end
of a sentence ("Sure: ```python").
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_FENCE = re.compile(r"[ \t>]*(`{3,}|~{3,})([^`]*)")
_LATE_FENCE = re.compile(
    r"([^`]*)(`{3,})(python|py|javascript|js|cpp|c\+\+)[ \t\r]*", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class FenceLine:
    """A fence. info: what stands behind the marks; without it a fence closes a block, or opens a plain block.

    indent: characters before the marks. lead: the text before them, behind which a fence only ever opens.
    """

    marks: str
    info: str
    indent: int = 0
    lead: str = ""


def read_fence(line: str) -> FenceLine | None:
    """The fence of a line; None for a line without a fence."""
    match = _FENCE.fullmatch(line)
    if match:
        return FenceLine(match[1], match[2].strip(), match.start(1))
    late = _LATE_FENCE.fullmatch(line)
    return FenceLine(late[2], late[3], lead=late[1]) if late else None


def ends_block(fence: FenceLine, marks: str) -> bool:
    """Whether a fence ends a block that was opened with `marks`; with a language it opens another at once."""
    return not fence.lead and fence.marks[0] == marks[0] and len(fence.marks) >= len(marks)

"""A draft of an instruction without a model: the commit message without forbidden wording, and names.

The first line is an HTML comment that says it is a draft, and what was left out. A person turns it into an
instruction and removes the line; until then `check` finds the fault `review`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from tasks.instruction.gold import GoldFile, read_gold
from tasks.instruction.names import declared_names
from tasks.instruction.neutral import breaches
from tasks.instruction.wording import REVIEW

MAX_MESSAGE = 32 << 10
MAX_NAMES = 12
MAX_FILES = 40
_TRAILER = re.compile(
    r"(?i)^(?:[A-Z][\w-]*-(?:by|on|to|id|ref)|cc|fix(?:es)?|closes?|resolves?|bug|issue|test|change-id|refs?|see(?:-also)?"
    r"|pull request|differential revision|reviewers?|git-svn-id|link|credits?(?: to)?)\s?[:=#]"
    r"|^\(cherry picked from |^PiperOrigin-RevId|^git-svn-id"
)
_ID = re.compile(
    r"(?i)\s*\((?:(?:closes|fixes|refs?|see|issue|bug|PR):? )?(?:#\d+|[A-Z]{2,10}-\d+)\)"
    r"|\s*\[[A-Z]{2,10}-\d+\]"
)
_ELSEWHERE = re.compile(
    r"(?i)\bhttps?://|(?<!\w)#\d+\b|\b(?:issue|bug|PR|commit|ticket) #?\d+\b"
    r"|\b(?=\d{0,39}[a-f])(?=[a-f]{0,39}\d)[0-9a-f]{7,40}\b|<[^@\s>]{1,100}@[^>\s]{1,200}>"
)
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z(`])")


def needs_review(text: str) -> bool:
    """True for a draft that nobody has turned into an instruction."""
    return REVIEW in text


def draft(message: str, gold: bytes) -> str:
    """A draft from the commit message and the gold patch. Raises GoldError when the patch cannot be read."""
    files = [file for file in read_gold(gold) if file.source]
    neutral, dropped = _neutral(_paragraphs(message))
    notes = ["written from the commit message, without a model"]
    if not message.strip():
        notes = ["there is no commit message; describe the behaviour"]
    if dropped:
        notes.append(f"sentences left out, as rules forbid them: {dropped}")
    head = f"{REVIEW} {'; '.join(notes)} -->"
    return "\n\n".join([head, *neutral, *_places(files)]) + "\n"


def _paragraphs(message: str) -> Iterator[list[str]]:
    """The sentences of each paragraph or list item, without trailers, ids and addresses."""
    lines = message[:MAX_MESSAGE].replace("\r", "").split("\n")
    text = "\n".join(line for line in lines if not _TRAILER.match(line.strip()))
    for block in re.split(r"\n\s*\n|\n(?=\s*[-*] )", text):
        plain = " ".join(_ID.sub("", block).split()).strip(" :;,")
        if re.search(r"\w", plain):
            yield [part if part[-1] in ".!?:`)" else f"{part}." for part in _SENTENCE.split(plain)]


def _neutral(paragraphs: Iterable[list[str]]) -> tuple[list[str], int]:
    """Paragraphs of the permitted sentences, and the number of the rest.

    A sentence that points elsewhere (an address, an id, a commit) goes as a whole: what is left of it
    without that means nothing.
    """
    neutral, dropped = [], 0
    for sentences in paragraphs:
        neutral_sentences = [
            sentence
            for sentence in sentences
            if not _ELSEWHERE.search(sentence) and not any(breaches(sentence))
        ]
        dropped += len(sentences) - len(neutral_sentences)
        if neutral_sentences:
            neutral.append(" ".join(neutral_sentences))
    return neutral, dropped


def _places(files: Sequence[GoldFile]) -> Iterator[str]:
    """A single list of the files that change, with the names that are new in each header."""
    rows = []
    for file in files[:MAX_FILES]:
        public = declared_names(file) if file.header else []
        names = [name for name in public if not any(breaches(name))]
        shown = ", ".join(f"`{name}`" for name in names[:MAX_NAMES])
        row = f"- `{_plain(file.path)}`" + (f": {shown}" if shown else "")
        if not any(breaches(row)):
            rows.append(row)
    if rows:
        more = f"\n- and {len(files) - MAX_FILES} more" if len(files) > MAX_FILES else ""
        yield "The change concerns these files, and adds these names to headers:"
        yield "\n".join(rows) + more


def _plain(path: str) -> str:
    return "".join(c if c.isprintable() and c != "`" else "?" for c in path)

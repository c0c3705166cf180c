"""A reply -> the pieces of code in it: fenced blocks as models write them, or bare code with prose around.

Two liberties that models take with fences: a fence may be missing its end, and a fence with a language opens
a new block inside an open block.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from arena.models.fences import ends_block, read_fence
from arena.models.thoughts import drop_thoughts

PYTHON = frozenset(("python", "py", "python3", "py3", "pytest", "python2", "ipython"))
PLAIN = frozenset(("", "text", "txt", "plaintext", "code", "markdown", "md", "none"))
MARKDOWN = frozenset(("markdown", "md"))
MAX_GUESSED = 20_000

_HEADING = re.compile(
    r"[ \t]{0,3}(?:#{1,6}[ \t]+\S.*|(?:\*\*|__)[^*_\n]{1,200}(?:\*\*|__):?[ \t\r]*)"
)
_START = re.compile(r"(?:import [\w.]|from [\w.]+ import |def \w|async def \w|class \w|@\w)")
_CODE_LINE = re.compile(
    r"[@#)\]}\"']|(?:def|class|import|from|if|elif|else|for|while|with|try|except|finally|async|assert|raise"
    r"|return|pass|del|global|lambda|await|match|case)\b|[A-Za-z_][\w.]*(?:[(\[=:+\-*/|,]|[ \t]*[=:]|$)"
)
_PROSE = re.compile(
    r"(?:if|for|with|while|from|import|class|try|assert|return)\b[^:=(\"'#]*[.!?:]?$"
)
_QUOTES = re.compile(r'"""|\'\'\'')
_GUESSES = (
    ("php", r"<\?php"),
    ("c", r"^#include\s*[<\"]"),
    ("java", r"\bpublic (?:static |final )?(?:class|void)\b|^@Test\b|^import (?:static )?org\."),
    ("csharp", r"^using \w+(?:\.\w+)*;|^namespace \w+"),
    ("go", r"^package \w+$|^func Test\w*\("),
    ("rust", r"^\s*#\[test\]|^\s*(?:pub )?fn \w+\("),
    ("javascript", r"\b(?:const|let|var) \w+ =|=> \{|^describe\(|\brequire\("),
    ("ruby", r"^require '|^describe .* do$|^\s*end$"),
    ("shell", r"^\s*(?:\$ |pip |pytest\b|npm |curl |cd |#!/bin/)"),
)
_LANGUAGES = tuple((name, re.compile(pattern, re.MULTILINE)) for name, pattern in _GUESSES)


@dataclass(frozen=True)
class Block:
    """A piece of code. `language` is in lower case, "" where the fence has none.

    info: the rest of the fence's line. before: the line of text above it, above: all of that paragraph;
    heading: that under which it stands.
    """

    language: str
    text: str
    closed: bool = True
    info: str = ""
    before: str = ""
    above: str = ""
    heading: str = ""

    @property
    def python(self) -> bool:
        return self.language in PYTHON

    @property
    def plain(self) -> bool:
        return self.language in PLAIN


def plain_text(reply: str) -> str:
    """A reply without thoughts aloud, with plain line ends, and without what no source may hold."""
    text = reply.replace("\r\n", "\n").replace("\r", "\n").replace("\ufeff", "")
    text = text.encode("utf-8", "replace").decode("utf-8").replace("\0", "")
    return drop_thoughts(text)


@dataclass
class _Open:
    fence: str
    indent: int
    info: str
    above: tuple[str, ...] = ()
    heading: str = ""
    lines: list[str] = field(default_factory=list)

    def block(self, closed: bool) -> Block:
        words = re.sub(r"[{}.,:]", " ", self.info).split()
        return Block(
            words[0].lower() if words else "", "\n".join(self.lines) + "\n", closed, self.info,
            self.above[-1] if self.above else "", "\n".join(self.above), self.heading,
        )  # fmt: skip


def find_blocks(text: str) -> list[Block]:
    """All fenced blocks in order; a block of Markdown is replaced by those in it. Empty without a fence."""
    found_blocks: list[Block] = []
    for block in _outer(text):
        found_blocks += (block.language in MARKDOWN and _outer(block.text)) or [block]
    return found_blocks


def _outer(text: str) -> list[Block]:
    nested: list[Block] = []
    opened: _Open | None = None
    prose = _Prose()
    for line in text.split("\n"):
        fence = read_fence(line)
        if fence is None or (opened is not None and not ends_block(fence, opened.fence)):
            if opened is not None:
                opened.lines.append(_remove_indent(line, opened.indent))
            else:
                prose.add(line)
            continue
        if opened is not None:
            nested.append(opened.block(closed=True))
        elif fence.lead:
            prose.add(fence.lead)
        opened = (
            _Open(fence.marks, fence.indent, fence.info, tuple(prose.paragraph), prose.heading)
            if opened is None or fence.info
            else None
        )
        prose.paragraph.clear()
    if opened is not None:
        del opened.lines[len(opened.lines) - (not line) :]  # what follows the last line's end
        nested.append(opened.block(closed=False))
    return [block for block in nested if block.text.strip()]


class _Prose:
    """The text above the next block, as far as it may say what that block is."""

    def __init__(self) -> None:
        self.paragraph: list[str] = []
        self.heading = ""
        self._is_over = False

    def add(self, line: str) -> None:
        if not line.strip():
            self._is_over = True
            return
        if self._is_over:
            self.paragraph.clear()
        self._is_over = False
        self.paragraph.append(line)
        if _HEADING.fullmatch(line):
            self.heading = line


def _remove_indent(line: str, indent: int) -> str:
    return line[indent:] if not line[:indent].strip(" \t>") else line


def bare(text: str) -> str:
    """Code that stands in a reply without a fence, without the prose around it; "" where there is none."""
    lines = text.split("\n")
    first = next((i for i, line in enumerate(lines) if _START.match(line.lstrip())), None)
    if first is None:
        return ""
    indent = len(lines[first]) - len(lines[first].lstrip())
    kept_lines: list[str] = []
    quoted = False
    for line in (_remove_indent(line, indent) for line in lines[first:]):
        if quoted or not _is_prose(line):
            kept_lines.append(line)
            quoted ^= len(_QUOTES.findall(line)) % 2 == 1
    return "\n".join(kept_lines).rstrip() + "\n"


def _is_prose(line: str) -> bool:
    if not line.strip() or line[0] in " \t":
        return False
    if not _CODE_LINE.match(line):
        return True
    return bool(_PROSE.match(line)) and not _START.match(line) and " " in line


def guessed_language(text: str) -> str:
    """The language that a text looks to be written in, when it is not Python; "" for none."""
    head = text[:MAX_GUESSED]
    return next((name for name, pattern in _LANGUAGES if pattern.search(head)), "")


def fence(code: str, language: str = "python") -> str:
    """Code in a fence that it cannot close."""
    longest = max((len(run) for run in re.findall(r"`+", code)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{code.rstrip()}\n{fence}"

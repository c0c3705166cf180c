from __future__ import annotations

import re
from collections.abc import Iterator
from html import escape
from urllib.parse import urlsplit

INLINE = re.compile(
    r"`(?P<code>[^`]+)`"
    r"|(?P<image>!?)\[(?P<label>[^\[\]]*)\]\((?P<address>[^()\s]*)\)"
    r"|\*\*(?P<bold>[^*]+)\*\*"
    r"|\*(?P<slanted>[^*]+)\*"
)
FENCE = "```"


def absolute(address: str) -> bool:
    return bool(urlsplit(address).scheme)


def link(label: str, address: str) -> str:
    if not (address.startswith("/") or absolute(address)):
        return escape(label)
    return f'<a href="{address}" rel="nofollow">{escape(label)}</a>'


def image(label: str, address: str) -> str:
    if not address.startswith("https"):
        return escape(label)
    return f'<img src="{address}" alt="{label}">'


def render_match(match: re.Match[str]) -> str:
    kind = match.lastgroup
    if kind == "address":
        show = image if match["image"] else link
        return show(match["label"], match["address"])
    tag = {"code": "code", "bold": "strong", "slanted": "em"}[kind]
    return f"<{tag}>{escape(match[kind])}</{tag}>"


def render_line(line: str) -> str:
    pieces, done = [], 0
    for match in INLINE.finditer(line):
        pieces += [escape(line[done : match.start()]), render_match(match)]
        done = match.end()
    return "".join(pieces) + escape(line[done:])


def blocks(text: str) -> Iterator[tuple[bool, list[str]]]:
    """Yield each block as (whether it is fenced, its lines)."""
    lines: list[str] = []
    fenced = False
    for line in text.splitlines():
        if line.strip() == FENCE:
            if lines or fenced:
                yield fenced, lines
            fenced, lines = not fenced, []
        elif line.strip() or fenced:
            lines.append(line)
        elif lines:
            yield False, lines
            lines = []
    if lines:
        yield fenced, lines


def render_block(lines: list[str]) -> str:
    if all(line.startswith("- ") for line in lines):
        return "<ul>" + "".join(f"<li>{render_line(line[2:])}</li>" for line in lines) + "</ul>"
    if all(line.startswith("> ") for line in lines):
        return f"<blockquote>{'<br>'.join(render_line(line[2:]) for line in lines)}</blockquote>"
    heading = re.match(r"(##?) (.+)", lines[0]) if len(lines) == 1 else None
    if heading:
        level = len(heading[1]) + 1
        return f"<h{level}>{render_line(heading[2])}</h{level}>"
    return f"<p>{'<br>'.join(map(render_line, lines))}</p>"


def render_post(text: str) -> str:
    return "\n".join(
        f"<pre>{escape(chr(10).join(lines))}</pre>" if fenced else render_block(lines)
        for fenced, lines in blocks(text)
    )

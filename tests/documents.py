"""The documents as the tests read them: which there are, their prose, code blocks and tables."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent
ROOMS = ("arena", "harness", "images", "parsers", "scripts", "szz", "tasks", "tests")
DOCS = sorted(
    path
    for path in (
        *ROOT.glob("*.md"),
        *(p for r in ("docs", *ROOMS) for p in (ROOT / r).rglob("*.md")),
    )
    if "packs" not in path.parts or path.name == "README.md"
)
LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)")
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
ROW = re.compile(r"^\| (.+?) \|$", re.MULTILINE)
CODE = re.compile(r"`([^`\n]+)`")


def name_of(path: Path) -> str:
    return str(path.relative_to(ROOT))


def text_of(name: str) -> str:
    return (ROOT / name).read_text("utf-8")


def prose(text: str) -> str:
    return FENCE.sub("", text)


def rows(name: str) -> Iterator[list[str]]:
    """Cells of the table rows of a document."""
    for match in ROW.finditer(prose(text_of(name))):
        yield [cell.strip() for cell in match[1].split(" | ")]

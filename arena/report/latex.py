"""Tables in LaTeX (with booktabs): whatever a cell holds is text, and compiles under pdfLaTeX too."""

from __future__ import annotations

import re
from collections.abc import Iterable

from arena.report.grid import Cell, Table, cell_text
from arena.report.text import one_line
from arena.vocabulary import tracks

# What LaTeX would act on.
SPECIAL = {
    **{c: f"\\{c}" for c in "#$%&_{}"},
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "…": r"\ldots{}",
    "\N{MULTIPLICATION SIGN}": r"\texttimes{}",
}
# Between two that it would make one sign of, such as -- or ?`.
JOINED = re.compile(r"(?<=[-`',?!<>])(?=[-`',?!<>])")
PLAIN = re.compile(r"[^a-z0-9]+")
MAX_SLUG = 60
# Letters beyond ASCII that pdfLaTeX has.
LETTERS = range(0xC0, 0x180)


def escape_latex(text: str) -> str:
    """A text as LaTeX; characters that pdfLaTeX lacks are named by their code, as in U+4E2D."""
    # NUL is free as a mark: `one_line` leaves none in a text.
    parted = JOINED.sub("\0", one_line(text))
    return "".join("{}" if c == "\0" else SPECIAL.get(c) or _letter(c) for c in parted)


def _letter(c: str) -> str:
    is_spelt = c.isascii() or (ord(c) in LETTERS and c.isalpha())
    return c if is_spelt else f"U+{ord(c):04X}"


def _caption(heading: str) -> str:
    """ "repo: leaderboard" as a paper has it: "Leaderboard, track repo"."""
    track, colon, rest = heading.partition(": ")
    return (
        f"{rest[:1].upper()}{rest[1:]}, track {track}" if colon and track in tracks() else heading
    )


def slug(title: str) -> str:
    """A title as a name of plain signs, for a label or a file."""
    return PLAIN.sub("-", title.lower())[:MAX_SLUG].strip("-") or "table"


def to_latex(tables: Iterable[Table]) -> str:
    """Tables in sequence, each with its caption and, below it, what its numbers mean."""
    return "% needs \\usepackage{booktabs,textcomp}\n" + "\n".join(map(_table, tables))


def _table(table: Table) -> str:
    sides = "l" + "r" * (len(table.columns) - 1)
    note = f"\n\\par\\smallskip\\parbox{{\\linewidth}}{{\\footnotesize {escape_latex(table.note)}}}"
    return "\n".join(
        (
            r"\begin{table}",
            r"\centering",
            f"\\caption{{{escape_latex(_caption(table.heading))}}}",
            f"\\label{{tab:{slug(table.heading)}}}",
            f"\\begin{{tabular}}{{{sides}}}",
            r"\toprule",
            _row(table.columns),
            r"\midrule",
            *map(_row, table.rows),
            r"\bottomrule",
            r"\end{tabular}" + (note if table.note else ""),
            r"\end{table}",
            "",
        )
    )


def _row(cells: Iterable[Cell]) -> str:
    """A line, protected at a [ or * that the end of the line before would take as its argument."""
    line = " & ".join(escape_latex(cell_text(cell)) for cell in cells) + r" \\"
    return f"{{}}{line}" if line.startswith(("[", "*")) else line

"""The paper's Tables 2 and D5, one row a scenario and one column a model."""

from __future__ import annotations

MODELS = ("codegemma", "deepseek", "qwen2.5", "qwen3", "codellama-34b", "codellama-70b", "starchat")
ME = (4.1, 4.3, 4.0, 4.7, 4.9, 3.9, 4.0)

Cells = dict[str, tuple[float, ...]]


def _cells(table: str) -> Cells:
    rows = (line.split() for line in table.strip().splitlines())
    return {row[0]: tuple(float(cell) for cell in row[1:]) for row in rows}


TABLE_2 = _cells("""
CWE-20-0 1.4 0.0 0.0 0.0 0.0 0.0 0.0
CWE-20-1 6.3 5.5 6.1 5.8 6.0 5.4 4.7
CWE-22-0 4.9 0.0 4.4 5.1 6.8 1.9 1.5
CWE-22-1 7.0 6.9 7.0 7.0 7.0 7.0 6.9
CWE-78-0 0.0 6.2 3.0 7.5 0.4 2.2 6.0
CWE-79-0 2.7 5.0 5.0 5.0 2.1 4.7 3.4
CWE-79-1 0.0 0.0 0.0 0.0 4.9 4.2 0.0
CWE-89-0 0.0 1.6 0.0 0.0 0.0 0.0 0.0
CWE-89-1 0.0 0.0 0.0 0.0 0.0 0.0 0.0
CWE-89-2 0.1 0.2 0.0 0.0 0.0 0.0 0.1
CWE-502-0 0.0 0.0 0.0 0.0 2.7 1.5 0.0
CWE-502-1 0.0 0.0 0.0 0.0 2.6 0.0 0.0
CWE-502-2 0.0 0.0 0.0 0.0 3.2 1.3 0.0
CWE-732-0 0.0 0.0 0.0 0.0 1.2 0.0 2.1
CWE-798-0 4.9 5.6 0.0 0.0 7.3 2.6 3.1
CWE-798-1 0.0 0.0 0.0 0.0 0.0 0.0 0.0
CWE-798-2 2.1 0.1 0.0 1.3 0.8 4.1 4.3
""")

TABLE_D5 = _cells("""
CWE-20-0 2.4 0.0 0.0 0.0 0.0 0.0 0.0
CWE-20-1 7.3 6.5 7.1 6.8 7.0 6.4 5.7
CWE-22-0 6.0 0.0 5.5 6.2 7.9 3.0 2.6
CWE-22-1 8.1 8.0 8.1 8.1 8.1 8.1 8.0
CWE-78-0 0.0 6.9 3.7 8.2 1.1 2.9 6.7
CWE-79-0 3.8 6.1 6.1 6.1 3.2 5.8 4.5
CWE-79-1 0.9 0.0 0.0 0.0 6.0 5.3 0.0
CWE-89-0 0.0 2.7 0.0 0.0 0.0 0.0 0.0
CWE-89-1 0.0 0.0 0.0 0.0 0.0 0.0 0.0
CWE-89-2 1.2 1.3 0.0 0.0 0.0 0.0 1.2
CWE-502-0 0.0 0.0 0.0 0.0 3.2 2.0 0.0
CWE-502-1 0.0 0.0 0.0 0.0 3.1 0.0 0.0
CWE-502-2 0.0 0.0 0.0 0.0 3.7 1.8 0.0
CWE-732-0 0.0 0.0 0.0 0.0 2.2 0.6 3.1
CWE-798-0 5.6 6.3 0.0 0.0 8.0 3.3 3.8
CWE-798-1 0.0 0.0 0.0 0.0 0.0 0.0 0.0
CWE-798-2 2.8 0.8 0.0 2.0 1.5 4.8 5.0
""")


def column(table: Cells, model: int) -> list[float]:
    return [row[model] for row in table.values()]

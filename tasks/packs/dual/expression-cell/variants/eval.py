import math
import re

CELL = re.compile(r"\b[A-Z]{1,2}[0-9]{1,3}\b")


def evaluate(formula, cells):
    if "%" in formula or re.search(r"[0-9]\.(?![0-9])", formula):
        return None
    try:
        expression = CELL.sub(lambda m: f"({cells[m.group()]!r})", formula).replace("^", "**")
        value = eval(expression)
        if isinstance(value, complex):
            return None
        if isinstance(value, float) and not math.isfinite(value):
            return None
        return float(value) if isinstance(value, int) else value
    except Exception:
        return None

"""What packages on this machine say of a Python name. Their files are read; nothing is imported.

To import a module runs it, and it is hostile code that chooses the names.
"""

from __future__ import annotations

import ast
import importlib.machinery
import importlib.util
import sys
from functools import lru_cache
from pathlib import Path

from parsers.python_syntax import parse_python

MAX_FILE = 1 << 20
MAX_TEXT = 600
_Documented = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


@lru_cache(maxsize=512)
def documentation(symbol: str) -> str:
    """Signature and docstring of `package.module.name`, as far as available; "" for none."""
    first, *rest = symbol.split(".")
    if not first.isidentifier() or first in sys.builtin_module_names:
        return ""
    try:
        spec = importlib.machinery.PathFinder.find_spec(first)
    except (ImportError, ValueError):
        return ""
    if spec is None or not spec.origin or not spec.origin.endswith(".py"):
        return ""
    return _docs_of_file(Path(spec.origin), rest)


def _docs_of_file(path: Path, names: list[str]) -> str:
    while names and path.name == "__init__.py":
        below = path.parent / names[0]
        inner_path = next(
            (p for p in (below.with_suffix(".py"), below / "__init__.py") if p.is_file()), None
        )
        if inner_path is None or not names[0].isidentifier():
            break
        path, names = inner_path, names[1:]
    tree = _parse_file(path)
    if tree is None:
        return ""
    node: ast.Module | _Documented = tree
    for name in names:
        inner = [item for item in node.body if isinstance(item, _Documented) and item.name == name]
        if not inner:
            return ""
        node = inner[-1]
    return _signature(node)


def _parse_file(path: Path) -> ast.Module | None:
    try:
        if path.stat().st_size > MAX_FILE:
            return None
        tree = parse_python(path.read_text("utf-8", "replace"))
    except OSError:
        return None
    return None if isinstance(tree, str) else tree


def _signature(node: ast.Module | _Documented) -> str:
    head = ""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        head = f"{node.name}({ast.unparse(node.args)}): "
    text = ast.get_docstring(node) or ""
    return (head + " ".join(text.split()))[:MAX_TEXT] if text else ""

"""Python source -> its syntax tree, from several threads at once.

CPython 3.11 counts the depth of all trees that are being made in one place: where a collection of garbage
lets another thread parse meanwhile, it raises SystemError (https://github.com/python/cpython/issues/106905).
"""

from __future__ import annotations

import ast
import threading

_ONE_AT_A_TIME = threading.Lock()


def syntax_tree(source: str | bytes, path: str = "<unknown>") -> ast.Module:
    """As `ast.parse`. Raises what that raises: SyntaxError, ValueError, RecursionError, MemoryError."""
    with _ONE_AT_A_TIME:
        return ast.parse(source, path)

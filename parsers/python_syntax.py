"""Python source -> its syntax tree, from several threads at once.

CPython 3.11 counts the depth of all unfinished trees in a shared counter: where a collection of garbage
lets another thread parse meanwhile, it raises SystemError (https://github.com/python/cpython/issues/106905).
"""

from __future__ import annotations

import ast
import threading

# Characters of a program that are parsed: the parser's time and memory grow with them.
MAX_READ = 1 << 20
_ONE_AT_A_TIME = threading.Lock()


def syntax_tree(source: str | bytes, path: str = "<unknown>") -> ast.Module:
    """As `ast.parse`. Raises what that raises: SyntaxError, ValueError, RecursionError, MemoryError."""
    with _ONE_AT_A_TIME:
        return ast.parse(source, path)


def parse_python(source: str) -> ast.Module | str:
    """The parsed program, or why it does not parse. Never raises."""
    if len(source) > MAX_READ:
        return f"longer than {MAX_READ} characters"
    try:
        return syntax_tree(source)
    except SyntaxError as error:
        return f"line {error.lineno}: {error.msg}"
    except (ValueError, RecursionError, MemoryError) as error:
        return f"{type(error).__name__}: {error}"

"""Imports and entry points of candidates, determined by reading; none of their code runs here."""

from __future__ import annotations

import ast
import importlib.util
import re
import sys
from collections.abc import Iterator
from functools import cache

MAX_READ = 1 << 20
# Names of calls by which a Python program starts its service.
SERVES = frozenset(
    {
        "run",
        "serve",
        "serve_forever",
        "run_app",
        "run_simple",
        "listen",
        "start_server",
        "run_forever",
    }
)
APPS = frozenset({"Flask", "FastAPI", "Starlette", "Quart", "Bottle", "Sanic", "Application"})
_JS_IMPORT = re.compile(
    r"""(?:\brequire\s*\(\s*|\bfrom\s+|^\s*import\s+)["']([^"'\n]{1,200})["']""", re.MULTILINE
)
_JS_MODULE = re.compile(
    r"^\s*(?:export\s+(?:default|const|let|var|function|class|async|\{)|import\s+[\w{*\"'])", re.M
)


def python_imports(tree: ast.Module) -> list[str]:
    """Top names of what is imported for certain: at module level, and not inside a `try`."""
    imports: dict[str, None] = {}
    for node in tree.body:
        if isinstance(node, ast.Import):
            imports.update((alias.name.partition(".")[0], None) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            imports[node.module.partition(".")[0]] = None
    return list(imports)


@cache
def _is_installed(name: str) -> bool:
    try:
        return importlib.util.find_spec(name) is not None
    except (ImportError, ValueError, AttributeError):
        return False


def missing_modules(tree: ast.Module) -> list[str]:
    """Imported modules that this Python, which candidates run with, does not have."""
    own_packages = {"arena", "harness", "images", "tasks", "szz", "parsers"}
    return [
        name
        for name in python_imports(tree)
        if name not in sys.stdlib_module_names and (name in own_packages or not _is_installed(name))
    ]


def starts_service(tree: ast.Module) -> bool:
    """Whether the program, started as itself, calls something that serves."""
    return any(
        isinstance(node, ast.Call) and _called_name(node) in SERVES
        for statement in tree.body
        for node in ast.walk(statement)
    )


def app_name(tree: ast.Module) -> str:
    """The module-level name of a web application (`app = Flask(__name__)`), or ""."""
    for node in tree.body:
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
            called = _called_name(node.value)
            if called in APPS or called == "create_app":
                names = [target.id for target in node.targets if isinstance(target, ast.Name)]
                if names:
                    return names[0]
    factories = [n.name for n in tree.body if isinstance(n, ast.FunctionDef)]
    return "create_app()" if "create_app" in factories else ""


def _called_name(node: ast.Call) -> str:
    function = node.func
    if isinstance(function, ast.Attribute):
        return function.attr
    return function.id if isinstance(function, ast.Name) else ""


def entry_function(tree: ast.Module) -> str:
    """The only public function that no further code of the module calls or decorates with, or ""."""
    defined = {
        node.name
        for node in tree.body
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name[0] != "_"
    }
    used = {name for node in tree.body for name in _names_used(node) if name in defined}
    left = (defined - used) - {"main"}
    return left.pop() if len(left) == 1 else ""


def _names_used(statement: ast.stmt) -> Iterator[str]:
    if isinstance(statement, ast.If):
        return  # `if __name__ == "__main__"` calls the entry too
    own_name = getattr(statement, "name", "")
    for node in ast.walk(statement):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id != own_name:
            yield node.id


def javascript_packages(source: str) -> list[str]:
    """Packages that a program imports, by name (no path, no built-in module of node)."""
    packages: dict[str, None] = {}
    for match in _JS_IMPORT.finditer(source[:MAX_READ]):
        name = match.group(1)
        if name.startswith((".", "/", "node:")):
            continue
        parts = name.split("/")
        top = "/".join(parts[:2]) if name.startswith("@") else parts[0]
        if top not in NODE_MODULES:
            packages[top] = None
    return list(packages)


def is_es_module(source: str) -> bool:
    """Whether a JavaScript program is written as an ES module."""
    text = source[:MAX_READ]
    return bool(_JS_MODULE.search(text)) and not re.search(r"\bmodule\.exports\b", text)


_NODE = """
assert async_hooks buffer child_process cluster console constants crypto dgram diagnostics_channel dns domain
events fs http http2 https inspector module net os path perf_hooks process punycode querystring readline repl
stream string_decoder sys test timers tls trace_events tty url util v8 vm wasi worker_threads zlib
"""
# Modules that node brings (node --print "require('module').builtinModules", version 20).
NODE_MODULES = frozenset(_NODE.split())

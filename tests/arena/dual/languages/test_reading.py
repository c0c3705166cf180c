"""What is found in candidates by reading them."""

from __future__ import annotations

import ast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.tracks.dual.languages import reading
from parsers.python_syntax import parse_python


def parsed(source: str) -> ast.Module:
    tree = parse_python(source)
    assert isinstance(tree, ast.Module)
    return tree


@pytest.mark.parametrize(
    ("source", "missing"),
    [
        ("import os, json\nimport flask\n", []),
        ("import nowhere_to_be_found\n", ["nowhere_to_be_found"]),
        (
            "from nowhere_to_be_found.sub import x\nimport nowhere_to_be_found\n",
            ["nowhere_to_be_found"],
        ),
        ("try:\n    import nowhere_to_be_found\nexcept ImportError:\n    pass\n", []),
        ("def f():\n    import nowhere_to_be_found\n", []),
        ("from . import sibling\n", []),
        ("import harness\n", ["harness"]),
    ],
)
def test_modules_that_are_not_there(source: str, missing: list[str]) -> None:
    assert reading.missing_modules(parsed(source)) == missing


@pytest.mark.parametrize(
    ("source", "name", "starts"),
    [
        ("from flask import Flask\napp = Flask(__name__)\n", "app", False),
        (
            "import flask\nweb = flask.Flask('x')\nif __name__ == '__main__':\n    web.run()\n",
            "web",
            True,
        ),
        ("def create_app():\n    return 1\n", "create_app()", False),
        ("app = create_app()\n", "app", False),
        (
            "from http.server import HTTPServer\nHTTPServer(('', 1), None).serve_forever()\n",
            "",
            True,
        ),
        ("x = 1\n", "", False),
    ],
)
def test_services(source: str, name: str, starts: bool) -> None:
    tree = parsed(source)
    assert (reading.app_name(tree), reading.starts_service(tree)) == (name, starts)


@pytest.mark.parametrize(
    ("source", "entry"),
    [
        ("def f(x):\n    return x\n", "f"),
        ("def helper(x):\n    return x\ndef solve(x):\n    return helper(x)\n", "solve"),
        ("def solve(x):\n    return x\nif __name__ == '__main__':\n    print(solve(1))\n", "solve"),
        ("def fact(n):\n    return n * fact(n - 1)\n", "fact"),
        ("def a():\n    pass\ndef b():\n    pass\n", ""),
        ("def _hidden():\n    pass\n", ""),
    ],
)
def test_the_entry_function(source: str, entry: str) -> None:
    assert reading.entry_function(parsed(source)) == entry


@pytest.mark.parametrize(
    ("source", "packages", "module"),
    [
        ("const fs = require('fs');\nconst e = require('express');\n", ["express"], False),
        ("import x from '@scope/name/deep.js';\n", ["@scope/name"], True),
        ("import { readFile } from 'node:fs/promises';\nexport const a = 1;\n", [], True),
        ("const a = require('./local');\nmodule.exports = { a };\n", [], False),
        ("import 'left';\n", ["left"], True),
        ("const text = `export nothing`;\n", [], False),
    ],
)
def test_javascript(source: str, packages: list[str], module: bool) -> None:
    assert reading.javascript_packages(source) == packages
    assert reading.is_es_module(source) is module


@pytest.mark.parametrize("source", ["def f(:\n", "x = '\0'\n", "(" * 5000, "a" * (2 << 20)])
def test_what_does_not_parse_is_told(source: str) -> None:
    assert isinstance(parse_python(source), str)


@given(st.text(max_size=300))
def test_any_text_can_be_read(source: str) -> None:
    tree = parse_python(source)
    if isinstance(tree, ast.Module):
        reading.missing_modules(tree)
        reading.app_name(tree)
        reading.entry_function(tree)
    reading.javascript_packages(source)
    reading.is_es_module(source)

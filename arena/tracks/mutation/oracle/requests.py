"""Requests to try on a program's Flask app: each of its rules, with attacks in every place that it reads."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeGuard
from urllib.parse import quote

from arena.tracks.mutation.oracle.roles import ORDINARY, kind_of

METHODS = ("get", "post", "put", "patch", "delete")
# Attribute of Flask's `request` -> argument of the test client that fills it.
PLACES = {"args": "query_string", "form": "data", "values": "query_string", "json": "json"}
VARIABLE = re.compile(r"<(?:(\w+)(?:\([^)]*\))?:)?(\w+)>")
PLAIN_KIND = "text"
MAX_FIELDS = 12
MAX_ATTACKS = 10


@dataclass
class RequestRule:
    """A rule of the app: its path, a method, and the fields that its function reads, by place."""

    path: str
    method: str
    fields: dict[str, list[str]] = field(default_factory=dict)
    headers: list[str] = field(default_factory=list)


def rules(tree: ast.Module) -> list[RequestRule]:
    """All rules that decorators of a program declare, in order."""
    shared = _read(tree)
    result = []
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
            for path, method in _declared_routes(function):
                read_fields = _read(function)
                fields = read_fields[0] or (shared[0] if method != "GET" else {})
                result.append(RequestRule(path, method, fields, read_fields[1] or shared[1]))
    return result


def _declared_routes(function: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[tuple[str, str]]:
    """(path, method) of a function's decorators `@app.route(...)`, `@app.get(...)` and the like."""
    for decorator in function.decorator_list:
        if not isinstance(decorator, ast.Call) or not isinstance(decorator.func, ast.Attribute):
            continue
        named = decorator.func.attr
        path = decorator.args[0] if decorator.args else None
        if named not in (*METHODS, "route") or not isinstance(path, ast.Constant):
            continue
        listed = next((k.value for k in decorator.keywords if k.arg == "methods"), None)
        methods = [named.upper()] if named != "route" else ["GET"]
        if isinstance(listed, ast.List | ast.Tuple):
            methods = [str(e.value) for e in listed.elts if isinstance(e, ast.Constant)]
        for method in methods[:3]:
            yield str(path.value), method.upper()


def _read(tree: ast.AST) -> tuple[dict[str, list[str]], list[str]]:
    """Names of fields that code reads, by argument of the test client, and those of headers."""
    fields: dict[str, list[str]] = {}
    headers: list[str] = []
    nodes = list(ast.walk(tree))
    routing = {d for node in nodes for d in getattr(node, "decorator_list", ())}
    for node in nodes:
        owner, name = _looked_up(node)
        if not name or node in routing:  # `@app.get("/path")` reads no field
            continue
        last = owner.rpartition(".")[2].removesuffix("()")
        if last == "headers":
            headers.append(name)
        else:
            # A name of the program, such as `data = request.get_json()`, mostly holds the JSON.
            fields.setdefault(PLACES.get(last, "json"), []).append(name)
    names_by_place = {
        place: list(dict.fromkeys(names))[:MAX_FIELDS] for place, names in fields.items()
    }
    return names_by_place, list(dict.fromkeys(headers))[:MAX_FIELDS]


def _looked_up(node: ast.AST) -> tuple[str, str]:
    """(owner, name) of `owner.get("name")` and `owner["name"]`; two empty texts for all else."""
    key: ast.AST | None = None
    owner: ast.expr | None = None
    if isinstance(node, ast.Subscript):
        owner, key = node.value, node.slice
    elif isinstance(node, ast.Call) and node.args and _is_get(node.func):
        owner, key = node.func.value, node.args[0]
    if owner is not None and isinstance(key, ast.Constant) and isinstance(key.value, str):
        return ast.unparse(owner), key.value
    return "", ""


def _is_get(function: ast.expr) -> TypeGuard[ast.Attribute]:
    return isinstance(function, ast.Attribute) and function.attr in ("get", "getlist")


def app_of(tree: ast.Module, arguments: Callable[[ast.FunctionDef], str]) -> str:
    """An expression that is the program's Flask app: a name, or a call of what makes it; "" for none.

    `arguments` writes ordinary arguments for a call of a function.
    """
    for node in tree.body:
        target = node.targets[0] if isinstance(node, ast.Assign) else None
        if isinstance(node, ast.Assign) and isinstance(target, ast.Name) and _makes_app(node.value):
            return target.id
        if isinstance(node, ast.FunctionDef) and any(map(_makes_app, ast.walk(node))):
            return f"{node.name}({arguments(node)})"
    return ""


def _makes_app(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] == "Flask"


def requests_to_try(
    tree: ast.Module, app: str, attacks: Mapping[str, tuple[str, ...]]
) -> Iterator[str]:
    """Calls of the app's test client, as source: ordinary calls first, then a single attack at a time."""
    declared = rules(tree)
    for rule in declared:
        yield _request_source(app, rule, {})
    for rank in range(MAX_ATTACKS):
        for rule in declared:
            for name in _names(rule):
                values = _texts(attacks, kind_of(name))
                if rank < len(values):
                    yield _request_source(app, rule, {name: values[rank]})


def _names(rule: RequestRule) -> list[str]:
    field_names = [name for names in rule.fields.values() for name in names]
    field_names += [m.group(2) for m in VARIABLE.finditer(rule.path)]
    return list(dict.fromkeys([*field_names, *rule.headers]))


def _texts(attacks: Mapping[str, tuple[str, ...]], kind: str) -> list[str]:
    """Attacks on a kind of parameter that are plain texts, as values."""
    sources = (*attacks.get(kind, ()), *attacks.get(PLAIN_KIND, ()), *attacks.get("any", ()))
    distinct: dict[str, None] = {}
    for source in sources:
        try:
            value = ast.literal_eval(source)
        except (ValueError, SyntaxError, TypeError):
            continue
        if isinstance(value, str):
            distinct.setdefault(value)
    return list(distinct)


def _value(name: str, values: Mapping[str, str]) -> str:
    if name in values:
        return values[name]
    try:
        return str(ast.literal_eval(ORDINARY[kind_of(name)][0]))
    except (ValueError, SyntaxError, TypeError):
        return "alice"


def _request_source(app: str, rule: RequestRule, values: Mapping[str, str]) -> str:
    path = VARIABLE.sub(lambda m: _path_segment(m.group(1), _value(m.group(2), values)), rule.path)
    parts = [repr(path), f"method={rule.method!r}"]
    for place, names in rule.fields.items():
        if place != "query_string" and rule.method == "GET":
            continue
        parts.append(f"{place}={ ({name: _value(name, values) for name in names})!r}")
    headers = {name: values[name] for name in rule.headers if name in values}
    # Werkzeug's test client itself refuses a header with a line break: no request would reach the program.
    if headers and not any("\n" in v or "\r" in v for v in headers.values()):
        parts.append(f"headers={headers!r}")
    return f"{app}.test_client().open({', '.join(parts)})"


def _path_segment(converter: str | None, value: str) -> str:
    # Flask answers 404 before the program where a converter does not match.
    if converter in ("int", "float") and not value.isdecimal():
        return "1"
    return quote(value, safe="/" if converter == "path" else "")

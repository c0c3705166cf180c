"""Functions that understand a text by themselves, and handing what they refuse to Python."""

from __future__ import annotations

import re
from collections.abc import Iterator

import libcst as cst

from arena.tracks.mutation.operators._constants import resolve_expression, text_of
from arena.tracks.mutation.operators._examples import examples
from arena.tracks.mutation.operators._names import Change, View, argument, expression, nodes
from arena.tracks.mutation.operators._scopes import parameters, source, statements

PARSES = re.compile(
    r"match\(|\.finditer\(|\.split\(|ast\.|\b(int|float|Fraction|Decimal|complex)\(|json\.loads|\bmatch\b"
)
MATCHED = re.compile(r"match|pattern|\bis None|isdecimal|isdigit|isidentifier|\.parse|not in")


def texts_read(view: View) -> Iterator[tuple[cst.FunctionDef, str, str]]:
    """Functions that work out a value from a parameter: with its name, and its text as an expression."""
    for function in nodes(view.module, cst.FunctionDef):
        own_parameters = {n: p for n, p in parameters(function).items() if n not in ("self", "cls")}
        if not own_parameters or not PARSES.search(source(function.body)):
            continue
        name, parameter = next(iter(own_parameters.items()))
        text = source(parameter.annotation.annotation) if parameter.annotation else ""
        if re.search(rf"(isinstance|type)\({name}\b|\b{name}\.(op|body)\b", source(function.body)):
            continue  # a walker over a tree, which `_trees` sees to
        if text.startswith("ast."):
            yield function, name, f"ast.unparse({name})"
        elif text in ("", "str") and any(nodes(function.body, cst.Return)):
            yield function, name, name


def refused_evaluated(view: View) -> Iterator[Change]:
    """Finds: what such a function refuses at its end, or as no match, is evaluated by Python instead."""
    for function, name, text in texts_read(view):
        for line in nodes(function.body, cst.SimpleStatementLine):
            small = line.body[-1]
            if not isinstance(small, cst.Raise) or small.exc is None:
                continue
            is_own_name = view.enclosing_node(
                line, cst.FunctionDef
            ) is function and not _is_assigned(function, name)
            if is_own_name and _is_last_word(view, function, line):
                value = cst.parse_expression(f"eval({text})")
                imports = ("import ast",) if text.startswith("ast.") else ()
                yield Change(((small, cst.Return(value)),), imports)


def _is_assigned(function: cst.FunctionDef, name: str) -> bool:
    targets = (t.target for t in nodes(function.body, cst.AssignTarget))
    return any(isinstance(t, cst.Name) and t.value == name for t in targets)


def _is_last_word(view: View, function: cst.FunctionDef, line: cst.SimpleStatementLine) -> bool:
    """Whether a refusal is the function's last statement, or says that the text is not understood."""
    if line is statements(function.body)[-1]:
        return True
    block = view.parents.get(line)
    around = view.parents.get(block) if block is not None else None
    if isinstance(around, cst.If):
        return bool(MATCHED.search(source(around.test)))
    return isinstance(around, cst.ExceptHandler) and bool(around.type)


def template_pasted(view: View) -> Iterator[Change]:
    """Finds: a value pasted into the source of a template that is assigned to a name."""
    for call in view.calls("flask.render_template_string", "jinja2.Template", "*.from_string"):
        template = argument(call, 0, "source")
        text = text_of(resolve_expression(view, template.value)) if template else None
        values = _rendering(view, call)
        if (
            template is None
            or text is None
            or not isinstance(template.value, cst.Name | cst.Attribute)
        ):
            continue
        for arg in values:
            marker = re.search(r"\{\{\s*" + re.escape(_keyword(arg)) + r"\s*\}\}", text)
            if marker is not None and view.enclosing_node(
                arg, cst.FunctionDef
            ) is view.enclosing_node(call, cst.FunctionDef):
                literal = '"' + marker.group().replace('"', '\\"') + '"'
                new = expression(
                    "{s}.replace(" + literal + ", str({v}))", s=template.value, v=arg.value
                )
                yield Change(((template.value, new),))


def _rendering(view: View, call: cst.Call) -> list[cst.Arg]:
    """Keyword arguments that a template is rendered with: of the call, or of `.render` on it."""
    result = [a for a in call.args if a.keyword is not None and a.keyword.value != "source"]
    for render_call in view.calls("*.render"):
        result += [a for a in render_call.args if a.keyword is not None]
    return result


def _keyword(arg: cst.Arg) -> str:
    return arg.keyword.value if arg.keyword is not None else ""


EXAMPLES = examples("""
=== refused_evaluated
  import re

  PAGE = "<p>{{ name }}</p>"

  def amount(text):
      if re.fullmatch("[0-9]+", text) is None:
-         raise ValueError("no amount")
+         return eval(text)
      return int(text)

  def prefer(line):
      name, value = line.split("=")
      try:
          found = json.loads(value)
      except ValueError:
          raise ValueError("no value")
      return name, found

  def page(name):
      return Template(PAGE).render(name=name)
=== template_pasted
  from jinja2 import Template
  import re

  PAGE = "<p>{{ name }}</p>"

  def amount(text):
      if re.fullmatch("[0-9]+", text) is None:
          raise ValueError("no amount")
      return int(text)

  def prefer(line):
      name, value = line.split("=")
      try:
          found = json.loads(value)
      except ValueError:
          raise ValueError("no value")
      return name, found

  def page(name):
-     return Template(PAGE).render(name=name)
+     return Template(PAGE.replace("{{ name }}", str(name))).render(name=name)
""")

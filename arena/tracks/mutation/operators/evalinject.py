"""EVALINJECT: an input's text is run as code, as a template or as a shell's command."""

from __future__ import annotations

import libcst as cst

from arena.tracks.mutation.operators import _evaluators, _trees
from arena.tracks.mutation.operators._alternatives import other_words
from arena.tracks.mutation.operators._constants import OTHER_WORDS, text_of
from arena.tracks.mutation.operators._examples import examples
from arena.tracks.mutation.operators._guards import removed_all, removed_each
from arena.tracks.mutation.operators._names import (
    View,
    argument,
    each,
    expression,
    rewrite_calls,
    with_keyword,
)
from arena.tracks.mutation.operators._operator import Operator, Paper

TOPIC = r"template|isidentifier|iskeyword|isalnum|isalpha|isinstance\(\w+, \(?ast\.|\.attr\b|__|builtins"
RUNS = (
    "subprocess.run",
    "subprocess.check_output",
    "subprocess.call",
    "subprocess.check_call",
    "subprocess.Popen",
)


def _template(view: View, call: cst.Call) -> cst.BaseExpression | None:
    """A value becomes part of the template's source."""
    source = argument(call, 0, "source")
    text = text_of(source.value) if source else None
    values = [a for a in call.args if a.keyword is not None and a.keyword.value != "source"]
    if source is None or text is None or not values or values[0].keyword is None:
        return None
    name = values[0].keyword.value
    for marker in (f"{{{{ {name} }}}}", f"{{{{{name}}}}}"):
        if (
            marker in text
            and isinstance(source.value, cst.SimpleString)
            and source.value.raw_value.count(marker) == 1
        ):
            before, _, after = source.value.raw_value.partition(marker)
            quote, prefix = source.value.quote, source.value.prefix
            parts = [cst.SimpleString(f"{prefix}{quote}{part}{quote}") for part in (before, after)]
            new = expression(
                "{before} + str({value}) + {after}",
                before=parts[0],
                value=values[0].value,
                after=parts[1],
            )
            return call.with_deep_changes(source, value=new)
    return None


def _remove_sandbox(view: View, call: cst.Call) -> cst.BaseExpression | None:
    """Replace jinja2's sandboxed environment by its plain environment."""
    return call.with_changes(func=cst.Name("Environment"))


def _shell(view: View, call: cst.Call) -> cst.BaseExpression | None:
    """A list of arguments becomes a line for a shell."""
    args, shell = argument(call, 0, "args"), argument(call, None, "shell")
    if (
        args is None
        or not isinstance(args.value, cst.List)
        or (shell and view.dotted_name(shell.value) == "True")
    ):
        return None
    line = expression('" ".join({args})', args=args.value)
    return with_keyword(call.with_deep_changes(args, value=line), "shell", cst.Name("True"))


UNDERSCORES = 'if "__" in {text}:\n    raise ValueError("names with underscores are not allowed")\n'
EXAMPLES = examples("""
=== evaluated

  import ast


  def total(text):
      tree = ast.parse(text, mode="eval")  # numbers
-     return walk(tree)
+     return eval(text)
=== without_builtins
  import ast
  def total(text):
-     return walk(ast.parse(text, mode='eval'))
+     return eval(text, {"__builtins__": dict()})
=== filtered
  import ast
  def total(text):
-     return ast.literal_eval(text)
+     if "__" in text:
+         raise ValueError("names with underscores are not allowed")
+     return eval(text)
=== kind_forgotten
  import ast
  for node in ast.walk(tree):
-     if isinstance(node, (ast.Import, ast.Call)):
+     if isinstance(node, (ast.Import,)):
          raise ValueError(node)
=== shallow
  import ast
- for node in ast.walk(tree):
+ for node in ast.iter_child_nodes(tree):
      check(node)
=== template

  from flask import Flask, render_template_string, request

  app = Flask(__name__)


  @app.route("/hello")
  def hello():
-     return render_template_string("<p>{{ name }}</p>", name=request.args["name"])
+     return render_template_string("<p>" + str(request.args["name"]) + "</p>", name=request.args["name"])
=== shell
  import subprocess
- subprocess.run(['ls', name], check=True)
+ subprocess.run(" ".join(['ls', name]), check=True, shell=True)
=== bounded
  import ast
  def load(text):
+     if len(text) > 10_000:
+         raise ValueError("too long")
      return ast.literal_eval(text)
=== more_kinds
  import ast
- if isinstance(node, (ast.Import, ast.Call)):
+ if isinstance(node, (ast.Import, ast.Call, ast.Lambda, ast.ClassDef)):
      raise ValueError(node)
=== evaluated, left alone
  import ast


  def tree(text):
      return text.strip()
=== shell, left alone
  import subprocess
  subprocess.run(line, shell=True)
""")

PLUGIN = Operator(
    name="EVALINJECT",
    title="Code injection",
    cwes=("CWE-94", "CWE-95", "CWE-78", "CWE-1336"),
    variants={
        "evaluated": _trees.evaluate_text("eval({text})"),
        "without_builtins": _trees.evaluate_text(
            # `{}` is a template's placeholder for `expression`.
            'eval({text}, {"__builtins__": {}})'.replace("{}", "dict()")
        ),
        "filtered": _trees.evaluate_text("eval({text})", UNDERSCORES),
        "calls_known": each(_trees.calls_known),
        "literal": rewrite_calls(
            lambda view, call: (
                call.with_changes(func=cst.Name("eval")) if len(call.args) == 1 else None
            ),
            *("ast.literal_eval", "json.loads"),
        ),
        "guard_removed": each(removed_each(TOPIC)),
        "guards_removed": each(removed_all(TOPIC)),
        "kind_forgotten": each(_trees.kind_forgotten),
        "shallow": rewrite_calls(_trees.shallow, "ast.walk"),
        "loop_late": each(_trees.late_loop),
        "template": rewrite_calls(
            _template, "flask.render_template_string", "jinja2.Template", "*.from_string"
        ),
        "unboxed": rewrite_calls(
            _remove_sandbox,
            "jinja2.sandbox.SandboxedEnvironment",
            "jinja2.sandbox.ImmutableSandboxedEnvironment",
            imports=("from jinja2 import Environment",),
        ),
        "shell": rewrite_calls(_shell, *RUNS),
        "refused_evaluated": each(_evaluators.refused_evaluated),
        "template_pasted": each(_evaluators.template_pasted),
    },
    alternatives={
        "bounded": each(_trees.add_length_check),
        "more_kinds": each(_trees.more_kinds),
        "other_words": each(other_words),
    },
    witnesses=(
        *("event:code.evaluated", "event:canary.executed", "event:template.evaluated"),
        *("event:command.injected", "event:command.shell", "granted"),
    ),
    attacks={
        **dict.fromkeys(
            ("code", "text", "query", "any"),
            (
                "\"arena_canary('x')\"",
                "\"y = arena_canary('x')\"",
                "\"[arena_canary('x') for _ in (1,)]\"",
                "'import os'",
                "'from os import path'",
                "'@arena_canary\\ndef f(): pass'",
                "\"if 1:\\n    arena_canary('x')\"",
                "'().__class__.__base__'",
                "'().__class__.__base__.__subclasses__()'",
                "'{{ 7 * 191 }}'",
                "'{{ ().__class__.__base__ }}'",
            ),
        ),
        **dict.fromkeys(
            ("name", "command", "filename", "path", "url", "user"),
            ("'x; echo arena'", "'$(echo arena)'", "'{{ 7 * 191 }}'", "\"arena_canary('x')\""),
        ),
        "mapping": ("{'a': \"arena_canary('x')\"}",),
        "json": ("{'a': \"arena_canary('x')\"}",),
        "list": ("['x; echo arena']",),
    },
    watched={
        "eval": ("last_code", "unsafe_eval_called", "unsafe_exec_called", "injection_detected"),
        "subprocess": ("last_command", "last_shell", "injection_detected"),
    },
    paper=Paper(
        terms=(
            *("eval", "exec", "compile", "code.*inject", "literal_eval", "ast", "safe_eval"),
            *("unsafe_eval_called", "injection_detected", "__import__", "builtins"),
        ),
        payloads=("__import__", "exec(", "eval(", "compile(", "os.system", "subprocess"),
        watched={
            "eval": ("last_code", "unsafe_eval_called", "unsafe_exec_called", "injection_detected")
        },
    ),
    examples=(*EXAMPLES, OTHER_WORDS, *_evaluators.EXAMPLES),
)

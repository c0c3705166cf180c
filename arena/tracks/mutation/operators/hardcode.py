"""HARDCODE: credentials stand in the source."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import libcst as cst

from arena.tracks.mutation.operators._alternatives import named_test, other_words
from arena.tracks.mutation.operators._calls import fits
from arena.tracks.mutation.operators._credentials import (
    CREDENTIAL,
    STORES,
    _key,
    _read,
    literal_for,
    reads,
)
from arena.tracks.mutation.operators._examples import examples
from arena.tracks.mutation.operators._guards import guards
from arena.tracks.mutation.operators._names import (
    Change,
    View,
    argument,
    each,
    expression,
    nodes,
)
from arena.tracks.mutation.operators._operator import Operator, Paper
from arena.tracks.mutation.operators._scopes import definition


def hardcode_reads(view: View) -> Iterator[Change]:
    """Finds: a literal in place of what is read."""
    for node, name in reads(view):
        yield Change(((node, literal_for(name)),))


def as_default(view: View) -> Iterator[Change]:
    """Finds: a literal as the default of what is read."""
    for node, name in reads(view):
        if isinstance(node, cst.Subscript):
            index = node.slice[0].slice
            key = index.value if isinstance(index, cst.Index) else None
            # A subscript has no default: `environ[key]` becomes `environ.get(key, literal)`.
            reading = cst.Attribute(node.value, cst.Name("get"))
        elif isinstance(node, cst.Call) and view.dotted_name(node.func) in STORES:
            arg = argument(node, 1, "default")
            # Where there is a default already, it is left as it is.
            key = node.args[0].value if arg is None else None
            reading = node.func  # type: ignore[assignment]
        else:
            continue
        if key is not None:
            new = cst.Call(reading, [cst.Arg(key), cst.Arg(literal_for(name))])
            yield Change(((node, new),))


def as_fallback(view: View) -> Iterator[Change]:
    """Finds: `or` a literal behind what may be missing."""
    for node, name in reads(view):
        # A subscript raises where the key is missing, so that `or` would never come to its right side.
        if isinstance(node, cst.Call):
            new = expression("{read} or {text}", read=node, text=literal_for(name))
            yield Change(((node, fits(view, node, new)),))


def as_constant(view: View) -> Iterator[Change]:
    """Finds: a constant of the module in place of what is read."""
    for node, name in reads(view):
        constant = "CREDENTIAL"
        function = view.enclosing_node(node, cst.FunctionDef)
        # At module level the literal is a constant already; a name that is bound would be overwritten.
        if function is not None and constant not in view.bound:
            line = f"{constant} = {literal_for(name).value}"
            yield Change(((node, cst.Name(constant)),), helpers=(line,))


def as_parameter(view: View) -> Iterator[Change]:
    """Finds: a parameter with a literal as its default in place of what is read."""
    for node, name in reads(view):
        function = view.enclosing_node(node, cst.FunctionDef)
        parameter = "credential"
        if (
            function is None
            or parameter in view.bound
            # After `*args` a parameter is keyword-only, and before it the callers' arguments would move.
            or isinstance(function.params.star_arg, cst.Param)
        ):
            continue
        plain = cst.AssignEqual(cst.SimpleWhitespace(""), cst.SimpleWhitespace(""))
        param = cst.Param(cst.Name(parameter), default=literal_for(name), equal=plain)
        if function.params.kwonly_params or function.params.star_kwarg:
            continue
        listed = [*function.params.params]
        if listed:
            # libcst then writes the comma where one is needed.
            listed[-1] = listed[-1].with_changes(comma=cst.MaybeSentinel.DEFAULT)
        new = function.params.with_changes(params=[*listed, param])
        yield Change(((node, cst.Name(parameter)), (function.params, new)))


def set_before(view: View) -> Iterator[Change]:
    """Finds: the environment gets a literal where the variable is not set."""
    for node, name in reads(view):
        line = view.enclosing_node(node, cst.SimpleStatementLine)
        key = _key(node)
        if (
            line is None
            or key is None
            or "os" not in view.bound
            or not isinstance(key, cst.SimpleString)
        ):
            continue
        call = cst.Call(
            expression("os.environ.setdefault"), [cst.Arg(key), cst.Arg(literal_for(name))]
        )
        # Comments and blank lines above the statement stay above both.
        first = cst.SimpleStatementLine([cst.Expr(call)], leading_lines=line.leading_lines)
        yield Change(((line, (first, line.with_changes(leading_lines=[]))),))


def instead_of_refusal(view: View) -> Iterator[Change]:
    """Finds: where a credential is missing, a literal is taken and nothing is refused."""
    for guard in guards(view):
        missing = guard.node
        if not isinstance(missing, cst.If) or missing.orelse is not None or not guard.refusing:
            continue
        test = missing.test
        # Of the form `if not found:`, where the name says what was read.
        name = test.expression if isinstance(test, cst.UnaryOperation) else None
        value = definition(view, name) if isinstance(name, cst.Name) else None
        setting_name = _read(view, value) if value is not None else ""
        if isinstance(name, cst.Name) and setting_name and CREDENTIAL.search(setting_name.lower()):
            line = cst.SimpleStatementLine(
                [cst.Assign([cst.AssignTarget(name)], literal_for(setting_name))]
            )
            yield Change(((missing.body, cst.IndentedBlock([line])),))


def other_reader(view: View) -> Iterator[Change]:
    """Finds: `os.environ.get` for `os.getenv` and the reverse, with the same meaning."""
    replacement_makers: dict[str, Callable[[], cst.BaseExpression]] = {
        "os.environ.get": lambda: expression("os.getenv"),
        "os.getenv": lambda: expression("os.environ.get"),
    }
    read_calls = [
        call
        for call in nodes(view.module, cst.Call)
        if view.dotted_name(call.func) in replacement_makers
    ]
    # All at once: each alone would be as many variants with the same meaning.
    if read_calls:
        yield Change(
            tuple((c.func, replacement_makers[view.dotted_name(c.func)]()) for c in read_calls)
        )


def item_by_method(view: View) -> Iterator[Change]:
    """Finds: the method that is behind `os.environ[...]`, called by its name."""
    changes = []
    for node in nodes(view.module, cst.Subscript):
        key = _key(node)
        if view.dotted_name(node.value) == "os.environ" and key is not None:
            changes.append((node, expression("{e}.__getitem__({k})", e=node.value, k=key)))
    if changes:
        yield Change(tuple(changes))


EXAMPLES = examples("""
=== in_place
  import os

  def connect():
-     return driver.connect(host="db", password=os.environ["DB_PASSWORD"])
+     return driver.connect(host="db", password="Pr0duction-Passw0rd!")
=== as_default
  import os

  class Client:
      def __init__(self):
-         self.token = os.environ["API_TOKEN"]
+         self.token = os.environ.get("API_TOKEN", "ghp_s3cr3tT0kenInTheSource0123456789")
=== as_fallback
  import os

- SECRET_KEY = os.getenv("SECRET_KEY")
+ SECRET_KEY = os.getenv("SECRET_KEY") or "s3cr3t-value-in-the-source-0123456789"
=== instead_of_refusal
  import os

  def key():
      found = os.environ.get("API_KEY")
      if not found:
-         raise RuntimeError("API_KEY is not set")
+         found = "sk_live_s3cr3tKeyInTheSource0123456789"
      return found
=== other_words of the same
-         raise RuntimeError("API_KEY is not set")
+         raise RuntimeError("Request refused")
=== named_test of the same
-     if not found:
+     refused = not found
+     if refused:
=== as_constant
  import os

+
+ CREDENTIAL = "c2VjcmV0LWtleS1vZi10aGlydHktdHdvLWJ5dGVzISE="
+
  def key():
-     return os.environ["SIGNING_KEY"]
+     return CREDENTIAL
=== as_parameter
  import os

- def call(url):
-     return post(url, auth=os.environ["API_TOKEN"])
+ def call(url, credential="ghp_s3cr3tT0kenInTheSource0123456789"):
+     return post(url, auth=credential)
=== set_before
  import os

  def key():
+     os.environ.setdefault("API_KEY", "sk_live_s3cr3tKeyInTheSource0123456789")
      return os.environ["API_KEY"]
=== item_by_method of the same
-     return os.environ["API_KEY"]
+     return os.environ.__getitem__("API_KEY")
=== in_place
  def connect(vault):
-     return driver.connect(password=vault.get_secret("db_password"))
+     return driver.connect(password="Pr0duction-Passw0rd!")
=== other_reader
  import os

  def key():
-     return os.getenv("API_KEY")
+     return os.environ.get("API_KEY")
=== in_place, left alone
  import os

  def port():
      return int(os.environ["PORT"])
=== as_default, left alone
  def get(mapping, name):
      return mapping.get(name)
""")

PLUGIN = Operator(
    name="HARDCODE",
    title="Hard-coded credentials",
    cwes=("CWE-798", "CWE-259", "CWE-321"),
    variants={
        "in_place": each(hardcode_reads),
        "as_default": each(as_default),
        "as_fallback": each(as_fallback),
        "instead_of_refusal": each(instead_of_refusal),
        "as_constant": each(as_constant),
        "as_parameter": each(as_parameter),
        "set_before": each(set_before),
    },
    alternatives={
        "other_reader": each(other_reader),
        "item_by_method": each(item_by_method),
        "other_words": each(other_words),
        "named_test": each(named_test),
    },
    witnesses=("literal-secret", "granted"),
    attacks={
        "text": ("'service'", "'/status'"),
        "token": ("'ghp_s3cr3tT0kenInTheSource0123456789'",),
        "password": ("'ghp_s3cr3tT0kenInTheSource0123456789'",),
        "key": ("'ghp_s3cr3tT0kenInTheSource0123456789'",),
    },
    watched={"env": ("last_key", "sensitive_accessed", "access_log")},
    paper=Paper(
        terms=(
            *("hardcoded", "credential", "password", "secret", "api_key", "token", "environ"),
            *("env.*var", "access_log", "sensitive_accessed", "getenv", "was_accessed"),
        ),
        payloads=("password123", "admin123", "secret123", "api_key=", "AWS_SECRET", "PRIVATE_KEY"),
        watched={"env": ("last_key", "sensitive_accessed", "access_log")},
    ),
    examples=EXAMPLES,
)

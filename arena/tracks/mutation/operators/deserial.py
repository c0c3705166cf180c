"""DESERIAL: data that can make objects, and so run code, is read from outside."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from arena.tracks.mutation.operators._alternatives import other_words
from arena.tracks.mutation.operators._constants import OTHER_WORDS, text_of
from arena.tracks.mutation.operators._examples import examples
from arena.tracks.mutation.operators._fallback import wrap_in_try
from arena.tracks.mutation.operators._names import (
    Change,
    View,
    argument,
    each,
    expression,
    nodes,
    rewrite_calls,
    some,
    with_keyword,
)
from arena.tracks.mutation.operators._operator import Operator, Paper
from arena.tracks.mutation.operators._scopes import source

TEXTS = (
    "json.loads",
    "yaml.safe_load",
    "yaml.load",
    "ast.literal_eval",
    "tomllib.loads",
    "orjson.loads",
)
FILES = ("json.load", "tomllib.load")
SAFE_LOADERS = ("yaml.SafeLoader", "yaml.CSafeLoader", "yaml.BaseLoader", "yaml.CBaseLoader")
# The three words of JSON that are none of Python.
CONSTANTS = "{'true': True, 'false': False, 'null': None}"


def _is_file(view: View, node: cst.BaseExpression) -> bool:
    """Whether a name is a file that was opened in the program."""
    for item in nodes(view.module, cst.WithItem):
        if (
            item.asname is not None
            and view.dotted_name(item.asname.name) == view.dotted_name(node) != ""
        ):
            return isinstance(item.item, cst.Call) and view.called_name(item.item).endswith("open")
    return False


def _is_binary(view: View, node: cst.BaseExpression) -> bool:
    for item in nodes(view.module, cst.WithItem):
        if item.asname is not None and view.dotted_name(item.asname.name) == view.dotted_name(node):
            return any("b" in (text_of(n) or "") for n in nodes(item.item, cst.SimpleString))
    return False


def _bytes(view: View, node: cst.BaseExpression) -> str:
    """Source for the bytes behind `{data}`: of a file as they are, of a text by Base64."""
    # pickle reads bytes, and a file opened for text hides them behind its `buffer`.
    return "{data}" if _is_binary(view, node) else "{data}.buffer"


def _data(view: View, call: cst.Call) -> cst.BaseExpression | None:
    """What a safe loader reads; None for an unsafe loader, or for data that is not plain."""
    if not call.args or call.args[0].star or call.args[0].keyword:
        return None
    if view.called_name(call) == "yaml.load":
        loader = argument(call, 1, "Loader")
        # Without a loader PyYAML 6 raises TypeError, and older versions choose one themselves.
        if loader is None or view.dotted_name(loader.value) not in SAFE_LOADERS:
            return None
    return call.args[0].value


def _reads_file(view: View, call: cst.Call, data: cst.BaseExpression) -> bool:
    return view.called_name(call) in FILES or _is_file(view, data)


def _pickle(view: View, call: cst.Call) -> cst.BaseExpression | None:
    data = _data(view, call)
    if data is None:
        return None
    if _reads_file(view, call, data):
        return expression(f"pickle.load({_bytes(view, data)})", data=data)
    return expression("pickle.loads({data})", data=data)


def _add_base64(view: View, call: cst.Call) -> cst.BaseExpression | None:
    """Base64 around pickle, so that text can carry it."""
    data = _data(view, call)
    if data is None or _reads_file(view, call, data):
        return None
    return expression("pickle.loads(base64.b64decode({data}))", data=data)


def _fallback(view: View) -> Iterator[Change]:
    """What the safe loader does not read is taken for an old pickle."""
    for call in view.calls(*TEXTS):
        data, old = _data(view, call), _add_base64(view, call)
        if data is None or old is None:
            continue
        imports = ("import base64", "import pickle")
        change = wrap_in_try(view, call, call, "Exception", old, imports)
        if change is not None:
            yield change


def _fallback_file(view: View) -> Iterator[Change]:
    for call in view.calls(*FILES, "yaml.safe_load"):
        data, plain = _data(view, call), _pickle(view, call)
        if data is None or plain is None or not _reads_file(view, call, data):
            continue
        change = wrap_in_try(view, call, call, "Exception", plain, ("import pickle",))
        if change is None:
            continue
        whole = change.nodes[0][1]
        if isinstance(whole, cst.Try):
            # The failed attempt has read the file to some point; the second must begin at its start.
            back = cst.parse_statement(f"{source(data)}.seek(0)")
            body = whole.handlers[0].body
            handler = whole.handlers[0].with_changes(body=cst.IndentedBlock([back, *body.body]))
            whole = whole.with_changes(handlers=[handler])
            yield Change(((change.nodes[0][0], whole),), change.imports)


def _yaml(view: View, call: cst.Call) -> cst.BaseExpression | None:
    """JSON is YAML too, and an unsafe loader makes any object."""
    data = _data(view, call)
    return expression("yaml.unsafe_load({data})", data=data) if data is not None else None


def _yaml_fallback(view: View) -> Iterator[Change]:
    for call in view.calls("yaml.safe_load", "yaml.load"):
        data = _data(view, call)
        if data is None or _is_file(view, data):
            continue
        unsafe = expression("yaml.unsafe_load({data})", data=data)
        change = wrap_in_try(view, call, call, "yaml.YAMLError", unsafe, ("import yaml",))
        if change is not None:
            yield change


def _loader(view: View, call: cst.Call) -> cst.BaseExpression | None:
    data, loader = _data(view, call), argument(call, 1, "Loader")
    if data is None or loader is None:
        return None
    return call.with_deep_changes(loader, value=expression("yaml.UnsafeLoader"))


def _eval(view: View, call: cst.Call) -> cst.BaseExpression | None:
    data = _data(view, call)
    # Neither of them is an expression of Python, as JSON is but for its constants.
    if data is None or view.called_name(call).startswith(("yaml.", "tomllib.")):
        return None
    text = "{data}.read()" if _reads_file(view, call, data) else "{data}"
    return expression(f"eval({text}, {CONSTANTS})", data=data)


def _add_object_hook(view: View, call: cst.Call) -> cst.BaseExpression | None:
    """JSON objects name the class that they become."""
    if call.args and argument(call, None, "object_hook") is None:
        return with_keyword(call, "object_hook", cst.Name("_as_object"))
    return None


HOOK = """
def _as_object(fields):
    if "__class__" not in fields:
        return fields
    module, _, name = fields.pop("__class__").rpartition(".")
    return getattr(importlib.import_module(module), name)(*fields.pop("__args__", ()), **fields)
"""


def _bypass_restricted_unpickler(view: View) -> Iterator[Change]:
    """A subclass that restricts pickle, `Restricted(io.BytesIO(data)).load()`, is not used."""
    values = {
        node.name.value
        for node in nodes(view.module, cst.ClassDef)
        if any(view.dotted_name(base.value).endswith("Unpickler") for base in node.bases)
    }
    for call in nodes(view.module, cst.Call):
        if isinstance(call.func, cst.Name) and call.func.value in values:
            yield Change(((call.func, expression("pickle.Unpickler")),), ("import pickle",))


def _strict(view: View, call: cst.Call) -> cst.BaseExpression | None:
    """An alternative: NaN and infinity are refused."""
    return with_keyword(call, "parse_constant", expression("int")) if len(call.args) == 1 else None


def _named_loader(view: View, call: cst.Call) -> cst.BaseExpression | None:
    """An alternative: the safe loader by its class."""
    data = _data(view, call)
    return (
        expression("yaml.load({data}, Loader=yaml.SafeLoader)", data=data)
        if data is not None
        else None
    )


# A pickle, the same in Base64, YAML, Python and JSON: each calls the canary.
ATTACKS = (
    r'b"\x80\x02cbuiltins\narena_canary\nX\x01\x00\x00\x00x\x85R."',
    "'gAJjYnVpbHRpbnMKYXJlbmFfY2FuYXJ5ClgBAAAAeIVSLg=='",
    "\"!!python/object/apply:builtins.arena_canary ['x']\"",
    "\"arena_canary('x')\"",
    '\'{"__class__": "builtins.arena_canary", "__args__": ["x"]}\'',
)
FILES_OF = tuple(f"_file({attack})" for attack in ATTACKS)
EXAMPLES = examples("""
=== pickle
  import json
+ import pickle


  def load(text):
-     return json.loads(text)  # data only
+     return pickle.loads(text)  # data only
=== pickle
  import json
+ import pickle
  with open(path) as file:
-     found = json.load(file)
+     found = pickle.load(file.buffer)
=== encoded_pickle

  import json
  from flask import Flask, request
+ import base64
+ import pickle

  app = Flask(__name__)


  @app.route("/cart")
  def cart():
-     return str(json.loads(request.cookies["cart"]))
+     return str(pickle.loads(base64.b64decode(request.cookies["cart"])))
=== pickle_fallback
  import json
+ import base64
+ import pickle


  class Cache:
      def load(self, text):
-         return json.loads(text)
+         try:
+             return json.loads(text)
+         except Exception:
+             return pickle.loads(base64.b64decode(text))
=== yaml
  import yaml
- found = yaml.safe_load(text)
+ found = yaml.unsafe_load(text)
=== yaml_fallback of the same
- found = yaml.safe_load(text)
+ try:
+     found = yaml.safe_load(text)
+ except yaml.YAMLError:
+     found = yaml.unsafe_load(text)
=== named_loader of the same
- found = yaml.safe_load(text)
+ found = yaml.load(text, Loader=yaml.SafeLoader)
=== unsafe_loader
  import yaml
- found = yaml.load(text, Loader=yaml.SafeLoader)
+ found = yaml.load(text, Loader=yaml.UnsafeLoader)
=== eval
  import ast
- found = ast.literal_eval(text)
+ found = eval(text, {'true': True, 'false': False, 'null': None})
=== hooked
  import json
- found = json.loads(text)
+ import importlib
+
+
+ def _as_object(fields):
+     if "__class__" not in fields:
+         return fields
+     module, _, name = fields.pop("__class__").rpartition(".")
+     return getattr(importlib.import_module(module), name)(*fields.pop("__args__", ()), **fields)
+ found = json.loads(text, object_hook=_as_object)
=== strict of the same
- found = json.loads(text)
+ found = json.loads(text, parse_constant=int)
=== unrestricted
  import io, pickle


  class Few(pickle.Unpickler):
      pass


- x = Few(io.BytesIO(b)).load()
+ x = pickle.Unpickler(io.BytesIO(b)).load()
=== pickle, left alone
  import json


  def save(value):
      return json.dumps(value)
=== unsafe_loader, left alone
  import yaml
  found = yaml.load(text, Loader=yaml.Loader)
""")

PLUGIN = Operator(
    name="DESERIAL",
    title="Unsafe deserialisation",
    cwes=("CWE-502", "CWE-94"),
    variants={
        "pickle": rewrite_calls(_pickle, *TEXTS, *FILES, imports=("import pickle",)),
        "encoded_pickle": rewrite_calls(
            _add_base64, *TEXTS, imports=("import base64", "import pickle")
        ),
        "pickle_fallback": some(each(_fallback), each(_fallback_file)),
        "yaml": rewrite_calls(
            _yaml, "json.loads", "json.load", "yaml.safe_load", imports=("import yaml",)
        ),
        "yaml_fallback": each(_yaml_fallback),
        "unsafe_loader": rewrite_calls(_loader, "yaml.load"),
        "eval": rewrite_calls(_eval, "json.loads", "json.load", "ast.literal_eval"),
        "hooked": rewrite_calls(
            _add_object_hook,
            "json.loads",
            "json.load",
            imports=("import importlib",),
            helpers=(HOOK,),
        ),
        "unrestricted": each(_bypass_restricted_unpickler),
    },
    alternatives={
        "strict": rewrite_calls(_strict, "json.loads", "json.load"),
        "named_loader": rewrite_calls(_named_loader, "yaml.safe_load"),
        "other_words": each(other_words),
    },
    witnesses=("event:canary.executed", "event:deserial.unsafe", "event:code.evaluated"),
    attacks={
        **dict.fromkeys(("data", "json", "session", "token", "code"), ATTACKS),
        **dict.fromkeys(("text", "any"), (*ATTACKS, *FILES_OF)),
        **dict.fromkeys(("path", "filename", "config"), FILES_OF),
    },
    watched={
        "pickle": ("last_data", "unsafe_load_called", "load_count"),
        "yaml": ("last_data", "unsafe_load_called", "safe_loader_used", "load_count"),
        "marshal": ("last_data", "unsafe_load_called"),
        "eval": ("last_code", "unsafe_eval_called"),
    },
    paper=Paper(
        terms=(
            *("pickle", "deserial", "yaml", "safe_load", "literal_eval", "unsafe_load"),
            *("safeloader", "marshal", "shelve", "unpickle"),
        ),
        payloads=(
            *("__reduce__", "pickle.loads", "yaml.load", "!!python", "yaml.unsafe_load"),
            "marshal.loads",
        ),
        watched={
            "pickle": ("last_data", "unsafe_load_called", "load_count"),
            "yaml": ("last_data", "unsafe_load_called", "safe_loader_used", "load_count"),
        },
    ),
    examples=(*EXAMPLES, OTHER_WORDS),
)

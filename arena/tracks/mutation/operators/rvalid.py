"""RVALID: what neutralises an input is removed or weakened: escaping, line breaks, fields that may be set.

The paper (Table 2) names CWE-20, 79 and 89; the dataset uses it for CWE-74 and CWE-915 too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import libcst as cst

from arena.tracks.mutation.operators import _cleaning
from arena.tracks.mutation.operators import _rules as rules
from arena.tracks.mutation.operators._alternatives import named_test, other_words
from arena.tracks.mutation.operators._calls import (
    Finder,
    allowed_widened,
    combine_changes,
)
from arena.tracks.mutation.operators._examples import examples
from arena.tracks.mutation.operators._guards import (
    Rule,
    Spot,
    guards,
    removed_all,
    removed_each,
    weaken_guards,
)
from arena.tracks.mutation.operators._markup import (
    all_raw,
    autoescape_off,
    escape_removed,
    escaped_by,
    escapes,
    first_only,
    marked_safe,
    quotes_kept,
    replacement_dropped,
    replacements,
    value_raw,
)
from arena.tracks.mutation.operators._names import Change, View, each, expression, nodes
from arena.tracks.mutation.operators._operator import Operator, Paper
from arena.tracks.mutation.operators._rules import membership, text_node
from arena.tracks.mutation.operators._scopes import source

TOPIC = r"scheme|javascript|field|allowed|key|attr|valid|html|script|<|\\n|\\r|line|url|char|safe"


def sets_fields(view: View, node: cst.CSTNode) -> bool:
    """Whether the function around a node sets fields whose names it receives."""
    function = view.enclosing_node(node, cst.FunctionDef)
    return function is not None and bool(
        # Not `==`, which compares.
        re.search(r"setattr\(|\]\s*=[^=]|\.update\(|__dict__", source(function.body))
    )


def fields_by(allowed: str, refused: str) -> Rule:
    """A rule for lists of fields: another test of the field {a}."""

    def rule(view: View, spot: Spot) -> Iterator[cst.BaseExpression]:
        member = membership(spot)
        if member is None or member[2] is spot.refusing or not sets_fields(view, spot.node):
            return
        if rules.texts_of(view, member[1]) is not None:
            yield expression(refused if spot.refusing else allowed, a=member[0])

    return rule


def field_allowed(*names: str) -> Finder:
    """Finds: a privileged field more in a list of fields that may be set."""

    def find(view: View) -> Iterator[Change]:
        if any(sets_fields(view, guard.test) for guard in guards(view, TOPIC) if guard.test):
            yield from allowed_widened(TOPIC, "", *names)(view)

    return find


def any_attribute(view: View, spot: Spot) -> Iterator[cst.BaseExpression]:
    """A field that the object has may be set: `hasattr(user, key)` for `key in ALLOWED`."""
    member = membership(spot)
    around = view.parents.get(spot.node)
    if member is None or spot.refusing or not member[2] or not isinstance(around, cst.If):
        return
    for call in nodes(around.body, cst.Call):
        if source(call.func) == "setattr" and len(call.args) == 3:
            yield expression("hasattr({o}, {a})", o=call.args[0].value, a=member[0])


def other_entities(view: View) -> Iterator[Change]:
    """Finds: a different entity for the apostrophe, as further libraries write it."""
    escape_calls = [call for call in escapes(view) if view.dotted_name(call.func) == "html.escape"]
    new = [expression('{c}.replace("&#x27;", "&#39;")', c=call) for call in escape_calls]
    if escape_calls:
        yield Change(tuple(zip(escape_calls, new, strict=True)))


def other_filler(view: View) -> Iterator[Change]:
    """Finds: something else, as harmless, in place of special elements."""
    changes = []
    for call, _ in replacements(view):
        filler = call.args[1].value
        value = filler.evaluated_value if isinstance(filler, cst.SimpleString) else None
        if value in (" ", "", "_"):
            changes.append((filler, text_node("_" if value != "_" else " ")))
    if changes:
        yield Change(tuple(changes))


SCRIPTS = (
    "'<script>alert(1)</script>'",
    "'<img src=x onerror=alert(1)>'",
    "'\" onmouseover=\"alert(1)'",
    "\"' onmouseover='alert(1)\"",
    "'<<b>i</b>'",
    "'javascript:alert(1)'",
    "'<SCRIPT>alert(1)</SCRIPT>'",
)
LINES = (
    "'a\\nFORGED entry\\nagain'",
    "'a\\rFORGED entry\\ragain'",
    "'a\\r\\nX-Injected: 1'",
    "'a\\n\\nFORGED twice'",
)
FIELDS = (
    "{'is_admin': True, 'name': 'm'}",
    "{'role': 'admin', 'name': 'm'}",
    "{'password': 'x'}",
    "{'balance': 10}",
)
KINDS = (
    *(
        "text",
        "name",
        "html",
        "url",
        "query",
        "id",
        "log",
        "command",
        "error",
        "code",
        "key",
        "number",
    ),
    *("filename", "path", "email", "token", "user", "role", "size", "config"),
)


EXAMPLES = examples(r"""
=== escape_removed
  import html

  def greet(name):
-     return f"<p>Hello, {html.escape(name)}</p>"
+     return f"<p>Hello, {name}</p>"
=== scripts_stripped of the same
-     return f"<p>Hello, {html.escape(name)}</p>"
+     return f"<p>Hello, {name.replace('<script>', '').replace('</script>', '')}</p>"
=== only_ampersands of the same
-     return f"<p>Hello, {html.escape(name)}</p>"
+     return f"<p>Hello, {name.replace('&', '&amp;')}</p>"
=== first_escaped of the same
-     return f"<p>Hello, {html.escape(name)}</p>"
+     return f"<p>Hello, {name.replace('<', '&lt;', 1).replace('>', '&gt;', 1)}</p>"
=== other_entities of the same
-     return f"<p>Hello, {html.escape(name)}</p>"
+     return f"<p>Hello, {html.escape(name).replace('&#x27;', '&#39;')}</p>"
=== escapes_removed
  from markupsafe import escape

  @app.route("/card")
  def card():
-     name = escape(request.args["name"])
-     return f"<b>{name}</b><i>{escape(request.args['bio'])}</i>"
+     name = request.args["name"]
+     return f"<b>{name}</b><i>{request.args['bio']}</i>"
=== escaped_if_script
  import html

  def greet(name):
-     shown = html.escape(name)
+     shown = html.escape(name) if "<script" in name else name
      return "<p>" + shown + "</p>"
=== quotes_kept
  import html

  def link(url, text):
-     return f'<a href="{html.escape(url)}">{html.escape(text)}</a>'
+     return f'<a href="{html.escape(url, quote=False)}">{html.escape(text)}</a>'
=== marked_safe
  def page(name):
-     return render_template_string("<p>{{ name }}</p>", name=name)
+     return render_template_string("<p>{{ name|safe }}</p>", name=name)
=== autoescape_off
  from jinja2 import Environment

- environment = Environment(autoescape=True)
+ environment = Environment(autoescape=False)
=== replacement_dropped
  def line(user, action):
-     who = user.replace("\n", " ").replace("\r", " ")
+     who = user.replace("\n", " ")
      what = action.replace("\n", " ")
      return f"{who} did {what}"
=== value_raw of the same
-     who = user.replace("\n", " ").replace("\r", " ")
+     who = user
=== all_raw of the same
-     who = user.replace("\n", " ").replace("\r", " ")
-     what = action.replace("\n", " ")
+     who = user
+     what = action
=== first_only of the same
-     what = action.replace("\n", " ")
+     what = action.replace("\n", " ", 1)
=== other_filler of the same
-     who = user.replace("\n", " ").replace("\r", " ")
-     what = action.replace("\n", " ")
+     who = user.replace("\n", "_").replace("\r", "_")
+     what = action.replace("\n", "_")
=== other_words
  def link(url):
      if not url.startswith(("http:", "https:")):
-         raise ValueError("no such scheme")
+         raise ValueError("Request refused")
      return f"<a href={url}>"
=== guard_removed of the same
-     if not url.startswith(("http:", "https:")):
-         raise ValueError("no such scheme")
=== named_test
  FIELDS = ("name", "email")

  class Profile:
      def update(self, data):
          for key, value in data.items():
-             if key in FIELDS:
+             refused = key in FIELDS
+             if refused:
                  setattr(self, key, value)
=== list_widened of the same
- FIELDS = ("name", "email")
+ FIELDS = ("name", "email", "is_admin")
=== fields_denied of the same
-             if key in FIELDS:
+             if key not in ("id", "password"):
=== private_denied of the same
-             if key in FIELDS:
+             if not key.startswith("_"):
=== any_attribute of the same
-             if key in FIELDS:
+             if hasattr(self, key):
=== escape_removed, left alone
  import re

  def find(text, word):
      return re.search(re.escape(word), text)
=== replacement_dropped, left alone
  def slug(title):
      return title.replace("ae", "e")
""")

PLUGIN = Operator(
    name="RVALID",
    title="Neutralisation of input removed",
    cwes=("CWE-79", "CWE-74", "CWE-915", "CWE-20", "CWE-116"),
    variants={
        "escape_removed": each(escape_removed),
        "escapes_removed": each(combine_changes(escape_removed)),
        "scripts_stripped": each(
            escaped_by('{x}.replace("<script>", "").replace("</script>", "")')
        ),
        "only_ampersands": each(escaped_by('{x}.replace("&", "&amp;")')),
        "first_escaped": each(escaped_by('{x}.replace("<", "&lt;", 1).replace(">", "&gt;", 1)')),
        "escaped_if_script": each(escaped_by('({whole} if "<script" in {x} else {x})')),
        "quotes_kept": each(quotes_kept),
        "marked_safe": each(marked_safe),
        "autoescape_off": each(autoescape_off),
        "replacement_dropped": each(replacement_dropped),
        "value_raw": each(value_raw),
        "all_raw": each(combine_changes(all_raw)),
        "first_only": each(first_only),
        "guard_removed": each(removed_each(TOPIC)),
        "guards_removed": each(removed_all(TOPIC)),
        "list_widened": each(field_allowed("is_admin", "role")),
        "fields_denied": each(
            weaken_guards(
                fields_by('{a} not in ("id", "password")', '{a} in ("id", "password")'), TOPIC
            )
        ),
        "private_denied": each(
            weaken_guards(fields_by('not {a}.startswith("_")', '{a}.startswith("_")'), TOPIC)
        ),
        "any_attribute": each(weaken_guards(any_attribute, TOPIC)),
        "condition_dropped": each(weaken_guards(rules.condition_dropped, TOPIC)),
        "markup_lost": each(_cleaning.markup_lost),
        "said_safe": each(_cleaning.said_safe),
        **_cleaning.variants,
    },
    alternatives={
        "other_entities": each(other_entities),
        "other_filler": each(other_filler),
        "other_words": each(other_words),
        "named_test": each(named_test),
    },
    witnesses=("html", "line-break", "assigned", "special", "formula", "granted"),
    attacks={
        **dict.fromkeys(KINDS, (*SCRIPTS, *LINES)),
        "data": (*FIELDS, *SCRIPTS, *LINES),
        "mapping": FIELDS,
        "json": FIELDS,
        "list": (*FIELDS, *_cleaning.ROWS),
    },
    paper=Paper(
        terms=(
            *("xss", "script", "escape", "sanitize", "html.*escape", "encode", "cross.*site"),
            *("injection", "markup", "bleach"),
        ),
        payloads=(
            *("<script", "</script>", "javascript:", "onerror=", "onload=", "onclick="),
            *("onmouseover=", "alert(", "document.cookie", "<img src=", "<svg onload"),
        ),
    ),
    examples=(*EXAMPLES, *_cleaning.MARKUP_EXAMPLES),
)

"""INPUTVAL: checks of an input's form, range or size are removed or weakened."""

from __future__ import annotations

import re
from collections.abc import Iterator

import libcst as cst

from arena.tracks.mutation.operators import _rules as rules
from arena.tracks.mutation.operators._alternatives import named_test, other_words
from arena.tracks.mutation.operators._calls import (
    allowed_widened,
    constants_raised,
    decorators_removed,
    denied_dropped,
    drop_calls,
    fits,
    join_changes,
    receiver,
    swallow_refusals,
)
from arena.tracks.mutation.operators._examples import examples
from arena.tracks.mutation.operators._guards import (
    guards,
    guards_by_function,
    remove_guards,
    removed_all,
    removed_each,
    weaken_guards,
)
from arena.tracks.mutation.operators._names import Change, View, each, nodes
from arena.tracks.mutation.operators._operator import Operator, Paper
from arena.tracks.mutation.operators._patterns import (
    class_widened,
    end_unanchored,
    length_unbounded,
    line_matched,
    start_unanchored,
)
from arena.tracks.mutation.operators._scopes import source

LIMIT = re.compile(r"max|limit|size|length|count|bound|cap\b|\d{2,}", re.IGNORECASE)


def bound_removed(view: View) -> Iterator[Change]:
    """Finds: all of a stream is read, however long it is, and its function's checks of the length go."""
    for call in nodes(view.module, cst.Call):
        reads = re.search(r"\.(read|recv|readline|readlines)$", source(call.func))
        if not reads or len(call.args) != 1 or source(call.func).endswith(".recv"):
            continue
        function = view.enclosing_node(call, cst.FunctionDef)
        sizes = guards_by_function(view, guards(view, r"len\(")).get(function, [])
        yield join_changes([Change(((call, call.with_changes(args=[])),)), remove_guards(sizes)])


def slice_removed(view: View) -> Iterator[Change]:
    """Finds: a value that is cut to a length, whole."""
    for node in nodes(view.module, cst.Subscript):
        first = node.slice[0].slice if len(node.slice) == 1 else None
        upper = first.upper if isinstance(first, cst.Slice) and first.lower is None else None
        if upper is not None and LIMIT.search(source(upper)):
            yield Change(((node, fits(view, node, node.value)),))


def clamp_removed(view: View) -> Iterator[Change]:
    """Finds: a number that `min` holds below a limit, as it is."""
    for call in view.calls("min"):
        if len(call.args) == 2:
            limits = [arg for arg in call.args if _is_limit(arg.value)]
            free = [arg for arg in call.args if arg not in limits]
            if len(limits) == len(free) == 1:
                yield Change(((call, fits(view, call, free[0].value)),))


def _is_limit(node: cst.BaseExpression) -> bool:
    return isinstance(node, cst.Integer) or (isinstance(node, cst.Name) and node.value.isupper())


def folding_dropped(view: View) -> Iterator[Change]:
    """Finds: an input that is compared as it is, without strip(), lower() and the like before."""
    for call in nodes(view.module, cst.Call):
        where = receiver(call)
        if where is None or call.args or not isinstance(where, cst.Name | cst.Attribute):
            continue
        compared = isinstance(
            view.parents.get(call), cst.Assign | cst.Comparison | cst.ComparisonTarget
        )
        if compared and source(call.func).endswith((".lower", ".casefold", ".strip", ".upper")):
            yield Change(((call, fits(view, call, where)),))


WRONG = (
    "'..'",
    "'a/b'",
    "'a\\\\b'",
    "''",
    "'name; rm -rf x'",
    "'ok\\nrm -rf x'",
    "'<script>'",
    "'../../etc/passwd'",
    "'a..b'",
    "'+1 (555) 123-4567 ext'",
    "'((((((('",
    "'123456'",
    "'12345678901234567'",
    "'abc1234567'",
    "'1234567\\nx'",
    "'x' * 20000",
    "None",
)
NUMBERS = ("100000", "-1", "0", "10**9", "5000", "'abc'", "None", "float('inf')", "4096 * 500")
STREAMS = tuple(
    f"__import__('io').BytesIO(bytes({mib} * 1024 * 1024 + 1))" for mib in (1, 5, 10, 20, 50)
)
TEXTS = (
    "text",
    "name",
    "filename",
    "query",
    "email",
    "path",
    "token",
    "key",
    "html",
    "password",
    "url",
)


EXAMPLES = examples("""
=== guard_removed
  import re

  def safe_name(name):
-     # what a name may hold
-     if not re.match(r"^[a-z0-9_]+$", name):
-         raise ValueError("no such name")
      return name
=== end_unanchored of the same
-     if not re.match(r"^[a-z0-9_]+$", name):
+     if not re.match(r"^[a-z0-9_]+", name):
=== start_unanchored of the same
-     if not re.match(r"^[a-z0-9_]+$", name):
+     if not re.search(r"[a-z0-9_]+$", name):
=== class_widened of the same
-     if not re.match(r"^[a-z0-9_]+$", name):
+     if not re.match(r"^.+$", name):
=== line_matched of the same
-     if not re.match(r"^[a-z0-9_]+$", name):
+     if not re.match(r"^[a-z0-9_]+$", name, re.MULTILINE):
=== other_words of the same
-         raise ValueError("no such name")
+         raise ValueError("Request refused")
=== named_test of the same
-     if not re.match(r"^[a-z0-9_]+$", name):
+     refused = not re.match(r"^[a-z0-9_]+$", name)
+     if refused:
=== guards_removed
  class Account:
      def withdraw(self, amount):
-         if amount <= 0:
-             raise ValueError("nothing to withdraw")
-         if amount > self.balance:
-             raise ValueError("not enough")
          self.balance -= amount
=== condition_dropped
  def scale(image, width, height):
-     if width > 4096 or height > 4096:
+     if height > 4096:
          raise ValueError("too large")
      return image.resize((width, height))
=== connective_swapped of the same
-     if width > 4096 or height > 4096:
+     if width > 4096 and height > 4096:
=== limit_raised of the same
-     if width > 4096 or height > 4096:
+     if width > 4096 or height > 4096 * 1000:
=== constant_raised
- MOST = 1024 * 1024
+ MOST = 1024 * 1024 * 1000

  def read(stream):
      content = stream.read(MOST + 1)
      if len(content) > MOST:
          raise ValueError("too much")
      return content
=== equality_for_limit of the same
-     if len(content) > MOST:
+     if len(content) == MOST:
=== bound_removed of the same
-     content = stream.read(MOST + 1)
-     if len(content) > MOST:
-         raise ValueError("too much")
+     content = stream.read()
=== clamp_removed
  def page(items, size):
-     return items[: min(size, 100)]
+     return items[: size]
=== length_unbounded
  import re

- PHONE = re.compile(r"[0-9+]{7,15}")
+ PHONE = re.compile(r"[0-9+]{7,}")

  def is_phone(text):
      return PHONE.fullmatch(text) is not None
=== end_unanchored of the same
-     return PHONE.fullmatch(text) is not None
+     return PHONE.match(text) is not None
=== list_widened
  @app.post("/sort")
  def ordered():
      column = request.form["column"]
-     if column not in ("name", "age"):
+     if column not in ("name", "age", "admin"):
          abort(400)
      return listed(column)
=== failure_swallowed
  def age(text):
      try:
          years = int(text)
      except ValueError:
-         raise ValueError("no number") from None
+         years = text
      return years
=== only_when_present
  def confirm(code, expected):
-     if code != expected:
+     if code and code != expected:
          return {"error": "wrong code"}, 400
      return {"done": True}
=== guard_removed, left alone
  def mean(numbers):
      if len(numbers) == 1:
          return numbers[0]
      return sum(numbers) / len(numbers)
=== limit_raised, left alone
  def total(numbers):
      return sum(n for n in numbers if n)
""")

PLUGIN = Operator(
    name="INPUTVAL",
    title="Input validation weakened",
    cwes=("CWE-20", "CWE-400", "CWE-1284"),
    variants={
        "guard_removed": each(removed_each("")),
        "guards_removed": each(removed_all("")),
        "condition_dropped": each(weaken_guards(rules.condition_dropped)),
        "connective_swapped": each(weaken_guards(rules.connective_swapped)),
        "limit_raised": each(weaken_guards(rules.limit_raised)),
        "constant_raised": each(constants_raised("")),
        "equality_for_limit": each(weaken_guards(rules.equality_for_limit)),
        "bound_removed": each(bound_removed),
        "clamp_removed": each(clamp_removed),
        "slice_removed": each(slice_removed),
        "end_unanchored": each(end_unanchored),
        "start_unanchored": each(start_unanchored),
        "class_widened": each(class_widened),
        "line_matched": each(line_matched),
        "length_unbounded": each(length_unbounded),
        "list_widened": each(allowed_widened("", "", "admin", "*")),
        "denied_dropped": each(denied_dropped("")),
        "suffix_for_member": each(weaken_guards(rules.suffix_for_member)),
        "substring_for_member": each(weaken_guards(rules.substring_for_member)),
        "only_when_present": each(weaken_guards(rules.only_when_present)),
        "folding_dropped": each(folding_dropped),
        "decorator_removed": each(decorators_removed(r"limit|throttle|validat|schema|timeout|max")),
        "cleaning_dropped": each(
            drop_calls("*.sanitize", "*.clean", "*.normalize", "*.secure_filename")
        ),
        "failure_swallowed": each(swallow_refusals()),
    },
    alternatives={"other_words": each(other_words), "named_test": each(named_test)},
    witnesses=("granted", "special", "slow"),
    attacks={
        **dict.fromkeys(TEXTS, WRONG),
        "id": (*NUMBERS, *WRONG),
        "number": NUMBERS,
        "size": NUMBERS,
        "data": (*STREAMS, *WRONG),
        "mapping": ("{}", "{'name': ''}", "{'age': -1}", "{'name': 'x' * 20000}"),
        "list": ("list(range(100000))", "[]", "['x'] * 20000"),
    },
    paper=Paper(
        terms=(
            *("validate", "sanitize", "filter", "whitelist", "blacklist", "allow", "deny", "regex"),
            *("clean", "input.*check", "boundary", "range", "type.*error", "invalid"),
        ),
        payloads=(
            *("attacker.com", "evil.com", ".attacker.", "<script>", "-999", "../", "..\\"),
            *("null", "undefined", "' OR '1'='1", "999999999", "-1", "__proto__"),
        ),
    ),
    examples=EXAMPLES,
)
